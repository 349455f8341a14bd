"""Which column of a file is which canonical column, and what is wrong with their names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sharedtask.schemas.column_names import fold, known_names
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.rule import At, Rule, Tally, tally_one
from sharedtask.schemas.rules.fmt_columns import (
    COLUMN_ORDER,
    DUPLICATE_COLUMN,
    EXTRA_COLUMN,
    HEADER_MISSING,
    HEADER_UNEXPECTED,
    INDEX_COLUMN,
    MISNAMED_COLUMN,
    MISSING_COLUMN,
)

INDEX_NAMES = {"", "Unnamed: 0", "Column1"}
DECIMALS = "decimals"
MADE_UP = re.compile(r"column [0-9]+")  # of a file without header, in which it may as well be another that is too many
STORED_INDEX = re.compile(r"__index_level_[0-9]+__")  # as pandas calls it in a Parquet file, in any place
_NUMBER = re.compile(r"\s*\"?[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\"?\s*")

_KEPT_AS_TEXT = re.compile(r"""\s*(?:=\s*"([^"]*)"|['=]\s*([^'"]*)'?)\s*""")  # by a spreadsheet: ="1", '1


@dataclass(frozen=True, slots=True)
class Match:
    """`columns` maps positions in the file to canonical names; `tallies` holds what is wrong with the header."""

    columns: dict[int, str]
    tallies: list[Tally]


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a file's columns.

    Those of its first record, or made up where that is data already (`there` is false).

    `columns` and `tallies` are those of `Match`, with what is to be said about a header that is there or not.
    `splits_decimals` says that the last two columns are what stands before and behind the decimal comma of one.
    """

    names: list[str]
    there: bool
    columns: dict[int, str]
    tallies: list[Tally]
    splits_decimals: bool = False


def is_data(cells: Sequence[str]) -> bool:
    """Whether a first record is data: it begins with a number, which no header does."""
    return bool(cells) and _is_number(cells[0])


def is_ambiguous(cells: Sequence[str]) -> bool:
    """Whether a first record is a header in files of one kind and data in those of another.

    It has numbers, but does not begin with one.
    """
    return not is_data(cells) and any(map(is_value, cells))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(_bare(cell)) is not None


def _bare(cell: str) -> str:
    """A cell without what keeps it as text in a spreadsheet."""
    kept = _KEPT_AS_TEXT.fullmatch(cell)
    return (kept and (kept[1] or kept[2])) or cell


def is_value(cell: str) -> bool:
    """Whether a cell is a number, nan and inf among them, as no header has one."""
    return _is_number(cell) or (bool(cell.strip()) and _is_numeric(cell))


def _is_numeric(cell: str) -> bool:
    """Whether a cell belongs in a column of numbers: a number with point or comma, nan, inf, or nothing."""
    try:
        float(_bare(cell).replace(",", ".") or "nan")
    except ValueError:
        return False
    return True


def _found(names: Sequence[str], known: Mapping[str, Column]) -> set[str]:
    """The canonical names of the known columns that a header has."""
    return {known[fold(name)].name for name in names if fold(name) in known}


def fit(names: Sequence[str], kind: Kind) -> int:
    """How well the cells of a first record fit a kind as its header; below 0 for no fit.

    What counts are the required columns that are found, less the columns that the kind does not know. A file without
    the key of the kind fits only with most of the other columns. A first record of numbers fits a kind without header
    that has as many columns.
    """
    known = known_names(kind.columns)
    found = _found(names, known)
    if is_data(names) or (not kind.header and not found):
        numbers = all(map(_is_numeric, names)) if is_data(names) else any(map(is_value, names))
        return 0 if numbers and not kind.header and len(names) == len(kind.official) else -1
    required = {column.name for column in kind.official if not column.optional}
    missing = required - found
    strangers = sum(fold(name) not in known and name not in INDEX_NAMES for name in names)
    enough = len(required) // 2 if {*kind.key} <= found else (len(required) - 1) // 2
    if not found or len(missing) > enough:
        return -1
    return 4 * len(found) - 3 * len(missing) - strangers


def shared_columns(names: Sequence[str], kind: Kind) -> int:
    """How many columns of a kind a file has, by their official, canonical or other names."""
    return len(_found(names, known_names(kind.columns)))


def is_complete(names: Sequence[str], kind: Kind) -> bool:
    """Whether a header has every column that the kind requires."""
    found = _found(names, known_names(kind.columns))
    return {column.name for column in kind.official if not column.optional} <= found


def read_header(
    cells: Sequence[str], kind: Kind, path: str, delimiter: str = ",", rest: Sequence[Sequence[str]] = ()
) -> Header:
    """What the first record of a file of this kind says about its columns.

    The `rest` are some of the records that follow it; of text, where a decimal comma may split a cell.
    """
    official = [column.official for column in kind.official]
    tallies: list[Tally] = []

    def report(rule: Rule, expected: str) -> None:
        value = delimiter.join(cells)
        tallies.append(tally_one(rule, At(path, 1), kind=kind, value=value, expected=expected))

    if kind.header:
        there = not is_data(cells)
        if not there:
            report(HEADER_MISSING, delimiter.join(official))
    else:
        there = not any(map(is_value, cells))  # an id may have letters
        if there:
            report(HEADER_UNEXPECTED, "data only")
    splits = _splits_decimals(rest if there else [cells, *rest], kind)
    official = [*official, DECIMALS] if splits else official
    names = list(cells) if there else official if splits else _names_without_header(cells, kind)
    index = names[:1] if names[0] in INDEX_NAMES else []
    if there and not kind.header and len(names) == len(index) + len(kind.official):
        names = [*index, *official]  # a header that should not be there need not be right
    match = match_columns([name for name in names if name != DECIMALS] if splits else names, kind, path)
    return Header(names, there, match.columns, [*tallies, *match.tallies], splits)


def _splits_decimals(records: Sequence[Sequence[str]], kind: Kind) -> bool:
    """Whether a decimal comma splits the last column of a file of probabilities, as the first record has it.

    It does not where a number would be above 1, nor where each record ends in two of 0 and 1: these are a label and the
    other class, or two labels.
    """
    columns = kind.official
    if kind.header or not records or not columns[-1].reading.dtype.is_float():
        return False
    ends = [(record[-2].strip(), record[-1].strip()) for record in records if len(record) == len(columns) + 1]
    is_split = len(records[0]) == len(columns) + 1 and ends[0][0] in ("0", "1") and ends[0][1].isdigit()
    above = any(before == "1" and behind.strip("0") for before, behind in ends)
    return is_split and not above and not {behind for _, behind in ends} <= {"0", "1"}


def _names_without_header(cells: Sequence[str], kind: Kind) -> list[str]:
    """The official names for as many columns.

    The first optional columns are left out of a narrow file, a wide one has strangers.
    """
    columns, width = list(kind.official), len(cells)
    if width == 1 and columns[-1].reading.dtype.is_float() and not cells[0].strip().isdigit():
        return [columns[-1].official]  # probabilities alone
    while len(columns) > width and any(column.optional for column in columns):
        columns.remove(next(column for column in columns if column.optional))
    names = [column.official for column in columns][:width]
    if width == len(names) + 1 and cells[0].strip() in ("0", "1") and _is_number(cells[1]):
        return ["", *names]  # the row index of a data frame
    return [*names, *(f"column {place}" for place in range(len(names) + 1, width + 1))]


def match_columns(names: Sequence[str], kind: Kind, path: str, line: int | None = 1) -> Match:
    """Match the names of a header to the columns of a kind; every fault of the header is named, on its `line`."""
    known, columns, tallies = known_names(kind.official), dict[int, str](), list[Tally]()

    def report(rule: Rule, column: str | None, which: str = "", **facts: Any) -> None:
        tallies.append(tally_one(rule, At(path, line, column=column), kind=kind, which=which, **facts))

    for position, name in enumerate(names):
        column = known.get(fold(name))
        if column is None:
            if STORED_INDEX.fullmatch(name):
                report(INDEX_COLUMN, name, "stored")
            elif position == 0 and name in INDEX_NAMES:
                report(INDEX_COLUMN, name or None, "named" if name else "unnamed")
            else:
                report(EXTRA_COLUMN, name, "column", fixable=not MADE_UP.fullmatch(name) and EXTRA_COLUMN.fixable)
        elif column.name in columns.values():
            report(DUPLICATE_COLUMN, name, official=column.official)
        else:
            columns[position] = column.name
            if name != column.official:
                report(MISNAMED_COLUMN, name, "column", value=name, expected=column.official)
    for column in kind.official:
        if column.name not in columns.values() and not column.optional:
            report(MISSING_COLUMN, column.official, "column", expected=column.official)
    order = [column.name for column in kind.columns]
    found = list(columns.values())
    if found != sorted(found, key=order.index) and kind.container == "csv" and not kind.canonical:
        expected = ", ".join(column.official for column in kind.official if column.name in found)
        report(COLUMN_ORDER, None, value=", ".join(names), expected=expected, found=", ".join(names))
    return Match(columns, tallies)
