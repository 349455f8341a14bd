"""From a source to a table of a known kind: what container it is, which kind its columns make it, and its raw columns."""

from collections.abc import Callable, Iterable, Sequence
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
from sharedtask.schemas.file_rules import EMPTY_FILE
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally, tally_one


@dataclass(slots=True)
class Intake:
    """One input on its way: the source as text that can be read, its kind, and its table once it has been opened.

    `enrich` adds to the canonical frame what the rules of the kind need of another file.
    """

    source: Source
    kind: Kind
    container: str
    limit: int
    tallies: list[Tally] = field(default_factory=list)
    layout: Layout | None = None
    enrich: Callable[[pl.LazyFrame], pl.LazyFrame] | None = None
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
        """The canonical columns beside the raw ones, and what `enrich` adds to them."""
        frame = canonical(self.table, self.kind)
        return self.enrich(frame) if self.enrich else frame

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
    source: Source, kinds: Iterable[Kind], kind_name: str | None, *, runs_first: bool = False, limit: int = 20
) -> Intake | list[Tally]:
    """Find out which of `kinds` a source is. A file in which there is nothing to find is only its findings.

    `runs_first` prefers a run where the columns leave a choice. Raises UnusableError where the kind cannot be told, or is unknown.
    """
    if source.size == 0 or not source.head:
        return [tally_one(EMPTY_FILE, kind_name, "the file has no bytes", file=source.path)]
    known = list(kinds)
    if source.head.startswith(PARQUET_MAGIC):
        kind = _certain(_named(kind_name, known) or kind_of(source, known, runs_first=runs_first), source, known)
        return Intake(source, kind, "parquet", limit)
    text, tallies = plain_text(source, kind_name)
    if not _content(text.head):
        return [*tallies, tally_one(EMPTY_FILE, kind_name, "the file holds nothing but white space", file=source.path)]
    kind = _certain(_named(kind_name, known) or kind_of(text, known, runs_first=runs_first), source, known)
    return Intake(text, kind, "json" if _is_json(text.head) else "csv", limit, tallies)


def kind_of(source: Source, kinds: Iterable[Kind], *, runs_first: bool = False) -> Kind | None:
    """The kind whose columns fit a source best, None where none does."""
    known = list(kinds)
    if source.head.startswith(PARQUET_MAGIC):
        stored = stored_kind(source)
        named = next((kind for kind in known if kind.name == stored), None)
        return named or _fitting(parquet_columns(source), source.name, known, runs_first, canonical_names=True)
    text, _ = plain_text(source, None)
    if is_mapping(text.head):
        return next((kind for kind in known if kind.container == "json"), None)
    names = first_keys(text.head) if _is_json(text.head) else Layout(text.head).cells
    return _fitting(names, source.name, known, runs_first)


def _content(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def _is_json(head: bytes) -> bool:
    return _content(head)[:1] in (b"{", b"[")


def _named(name: str | None, kinds: Sequence[Kind]) -> Kind | None:
    if name is None:
        return None
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is None:
        raise UnusableError(
            f"no kind of file is called {name!r}; the kinds are {', '.join(kind.name for kind in kinds)}"
        )
    return kind


def _certain(kind: Kind | None, source: Source, kinds: Sequence[Kind]) -> Kind:
    if kind is None:
        known = ", ".join(kind.name for kind in kinds)
        raise UnusableError(
            f"{source.path}: its columns are those of no known file; say which it is with --kind ({known})"
        )
    return kind


def _fitting(
    names: Iterable[str], file_name: str, kinds: Sequence[Kind], runs_first: bool, *, canonical_names: bool = False
) -> Kind | None:
    """The kind whose columns fit best; a tie goes to runs or data as the verb prefers, then to the name of the file."""
    stem, listed = PurePath(file_name).stem.lower(), list(names)

    def rank(kind: Kind) -> tuple[int, bool, bool]:
        if canonical_names:
            own = {column.name for column in kind.columns}
            score = len(own & set(listed)) - 2 * len(set(listed) - own) if own & set(listed) else -1
        else:
            score = fit(listed, kind)
        return score, kind.is_run == runs_first, kind.name.partition("/")[2].replace("-", "_") in stem

    best = max(kinds, key=rank, default=None)
    return best if best is not None and rank(best)[0] >= 0 else None
