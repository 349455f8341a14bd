"""The one way in: from a source to a table of a known kind, and the ways to read it again where the first one fails.

What was sniffed is kept, so asking whether an input could be another kind opens, unpacks and reads nothing again.
"""

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
from sharedtask.converters.limits import Limits
from sharedtask.converters.parquet import read_parquet
from sharedtask.converters.raw_table import Table
from sharedtask.converters.sniff import Sniffed, sniff
from sharedtask.converters.source import FIRST, Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.nearest import unknown
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.fmt_files import CR_LINE_ENDS

BINARY = {"parquet", "xlsx"}  # containers whose bytes are not text
# Containers that hold texts with spans, whatever the task.
SPANNED: dict[str, Callable[[Source, Kind, int], Table]] = {"brat": read_brat, "bio": read_bio}


@dataclass(frozen=True, slots=True)
class Opened:
    """One input as a table of its kind.

    `source` is the text that is read, `findings` are what is wrong with its bytes and its archive, `table` has the rest. `container` is that
    of the source, `layout` that of a delimited file. `explained` says that the records of a delimited file have been separated one by one.
    """

    source: Source
    kind: Kind
    container: str
    limits: Limits
    findings: list[Tally]
    table: Table = field(repr=False)
    layout: Layout | None = None
    explained: bool = False

    def frame(self) -> pl.LazyFrame:
        """The canonical columns beside the raw ones."""
        return canonical(self.table, self.kind)

    def beginning(self) -> pl.LazyFrame:
        """The frame, or that of the first records of a long delimited file: the reader looks far ahead in those even for a few records."""
        head = whole_records(self.source.head) if self.layout is not None and len(self.source.head) >= FIRST else b""
        if self.layout is None or not head:
            return self.frame()
        path = self.source.scratch / "beginning.txt"
        path.write_bytes(head)
        first = read_delimited(replace(self.source, local=path), self.kind, self.layout)
        return canonical(first, self.kind)


def sniff_input(source: Source, kinds: Iterable[Kind], limits: Limits) -> Sniffed:
    """What a source holds, as far as its first bytes show; `kinds` name the members that an archive may have. Raises as `sniff`."""
    return sniff(source, {kind.upload.member for kind in kinds if kind.upload}, limits)


def open_input(
    sniffed: Sniffed, kinds: Sequence[Kind], limits: Limits, *, kind: str | None = None, runs_first: bool = False
) -> Opened:
    """A source that holds something as a table of one of these kinds: the one that is named, else the one that its columns fit best.

    `runs_first` prefers a run where the columns leave a choice. Raises UnusableError where the kind cannot be detected, or is unknown.
    """
    source = sniffed.source
    chosen = _named(kind, kinds) or kind_among(sniffed, kinds, runs_first=runs_first)
    if chosen is None:
        names = ", ".join(one.name for one in kinds)
        raise UnusableError(f"{source.path}: its columns match no known kind; name the kind with --kind ({names})")
    if sniffed.container in SPANNED and not chosen.spans:
        raise UnusableError(f"{source.path}: holds texts with spans, and a {chosen.name} file has none")
    upload = sniffed.packed.tallies(chosen, source.path) if sniffed.packed else []
    findings = [*upload, *sniffed.findings]
    try:
        return _opened(source, chosen, sniffed.container, limits, findings, sniffed.cells)
    except pl.exceptions.PolarsError as error:
        mended = _as_utf8(source, str(error)) if sniffed.container not in BINARY else None
        if mended is None:
            raise
        source, finding = mended
        return _opened(source, chosen, sniffed.container, limits, [*findings, finding], sniffed.cells)


def _opened(
    source: Source, kind: Kind, container: str, limits: Limits, findings: list[Tally], cells: pl.DataFrame | None = None
) -> Opened:
    """The source read by the reader of its container."""
    layout = None
    if container == "parquet":
        table = read_parquet(source, kind)
    elif cells is not None:
        table = read_excel(source, kind, cells)
    elif container in SPANNED:
        table = SPANNED[container](source, kind, limits.findings)
    elif container == "json" and kind.container == "json":
        table = read_json_mapping(source, kind)
    elif container == "json":
        table = read_json_records(source, kind, limits.findings)
    else:
        layout = Layout(source.head)
        if layout.spaces and b' "' in source.head:
            source = with_quotes_at_delimiters(source, layout.delimiter)
        table = read_delimited(source, kind, layout)
    return Opened(source, kind, container, limits, findings, table, layout)


