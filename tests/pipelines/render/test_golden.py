"""Each format against a file that was looked at by a person. `WRITE_GOLDEN=1 pytest tests/pipelines/render` writes them anew."""

import os
from importlib import import_module
from pathlib import Path

import pytest

from sharedtask.pipelines.render import FORMATS, html, render
from sharedtask.pipelines.results.report import Report

GOLDEN = Path(__file__).parents[2] / "golden"
ENDINGS = {
    "text": "txt",
    "json": "json",
    "jsonl": "jsonl",
    "markdown": "md",
    "github": "github.txt",
    "junit": "junit.xml",
    "sarif": "sarif.json",
    "html": "html",
}


def test_each_format_has_a_golden_file() -> None:
    assert set(ENDINGS) == {*FORMATS, "html"}
    assert {path.name for path in GOLDEN.iterdir()} == {f"report.{ending}" for ending in ENDINGS.values()}


@pytest.mark.parametrize("form", ENDINGS)
def test_format(form: str, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.0.0")
    text = html.render(report) if form == "html" else render(report, form)
    path = GOLDEN / f"report.{ENDINGS[form]}"
    if os.environ.get("WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


def test_a_notebook_shows_the_html(report: Report) -> None:
    import_module("sharedtask.pipelines.verbs")  # whoever has a report has called one
    assert report._repr_html_() == html.render(report)
