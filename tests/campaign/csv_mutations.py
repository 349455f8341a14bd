"""Mutations of the rows and columns of CSV."""

import csv
import io
from collections.abc import Callable
from random import Random
from typing import Literal

from tests.campaign.odd_values import HOSTILE, LETTERS, NUMBERS, VALUES

Rows = list[list[str]]


def _on_rows(change: Callable[[Rows, Random], None], name: str) -> Callable[[bytes, Random], bytes]:
    """A mutation of bytes made from one of rows, which changes them in place; what is no CSV stays as it is."""

    def mutation(data: bytes, random: Random) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        try:
            rows = list(csv.reader(io.StringIO(text, newline="")))
        except csv.Error:
            return data
        if not rows or not any(rows):
            return data
        change(rows, random)
        out = io.StringIO(newline="")
        try:
            csv.writer(out, lineterminator="\n").writerows(rows)
        except csv.Error:
            return data
        return out.getvalue().encode("utf-8", "surrogatepass" if _lone(out.getvalue()) else "surrogateescape")

    mutation.__name__ = name
    return mutation


def _lone(text: str) -> bool:
    """Whether a text has halves of pairs that are not bytes that could not be decoded."""
    return any("\ud800" <= one < "\udc80" or "\udcff" < one <= "\udfff" for one in text)


def _row(rows: Rows, random: Random) -> list[str]:
    return random.choice([row for row in rows if row])


def _cell(rows: Rows, random: Random) -> None:
    row = _row(rows, random)
    value = random.choice((*VALUES, *NUMBERS, *HOSTILE))
    letter = random.choice(LETTERS)
    row[random.randrange(len(row))] = random.choice((value.decode("utf-8", "surrogateescape"), letter, letter * 3))


def _edit(rows: Rows, random: Random) -> None:
    row = _row(rows, random)
    place = random.randrange(len(row))
    cell = row[place]
    at = random.randrange(len(cell) + 1)
    row[place] = random.choice(
        (
            cell[:at] + random.choice(LETTERS) + cell[at:],
            cell[:at],
            cell[at:],
            cell.upper(),
            f" {cell}",
            f"{cell} ",
            cell * 2,
        )
    )


def _cells_swapped(rows: Rows, random: Random) -> None:
    one, other = _row(rows, random), _row(rows, random)
    first, second = random.randrange(len(one)), random.randrange(len(other))
    one[first], other[second] = other[second], one[first]


def _same_cell(rows: Rows, random: Random) -> None:
    one, other = _row(rows, random), _row(rows, random)
    place = random.randrange(min(len(one), len(other)))
    one[place] = other[place]


def _column_gone(rows: Rows, random: Random) -> None:
    place = random.randrange(max(map(len, rows)))
    for row in rows:
        del row[place : place + 1]


def _column_twice(rows: Rows, random: Random) -> None:
    place = random.randrange(max(map(len, rows)))
    for row in rows:
        row[place:place] = row[place : place + 1]


def _columns_moved(rows: Rows, random: Random) -> None:
    order = list(range(max(map(len, rows))))
    random.shuffle(order)
    for row in rows:
        row[:] = [row[place] for place in order if place < len(row)]


def _column_added(rows: Rows, random: Random) -> None:
    name = random.choice(("", "Unnamed: 0", "index", "note", "Id", "id", "label", "rules", "row", "NULL", "a\nb"))
    place = random.choice((0, len(rows[0])))
    for number, row in enumerate(rows):
        row.insert(place, name if number == 0 else str(number - 1))


def _column_renamed(rows: Rows, random: Random) -> None:
    if rows[0]:
        place = random.randrange(len(rows[0]))
        name = rows[0][place]
        rows[0][place] = random.choice(
            (name.lower(), name.upper(), f" {name}", f"{name}_x", name[:-1], "", "\ufeff" + name, '"')
        )


def _longer_row(rows: Rows, random: Random) -> None:
    _row(rows, random).extend(["x"] * random.choice((1, 2, 200)))


def _shorter_row(rows: Rows, random: Random) -> None:
    _row(rows, random).pop()


def _header_gone(rows: Rows, random: Random) -> None:
    del rows[0]


def _header_again(rows: Rows, random: Random) -> None:
    rows.insert(random.randrange(len(rows) + 1), list(rows[0]))


def _rows_gone(rows: Rows, random: Random) -> None:
    del rows[random.randrange(1, len(rows) + 1) :]


def _rows_mixed(rows: Rows, random: Random) -> None:
    body = rows[1:]
    random.shuffle(body)
    rows[1:] = body


def _column_of_one_value(rows: Rows, random: Random) -> None:
    place = random.randrange(max(map(len, rows)))
    value = random.choice((*VALUES, *NUMBERS)).decode()
    for row in rows[1:]:
        row[place : place + 1] = [value]


def _delimiter(data: bytes, random: Random) -> bytes:
    """Another delimiter, which may be in the cells, too."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))
        out = io.StringIO(newline="")
        quoting: Literal[0, 1] = random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
        csv.writer(out, delimiter=random.choice(";\t| :"), quoting=quoting, lineterminator="\n").writerows(rows)
    except csv.Error:
        return data.replace(b",", b";")
    return out.getvalue().encode("utf-8", "surrogateescape")


def _unquoted(data: bytes, random: Random) -> bytes:
    """Cells without the quotes that they need."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error:
        return data.replace(b'"', b"")
    return "".join(",".join(row) + "\n" for row in rows).encode("utf-8", "surrogateescape")


_CHANGES = (
    *(_cell, _cell, _cell, _edit, _edit, _cells_swapped, _same_cell, _column_gone, _column_twice, _columns_moved),
    *(_column_added, _column_renamed, _longer_row, _shorter_row, _header_gone, _header_again, _rows_gone, _rows_mixed),
    _column_of_one_value,
)
OF_CSV: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_on_rows(change, f"csv{change.__name__}") for change in _CHANGES),
    _delimiter,
    _unquoted,
)
