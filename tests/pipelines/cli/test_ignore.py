"""`--ignore` and the settings of a project: what is ignored is counted apart, and makes no upload or table sound."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sharedtask.pipelines.cli import main

Call = Callable[..., tuple[int, str, str]]
SENTENCES = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n7,0,Two wells.,1,[10]\n7,1,The caf?? is.,0,[]\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    Path("sentences_en_val.csv").write_text(SENTENCES, encoding="utf-8")
    Path("bad_val.csv").write_text(SENTENCES.replace(",0,[]", ",2,[]"), encoding="utf-8")

    def called(*args: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sharedtask", *args])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfd.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, out, err

    return called


def report_of(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.mark.parametrize("word", ["replacement-character", "FMT202", "fmt202", "Replacement-Character"])
def test_an_ignored_warning_does_not_fail(run: Call, word: str) -> None:
    how = ("validate", "sentences_en_val.csv", "--fail-on", "warning", "--format", "json")
    assert run(*how)[0] == 1
    status, out, _ = run(*how, "--ignore", word)
    data = report_of(out)
    assert status == 0
    assert data["findings"] == data["rules"] == []
    assert data["counts"]["warning"] == 0
    assert [(one["name"], one["count"]) for one in data["ignored"]] == [("replacement-character", 1)]


def test_the_text_says_what_was_ignored(run: Call) -> None:
    _, out, _ = run("validate", "sentences_en_val.csv", "--ignore", "replacement-character")
    assert "ignored: 1 replacement-character\n" in out
    assert "FMT202" not in out
    assert out.endswith("ok: no problems in 1 file; 1 ignored\n")


def test_the_verdict_alone_and_sarif_say_that_something_was_ignored(run: Call) -> None:
    given = ("validate", "sentences_en_val.csv", "--ignore", "replacement-character")
    assert run(*given, "-q")[1] == "ok: no problems in 1 file; 1 ignored\n"
    (sarif,) = json.loads(run(*given, "--format", "sarif")[1])["runs"]
    assert [(one["name"], one["count"]) for one in sarif["properties"]["ignored"]] == [("replacement-character", 1)]


def test_an_ignored_error_does_not_fail_a_check(run: Call) -> None:
    assert run("validate", "bad_val.csv", "--ignore", "relevance-not-binary")[0] == 0


def test_an_ignored_error_is_not_converted(run: Call) -> None:
    status, out, _ = run("convert", "bad_val.csv", "--out", "out", "--ignore", "relevance-not-binary")
    assert status == 1
    assert "relevance-not-binary" in out
    assert not list(Path("out").rglob("*.parquet"))


def test_a_rule_that_there_is_not(run: Call) -> None:
    status, _, err = run("validate", "sentences_en_val.csv", "--ignore", "replacement-char")
    assert status == 2
    assert "there is no rule 'replacement-char'; did you mean FMT202 replacement-character?" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sharedtask.toml", 'ignore = ["replacement-character"]\n'),
        ("pyproject.toml", '[project]\nname = "x"\n[tool.sharedtask]\nignore = ["FMT202"]\n'),
    ],
)
def test_settings_of_the_working_directory(run: Call, name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    assert run("validate", "sentences_en_val.csv", "--fail-on", "warning")[0] == 0


def test_settings_beside_an_input_are_not_read(run: Call) -> None:
    Path("in").mkdir()
    Path("in", "val.csv").write_text(SENTENCES, encoding="utf-8")
    Path("in", "sharedtask.toml").write_text('ignore = ["replacement-character"]\n', encoding="utf-8")
    assert run("validate", "in/val.csv", "--fail-on", "warning")[0] == 1
    assert run("validate", "in/val.csv", "--fail-on", "warning", "--config", "in/sharedtask.toml")[0] == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ignore = 1\n", "sharedtask.toml: ignore is not a list of rules"),
        ("ignor = []\n", "sharedtask.toml: there is no key 'ignor'; did you mean 'ignore'?"),
        ("ignore = [\n", "sharedtask.toml: is not a valid TOML file"),
        ('ignore = ["x"]\n', "there is no rule 'x'"),
    ],
)
def test_wrong_settings_are_one_line(run: Call, text: str, why: str) -> None:
    Path("sharedtask.toml").write_text(text, encoding="utf-8")
    status, _, err = run("validate", "sentences_en_val.csv")
    assert status == 2
    assert why in err
    assert len(err.splitlines()) == 1


def test_settings_that_are_not_there(run: Call) -> None:
    status, _, err = run("validate", "sentences_en_val.csv", "--config", "none.toml")
    assert status == 2
    assert "none.toml: cannot be read: no such file or directory" in err
