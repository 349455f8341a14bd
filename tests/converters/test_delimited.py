"""The fast way through a delimited file: the values of the csv module, the physical lines, and no short record unseen."""

import csv
import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.read import read_broken, read_delimited
from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import open_source
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.reading import text

Rows = list[list[str]]
Content = list[tuple[str | None, ...]]

NAMES = ("a", "b", "c")
TOY = Kind(
    name="toy/table",
    title="",
    description="",
    source="",
    columns=tuple(Column(name, name, text(), "", nullable=True) for name in NAMES),
    key=("a",),
)
FIELDS = st.lists(st.sampled_from([*'xy",', '"', ",", "\n", "\r\n", " ", "é", "🔴"]), max_size=5).map("".join)
# A row of nothing but delimiters and spaces is no record.
ROWS = st.lists(
    st.lists(FIELDS, min_size=3, max_size=3).filter(lambda row: any(field.strip(" ") for field in row[:2])),
    min_size=1,
    max_size=8,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("delimited") / "table.csv"


def written(row: list[str], quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting, lineterminator=end).writerow(row)
    return out.getvalue()


class Read:
    """A file read by the fast way, and all that is asked of it."""

    def __init__(self, path: Path, content: str | bytes, kind: Kind = TOY) -> None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with open_source(str(path)) as source:
            layout = Layout(source.head)
            self.table = read_delimited(source, kind, layout)
            self.rows, self.lines, self.suspect = self._fast()
            self.found = {tally.rule.name: tally.count for tally in self.table.tallies}
            again = read_broken(source, kind, layout, self.table, 20)
            self.explained = content_of(again.frame.collect())
            self.explained_lines = again.lines(range(len(self.explained)))

    def _fast(self) -> tuple[Content, list[int | None], bool]:
        """What the fast reader reads, with lines, and whether a record is suspected to be broken; it gives up at some of these."""
        try:
            frame = self.table.frame.collect(engine="streaming")
        except pl.exceptions.PolarsError:
            return [], [], True
        suspect = self.table.suspect(frame.height, frame["last"].null_count())
        return content_of(frame), self.table.lines(range(frame.height)), suspect


def given_columns(path: Path, content: str) -> tuple[list[str], tuple[str, ...]]:
    """The columns and the first record as they were given, for the quarantine."""
    path.write_text(content, encoding="utf-8")
    with open_source(str(path)) as source:
        given = read_delimited(source, TOY, Layout(source.head)).as_given
        assert given is not None
        frame = given.collect().drop("row")
        return frame.columns, frame.row(0)


def content_of(frame: pl.DataFrame) -> Content:
    return [tuple(cell or "" for cell in row) for row in frame.select(pl.selectors.starts_with("raw.")).rows()]


@given(rows=ROWS, quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), end=st.sampled_from(["\n", "\r\n"]))
def test_values_and_lines_are_those_of_the_csv_module(path: Path, rows: Rows, quoting: Any, end: str) -> None:
    rows = [["0", "0", "0"], *rows]  # a first record of nothing but spaces would say that spaces follow the delimiters
    records = [written(row, quoting, end) for row in rows]
    read = Read(path, "a,b,c" + end + "".join(records))
    assert read.rows == [tuple(row) for row in rows]
    lines = [2 + sum(record.count("\n") for record in records[:at]) for at in range(len(rows))]
    assert read.lines == lines
    assert not read.suspect
    assert (read.explained, read.explained_lines) == (read.rows, lines)


@given(rows=ROWS, data=st.data())
def test_a_short_record_is_suspected_and_an_empty_last_cell_is_not(path: Path, rows: Rows, data: st.DataObject) -> None:
    for row in rows:
        row[2] = data.draw(st.sampled_from(["", row[2]]))
    short = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    width = data.draw(st.sampled_from([1, 2]))
    records = [
        ("\n" if width == 1 and not row[0] else written(row[:width])) if at in short else written(row)
        for at, row in enumerate(rows)
    ]
    read = Read(path, "a,b,c\n" + "".join(records))
    assert read.suspect is bool(short)
    assert read.explained == [tuple(row) for at, row in enumerate(rows) if at not in short]