def read_again(opened: Opened, said: str | None, *, is_short: bool = False) -> Opened | None:
    """The same input read in the next way that can help, None where there is none left.

    `said` is why the reader gave up, None where it came to the end; then lone carriage returns may still end lines, and `is_short` says that
    some record was not whole.
    """
    tries: tuple[tuple[bool, Callable[[], Opened | None]], ...] = (
        (said is not None, lambda: _decoded(opened, said or "")),
        (said is None, lambda: _with_line_feeds(opened)),
        (said is not None or is_short, lambda: _explained(opened)),
    )
    return next((again for helps, attempt in tries if helps and (again := attempt()) is not None), None)


def _decoded(opened: Opened, said: str) -> Opened | None:
    """The text decoded from the encoding that it seems to have, where the reader met a byte that is not UTF-8."""
    mended = _as_utf8(opened.source, said) if opened.container not in BINARY else None
    if mended is None:
        return None
    source, finding = mended
    return _opened(source, opened.kind, opened.container, opened.limits, [*opened.findings, finding])


def _as_utf8(source: Source, said: str) -> tuple[Source, Tally] | None:
    bad = first_bad_byte(source.local) if "utf" in said.lower() else None
    return None if bad is None else (transcode(source, bad), not_utf8(source, bad))


def _with_line_feeds(opened: Opened) -> Opened | None:
    """The text with line feeds where lone carriage returns end lines, which its first bytes did not show."""
    facts = opened.source.facts
    known = any(tally.rule is CR_LINE_ENDS for tally in opened.findings)
    if opened.container not in ("csv", "json") or known or facts.cr == facts.crlf:
        return None
    mended = mend_returns(opened.source)
    if mended is None:
        return None
    source, finding = mended
    return _opened(source, opened.kind, opened.container, opened.limits, [*opened.findings, finding])


def _explained(opened: Opened) -> Opened | None:
    """A delimited file with its whole records read as before, and the others named and kept as raw text."""
    if opened.layout is None or opened.explained:
        return None
    try:
        table = read_broken(opened.source, opened.kind, opened.layout, opened.table, opened.limits.findings)
    except pl.exceptions.PolarsError as error:  # broken records, and bytes that are not text beside them
        if "utf" not in str(error).lower():
            raise
        return _decoded(opened, str(error))
    return replace(opened, table=table, explained=True)


def has_all_columns(sniffed: Sniffed, kind: Kind) -> bool:
    """Whether a source has every column that the kind requires."""
    return bool(sniffed.container) and is_complete(sniffed.names, kind)


def fits_one_kind(cells: Sequence[str], kinds: Iterable[Kind]) -> bool:
    """Whether the first record of a delimited file fits one kind better than all others, so that its name has no say."""
    best, *others = sorted((fit(cells, kind) for kind in kinds), reverse=True)
    return best >= 0 and best not in others[:1]


def _named(name: str | None, kinds: Sequence[Kind]) -> Kind | None:
    if name is None:
        return None
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is None:
        raise UnusableError(unknown("kind", name, (kind.name for kind in kinds)))
    return kind


def kind_among(sniffed: Sniffed, kinds: Iterable[Kind], *, runs_first: bool = False) -> Kind | None:
    """The kind that a source says it is, or that its columns fit best, else the one whose upload has such a file; None where there is none.

    A tie goes to the kind whose upload is called so, then to runs or data as the verb prefers, then to the name of the file.
    """
    known, stem = list(kinds), PurePath(sniffed.name).stem.lower()

    def is_upload(kind: Kind) -> bool:
        return kind.upload is not None and kind.upload.member == sniffed.name

    def rank(kind: Kind) -> tuple[int, bool, bool, bool]:
        is_typed = sniffed.container == "parquet"
        score = _canonical_fit(sniffed.names, kind) if is_typed else fit(sniffed.names, kind)
        word = kind.name.partition("/")[2].replace("-", "_")
        return score, is_upload(kind), kind.is_run == runs_first, word in stem

    if not sniffed.container:
        return None
    if sniffed.container in SPANNED:
        return next((kind for kind in known if _holds_spanned_texts(kind)), None)
    stored = next((kind for kind in known if kind.name == sniffed.stored), None)
    if stored is not None:
        return stored
    best = max(known, key=rank, default=None)
    if best is not None and rank(best)[0] >= 0:
        return best
    if sniffed.mapping:
        return next((kind for kind in known if kind.container == "json"), None)
    return next(filter(is_upload, known), None)


def _holds_spanned_texts(kind: Kind) -> bool:
    """Whether records of this kind are texts with their spans."""
    return kind.spans is not None and any(column.prose for column in kind.columns)


def _canonical_fit(names: Sequence[str], kind: Kind) -> int:
    """How well the columns of a Parquet file fit the canonical ones of a kind; below 0 for no fit."""
    own = {column.name for column in kind.columns}
    return len(own & set(names)) - 2 * len(set(names) - own) if own & set(names) else -1
