"""From a source to a table of a known kind: what container it is, which kind its columns make it, and its raw columns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import polars as pl

from sharedtask.converters.bio import read_bio
from sharedtask.converters.brat import read_brat
from sharedtask.converters.canonical import canonical
from sharedtask.converters.csv.read import (
    Layout,
    read_broken,
    read_delimited,
    whole_records,
    with_quotes_at_delimiters,
)
from sharedtask.converters.encoding.text import first_bad_byte, mend_returns, not_utf8, transcode
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.excel import read_excel
from sharedtask.converters.header import fit, is_complete
from sharedtask.converters.json.mapping import read_json_mapping
from sharedtask.converters.json.records import read_json_records
from sharedtask.converters.parquet import read_parquet
from sharedtask.converters.raw_table import Table
from sharedtask.converters.sniff import Sniffed, look_into
from sharedtask.converters.source import FIRST, Source
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.fmt_files import CR_LINE_ENDS

# Forms that hold texts with spans, whatever the task.
SPANNED: dict[str, Callable[[Source, Kind, int], Table]] = {"brat": read_brat, "bio": read_bio}


@dataclass(slots=True)
class Intake:
    """One input on its way: the source as text that can be read, its kind, and its table once it has been opened.

    `enrich` adds to the canonical frame what the rules of the kind need of another file; `cells` are those of a workbook.
    """

    source: Source
    kind: Kind
    container: str
    limit: int
    tallies: list[Tally] = field(default_factory=list)
    layout: Layout | None = None
    enrich: Callable[[pl.LazyFrame], pl.LazyFrame] | None = None
    cells: pl.DataFrame | None = None
    _table: Table | None = None

    @property
    def table(self) -> Table:
        if self._table is None:
            self._table = self._open()
        return self._table

    def _open(self) -> Table:
        if self.container == "parquet":
            return read_parquet(self.source, self.kind)
        if self.cells is not None:
            return read_excel(self.source, self.kind, self.cells)
        if self.container in SPANNED:
            return SPANNED[self.container](self.source, self.kind, self.limit)
        if self.container == "json" and self.kind.container == "json":
            return read_json_mapping(self.source, self.kind)
        if self.container == "json":
            return read_json_records(self.source, self.kind, self.limit)
        self.layout = Layout(self.source.head)
        if self.layout.spaces and b' "' in self.source.head:
            self.source = with_quotes_at_delimiters(self.source, self.layout.delimiter)
        return read_delimited(self.source, self.kind, self.layout, self.limit)

    def frame(self) -> pl.LazyFrame:
        """The canonical columns beside the raw ones, and what `enrich` adds to them."""
        return self._framed(self.table)

    def _framed(self, table: Table) -> pl.LazyFrame:
        frame = canonical(table, self.kind)
        return self.enrich(frame) if self.enrich else frame

    def beginning(self) -> pl.LazyFrame:
        """The frame, or that of the first records of a long delimited file: the reader looks far ahead in those where few are wanted."""
        head = whole_records(self.source.head) if self.layout is not None and len(self.source.head) >= FIRST else b""
        if self.layout is None or not head:
            return self.frame()
        path = self.source.scratch / "beginning.txt"
        path.write_bytes(head)
        return self._framed(read_delimited(replace(self.source, local=path), self.kind, self.layout, self.limit))

    def retry(self, why: str) -> bool:
        """After the fast reader gave up, for the reason it gives: read the file another way. False where there is no other way left."""
        bad = first_bad_byte(self.source.local) if "utf" in why.lower() else None
        if bad is not None:
            self.tallies.append(not_utf8(self.source, bad, self.kind.name))
            self.source = transcode(self.source, bad)
            self._table = None
            return True
        return self.explain()

    def mend_returns(self) -> bool:
        """Read text with line feeds where lone carriage returns end lines, which its first bytes did not show; False where none does."""
        facts = self.source.facts
        known = any(tally.rule is CR_LINE_ENDS for tally in self.tallies)
        if self.container not in ("csv", "json") or known or facts.cr == facts.crlf:
            return False
        mended = mend_returns(self.source, self.kind.name)
        if mended is None:
            return False
        self.source, tally = mended
        self.tallies.append(tally)
        self._table = None
        return True

    def explain(self) -> bool:
        """Read a delimited file by way of the explainer; False where that has been done already or the file is none."""
        if self.layout is None or self._table is None or self._table.form.get("explained"):
            return False
        try:
            self._table = read_broken(self.source, self.kind, self.layout, self._table, self.limit)
        except pl.exceptions.PolarsError as error:  # broken records, and bytes that are no text beside them
            if "utf" not in str(error).lower():
                raise
            return self.retry(str(error))
        self._table.form["explained"] = True
        return True


def take_in(
    source: Source,
    kinds: Iterable[Kind],
    kind_name: str | None,
    *,
    runs_first: bool = False,
    limit: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Intake | list[Tally]:
    """Find out which of `kinds` a source is. A file in which there is nothing to find is only its findings.

    `runs_first` prefers a run where the columns leave a choice. `limit` bounds the samples of each finding, `max_bytes` is the size to
    which an archive may unpack where it is more than its usual limit. Raises UnusableError where the kind cannot be told, or is unknown.
    """
    known = list(kinds)
    held = look_into(source, _members(known), kind_name, max_bytes)
    if isinstance(held, list):
        return held
    kind = _named(kind_name, known) or _kind_of(held, known, runs_first=runs_first)
    if kind is None:
        names = ", ".join(kind.name for kind in known)
        raise UnusableError(
            f"{source.path}: its columns are those of no known file; say which it is with --kind ({names})"
        )
    if held.container in SPANNED and not kind.spans:
        raise UnusableError(f"{source.path}: holds texts with spans, and a {kind.name} file has none")
    tallies = [*held.packed.tallies(kind, source.path), *held.tallies] if held.packed else held.tallies
    return Intake(held.source, kind, held.container, limit, tallies, cells=held.cells)


def kind_of(source: Source, kinds: Iterable[Kind], *, runs_first: bool = False) -> Kind | None:
    """The kind whose columns fit a source best, None where none does or there is nothing in it to read."""
    known = list(kinds)
    held = look_into(source, _members(known), None, MAX_FIELD_BYTES)
    return None if isinstance(held, list) else _kind_of(held, known, runs_first=runs_first)


def is_told_by_columns(cells: Sequence[str], kinds: Iterable[Kind]) -> bool:
    """Whether the first record of a delimited file fits one kind better than all others, so that its name has no say."""
    best, *others = sorted((fit(cells, kind) for kind in kinds), reverse=True)
    return best >= 0 and best not in others[:1]


def has_all_columns(source: Source, kind: Kind) -> bool:
    """Whether a source has every column that the kind requires."""
    held = look_into(source, _members([kind]), None, MAX_FIELD_BYTES)
    return not isinstance(held, list) and is_complete(held.names, kind)


def _members(kinds: Iterable[Kind]) -> set[str]:
    return {kind.upload.member for kind in kinds if kind.upload}


def _named(name: str | None, kinds: Sequence[Kind]) -> Kind | None:
    if name is None:
        return None
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is None:
        raise UnusableError(
            f"no kind of file is called {name!r}; the kinds are {', '.join(kind.name for kind in kinds)}"
        )
    return kind


def _kind_of(held: Sniffed, kinds: Sequence[Kind], *, runs_first: bool) -> Kind | None:
    """The kind that a file says it is, or whose columns fit best; else the one whose upload has such a file.

    A tie goes to the kind whose upload is called so, then to runs or data as the verb prefers, then to the name of the file.
    """
    stem = PurePath(held.name).stem.lower()

    def is_upload(kind: Kind) -> bool:
        return kind.upload is not None and kind.upload.member == held.name

    def rank(kind: Kind) -> tuple[int, bool, bool, bool]:
        score = _canonical_fit(held.names, kind) if held.container == "parquet" else fit(held.names, kind)
        word = kind.name.partition("/")[2].replace("-", "_")
        return score, is_upload(kind), kind.is_run == runs_first, word in stem

    if held.container in SPANNED:
        return next((kind for kind in kinds if _holds_spanned_texts(kind)), None)
    stored = next((kind for kind in kinds if kind.name == held.stored), None)
    if stored is not None:
        return stored
    best = max(kinds, key=rank, default=None)
    if best is not None and rank(best)[0] >= 0:
        return best
    if held.mapping:
        return next((kind for kind in kinds if kind.container == "json"), None)
    return next(filter(is_upload, kinds), None)


def _holds_spanned_texts(kind: Kind) -> bool:
    """Whether records of this kind are texts with their spans."""
    return kind.spans is not None and any(column.prose for column in kind.columns)


def _canonical_fit(names: Sequence[str], kind: Kind) -> int:
    """How well the columns of a Parquet file fit the canonical ones of a kind; below 0 for no fit."""
    own = {column.name for column in kind.columns}
    return len(own & set(names)) - 2 * len(set(names) - own) if own & set(names) else -1
