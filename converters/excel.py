"""Workbooks (.xlsx): the cells of a sheet as text, the way the file shows them. Needs the optional extra `excel`."""

import os
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sharedtask.converters.archive import UnsafeError, measure
from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.header import read_header
from sharedtask.converters.limits import Limits
from sharedtask.converters.raw_table import Table, as_given
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.nearest import unknown
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_damage import WORKBOOK_SHEETS

if TYPE_CHECKING:
    import fastexcel

_PLACE = re.compile(rb"""\br=["']([A-Z]{1,8})([0-9]{1,12})["']""")
_CELL = re.compile(rb"<(?:[A-Za-z0-9]+:)?c[\s/>]")
LONGEST_CELL = 128  # bytes of the beginning of a cell
LAST_COLUMN, LAST_ROW = 1 << 14, 1 << 20  # of any sheet
MOST_CELLS = 6_000_000  # that the sheets may span, empty ones too; five full columns have fewer
MOST_UNPACKED = 1 << 28  # bytes; its reader holds a text three times
_NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?$"
_ERRORS = {
    "Div0": "#DIV/0!",
    "NA": "#N/A",
    "Name": "#NAME?",
    "Null": "#NULL!",
    "Num": "#NUM!",
    "Ref": "#REF!",
    "Value": "#VALUE!",
}


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names)


def read_cells(source: Source, limits: Limits) -> tuple[pl.DataFrame, list[Tally]]:
    """The cells of one sheet, from its first row on, and what is to be said of the others.

    The sheet that `limits` names, else the first visible one that has cells.

    String columns `f0`, `f1`, …, null where a cell is empty.

    Whole numbers are in plain digits, a time is `YYYY-MM-DD HH:MM:SS`, an error is what Excel shows for it. `row` is
    the row of the sheet, from 0. Raises UnusableError where the extra is missing, the workbook is damaged, or it
    unpacks to more than `limit` bytes.
    """
    try:
        import fastexcel
    except ImportError:
        raise UnusableError(f"{source.path}: to read a workbook, pip install sharedtask[excel]") from None
    try:
        measure(source, min(limits.archive_bytes, MOST_UNPACKED))
        _refuse_far_cells(source)
        with _quiet():
            book = fastexcel.read_excel(source.local.read_bytes())  # a path without the ending is refused
            return _cells_of(source, book, limits.sheet)
    except (fastexcel.FastExcelError, UnsafeError) as error:
        why = str(error).partition("\n")[0]
        raise UnusableError(f"{source.path}: cannot be read as a workbook: {why}") from None


def _cells_of(
    source: Source, book: "fastexcel.ExcelReader", sheet_name: str | None
) -> tuple[pl.DataFrame, list[Tally]]:
    names = list(book.sheet_names)
    if sheet_name is not None:
        number = (
            int(sheet_name) - 1 if sheet_name.isascii() and sheet_name.isdigit() and sheet_name not in names else None
        )
        if sheet_name not in names and (number is None or not 0 <= number < len(names)):
            raise UnusableError(f"{source.path}: {unknown('sheet', sheet_name, names)}")
        names = [sheet_name if number is None else names[number]]
    sheets = [book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string") for name in names]
    filled = [sheet for sheet in sheets if sheet.width]
    if not filled:
        return pl.DataFrame(schema={"row": pl.UInt32}), []
    chosen = next((sheet for sheet in filled if sheet.visible == "visible"), filled[0])
    numbers = book.load_sheet(chosen.name, header_row=None, skip_rows=0, dtypes="float")
    tallies = []
    if len(filled) > 1:
        facts = {"sheet": chosen.name, "sheets": [sheet.name for sheet in filled]}
        tallies = [tally_one(WORKBOOK_SHEETS, At(source.path), value=chosen.name, **facts)]
    return _as_text(chosen, numbers), tallies


def _refuse_far_cells(source: Source) -> None:
    """Raise UnsafeError where a sheet reaches so far that its reader, which makes room for all cells, takes all memory.

    Its dimensions are those of the places that its cells name, whatever it says itself. A cell need not name one.
    """
    with zipfile.ZipFile(source.local) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")]
        spanned = 0
        for name in sheets:
            columns, rows, held, cells = {b"A"}, {b"1"}, b"", 0
            with archive.open(name) as sheet:
                while block := sheet.read(BLOCK):
                    found = _PLACE.findall(held + block)
                    cells += len(_CELL.findall(block))
                    columns.update(column for column, _ in found)
                    rows.update(row for _, row in found)
                    rows = {max(rows, key=lambda row: (len(row), row)), min(rows)}
                    held = block[-LONGEST_CELL:]
            column, row = max(map(_column_number, columns)), int(max(rows, key=lambda row: (len(row), row)))
            spanned += max(column * row, cells)
            if column > LAST_COLUMN or row > LAST_ROW or b"0" in rows or spanned > MOST_CELLS:
                far = max(columns, key=_column_number).decode() + str(row)
                raise UnsafeError("far", cell=far, limit=MOST_CELLS)


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the reader's native code says about its own end from the terminal, and end it in one line.

    Raises UnsafeError where the native code has given up.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # which no module exports
            raise
        raise UnsafeError("damaged", why="its reader gave up") from None
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _as_text(sheet: "fastexcel.ExcelSheet", numbers: "fastexcel.ExcelSheet") -> pl.DataFrame:
    """Texts without empty rows and columns, with the decimals that their reader cuts at nine places."""
    batch, errors = sheet.to_arrow_with_errors()
    texts = pl.DataFrame(batch)
    for error in errors.errors if errors else ():
        row, column = error.offset_position
        kind = error.detail.partition("Error(")[2].partition(")")[0]
        texts[row, column] = _ERRORS.get(kind, "#ERROR!")
    names = [f"f{place}" for place in range(texts.width)]
    texts.columns = names
    exact = numbers.to_polars()
    exact.columns = names
    cells = [
        pl.when(texts[name].str.contains(_NUMBER) & (exact[name] % 1 != 0))
        .then(exact[name].cast(pl.String))
        .otherwise(texts[name])
        .alias(name)
        for name in names
    ]
    shown = texts.select(cells)
    used = [column for column in shown if (column.str.strip_chars() != "").any()]
    kept = pl.DataFrame([column.alias(f"f{place}") for place, column in enumerate(used)])
    filled = pl.any_horizontal(pl.col(kept.columns).str.strip_chars() != "")
    return kept.with_row_index("row").filter(filled)


def first_cells(cells: pl.DataFrame) -> list[str]:
    """The first row of a sheet; nothing is an empty text."""
    return [value or "" for value in cells.drop("row").row(0)] if cells.height else []


def read_excel(source: Source, kind: Kind, cells: pl.DataFrame) -> Table:
    """The cells of a workbook of a known kind as a `Table`. `line` counts the rows of the sheet, empty ones too."""
    header = read_header(first_cells(cells), kind, source.path)
    body = cells.slice(int(header.there))
    lines = (body["row"] + 1).to_list()
    scan = body.drop("row").with_row_index("row").lazy()
    raw = [pl.col(f"f{place}").alias(RAW + name) for place, name in header.columns.items()]
    return Table(
        scan.select(pl.lit(0, pl.UInt32).alias("file"), "row", *raw),
        {name: header.names[place] for place, name in header.columns.items()},
        header.tallies,
        lines=lambda rows: [lines[row] for row in rows],
        as_given=as_given(scan, header.names),
        form={"container": "xlsx", "header": header.there},
    )
