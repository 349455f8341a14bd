"""However much was found, a format stays as long as those who read it can take, and counts the rest."""

import json

import pytest
from junitparser import JUnitXml, Skipped

from sharedtask.pipelines.render import FORMATS, html, render, sarif
from sharedtask.pipelines.render.markdown import LONGEST
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.schemas.rule import At, Rule, Severity, Tally, finding


def made(rules: int, samples: int, *, text: str = "wrong", severity: Severity = Severity.ERROR) -> Report:
    """A report on one file: rules that are each broken a thousand times, with so many samples."""
    tallies = []
    for number in range(rules):
        rule = Rule(f"ABC{100 + number}", f"rule-{number}", severity, "Meaning.", "Why.", "Hint.", text)
        found = (finding(rule, At("run.csv", line, line)) for line in range(1, samples + 1))
        tallies.append(Tally.counted(rule, severity, 1000, found))
    return Report("check", [Input("run", "run.csv", "cheers/run", "a" * 64, 1, 1)], tallies, max_findings=samples)


@pytest.mark.parametrize(
    ("severity", "word", "most"), [("error", "error", 10), ("warning", "warning", 10), ("info", "notice", 9)]
)
def test_github_shows_ten_of_each_level(severity: str, word: str, most: int) -> None:
    report = made(3, 20, severity=Severity(severity))
    *commands, last = render(report, "github").splitlines()
    assert len(commands) == most
    assert all(line.startswith(f"::{word} ") for line in commands)
    assert last.startswith("::notice title=sharedtask check::")
    assert str(3000 - most) in last


def test_github_shows_each_rule_before_it_shows_one_twice() -> None:
    commands = render(made(9, 20), "github").splitlines()
    assert [line.count("rule-0") for line in commands].count(1) == 2
    assert all(any(f"rule-{number}:" in line for line in commands) for number in range(9))


def test_github_says_nothing_where_nothing_is_wrong() -> None:
    assert render(made(0, 0), "github") == ""


def test_a_summary_fits_a_comment() -> None:
    text = render(made(100, 20, text="|" * 5000), "markdown")
    assert LONGEST - 5000 < len(text) < LONGEST + 100
    listed = text.count("run.csv:")
    assert 0 < listed < 2000
    assert f"Not listed: {100_000 - listed + 1} errors." in text


def test_sarif_holds_25_000_results(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sarif.MOST_RESULTS == 25_000
    monkeypatch.setattr(sarif, "MOST_RESULTS", 25)
    [run] = json.loads(render(made(2, 20), "sarif"))["runs"]
    assert len(run["results"]) == 25
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "not listed: 1975 errors"


def test_a_notebook_shows_a_hundred() -> None:
    text = html.render(made(10, 20))
    assert text.count("<td>run.csv:") == 100
    assert "Not listed: 9900 errors." in text


@pytest.mark.parametrize("form", FORMATS)
def test_a_value_is_cut(form: str) -> None:
    huge = "x" * 1_000_000
    rule = Rule("ABC100", "rule", Severity.ERROR, "Meaning.", "Why.", "Hint.", "{words}")
    details = {"context": huge, "rows": list(range(100_000)), "explains": {huge: 1}}
    at = At("run.csv", 1, 1, huge, {huge: huge})
    found = finding(rule, at, value={huge: [huge] * 3}, expected=huge, details=details, words=huge)
    report = Report("check", tallies=[Tally.of([found])])
    assert len(render(report, form)) < 60_000


def test_many_files_are_counted() -> None:
    inputs = [Input("data", f"{number}.csv", "cheers/run", "a" * 64, 1, 1) for number in range(1000)]
    for form in ("text", "markdown"):
        assert render(Report("validate", inputs), form).count(".csv") == 20
    assert "and 980 more" in render(Report("validate", inputs), "text")


def test_without_samples_counts_remain(report: Report) -> None:
    report.max_findings = 0
    text = render(report, "text")
    assert "402 error FLA201 span-out-of-bounds (none listed)" in text
    assert "failed: 403 errors, 3 warnings, 4 infos" in text
    assert "| place |" not in render(report, "markdown")
    assert render(report, "github") == "::notice title=sharedtask check::403 errors, 3 warnings, 4 infos more\n"


def test_junit_has_a_suite_a_file_and_a_case_a_rule() -> None:
    report = made(2, 3)
    report.inputs.append(Input("reference", "reference.csv", "cheers/sentences", "b" * 64, 1, 1))
    rule = Rule("ABC300", "warned", Severity.WARNING, "Meaning.", "Why.", "Hint.", "odd")
    report.add([Tally.of([finding(rule, At("run.csv"))])])
    run, reference = JUnitXml.fromstring(render(report, "junit").encode())
    assert (run.name, run.tests, run.failures, run.skipped) == ("run.csv", 3, 2, 1)
    assert [case.name for case in run] == ["ABC100 rule-0", "ABC101 rule-1", "ABC300 warned"]
    assert [type(case.result[0]) is Skipped for case in run] == [False, False, True]
    assert "and 997 more" in next(iter(run)).result[0].text
    assert [case.is_passed for case in reference] == [True]
