"""Delimited text (CSV).

Bytes to raw String columns at the speed of the reader, and a way out where the reader meets a broken record.

With a schema of Strings Polars itself refuses long records. It fills short records and blank lines up with nulls, which
is found by counting: each comma of the file stands between two fields or inside one. It takes quotes inside a field as
they are, which is seen in the bytes.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sharedtask.converters.csv.broken import explain
from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.formula_fields import with_quoted_formulas
from sharedtask.converters.csv.other_quotes import with_usual_quotes
from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.encoding.text import rewritten
from sharedtask.converters.header import Header, read_header
from sharedtask.converters.raw_table import LineFinder, Table, as_given
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.reading import text_where
from sharedtask.schemas.rule import At, Severity, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import SPACE_AFTER_DELIMITER, WRONG_DELIMITER

TRIES = 20  # lines that are looked at for the end of a record
NAMES = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def whole_records(head: bytes) -> bytes:
    """The first bytes of a delimited text without the record in which they end.

    Empty where that is too long to be found.
    """
    end = len(head)
    for _ in range(TRIES):
        end = head.rfind(b"\n", 0, end)
        if end < 0 or head.count(b'"', 0, end) % 2 == 0:
            return head[: end + 1]
    return b""


def read_delimited(source: Source, kind: Kind, layout: Layout) -> Table:
    """A delimited file of a known kind as a `Table`."""
    header = read_header(layout.cells, kind, source.path, layout.delimiter, layout.rest)
    scan = _scan(source.local, layout.delimiter, len(header.names), skip=int(header.there))
    table = Table(
        _raw(scan, header, kind, layout),
        {name: header.names[position] for position, name in header.columns.items()},
        [*_delimiter_tallies(source, kind, layout, header), *header.tallies],
        as_given=as_given(scan, header.names),
        form={
            "container": "csv",
            "delimiter": layout.delimiter,
            "header": header.there,
            "columns": header.names if header.there else [],
        },
        header=header.names if header.there else (),
    )
    header_lines = 1 + sum(cell.count("\n") for cell in layout.cells) if header.there else 0
    table.lines = _newlines_before(scan, 1 + header_lines)

    def is_suspect(rows: int, nulls: int) -> bool:
        if nulls and not _all_delimiters_accounted_for(source, scan, layout.delimiter, rows, header.there):
            return True
        return (
            source.facts.stray_quote and not layout.spaces
        )  # the reader takes it as it is; after a space it may be meant

    table.suspect = is_suspect
    return table


def with_quotes_at_delimiters(source: Source, delimiter: str) -> Source:
    """The source without the spaces before opening quotes, which the reader would take for text."""
    return rewritten(source, "unspaced.txt", _QuotesAtDelimiters(delimiter))


class _QuotesAtDelimiters:
    """Takes those spaces out, line by line."""

    def __init__(self, delimiter: str) -> None:
        self.sign = delimiter.encode()
        self.spaces = re.compile(re.escape(self.sign) + rb" +$")
        self.inside, self.held = False, b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        whole, newline, rest = (self.held + block).rpartition(b"\n")
        text, self.held = (whole + newline + rest, b"") if final else (whole + newline, rest)
        parts = text.split(b'"')
        for at in range(int(self.inside), len(parts) - 1, 2):  # those outside quotes, before one
            parts[at] = self.spaces.sub(self.sign, parts[at])
        self.inside ^= len(parts) % 2 == 0
        return b'"'.join(parts)


def read_bodies(data: bytes, kind: Kind, layout: Layout, header: Header) -> pl.LazyFrame:
    """The records of delimited text without its header, as the frame of `read_delimited` has them.

    The text may be that of several files.
    """
    return _raw(_scan(data, layout.delimiter, len(header.names), skip=0), header, kind, layout)


def read_broken(source: Source, kind: Kind, layout: Layout, table: Table, limit: int) -> Table:
    """The same file by way of the explainer.

    Whole records are read as before, the others are named and kept as raw text.
    """
    header = read_header(layout.cells, kind, source.path, layout.delimiter, layout.rest)
    width = len(header.names)
    odd = source.facts.stray_quote  # a pass over all lines is not for files whose quotes are at the edges of fields
    source = with_quoted_formulas(source, layout.delimiter) if odd else source
    usual = with_usual_quotes(source, kind, layout.delimiter, width) if odd else None
    source = usual[0] if usual else source
    explained = explain(source, kind, layout.delimiter, width, has_header=header.there, limit=limit)
    scan = _scan(explained.whole, layout.delimiter, width, skip=0)
    return Table(
        _raw(scan, header, kind, layout),
        table.names,
        [*table.tallies, *([usual[1]] if usual else []), *explained.tallies],
        explained.unread,
        explained.lines,
        table.form,
        as_given=as_given(scan, header.names),
        unread_rows=explained.unread_rows,
        header=table.header,
    )


def _delimiter_tallies(source: Source, kind: Kind, layout: Layout, header: Header) -> list[Tally]:
    tallies, at = list[Tally](), At(source.path, 1)
    if layout.delimiter != ",":
        value, delimiters = layout.delimiter.join(layout.cells), NAMES[layout.delimiter]
        tallies.append(
            tally_one(WRONG_DELIMITER, at, kind=kind, value=value, expected="a comma", delimiters=delimiters)
        )
    if layout.spaces:
        in_header = layout.spaced and header.there
        which, severity = ("header", Severity.ERROR) if in_header else ("records", None)
        tallies.append(tally_one(SPACE_AFTER_DELIMITER, at, kind=kind, severity=severity, which=which))
    return tallies


def _scan(text: Path | bytes, delimiter: str, width: int, *, skip: int) -> pl.LazyFrame:
    if not (text if isinstance(text, bytes) else text.stat().st_size):
        return pl.LazyFrame(schema={"row": pl.UInt32, **{f"f{position}": pl.String for position in range(width)}})
    return pl.scan_csv(
        text,
        separator=delimiter,
        has_header=False,
        skip_rows=skip,
        schema={f"f{position}": pl.String for position in range(width)},
        row_index_name="row",
        glob=False,
    )


def _raw(scan: pl.LazyFrame, header: Header, kind: Kind, layout: Layout) -> pl.LazyFrame:
    """`file`, `row`, the raw columns without the spaces after delimiters, and `has_empty`.

    `has_empty` says whether any field of the record is empty. It needs all fields, and only if all are read does the
    reader see one too many. Where the first records have no such spaces, `spaced` says which others have: those in
    which each cell after the first begins with one. Text shows nothing, since it may begin with a space of its own, and
    keeps it.
    """
    columns, width = header.columns, len(scan.collect_schema()) - 1
    telling = [
        position for position, name in columns.items() if position and kind.column(name).reading.dtype != pl.String
    ]
    spaced = pl.lit(value=True) if layout.spaces else _begin_with_spaces(telling)

    def cell(position: int, name: str) -> pl.Expr:
        field = pl.col(f"f{position}")
        if header.splits_decimals and position == width - 2:
            field = pl.concat_str(field, pl.col(f"f{width - 1}"), separator=",")
        column = kind.column(name)
        if column.reading.exact:
            return field.alias(RAW + name)
        if layout.spaces:
            field = field.str.strip_prefix(" ") if column.prose else field.str.strip_chars_start(" ")
        elif position in telling:  # prose is long, and a single space in front of it changes nothing that is judged
            field = pl.when(spaced).then(text_where(spaced, field).str.strip_chars_start(" ")).otherwise(field)
        return field.alias(RAW + name)

    raw = [cell(position, name) for position, name in columns.items()]
    flag = {} if layout.spaces or not telling else {"spaced": spaced}
    empty = [pl.col(f"f{position}").is_null() for position in range(width)]
    flag["no_record"] = pl.all_horizontal(empty) | _is_header(header)
    return scan.select(
        pl.lit(0, pl.UInt32).alias("file"),
        "row",
        *raw,
        last=pl.col(f"f{width - 1}"),
        has_empty=pl.any_horizontal(empty),
        **flag,
    )


def _is_header(header: Header) -> pl.Expr:
    """Whether the last field of a record is the last name of the header, which seldom is there twice.

    A file without header may have one inside.
    """
    last, name = pl.col(f"f{len(header.names) - 1}"), header.names[-1]
    return ((last == name) | (last == f" {name}")).fill_null(value=False)


def _begin_with_spaces(positions: Sequence[int]) -> pl.Expr:
    """Whether each of these fields begins with a space and holds more.

    Only records in which the first does meet a regular expression.
    """
    if not positions:
        return pl.lit(value=False)
    fields = [pl.col(f"f{position}") for position in positions]
    first = fields[0].str.starts_with(" ")
    return pl.all_horizontal(text_where(first, field).str.contains(r"^ +[^ ]") for field in fields)


def _newlines_before(scan: pl.LazyFrame, first: int) -> LineFinder:
    """Physical lines from the newlines inside the fields of the records before.

    Looked up only when there is something to say.
    """

    def lines(rows: Sequence[int]) -> list[int | None]:
        if not rows:
            return []
        newlines = pl.selectors.matches(r"^f[0-9]+$").str.count_matches("\n", literal=True).fill_null(0)
        upto = scan.head(max(rows) + 1).select("row", inside=pl.sum_horizontal(newlines))
        folded = upto.filter(pl.col("inside") > 0).collect(engine="streaming").sort("row")
        before = folded.select(pl.col("row") + 1, inside=pl.col("inside").cum_sum())
        wanted = pl.DataFrame({"row": rows}, schema={"row": pl.UInt32}).with_row_index("at").sort("row")
        placed = wanted.join_asof(
            before.with_columns(pl.col("row").cast(pl.UInt32)).set_sorted("row"), on="row", strategy="backward"
        )
        return placed.sort("at").select(pl.col("row") + first + pl.col("inside").fill_null(0))["row"].to_list()

    return lines


def _all_delimiters_accounted_for(
    source: Source, scan: pl.LazyFrame, delimiter: str, rows: int, has_header: bool
) -> bool:
    """Whether each delimiter of the file stands between two fields or inside one: if not, some record is short."""
    fields = pl.selectors.matches(r"^f[0-9]+$")
    inside = scan.select(pl.sum_horizontal(fields.str.count_matches(delimiter, literal=True).fill_null(0)).sum())
    width = len(scan.collect_schema()) - 1
    total, wanted = 0, delimiter.encode()
    with source.local.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            total += block.count(wanted)
    return total == int(inside.collect(engine="streaming").item()) + (width - 1) * (rows + has_header)
