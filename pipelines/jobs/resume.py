"""What is known of an output when a job begins.

Which inputs are done, from the manifest of jobs that ended and the journal of one that did not.

The journal is a folder of parts, each written whole when some inputs are done; a job that was stopped goes on from
there.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import orjson
import polars as pl

from sharedtask.converters.errors import ConflictError, UnusableError
from sharedtask.converters.storage import Folder
from sharedtask.pipelines.jobs.delta import read_rows
from sharedtask.pipelines.jobs.outcome import Outcome, Written

MANIFEST, SUCCESS = "manifest.json", "_SUCCESS"
FINDINGS, SCORES = "findings", "scores"  # the tables: files of Parquet, or folders of Delta
JOURNAL = "_work"
DELTA_LOG = "_delta_log"
DAMAGED = (ValueError, TypeError, KeyError, AttributeError)  # what reading JSON of another shape raises


@dataclass(slots=True)
class State:
    """The inputs that are done, by path, and the stamp that the manifest must still have at the end.

    `committed` are those of the manifest, `journal` those of a job that did not come to its end; `settings` is what an
    input must have been worked under to count as done, `job` the name of the job's own part of the journal. `names` are
    the files and tables that were there, `before` is what the manifest says was written for each input.
    """

    folder: Folder
    settings: str
    job: str
    stamp: str | None = None
    manifest: Mapping[str, object] = field(default_factory=dict)
    committed: dict[str, Outcome] = field(default_factory=dict)
    journal: dict[str, Outcome] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    before: dict[str, list[Written]] = field(default_factory=dict)
    parts: int = 0

    @property
    def work(self) -> str:
        """The folder of this job's journal and of what it stages."""
        return f"{JOURNAL}/{self.job}"

    def knows(self, path: str) -> bool:
        """Whether an input of this name was worked before."""
        return path in self.journal or path in self.committed

    def done(self, path: str, sha256: str) -> Outcome | None:
        """The earlier outcome of an input, if its bytes and settings are the same and its outputs exist."""
        for known in (self.journal, self.committed):
            one = known.get(path)
            if one is not None and (one.sha256, one.settings) == (sha256, self.settings):
                return one
        return None

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Add a part to the journal."""
        if not outcomes:
            return
        self.journal |= {one.path: one for one in outcomes}
        self.folder.put_bytes(f"{self.work}/{self.parts:06d}.json", orjson.dumps(outcomes))
        self.parts += 1


def read_state(folder: Folder, settings: str, job: str) -> State:
    """The state of an output. Work whose files are gone counts as not done.

    Raises UnusableError where there is a manifest that is none of a job.
    """
    state = State(folder, settings, job, names=_names(folder))
    found = folder.read(MANIFEST)
    if found is not None:
        content, state.stamp = found
        state.manifest = _parsed(content, folder.place(MANIFEST))
        _read_committed(state)
    parts = re.compile(rf"{re.escape(state.work)}/([0-9]{{6}})\.json")
    for part in sorted(filter(None, map(parts.fullmatch, state.names)), key=lambda match: match[1]):
        state.parts = int(part[1]) + 1
        with suppress(*DAMAGED):
            known = [Outcome.from_json(data) for data in orjson.loads(_bytes(folder, part[0]))]
            state.journal |= {one.path: one for one in known if _is_there(one, state.names)}
    return state


def _read_committed(state: State) -> None:
    """Take over what the manifest says.

    Nothing of one that is damaged, or that another version has written in another way.
    """
    with suppress(*DAMAGED):
        findings = _findings(state)
        every = [_outcome(data, findings or {}) for data in state.manifest["inputs"]]  # type: ignore[attr-defined]
        state.before = {one.path: one.outputs for one in every}
        if findings is not None:
            state.committed = {one.path: one for one in every if _is_there(one, state.names)}


def _parsed(content: bytes, place: str) -> Mapping[str, object]:
    try:
        manifest = orjson.loads(content)
    except orjson.JSONDecodeError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("tool") != "sharedtask":
        raise UnusableError(f"{place}: is not the manifest of a job; name another output, or move that file away")
    return manifest


def _bytes(folder: Folder, name: str) -> bytes:
    found = folder.read(name)
    if found is None:
        raise ConflictError(folder.place(name))  # it was listed a moment ago
    return found[0]


Findings = Mapping[tuple[object, ...], pl.DataFrame]


def _findings(state: State) -> Findings | None:
    """The findings of the manifest's inputs, by file; None where they are not those that it was written with."""
    tables = state.manifest.get("tables")
    if not isinstance(tables, dict):
        return None
    if not tables:  # they are in a Delta table
        table = read_rows(state.folder.place(FINDINGS))
        return None if table is None else table.drop("source").partition_by("file", as_dict=True)
    if not has_its_tables(state.folder, tables, state.names):
        return None
    return pl.read_parquet(_bytes(state.folder, f"{FINDINGS}.parquet")).partition_by("file", as_dict=True)


def has_its_tables(folder: Folder, tables: Mapping[str, str], names: frozenset[str]) -> bool:
    """Whether these tables are there, with these hashes."""
    if not set(tables) <= names:
        return False
    return all(hashlib.sha256(_bytes(folder, name)).hexdigest() == digest for name, digest in tables.items())


def _outcome(data: dict[str, object], findings: Findings) -> Outcome:
    rows = findings.get((data["path"],))
    return Outcome.from_json({**data, "findings": [] if rows is None else rows.to_dicts()})


def _is_there(one: Outcome, names: frozenset[str]) -> bool:
    return all(written.name in names for written in one.outputs)


def _names(folder: Folder) -> frozenset[str]:
    """The names of all files of the output, and of its Delta tables."""
    files = folder.names()
    return frozenset(files) | {name.partition(f"/{DELTA_LOG}/")[0] for name in files}
