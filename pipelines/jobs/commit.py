"""The end of a job: tables, manifest, and `_SUCCESS` last.

The manifest is written on condition that nobody else has written it since the job began, so of two jobs on one output
one loses. Delta tables take what several jobs write at once, and so does their manifest: it has the inputs of all of
them.
"""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sharedtask.converters.canonical_sink import sink
from sharedtask.converters.errors import ConflictError
from sharedtask.pipelines.jobs.delta import SOURCE, put_rows
from sharedtask.pipelines.jobs.outcome import Outcome, Written, findings_table, scores_table
from sharedtask.pipelines.jobs.resume import (
    FINDINGS,
    JOURNAL,
    MANIFEST,
    SCORES,
    SUCCESS,
    State,
    has_its_tables,
    read_state,
)
from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.results.report import tool_version

TRIES = 100  # to write a manifest that other jobs write, too


@dataclass(frozen=True, slots=True)
class Ending:
    """What a job that came to its end has to write.

    All its inputs in order, what was found in the reference, and what the manifest says of the inputs that it is to
    hold. `headlines` has for each kind of run the score by which runs are ranked; it is empty where nothing is scored.
    """

    outcomes: Sequence[Outcome]
    says: Callable[[Sequence[Outcome]], Mapping[str, object]]
    headlines: Mapping[str, str]
    reference: Outcome | None = None


def commit(state: State, ending: Ending, scratch: Path) -> None:
    """Write the tables as Parquet. Nothing is written where everything is as it was.

    Raises ConflictError where another job has written the manifest meanwhile.
    """
    folder = state.folder
    tables = {f"{FINDINGS}.parquet": findings_table([*filter(None, [ending.reference]), *ending.outcomes])}
    if ending.headlines:
        tables[f"{SCORES}.parquet"] = scores_table(ending.outcomes, ending.headlines)
    files = {name: _written(table, scratch / name) for name, table in tables.items()}
    digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    manifest = _manifest(ending.says(ending.outcomes), digests, ending.outcomes)
    written = folder.read(MANIFEST)
    same = written == (manifest, state.stamp) and has_its_tables(folder, digests, state.names)
    if not same:
        if (written and written[1]) != state.stamp:
            raise ConflictError(folder.place(MANIFEST))
        folder.remove(SUCCESS)  # the mark of the job before; not before it is plain that this one has not lost
        folder.swap(MANIFEST, manifest, state.stamp)
        for name, file in files.items():
            folder.put(name, file)
        _remove_what_is_stale(state, ending)
    if not same or SUCCESS not in state.names:
        folder.put_bytes(SUCCESS, b"")
    _remove(state, JOURNAL)


def commit_delta(state: State, ending: Ending, scratch: Path) -> None:
    """Put the new outcomes into Delta tables, one transaction for each, and add them to the manifest."""
    folder = state.folder
    worked = [one for one in ending.outcomes if one != state.committed.get(one.path)]
    fresh = [*filter(None, [ending.reference if worked else None]), *worked]
    for table, staged in _staged(state, fresh).items():
        _put_kind(state, table, staged, scratch)
    sources = [one.path for one in fresh]
    if fresh:
        found = findings_table(fresh)
        put_rows(folder.place(FINDINGS), lambda: found.with_columns(pl.col("file").alias(SOURCE)).lazy(), sources)
    if worked and ending.headlines:
        scores = scores_table(worked, ending.headlines)
        put_rows(folder.place(SCORES), lambda: scores.with_columns(pl.col("file").alias(SOURCE)).lazy(), sources)
    _remove_old_quarantine(state, worked)
    mine = {one.path: _in_table(one) for one in ending.outcomes}
    for _ in range(TRIES):
        known = {**state.committed, **mine}
        every = [known[path] for path in sorted(known)]
        manifest = _manifest(ending.says(every), {}, every)
        if folder.read(MANIFEST) == (manifest, state.stamp):
            break
        try:
            folder.swap(MANIFEST, manifest, state.stamp)
            break
        except ConflictError:
            time.sleep(0.05)
            state = read_state(folder, state.settings, state.job)
    else:
        raise ConflictError(folder.place(MANIFEST))
    if SUCCESS not in folder.names():
        folder.put_bytes(SUCCESS, b"")
    _remove(state, state.work)


def _table_of(written: Written) -> str:
    """The Delta table of a kind, `data/<task>/<what>`.

    Names such as `kind=…` above a table are taken for its partitions by readers.
    """
    return f"data/{written.kind}"


def _in_table(one: Outcome) -> Outcome:
    return replace(one, outputs=[out if out.quarantine else replace(out, name=_table_of(out)) for out in one.outputs])


def _staged(state: State, fresh: Sequence[Outcome]) -> dict[str, dict[str, list[str]]]:
    """For each table the inputs that were worked now and have, or had, rows in it, with the staged files of each."""
    tables: dict[str, dict[str, list[str]]] = {}
    for outcome in fresh:
        for old in state.before.get(outcome.path, []):
            if not old.quarantine:
                tables.setdefault(old.name, {}).setdefault(outcome.path, [])
        for written in outcome.outputs:
            if not written.quarantine:
                tables.setdefault(_table_of(written), {}).setdefault(outcome.path, []).append(written.name)
    return tables


def _put_kind(state: State, table: str, staged: Mapping[str, Sequence[str]], scratch: Path) -> None:
    """Put the staged files of one kind into its table, in the place of what it has of these inputs."""
    parts: list[pl.LazyFrame] = []
    for number, (source, name) in enumerate((source, name) for source, names in staged.items() for name in names):
        local = scratch / f"staged-{number}.parquet"
        state.folder.download(name, local)
        split = next(part for part in name.split("/") if part.startswith("split=")).removeprefix("split=")
        rows = pl.scan_parquet(local, glob=False)
        parts.append(rows.with_columns(pl.lit(source).alias(SOURCE), pl.lit(split).alias("split")))
    place = state.folder.place(table)
    put_rows(place, (lambda: pl.concat(parts, how="diagonal_relaxed")) if parts else None, list(staged), ["split"])


def _manifest(says: Mapping[str, object], tables: Mapping[str, str], outcomes: Sequence[Outcome]) -> bytes:
    head = {"tool": "sharedtask", "version": tool_version(), "verb": "job", **says, "tables": tables}
    inputs = [one.without_findings() for one in outcomes]
    return dump({**head, "inputs": inputs}, indented=True).rstrip().encode()


def _written(table: pl.DataFrame, file: Path) -> Path:
    says = {"sharedtask.kind": file.stem, "sharedtask.tool_version": tool_version()}
    sink(table.lazy(), file, "parquet", lambda rows: {**says, "sharedtask.rows": str(rows)}).run()
    return file


def _remove_what_is_stale(state: State, ending: Ending) -> None:
    """Remove what earlier jobs have written for inputs that are not there any more, or that now go elsewhere."""
    mine = {written.name for one in ending.outcomes for written in one.outputs}
    old = {written.name for outputs in state.before.values() for written in outputs}
    if not ending.headlines:
        old.add(f"{SCORES}.parquet")
    for name in (old - mine) & state.names:
        state.folder.remove(name)


def _remove_old_quarantine(state: State, worked: Sequence[Outcome]) -> None:
    """Remove the quarantine files of inputs that were processed again and have no bad records any more."""
    for one in worked:
        old = {written.name for written in state.before.get(one.path, []) if written.quarantine}
        for name in (old - {written.name for written in one.outputs}) & state.names:
            state.folder.remove(name)


def _remove(state: State, work: str) -> None:
    for name in state.folder.names(work):
        state.folder.remove(name)