@pytest.mark.parametrize("damage", ["1,2,3,4\n", '1,"open\n', '1,"a" b,3\n'])
def test_long_records_and_stray_quotes_stop_the_reader(path: Path, damage: str) -> None:
    path.write_text(f"a,b,c\n1,2,3\n{damage}4,5,6\n", encoding="utf-8")
    with open_source(str(path)) as source:
        table = read_delimited(source, TOY, Layout(source.head))
        with pytest.raises(pl.exceptions.PolarsError):
            table.frame.collect(engine="streaming")


@pytest.mark.parametrize(
    ("first", "delimiter", "cells"),
    [
        ("a,b,c", ",", ["a", "b", "c"]),
        ("a;b;c", ";", ["a", "b", "c"]),
        ("a\tb\tc", "\t", ["a", "b", "c"]),
        ("a|b|c", "|", ["a", "b", "c"]),
        ('"a,x";"b";c', ";", ["a,x", "b", "c"]),
        ('"a;x","b",c', ",", ["a;x", "b", "c"]),
        ("4373;0,03", ";", ["4373", "0,03"]),
        ("a, b,  c", ",", ["a", "b", "c"]),
        ("\ufeffa,b", ",", ["a", "b"]),
        ("a", ",", ["a"]),
        ("", ",", [""]),
    ],
)
def test_layout(first: str, delimiter: str, cells: list[str]) -> None:
    layout = Layout(f"{first}\nx{delimiter}y\n".encode())
    assert (layout.delimiter, layout.cells) == (delimiter, cells)


def test_a_first_cell_that_never_closes_is_taken_for_one_line() -> None:
    layout = Layout(b'"a,b\n' + b"x,y\n" * 100_000)
    assert layout.cells == ['"a', "b"]


def test_a_bom_is_not_part_of_the_first_name_or_value(path: Path) -> None:
    read = Read(path, b"\xef\xbb\xbfa,b,c\n1,2,3\n")
    assert (read.rows, read.found) == ([("1", "2", "3")], {})


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_last_line_end_may_be_missing(path: Path, end: str) -> None:
    read = Read(path, f"a,b,c\n1,2,3{end}")
    assert (read.rows, read.suspect) == ([("1", "2", "3")], False)


def test_a_name_with_a_newline_in_it(path: Path) -> None:
    read = Read(path, 'a,"b\n",c\n1,2,3\n4,5,6\n')
    assert read.rows == read.explained == [("1", "2", "3"), ("4", "5", "6")]
    assert read.lines == read.explained_lines == [3, 4]


def test_a_column_that_is_not_of_the_kind_stays_in_what_was_given(path: Path) -> None:
    content = "x,b,a,,b,c\n1,2,3,4,5,6\n"
    assert Read(path, content).rows == [("2", "3", "6")]
    assert given_columns(path, content) == (["x", "b", "a", "column_4", "b_5", "c"], ("1", "2", "3", "4", "5", "6"))


def test_a_name_that_is_repeated_meets_no_other(path: Path) -> None:
    names, record = given_columns(path, "a,a,a_2,b,c\n1,2,3,4,5\n")
    assert len(set(names)) == 5
    assert record == ("1", "2", "3", "4", "5")


def test_lines_of_some_records_in_any_order(path: Path) -> None:
    path.write_text('a,b,c\n1,"x\ny",\n2,,\n3,"\n\n",\n4,,\n', encoding="utf-8")
    with open_source(str(path)) as source:
        table: Table = read_delimited(source, TOY, Layout(source.head))
        assert table.lines([3, 0, 2]) == [8, 2, 5]
        assert table.lines([]) == []
