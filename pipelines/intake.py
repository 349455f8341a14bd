"""From a source to a table of a known kind: what container it is, which kind its columns make it, and its raw columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

import polars as pl

from sharedtask.converters.canonical import canonical
from sharedtask.converters.columns import fit
from sharedtask.converters.delimited import Layout, read_broken, read_delimited
from sharedtask.converters.encoding import first_bad_byte, not_utf8, plain_text, transcode
from sharedtask.converters.json_mapping import is_mapping, read_json_mapping
from sharedtask.converters.json_records import first_keys, read_json_records
from sharedtask.converters.parquet import PARQUET_MAGIC, parquet_columns, read_parquet, stored_kind
from sharedtask.converters.source import Source, UnusableError
from sharedtask.converters.table import Table
from sharedtask.pipelines.tasks import all_kinds, kind_named
from sharedtask.schemas.file_rules import EMPTY_FILE
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally, tally_one


@dataclass(slots=True)
class Intake:
    """One input on its way: the source as text that can be read, its kind, and its table once it has been opened."""

    source: Source
    kind: Kind
    container: str
    limit: int
    tallies: list[Tally] = field(default_factory=list)
    layout: Layout | None = None
    _table: Table | None = None

    @property
    def table(self) -> Table:
        if self._table is None:
            self._table = self._open()
        return self._table

    def _open(self) -> Table:
        if self.container == "parquet":
            return read_parquet(self.source, self.kind)
        if self.container == "json" and self.kind.container == "json":
            return read_json_mapping(self.source, self.kind)
        if self.container == "json":
            return read_json_records(self.source, self.kind, self.limit)
        self.layout = Layout(self.source.head)
        return read_delimited(self.source, self.kind, self.layout, self.limit)

    def frame(self) -> pl.LazyFrame:
        """The canonical columns beside the raw ones."""
        return canonical(self.table, self.kind)

    def retry(self) -> bool:
        """After the fast reader gave up: read the file another way. False where there is no other way left."""
        bad = first_bad_byte(self.source.local)
        if bad is not None:
            self.tallies.append(not_utf8(self.source, bad, self.kind.name))
            self.source = transcode(self.source, bad)
            self._table = None
            return True
        return self.explain()

    def explain(self) -> bool:
        """Read a delimited file by way of the explainer; False where that has been done already or the file is none."""
        if self.layout is None or self._table is None or self._table.form.get("explained"):
            return False
        self._table = read_broken(self.source, self.kind, self.layout, self._table, self.limit)
        self._table.form["explained"] = True
        return True


def take_in(
    source: Source, kind_name: str | None, *, runs_first: bool = False, limit: int = 20
) -> Intake | list[Tally]:
    """Find out what a source is. A file in which there is nothing to find is only its findings.

    `runs_first` prefers a run where the columns leave a choice. Raises UnusableError where the kind cannot be told, or is unknown.
    """
    if source.size == 0 or not source.head:
        return [tally_one(EMPTY_FILE, kind_name, "the file has no bytes", file=source.path)]
    wanted = _named(kind_name)
    if source.head.startswith(PARQUET_MAGIC):
        stored = stored_kind(source)
        kind = wanted or (
            _named(stored)
            if stored
            else _fitting(parquet_columns(source), source.name, runs_first, canonical_names=True)
        )
        return Intake(source, _certain(kind, source), "parquet", limit)
    text, tallies = plain_text(source, kind_name)
    start = text.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return [*tallies, tally_one(EMPTY_FILE, kind_name, "the file holds nothing but white space", file=source.path)]
    container = "json" if start[:1] in (b"{", b"[") else "csv"
    if container == "json" and is_mapping(text.head):
        kind = wanted or next(kind for kind in all_kinds() if kind.container == "json")
    else:
        names = first_keys(text.head) if container == "json" else Layout(text.head).cells
        kind = wanted or _fitting(names, source.name, runs_first)
    return Intake(text, _certain(kind, source), container, limit, tallies)


def _named(name: str | None) -> Kind | None:
    if name is None:
        return None
    try:
        return kind_named(name)
    except KeyError as error:
        raise UnusableError(str(error.args[0])) from None


def _certain(kind: Kind | None, source: Source) -> Kind:
    if kind is None:
        known = ", ".join(kind.name for kind in all_kinds())
        raise UnusableError(
            f"{source.path}: its columns are those of no known file; say which it is with --kind ({known})"
        )
    return kind


def _fitting(names: Iterable[str], file_name: str, runs_first: bool, *, canonical_names: bool = False) -> Kind | None:
    """The kind whose columns fit best; a tie goes to runs or data as the verb prefers, then to the name of the file."""
    stem, listed = PurePath(file_name).stem.lower(), list(names)

    def rank(kind: Kind) -> tuple[int, bool, bool]:
        if canonical_names:
            own = {column.name for column in kind.columns}
            score = len(own & set(listed)) - 2 * len(set(listed) - own) if own & set(listed) else -1
        else:
            score = fit(listed, kind)
        return score, kind.is_run == runs_first, kind.name.partition("/")[2].replace("-", "_") in stem

    best = max(all_kinds(), key=rank)
    return best if rank(best)[0] >= 0 else None
