"""`export`, `derive` and `diff` from the command line: status, stdout, and one line where something cannot be done."""

import hashlib
import json
import sys
from pathlib import Path

import pytest

from sharedtask.pipelines.cli import main
from sharedtask.schemas.rules.example_files import FLARES_TRAIN

TRAIN = str(FLARES_TRAIN.right)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.json").write_text(TRAIN, "utf-8")
    (tmp_path / "votes.csv").write_text("id,annotator_id,score\n1,1,1\n1,2,2\n1,3,4\n2,1,0\n2,2,1\n2,3,3\n", "utf-8")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["sharedtask", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(str(stopped.value.code))


def test_export(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "export", "train.json", "--out", "train.csv", "--variant", "page") == 0
    digest = hashlib.sha256(TRAIN.encode()).hexdigest()[:12]
    assert capfd.readouterr().out == (
        f"train.json: flares/subtask1, 4 records, sha256 {digest}\n"
        "wrote train.csv: flares/subtask1, 4 records\n"
        "ok: no problems in 1 file\n"
    )
    assert (folder / "train.csv").read_text("utf-8").startswith("ID,TEXT,TAGS\n")


def test_the_way_back_is_noted(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "convert", "train.json", "--out", "tables", "-q")
    assert capfd.readouterr().out == "ok: no problems in 1 file\n"
    assert run(monkeypatch, "export", "tables/train.parquet", "--out", "back.json", "--format", "json") == 0
    told = json.loads(capfd.readouterr().out)
    assert told["notes"] == ["not the same bytes as train.json: it has letters that are not escaped"]
    run(monkeypatch, "export", "tables/train.parquet", "--out", "back.json")
    assert "note: not the same bytes as train.json: " in capfd.readouterr().out


def test_derive_labels(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "derive", "labels", "votes.csv", "--out", "labels.csv") == 1
    out = capfd.readouterr().out
    assert "votes.csv:5: error REI306 label-undetermined the scores 0, 1, 3 give no label" in out
    assert "\nitems: 2\nunreliable: 1\nreliable: 0\nremoved: 0\nundetermined: 1\n" in out
    assert not (folder / "labels.csv").exists()
    (folder / "truth.csv").write_text("id,label\n2,0\n", "utf-8")
    (folder / "recheck.csv").write_text("id,recheck\n2,news\n", "utf-8")
    beside = ["--ground-truth", "truth.csv", "--recheck", "recheck.csv"]
    assert run(monkeypatch, "derive", "labels", "votes.csv", *beside, "--out", "labels.csv", "-q") == 0
    assert (folder / "labels.csv").read_text("utf-8") == "id,label\n1,1\n2,0\n"


@pytest.mark.parametrize("form", ["markdown", "text"])
def test_measures_are_in_what_people_read(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    run(monkeypatch, "derive", "labels", "votes.csv", "--out", "labels.csv", "--format", form)
    assert "undetermined: 1" in capfd.readouterr().out


def test_derive_subtask2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "derive", "subtask2", "train.json", "--out", "two.json", "-q") == 0
    assert (folder / "two.json").read_text("utf-8").count("\n") == TRAIN.count("Tag_Start")


def test_diff(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """That two releases differ is no fault, unless the status is asked for."""
    (folder / "new.json").write_text(TRAIN.replace('"WHO"', '"WHY"', 1), "utf-8")
    assert run(monkeypatch, "diff", "train.json", "new.json") == 0
    assert capfd.readouterr().out.endswith("spans: 1 relabelled\nthe content differs\n")
    assert run(monkeypatch, "diff", "train.json", "new.json", "--exit-code") == 1
    assert run(monkeypatch, "diff", "train.json", "train.json", "--exit-code") == 0
    capfd.readouterr()
    assert run(monkeypatch, "diff", "train.json", "new.json", "--format", "json", "--output-file", "told.json") == 0
    assert capfd.readouterr().out == ""
    assert json.loads((folder / "told.json").read_text("utf-8"))["spans"] == {"relabelled": 1}


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "train.json", "--out", "train.xml"],
        ["export", "nowhere.json", "--out", "train.csv"],
        ["export", "train.json", "--out", "train.json/out.csv"],
        ["derive", "subtask2", "votes.csv", "--out", "two.json"],
        ["derive", "labels", "train.json", "--out", "labels.csv"],
        ["diff", "train.json", "votes.csv"],
        ["diff", "train.json", "nowhere.json"],
    ],
)
def test_what_cannot_be_done_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("sharedtask: ")
    assert err.count("\n") == 1
    assert "internal error" not in err
