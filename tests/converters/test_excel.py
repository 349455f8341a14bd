"""Workbooks: cells as text in the way the file shows them."""

import datetime
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.excel import is_workbook, read_cells
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.source import open_source
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

pytest.importorskip("fastexcel")
xlsxwriter = pytest.importorskip("xlsxwriter")

HEADER = ["id", "user_name", "post_message", "timestamp_post", "num_like_post", "num_comment_post", "num_share_post"]


def write(path: Path, *sheets: list[list[Any]]) -> Path:
    """A workbook with these sheets; a time becomes a cell with the format of a time, None an empty cell."""
    with xlsxwriter.Workbook(path, {"strings_to_urls": False, "strings_to_formulas": False}) as book:
        time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for rows in sheets:
            sheet = book.add_worksheet()
            for number, row in enumerate(rows):
                for column, value in enumerate(row):
                    if isinstance(value, datetime.datetime):
                        sheet.write_datetime(number, column, value, time)
                    elif value == "=1/0":
                        sheet.write_formula(number, column, value, None, "#DIV/0!")
                    elif value is not None:
                        sheet.write(number, column, value)
    return path


def cells(path: Path) -> list[tuple[Any, ...]]:
    with open_source(str(path)) as source:
        found, _ = read_cells(source, USUAL_LIMITS)
        return found.rows()


def test_cells_are_text_as_shown(tmp_path: Path) -> None:
    row = [7.0, 1234567890123456.0, -4819033671209450123.0, 0.1, 1 / 3, 1e-11, "54 like", "0012"]
    (shown,) = cells(write(tmp_path / "a.xlsx", [row]))
    third = f"{1 / 3:.16G}"  # as xlsxwriter stores it
    assert shown == (0, "7", "1234567890123456", "-4819033671209450496", "0.1", third, "1e-11", "54 like", "0012")


def test_times_errors_and_truth_values(tmp_path: Path) -> None:
    moment = datetime.datetime(2020, 4, 5, 10, 0, 7)
    assert cells(write(tmp_path / "a.xlsx", [[moment, "=1/0", True, " \n"]])) == [
        (0, "2020-04-05 10:00:07", "#DIV/0!", "true")
    ]


def test_rows_keep_the_numbers_of_the_sheet(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [[]], [[], ["id", None, "x"], [], [1, None, None], [" ", None, None]])
    assert cells(path) == [(1, "id", "x"), (3, "1", None)]


def test_a_workbook_is_told_from_a_zip(tmp_path: Path) -> None:
    assert is_workbook(write(tmp_path / "a.xlsx", [[1]]))
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 and no more")
    assert not is_workbook(tmp_path / "b.zip")


def test_the_warm_up_workbook(tmp_path: Path) -> None:
    """Facts 1.2: float cells, user names that were 64-bit hashes, the word unknown, one unit, one date in a count column."""
    user = -4819033671209450123.0
    rows: list[list[Any]] = [
        [*HEADER, "label"],
        [0.0, user, "một\nhai", 1585720800.0, "unknown", "unknown", "unknown", 1.0],
        [1.0, 2167074723833131234.0, "ba", None, "54 like", 0.0, None, 1.0],
        [2.0, user, "bốn", 1585807200.0, 12.0, 3.0, 1.0, 0.0],
        [3.0, user, "năm", None, None, 3.0, "May 25th 2020, 21:57:58.000", 0.0],
    ]
    path = write(tmp_path / "warmup_training_dataset.xlsx", rows)
    report = validate([path])
    assert {one.rule.name: one.count for one in report.rules()} == {
        "user-name-lost-digits": 4,
        "count-unknown": 1,
        "count-with-unit": 1,
        "displaced-row": 1,
    }
    (displaced,) = (one for one in report.findings() if one.rule.name == "displaced-row")
    assert (displaced.at.line, displaced.at.row, displaced.at.key) == (5, 4, {"id": 3})

    convert([path], tmp_path / "out", on_error="quarantine")
    good = pl.read_parquet(tmp_path / "out" / "warmup_training_dataset.parquet")
    assert good["id"].to_list() == [0, 1, 2]
    assert good["num_like_post"].to_list() == [None, 54, 12]
    assert good["label"].to_list() == [1, 1, 0]
    aside = pl.read_parquet(tmp_path / "out" / "quarantine" / "warmup_training_dataset.parquet")
    assert aside.select(*HEADER, "label").rows() == [
        ("3", "-4819033671209450496", "năm", None, None, "3", "May 25th 2020, 21:57:58.000", "0")
    ]


def test_a_date_cell_is_no_epoch_but_read(tmp_path: Path) -> None:
    row = [1, "9f1c27d0b3e84a6655aa0c7d18e2f943", "a", datetime.datetime(2020, 4, 5, 10), 1, 2, 3]
    report = validate([write(tmp_path / "a.xlsx", [HEADER, row])])
    assert [one.rule.name for one in report.rules()] == ["timestamp-not-epoch"]


def test_results_as_a_workbook(tmp_path: Path) -> None:
    report = validate([write(tmp_path / "results.xlsx", [[4373, 0.25], [4374, 1e-12]])])
    assert (report.inputs[0].kind, report.inputs[0].rows, report.ok) == ("reintel/run", 2, True)


def test_an_empty_workbook(tmp_path: Path) -> None:
    report = validate([write(tmp_path / "a.xlsx", [])])
    assert [one.rule.name for one in report.rules()] == ["empty-file"]


def test_a_workbook_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [[1]])
    with open_source(str(path)) as source, pytest.raises(UnusableError, match="unpacks to more than 1000 bytes"):
        read_cells(source, Limits(archive_bytes=1000))


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.xlsx", [[1]])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(UnusableError, match=r"pip install sharedtask\[excel\]"):
        validate([path])
