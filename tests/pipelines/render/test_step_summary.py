"""What `finish` leaves beside the report: the summary of the step, where GitHub Actions wants one."""

from pathlib import Path

import pytest

from sharedtask.pipelines.cli.options import Destination, finish
from sharedtask.pipelines.render import render
from sharedtask.pipelines.results.report import Report


def test_the_summary_is_appended(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert finish(report, Destination("text", None)) == 1
    assert finish(Report("validate"), Destination("text", None, quiet=True)) == 0
    wanted = f"# before\n{render(report, 'markdown')}\n{render(Report('validate'), 'markdown')}\n"
    assert summary.read_text(encoding="utf-8") == wanted
    out, err = capfdbinary.readouterr()
    assert (out.decode(), err) == (render(report, "text") + "ok: no problems in 0 files\n", b"")


def test_a_summary_that_cannot_be_written_is_told(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    report_file = tmp_path / "report.json"
    assert finish(report, Destination("json", str(report_file))) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"sharedtask: no step summary: {tmp_path}: is a directory\n"
    assert report_file.read_text(encoding="utf-8") == render(report, "json")


@pytest.mark.parametrize("value", ["", None])
def test_no_summary_is_wanted(
    value: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if value is None:
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    else:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    assert finish(Report("validate"), Destination("markdown", None)) == 0
    assert capsys.readouterr().err == ""
