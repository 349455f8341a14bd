"""The one way in: from a source to a table of a known kind, and the ways to read it again where the first one fails.

What was sniffed is kept, so asking whether an input could be another kind opens, unpacks and reads nothing again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from sharedtask.converters.bio import read_bio
from sharedtask.converters.brat import read_brat
from sharedtask.converters.canonical_table import canonical
from sharedtask.converters.columnar.source import BROKEN, CONTAINERS, damaged, scan_columns
from sharedtask.converters.columnar.table import read_typed
from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.read import (
    read_broken,
    read_delimited,
    whole_records,
    with_quotes_at_delimiters,
)
from sharedtask.converters.encoding.text import first_bad_byte, is_utf8, mend_returns, not_utf8, transcode
from sharedtask.converters.errors import UnknownKindError, UnusableError
from sharedtask.converters.excel import read_excel
from sharedtask.converters.header import is_complete
from sharedtask.converters.json.mapping import read_json_mapping
from sharedtask.converters.json.records import keys_of_first, read_json_records
from sharedtask.converters.limits import Limits
from sharedtask.converters.raw_table import Table, no_lines
from sharedtask.converters.sniff import Sniffed, sniff
from sharedtask.converters.source import FIRST, Source
from sharedtask.converters.which_kind import kind_among, named_kind, unknown_kind
from sharedtask.schemas.column_names import in_canonical_form, is_canonical
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.fmt_files import CR_LINE_ENDS

BINARY = {*CONTAINERS, "xlsx"}  # containers whose bytes are not text
SPANNED_READERS: dict[str, Callable[[Source, Kind, int], Table]] = {"brat": read_brat, "bio": read_bio}


@dataclass(frozen=True, slots=True)
class Opened:
    """One input as a table of its kind.

    `source` is the text that is read, `findings` are what is wrong with its bytes and its archive, `table` has the
    rest. `container` is that of the source, `layout` that of a delimited file. `explained` says that the records of a
    delimited file have been separated one by one.
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
        """The frame, or that of the first records of a long delimited file.

        The reader looks far ahead in those even for a few records.
        """
        head = whole_records(self.source.head) if self.layout is not None and len(self.source.head) >= FIRST else b""
        if self.layout is None or not head:
            return self.frame()
        path = self.source.scratch / "beginning.txt"
        path.write_bytes(head)
        first = read_delimited(replace(self.source, local=path), self.kind, self.layout)
        return canonical(first, self.kind)


def sniff_input(source: Source, kinds: Iterable[Kind], limits: Limits) -> Sniffed:
    """What a source holds, as far as its first bytes show; `kinds` name the members that an archive may have.

    Raises as `sniff`.
    """
    return sniff(source, {kind.upload.member for kind in kinds if kind.upload}, limits)


def open_input(
    sniffed: Sniffed, kinds: Sequence[Kind], limits: Limits, *, kind: str | None = None, runs_first: bool = False
) -> Opened:
    """A source that holds something as a table of one of these kinds.

    The one that is named, else the one that its columns fit best.

    `runs_first` prefers a run where the columns leave a choice. Raises UnusableError where the kind cannot be detected,
    or is unknown.
    """
    source = sniffed.source
    chosen = named_kind(kind, kinds) or kind_among(sniffed, kinds, runs_first=runs_first)
    if chosen is None:
        raise UnknownKindError(f"{source.path}: {unknown_kind(sniffed, kinds)}; use --kind")
    if sniffed.container in SPANNED_READERS and not chosen.spans:
        raise UnusableError(f"{source.path}: holds texts with spans, and a {chosen.name} file has none")
    if is_canonical(sniffed.names, chosen):
        chosen = in_canonical_form(chosen, sniffed.names)
    upload = sniffed.packed.tallies(chosen, source.path) if sniffed.packed else []
    findings = [*upload, *sniffed.findings]
    try:
        opened = _opened(source, chosen, sniffed.container, limits, findings, sniffed.cells)
        return opened if sniffed.has_lines else _without_lines(opened)
    except BROKEN as error:
        if sniffed.container in CONTAINERS:
            raise damaged(source, sniffed.container) from None
        mended = _as_utf8(source, str(error)) if sniffed.container not in BINARY else None
        if mended is None:
            raise
        source, finding = mended
        return _opened(source, chosen, sniffed.container, limits, [*findings, finding], sniffed.cells)


def unread_findings(sniffed: Sniffed, kinds: Sequence[Kind], kind: str | None) -> list[Tally]:
    """What is wrong with a source in which nothing can be read; the kinds are those of `open_input`."""
    if sniffed.refusal is None:
        return sniffed.findings
    first = replace(sniffed, container="csv" if sniffed.names else "")  # what its first candidate is, most likely
    chosen = named_kind(kind, kinds) or kind_among(first, kinds)
    return [*sniffed.findings, sniffed.refusal.tally(chosen, sniffed.source.path)]


def _without_lines(opened: Opened) -> Opened:
    """The same where the lines of the source are not those of the file."""
    tallies = [tally.without_lines() for tally in opened.table.tallies]
    return replace(opened, table=replace(opened.table, tallies=tallies, lines=no_lines))


def _opened(
    source: Source, kind: Kind, container: str, limits: Limits, findings: list[Tally], cells: pl.DataFrame | None = None
) -> Opened:
    """The source read by the reader of its container."""
    layout = None
    if container in CONTAINERS:
        table = read_typed(source, kind, scan_columns(source, container), container)
    elif cells is not None:
        table = read_excel(source, kind, cells)
    elif container in SPANNED_READERS:
        table = SPANNED_READERS[container](source, kind, limits.findings)
    elif container == "json" and kind.container == "json" and not is_complete(keys_of_first(source), kind):
        table = read_json_mapping(source, kind, limits.findings)
    elif container == "json":
        table = read_json_records(source, kind, limits.findings)
    else:
        layout = Layout(source.head)
        if not is_utf8(source.head.partition(b"\n")[0]):  # which the reader skips without a look
            raise pl.exceptions.ComputeError("invalid utf-8 in the header")
        if layout.spaces and b' "' in source.head:
            source = with_quotes_at_delimiters(source, layout.delimiter)
        table = read_delimited(source, kind, layout)
    return Opened(source, kind, container, limits, findings, table, layout)


def read_again(opened: Opened, said: str | None, *, is_short: bool = False) -> Opened | None:
    """The same input read in the next way that can help, None where there is none left.

    `said` is why the reader gave up, None where it came to the end; then lone carriage returns may still end lines, and
    `is_short` says that some record was not whole.
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
