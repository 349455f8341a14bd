"""What a job leaves in its output folder beside the data: the manifest, the two tables, the mark of its end, and its journal while it runs.

The journal is a folder of parts, each written whole when some inputs are done; a job that was stopped goes on from there. The manifest is
written on condition that nobody else has written it since the job began, so of two jobs on one output one loses. `_SUCCESS` comes last.
"""

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import polars as pl

from sharedtask.converters.source import UnusableError
from sharedtask.converters.storage import ConflictError, Folder, is_remote
from sharedtask.converters.write import sink
from sharedtask.pipelines.jobs.outcome import Outcome, findings_table, scores_table
from sharedtask.pipelines.version import tool_version

MANIFEST, FINDINGS_FILE, SCORES_FILE, SUCCESS = "manifest.json", "findings.parquet", "scores.parquet", "_SUCCESS"
JOURNAL = "_work"
LOCK = ".job.lock"


@dataclass(slots=True)
class State:
    """What is known of the output when a job begins: inputs that are done, by path, and the stamp that the manifest must still have at the end.

    `committed` are those of the manifest, `journal` those of a job that did not come to its end.
    """

    folder: Folder
    settings: str
    stamp: str | None = None
    manifest: Mapping[str, object] = field(default_factory=dict)
    committed: dict[str, Outcome] = field(default_factory=dict)
    journal: dict[str, Outcome] = field(default_factory=dict)
    parts: int = 0

    def knows(self, path: str) -> bool:
        """Whether an input of this name was worked before."""
        return path in self.journal or path in self.committed

    def done(self, path: str, sha256: str) -> Outcome | None:
        """What became of an input before, if its bytes and all that matters are the same and what was written for it is there."""
        for known in (self.journal, self.committed):
            one = known.get(path)
            if one is not None and one.sha256 == sha256:
                return one
        return None

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Add a part to the journal."""
        if not outcomes:
            return
        self.journal |= {one.path: one for one in outcomes}
        data = orjson.dumps(outcomes)
        self.folder.put_bytes(f"{JOURNAL}/{self.settings[:16]}/{self.parts:06d}.json", data)
        self.parts += 1


def read_state(folder: Folder, settings: str) -> State:
    """The state of an output. Work that was done with other settings, by another version, or whose files are gone counts as not done."""
    state = State(folder, settings)
    there = folder.read(MANIFEST)
    names = set(folder.names())
    if there is not None:
        content, state.stamp = there
        state.manifest = _parsed(content, folder.place(MANIFEST))
    if state.manifest.get("settings") == settings and _has_its_tables(state, names):
        findings = pl.read_parquet(_bytes(folder, FINDINGS_FILE))
        by_file = findings.partition_by("file", as_dict=True)
        for data in state.manifest["inputs"]:  # type: ignore[attr-defined]
            rows = by_file.get((data["path"],))
            one = Outcome.from_json({**data, "findings": [] if rows is None else rows.to_dicts()})
            if _is_there(one, names):
                state.committed[one.path] = one
    prefix = f"{JOURNAL}/{settings[:16]}/"
    for name in sorted(name for name in names if name.startswith(prefix)):
        for data in orjson.loads(_bytes(folder, name)):
            one = Outcome.from_json(data)
            if _is_there(one, names):
                state.journal[one.path] = one
        state.parts = int(Path(name).stem) + 1
    return state


def _parsed(content: bytes, place: str) -> Mapping[str, object]:
    try:
        manifest = orjson.loads(content)
    except orjson.JSONDecodeError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("tool") != "sharedtask":
        raise UnusableError(f"{place}: is no manifest of a job; name another output, or move that file away")
    return manifest


def _bytes(folder: Folder, name: str) -> bytes:
    there = folder.read(name)
    if there is None:
        raise ConflictError(folder.place(name))  # it was listed a moment ago
    return there[0]


def _has_its_tables(state: State, names: set[str]) -> bool:
    """Whether the tables are those that the manifest was written with."""
    told = state.manifest.get("tables")
    if not isinstance(told, dict) or not set(told) <= names:
        return False
    return all(hashlib.sha256(_bytes(state.folder, name)).hexdigest() == digest for name, digest in told.items())


def _is_there(one: Outcome, names: set[str]) -> bool:
    return all(written.name in names for written in one.outputs)


@dataclass(frozen=True, slots=True)
class Ending:
    """What a job that came to its end has to write: all its inputs in order, and what the manifest says beside them."""

    outcomes: Sequence[Outcome]
    says: Mapping[str, object]
    headlines: Mapping[str, str]  # kind of run -> the score by which runs are ranked; empty where nothing is scored
    reference: Outcome | None = None


def commit(state: State, ending: Ending, scratch: Path) -> None:
    """Write tables, manifest and `_SUCCESS`, in this order of consequence: the manifest decides which of two jobs has won.

    Nothing is written where everything is as it was. Raises ConflictError where another job has written the manifest meanwhile.
    """
    folder = state.folder
    tables = {FINDINGS_FILE: findings_table([*filter(None, [ending.reference]), *ending.outcomes])}
    if ending.headlines:
        tables[SCORES_FILE] = scores_table(ending.outcomes, ending.headlines)
    files = {name: scratch / name for name in tables}
    for name, table in tables.items():
        _write(table, files[name], name)
    digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    manifest = orjson.dumps(
        {
            "tool": "sharedtask",
            "version": tool_version(),
            "verb": "run",
            **ending.says,
            "settings": state.settings,
            "tables": digests,
            "inputs": [one.without_findings() for one in ending.outcomes],
        },
        option=orjson.OPT_INDENT_2,
    )
    before = folder.read(MANIFEST)
    names = set(folder.names())
    same = before is not None and before == (manifest, state.stamp) and _has_its_tables(state, names)
    if not same:
        folder.remove(SUCCESS)
        state.stamp = folder.swap(MANIFEST, manifest, state.stamp)
        for name, file in files.items():
            folder.put(name, file)
        _remove_what_is_stale(state, ending, names)
    if not same or SUCCESS not in names:
        folder.put_bytes(SUCCESS, b"")
    for name in names:
        if name.startswith(f"{JOURNAL}/"):
            folder.remove(name)


def _remove_what_is_stale(state: State, ending: Ending, names: set[str]) -> None:
    """Remove what earlier jobs have written for inputs that are not there any more, or that now go elsewhere."""
    mine = {written.name for one in ending.outcomes for written in one.outputs}
    before = state.manifest.get("inputs", [])
    old = {written["name"] for one in before for written in one["outputs"]}  # type: ignore[attr-defined]
    for name in (old - mine) & names:
        state.folder.remove(name)
    if SCORES_FILE in names and not ending.headlines:
        state.folder.remove(SCORES_FILE)


def _write(table: pl.DataFrame, file: Path, name: str) -> None:
    says = {"sharedtask.kind": name.removesuffix(".parquet"), "sharedtask.tool_version": tool_version()}
    sink(table.lazy(), file, "parquet", lambda rows: {**says, "sharedtask.rows": str(rows)}).collect(engine="streaming")


@contextmanager
def alone_in(folder: Folder) -> Iterator[None]:
    """While this is held no other job of this machine can begin on the output. On S3, where there are no locks, the manifest decides at the end.

    Raises UnusableError at once where another job holds it.
    """
    if is_remote(folder.path):
        yield
        return
    import fcntl  # not on every system, and needed for local outputs only

    place = Path(folder.place(LOCK))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = place.open("wb")
    except OSError as error:
        raise UnusableError(f"{place.parent}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # given back by the system however this process ends
        except OSError:
            raise UnusableError(
                f"{folder.path}: another job is writing here; wait for its end, or name another output"
            ) from None
        _remove_leftovers(place.parent)
        yield


def _remove_leftovers(root: Path) -> None:
    """Remove the unfinished files of jobs that were killed."""
    for partial in root.rglob(".*.partial"):
        shutil.rmtree(partial, ignore_errors=True)
