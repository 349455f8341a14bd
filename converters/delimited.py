"""Delimited text (CSV): bytes to raw String columns at the speed of the reader, and a way out where the reader meets a broken record.

With a schema of Strings Polars itself refuses long records and stray quotes. It fills short records and blank lines up with nulls, which is
found by counting: each comma of the file stands between two fields or inside one.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sharedtask.converters.columns import match_columns
from sharedtask.converters.explain import explain
from sharedtask.converters.source import BLOCK, Source
from sharedtask.converters.table import LineFinder, Table
from sharedtask.schemas.file_rules import HEADER_MISSING, HEADER_UNEXPECTED, SPACE_AFTER_DELIMITER, WRONG_DELIMITER
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rule import Severity, Tally, tally_one

DELIMITERS = (",", ";", "\t", "|")
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}


class Layout:
    """The first record of a delimited file: delimiter, cells, and how many spaces stand after the delimiter."""

    def __init__(self, head: bytes) -> None:
        text = head.decode("utf-8-sig", "ignore")
        best: list[str] = []
        self.delimiter = ","
        for delimiter in DELIMITERS:
            cells = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
            if len(cells) > len(best) and not (best and len(best) > 1):
                best, self.delimiter = cells, delimiter
        self.spaced = len(best) > 1 and all(cell.startswith(" ") for cell in best[1:])
        self.cells = [cell.strip(" ") if self.spaced else cell for cell in best]
        second = text.partition("\n")[2].partition("\n")[0].split(self.delimiter)
        self.body_spaced = len(second) > 1 and all(cell.startswith(" ") for cell in second[1:])

    @property
    def looks_like_data(self) -> bool:
        """Whether the first record holds a number first, which no header does."""
        return bool(self.cells) and self.cells[0].strip().strip('"').replace(".", "", 1).isdigit()


def read_delimited(source: Source, kind: Kind, layout: Layout, limit: int) -> Table:
    """A delimited file of a known kind as a `Table`; `limit` bounds the samples of each finding."""
    tallies: list[Tally] = []
    has_header = not layout.looks_like_data
    names = layout.cells if has_header else [column.official for column in kind.columns][: len(layout.cells)]
    if has_header and not kind.header:
        tallies.append(_first_line(HEADER_UNEXPECTED, kind, source, "the first line is a header", layout, "data only"))
        if len(names) == len(kind.columns):
            names = [column.official for column in kind.columns]
    if not has_header and kind.header:
        wanted = layout.delimiter.join(column.official for column in kind.columns)
        tallies.append(
            _first_line(HEADER_MISSING, kind, source, "the first line is data, not a header", layout, wanted)
        )
    if layout.delimiter != ",":
        name = NAMES[layout.delimiter]
        tallies.append(
            _first_line(WRONG_DELIMITER, kind, source, f"the fields are separated by a {name}", layout, "a comma")
        )
    spaced = layout.spaced or layout.body_spaced
    if spaced:
        severity = Severity.ERROR if layout.spaced and has_header else None
        where = "in the header too" if layout.spaced and has_header else "in the records"
        message = f"a space stands after each delimiter, {where}"
        tallies.append(
            tally_one(SPACE_AFTER_DELIMITER, kind.name, message, severity=severity, file=source.path, line=1)
        )
    match = match_columns(names, kind, source.path)
    scan = _scan(source.local, layout.delimiter, len(names), skip=int(has_header))
    table = Table(
        _raw(scan, match.columns, kind, strip=spaced),
        {name: names[position] for position, name in match.columns.items()},
        [*tallies, *match.tallies],
        as_given=_as_given(scan, names),
        form={"container": "csv", "delimiter": layout.delimiter, "header": has_header},
    )
    table.lines = _newlines_before(scan, 1 + has_header)
    table.suspect = lambda rows, nulls: (
        nulls > 0 and not _all_delimiters_accounted_for(source, scan, layout.delimiter, rows, has_header)
    )
    return table


def read_broken(source: Source, kind: Kind, layout: Layout, table: Table, limit: int) -> Table:
    """The same file by way of the explainer: whole records are read as before, the others are named and kept as raw text."""
    has_header = bool(table.form["header"])
    width = len(layout.cells)
    told = explain(source, kind.name, layout.delimiter, width, has_header=has_header, limit=limit)
    match = match_columns(
        list(layout.cells) if has_header else [column.official for column in kind.columns][:width], kind, source.path
    )
    scan = _scan(told.whole, layout.delimiter, width, skip=0)
    return Table(
        _raw(scan, match.columns, kind, strip=layout.spaced or layout.body_spaced),
        table.names,
        [*table.tallies, *told.tallies],
        told.unread,
        told.lines,
        table.form,
        as_given=_as_given(scan, list(layout.cells)),
    )


def _first_line(rule: object, kind: Kind, source: Source, message: str, layout: Layout, wanted: str) -> Tally:
    value = layout.delimiter.join(layout.cells)
    return tally_one(rule, kind.name, message, file=source.path, line=1, value=value, expected=wanted)  # type: ignore[arg-type]


def _scan(path: Path, delimiter: str, width: int, *, skip: int) -> pl.LazyFrame:
    if path.stat().st_size == 0:
        return pl.LazyFrame(schema={"row": pl.UInt32, **{f"f{position}": pl.String for position in range(width)}})
    return pl.scan_csv(
        path,
        separator=delimiter,
        has_header=False,
        skip_rows=skip,
        schema={f"f{position}": pl.String for position in range(width)},
        row_index_name="row",
        glob=False,
    )


def _raw(scan: pl.LazyFrame, columns: dict[int, str], kind: Kind, *, strip: bool) -> pl.LazyFrame:
    def cell(position: int, name: str) -> pl.Expr:
        field = pl.col(f"f{position}")
        return (field.str.strip_chars_start(" ") if strip else field).alias(RAW + name)

    width = len(scan.collect_schema()) - 1
    raw = [cell(position, name) for position, name in columns.items()]
    return scan.select(pl.lit(0, pl.UInt32).alias("file"), "row", *raw, last=pl.col(f"f{width - 1}"))


def _as_given(scan: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    """The records with all columns under the names that they have in the file, a repeated name told apart by its position."""
    unique = [
        name if name and names.index(name) == at else f"{name or 'column'}_{at + 1}" for at, name in enumerate(names)
    ]
    return scan.select("row", *(pl.col(f"f{at}").alias(name) for at, name in enumerate(unique)))


def _newlines_before(scan: pl.LazyFrame, first: int) -> LineFinder:
    """Physical lines from the newlines inside the fields of the records before; looked up only when there is something to say."""

    def lines(rows: Sequence[int]) -> list[int | None]:
        if not rows:
            return []
        newlines = pl.selectors.matches(r"^f\d+$").str.count_matches("\n", literal=True).fill_null(0)
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
    fields = pl.selectors.matches(r"^f\d+$")
    inside = scan.select(pl.sum_horizontal(fields.str.count_matches(delimiter, literal=True).fill_null(0)).sum())
    width = len(scan.collect_schema()) - 1
    total, wanted = 0, delimiter.encode()
    with source.local.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            total += block.count(wanted)
    return total == int(inside.collect(engine="streaming").item()) + (width - 1) * (rows + has_header)
