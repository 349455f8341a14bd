"""Delimited files have the quotes of Python's csv module; lines have none."""

import csv
import io
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.csv.write import sink_delimited, sink_lines

FIELDS = [
    None,
    "",
    "x",
    'a "b"',
    "a,b",
    "a\nb",
    "a\rb",
    " a ",
    "'",
    "#",
    "\ufeffa",
    "\t",
    "\x0c",
    "ñ",
    "😀",
    '"',
    "\u2028",
    "NA",
]


def by_csv_module(rows: list[tuple[object, ...]]) -> bytes:
    """The rows as `csv.writer` quotes them by default, each ended with LF."""
    lines = []
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line).writerow(row)  # with its own line end, or 3.11 would leave a carriage return unquoted
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines).encode()


def test_fields_are_quoted_as_by_the_csv_module(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a,b": FIELDS, "n": range(len(FIELDS)), "c": FIELDS[::-1]})
    sink_delimited(frame.lazy(), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == by_csv_module([("a,b", "n", "c"), *frame.rows()])
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_an_empty_field_that_is_the_whole_row_is_quoted(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": FIELDS})
    sink_delimited(frame.lazy(), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == by_csv_module([("a",), *frame.rows()])


def test_numbers_without_text_columns(tmp_path: Path) -> None:
    sink_delimited(pl.LazyFrame({"a": [1, None], "b": [0.5, 1.0]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"a,b\n1,0.5\n,1.0\n"


@pytest.mark.parametrize(("header", "expected"), [(True, b"a,b\n1,x\n2,"), (False, b"1,x\n2,")])
def test_the_final_newline_can_be_left_out(tmp_path: Path, header: bool, expected: bytes) -> None:
    frame = pl.LazyFrame({"a": [1, 2], "b": ["x", ""]})
    sink_delimited(frame, tmp_path / "t.csv", header=header, final_newline=False)
    assert (tmp_path / "t.csv").read_bytes() == expected


def test_no_rows_and_no_header_make_an_empty_file(tmp_path: Path) -> None:
    empty = pl.LazyFrame({"a": [], "b": []}, schema={"a": pl.Int64, "b": pl.String})
    sink_delimited(empty, tmp_path / "t.csv", header=False, final_newline=False)
    assert (tmp_path / "t.csv").read_bytes() == b""


@pytest.mark.parametrize("final_newline", [True, False])
def test_lines_are_never_quoted(tmp_path: Path, final_newline: bool) -> None:
    lines = ['{"a":"b, c"}', '"', "", None, " x ", "'"]
    sink_lines(pl.LazyFrame({"line": lines}), tmp_path / "t.json", final_newline=final_newline)
    expected = "\n".join(line or "" for line in lines) + ("\n" if final_newline else "")
    assert (tmp_path / "t.json").read_bytes() == expected.encode()


@pytest.mark.parametrize("final_newline", [True, False])
def test_line_ends_and_mark_of_a_table(tmp_path: Path, final_newline: bool) -> None:
    frame = pl.LazyFrame({"a": ["x\ny", "z"], "b": [1, 2]})
    sink_delimited(frame, tmp_path / "t.csv", line_end="\r\n", bom=True, final_newline=final_newline)
    expected = '\ufeffa,b\r\n"x\ny",1\r\nz,2' + ("\r\n" if final_newline else "")
    assert (tmp_path / "t.csv").read_bytes() == expected.encode()


def test_line_ends_and_mark_of_lines(tmp_path: Path) -> None:
    sink_lines(pl.LazyFrame({"line": ["a", "b"]}), tmp_path / "t", line_end="\r\n", bom=True, final_newline=False)
    assert (tmp_path / "t").read_bytes() == b"\xef\xbb\xbfa\r\nb"


@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize("around", [("[", ",", "]"), ("[\n  ", ",\n  ", "\n]\n")])
def test_lines_as_an_array(tmp_path: Path, records: int, around: tuple[str, str, str]) -> None:
    lines = [f"{{{number}}}" for number in range(records)]
    sink_lines(pl.LazyFrame({"line": lines}), tmp_path / "t.json", array=around)
    before, between, behind = around
    assert (tmp_path / "t.json").read_text("utf-8") == before + between.join(lines) + behind
