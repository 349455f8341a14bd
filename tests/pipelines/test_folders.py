"""Folders and globs: data is read, all else is skipped in one line, and what cannot be read does not end the call."""

import os
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.inputs.unread import UnreadError
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

SENTENCES = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n7,0,Two wells.,1,[10]\n7,1,A road.,0,[]\n"
ODD = "doc,sent\n7,0\n"
Found = list[tuple[str, str, str | None]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    (root / "deep").mkdir(parents=True)
    (root / "sentences_en_val.csv").write_text(SENTENCES, encoding="utf-8")
    (root / "deep" / "sentences_en_train.csv").write_text(SENTENCES, encoding="utf-8")
    for name in ("LICENSE", "Terms of Use.txt", "manifest.json", "README.md", "_SUCCESS", ".hidden.csv"):
        (root / name).write_text("nothing here\n", encoding="utf-8")
    (root / "_temporary").mkdir()
    (root / "_temporary" / "part.csv").write_text("half a fi", encoding="utf-8")
    (root / "_delta_log").mkdir()
    (root / "_delta_log" / "0.json").write_text("{}", encoding="utf-8")
    return root


def found(report: object) -> Found:
    return [(one.rule.name, str(one.severity), one.at.file) for one in report.findings()]  # type: ignore[attr-defined]


def test_what_is_no_data_is_skipped_in_one_line(folder: Path) -> None:
    report = validate(folder)
    assert [Path(one.path).name for one in report.inputs] == ["sentences_en_train.csv", "sentences_en_val.csv"]
    assert report.tallies == []
    assert report.notes == ["skipped 4 that are not data files: LICENSE, README.md, Terms of Use.txt, …"]


def test_data_of_no_known_kind_is_a_warning_with_its_columns(folder: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    report = validate(folder)
    assert found(report) == [("unread", "warning", str(folder / "odd.csv"))]
    (one,) = report.findings()
    assert one.message == "was not read: the columns (doc, sent) match no known kind; use --kind"
    assert report.ok
    assert len(report.inputs) == 3


def test_damaged_data_is_an_error_and_the_rest_is_reported(folder: Path) -> None:
    (folder / "cut.parquet").write_bytes(b"PAR1 and no more")
    report = validate(folder)
    assert found(report) == [("unread", "error", str(folder / "cut.parquet"))]
    assert not report.ok
    assert [one.rows for one in report.inputs] == [2, 2]


def test_a_name_that_is_no_text_does_not_end_a_conversion(folder: Path, tmp_path: Path) -> None:
    try:
        (folder / os.fsdecode(b"caf\xe9.csv")).write_text(SENTENCES, encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes names of UTF-8 alone")
    report = convert(folder, out=tmp_path / "out")
    assert [one.rule.name for one in report.findings()] == ["unread"]
    written = sorted(path.name for path in (tmp_path / "out").rglob("*.parquet"))
    assert written == ["sentences_en_train.parquet", "sentences_en_val.parquet"]


def test_a_named_file_is_never_skipped(folder: Path) -> None:
    with pytest.raises(UnusableError, match="LICENSE: the columns"):
        validate(folder / "LICENSE")


def test_the_other_named_files_are_reported(folder: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    with pytest.raises(UnreadError, match=r"odd\.csv: the columns \(doc, sent\)") as raised:
        validate([folder / "odd.csv", folder / "sentences_en_val.csv"])
    report = raised.value.report
    assert [one.rows for one in report.inputs] == [None, 2]
    assert found(report) == [("unread", "error", str(folder / "odd.csv"))]
    assert not report.ok


def test_convert_goes_on_too(folder: Path, tmp_path: Path) -> None:
    (folder / "odd.csv").write_text(ODD, encoding="utf-8")
    report = convert(folder, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.parquet")) == [
        "sentences_en_train.parquet",
        "sentences_en_val.parquet",
    ]
    assert [name for name, _, _ in found(report)] == ["unread"]


@pytest.mark.parametrize("pattern", ["deep/*", "deep", "deep/", "sentences_en_train*", "*train.csv"])
def test_files_can_be_left_out(folder: Path, pattern: str) -> None:
    report = validate(folder, exclude=[pattern])
    assert [Path(one.path).name for one in report.inputs] == ["sentences_en_val.csv"]


def test_a_glob_is_read_like_a_folder(folder: Path) -> None:
    report = validate(str(folder / "**" / "*"))
    assert [Path(one.path).name for one in report.inputs] == ["sentences_en_train.csv", "sentences_en_val.csv"]
    report = validate(str(folder / "*.csv"))
    assert [Path(one.path).name for one in report.inputs] == ["sentences_en_val.csv"]


def test_one_path_is_one_file(folder: Path) -> None:
    assert len(validate(str(folder / "sentences_en_val.csv")).inputs) == 1
    assert len(validate(folder / "sentences_en_val.csv").inputs) == 1


def test_a_folder_without_data_says_so(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("x", encoding="utf-8")
    with pytest.raises(UnusableError, match="holds no data file"):
        validate(tmp_path)
