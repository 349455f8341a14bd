"""Which column of a file is which canonical column, and what is wrong with the names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sharedtask.schemas.file_rules import (
    COLUMN_ORDER,
    DUPLICATE_COLUMN,
    EXTRA_COLUMN,
    INDEX_COLUMN,
    MISNAMED_COLUMN,
    MISSING_COLUMN,
)
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.rule import Rule, Tally, tally_one

INDEX_NAMES = {"", "Unnamed: 0", "Column1"}


def fold(name: str) -> str:
    """A column name without what people and programs change about it: case, spaces, underscores, a byte order mark."""
    return re.sub(r"[\s_\-\ufeff]+", "", name).lower()


@dataclass(frozen=True, slots=True)
class Match:
    """`columns` maps positions in the file to canonical names; `tallies` holds what is wrong with the header."""

    columns: dict[int, str]
    tallies: list[Tally]


def _known_names(kind: Kind) -> dict[str, Column]:
    return {fold(name): column for column in kind.columns for name in (column.official, *column.aliases)}


def fit(names: Sequence[str], kind: Kind) -> int:
    """How well a header fits a kind: its required columns found less the columns that the kind does not know; below 0 for no fit."""
    known = _known_names(kind)
    found = {known[fold(name)].name for name in names if fold(name) in known}
    required = {column.name for column in kind.columns if not column.optional}
    strangers = sum(fold(name) not in known and name not in INDEX_NAMES for name in names)
    if not found or len(required - found) > len(required) // 2:
        return -1
    return 4 * len(found) - 3 * len(required - found) - strangers


def match_columns(names: Sequence[str], kind: Kind, path: str) -> Match:
    """Match the names of a header to the columns of a kind; every fault of the header is named."""
    known, columns, tallies = _known_names(kind), dict[int, str](), list[Tally]()

    def report(rule: Rule, message: str, column: str | None, value: object = None, expected: str | None = None) -> None:
        tallies.append(
            tally_one(
                rule,
                kind.name,
                message,
                file=path,
                line=1,
                column=column,
                value=value,
                expected=expected,
                hint=rule.hint,
            )
        )

    for position, name in enumerate(names):
        column = known.get(fold(name))
        if column is None:
            if position == 0 and name in INDEX_NAMES:
                report(INDEX_COLUMN, f"the first column ({name or 'without a name'}) is a row index", name or None)
            else:
                report(EXTRA_COLUMN, f"the column {name!r} is not one of this file's", name)
        elif column.name in columns.values():
            report(DUPLICATE_COLUMN, f"the column {column.official} stands here twice", name)
        else:
            columns[position] = column.name
            if name != column.official:
                report(MISNAMED_COLUMN, f"the column {column.official} is called {name!r}", name, name, column.official)
    for column in kind.columns:
        if column.name not in columns.values() and not column.optional:
            report(MISSING_COLUMN, f"the column {column.official} is missing", column.official, None, column.official)
    order = [column.name for column in kind.columns]
    found = list(columns.values())
    if found != sorted(found, key=order.index) and kind.container == "csv":
        wanted = ", ".join(column.official for column in kind.columns if column.name in found)
        report(COLUMN_ORDER, "the columns stand in another order", None, ", ".join(names), wanted)
    return Match(columns, tallies)
