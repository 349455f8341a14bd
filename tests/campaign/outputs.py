"""Invariants of what is written: nothing lost, the same each time, read back, and the same alone and among others."""

import hashlib
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from tests.campaign.formats import counts_of, parse_report
from tests.campaign.sandbox import Done, Sandbox
from tests.campaign.trial import Trial


def nothing_lost(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """Good and quarantined records are all records."""
    sandbox.fresh(trial)
    args = ["convert", trial.target, "--out", "out", "--on-error", "quarantine", "--format", "json"]
    called = sandbox.run(args)
    if called.status == 2:
        return
    report = parse_report(called.out)
    rows = report["inputs"][0]["rows"]
    good = sum(one["rows"] for one in report["outputs"])
    tables = [pl.read_parquet(path, glob=False).height for path in Path("out").glob("quarantine/*.parquet")]
    if not rows:
        if good:
            yield f"{good} records written of a file that has none"
    elif good + sum(tables) != rows:
        yield f"{rows} records, {good} good, {sum(tables)} quarantined"


def as_often_as_wanted(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """A second call says and writes the same: into a new folder, and over what the first one wrote."""
    from tests.campaign.invariants import digest_of

    first = digest_of(done, sandbox.seen())
    sandbox.fresh(trial)
    again = sandbox.run(trial.args)
    if digest_of(again, sandbox.seen()) != first:
        yield f"another result the second time: {_first_difference(done, again)}"
        return
    if trial.verb in ("convert", "fix", "export", "pack", "template", "splits make", "derive"):
        over = sandbox.run(trial.args)
        if digest_of(over, sandbox.seen()) != first:
            yield f"another result over its own output: {_first_difference(done, over)}"


def _first_difference(one: Done, other: Done) -> str:
    if one.status != other.status:
        return f"exit status {one.status} and {other.status} ({other.err.strip()[:200]})"
    for left, right in ((one.out, other.out), (one.err, other.err)):
        for mine, theirs in zip(left.splitlines(), right.splitlines(), strict=False):
            if mine != theirs:
                return f"{mine[:150]!r} and {theirs[:150]!r}"
    return "the files"


def read_back(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """What `convert` wrote is read to the same table, without an error."""
    for path in sorted(Path("out").glob("*.*")):
        to = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".arrow": "ipc"}[path.suffix]
        again = sandbox.run(["convert", str(path), "--out", f"back/{to}", "--to", to, "--format", "json"])
        if again.status == 2:
            yield f"{to} is refused: {again.err.strip()[:200]}"
            continue
        report = parse_report(again.out)
        errors = {name: count for (name, severity), count in counts_of(report).items() if severity == "error"}
        if "empty-file" in errors:
            continue  # a table without a record is an error of its own
        if errors:
            yield f"{to} has errors: {errors}; {report['findings'][0]['message'][:200]}"
        elif message := _other_table(path, Path("back") / to / path.name):
            yield f"{to} is read back to another table: {message}"


def _other_table(one: Path, other: Path) -> str:
    """How two tables differ; those that say where they come from have other bytes and are compared by value."""
    if not other.exists():
        return "none was written"
    if one.suffix in (".csv", ".jsonl"):
        return "" if one.read_bytes() == other.read_bytes() else "other bytes"
    read = pl.read_parquet if one.suffix == ".parquet" else pl.read_ipc
    first, second = (read(BytesIO(path.read_bytes())) for path in (one, other))
    if first.schema != second.schema:
        return f"{first.schema}, then {second.schema}"
    return "" if first.equals(second) else "other values"


def equal_to_itself(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """A file that can be compared is equal to itself."""
    again = sandbox.run(["diff", trial.target, trial.target, "--format", "json"])
    if again.status != 2 and json.loads(again.out)["equal"] is not True:
        yield "a file differs from itself"


def alone_and_among_others(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """A job makes the same of a file whether it is alone or among others."""
    if done.status == 2:
        return
    among = _of_input(trial.target)
    text = trial.files["job.toml"].content.decode()
    sandbox.fresh(trial)
    inputs, _, rest = text.partition("\n")
    del inputs
    Path("job.toml").write_text(f'inputs = ["{trial.target}"]\n{rest}', encoding="utf-8")
    called = sandbox.run(["job", "job.toml"])
    if called.status == 2:
        yield f"refused alone: {called.err.splitlines()[-1][:200]}"
        return
    alone = _of_input(trial.target)
    for name in alone:
        if alone[name] != among[name]:
            yield f"{name} alone {str(alone[name])[:300]}, among others {str(among[name])[:300]}"


def _of_input(name: str) -> dict[str, Any]:
    """What the output of a job says of one input."""
    out = Path("out/job")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    entries = [one for one in manifest["inputs"] if Path(one["path"]).name == name]
    found: dict[str, Any] = {"manifest": entries}
    for table in ("findings", "scores"):
        path = out / f"{table}.parquet"
        rows = pl.read_parquet(path).filter(pl.col("file").str.ends_with(name)).to_dicts() if path.exists() else []
        found[table] = [{key: value for key, value in row.items() if value is not None} for row in rows]
    found["files"] = {one["name"]: _sha256(out / one["name"]) for entry in entries for one in entry["outputs"]}
    return found


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
