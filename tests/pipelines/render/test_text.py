"""The text report: what a line says, how findings alike are grouped, and what is painted."""

import re

import pytest

from sharedtask.pipelines.render import render
from sharedtask.pipelines.render.colour import COLOURED, PLAIN
from sharedtask.pipelines.render.text import MOST_ALIKE, render_verdict
from sharedtask.pipelines.render.text import render as render_text
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.schemas.rule import At, Rule, Severity, Tally, finding

WRONG = Rule("ABC101", "wrong-value", Severity.ERROR, "Meaning.", "Why.", "Hint.", "the value is wrong")
ODD = Rule("ABC102", "odd-value", Severity.WARNING, "Meaning.", "Why.", "Hint.", "the value is odd")


def report_of(*tallies: Tally) -> Report:
    return Report("validate", [Input("data", "a.csv", "cheers/run", "a" * 64, 1, 90)], list(tallies))


def wrong(lines: range, file: str = "a.csv", rule: Rule = WRONG) -> Tally:
    return Tally.of([finding(rule, At(file, line, line)) for line in lines])


def test_a_line_has_place_severity_code_name_and_sentence() -> None:
    first, second, *_ = render(report_of(wrong(range(2, 3)), wrong(range(3, 4), rule=ODD)), "text").splitlines()
    assert first == "a.csv:2: error ABC101 wrong-value the value is wrong"
    assert second == "a.csv:3: warning ABC102 odd-value the value is odd"


def test_five_findings_of_one_rule_have_lines_of_their_own() -> None:
    assert MOST_ALIKE == 5
    text = render(report_of(wrong(range(2, 7))), "text")
    assert text.count("the value is wrong") == 5
    assert "more" not in text


def test_after_five_findings_of_one_rule_one_line_counts_the_others() -> None:
    lines = render(report_of(wrong(range(2, 10)), wrong(range(4, 5), rule=ODD)), "text").splitlines()
    assert [line for line in lines if line.startswith("a.csv:") and "ABC" in line] == [
        "a.csv:2: error ABC101 wrong-value the value is wrong",
        "a.csv:3: error ABC101 wrong-value the value is wrong",
        "a.csv:4: error ABC101 wrong-value the value is wrong",
        "a.csv:4: warning ABC102 odd-value the value is odd",
        "a.csv:5: error ABC101 wrong-value the value is wrong",
        "a.csv:6: error ABC101 wrong-value the value is wrong",
        "a.csv: error ABC101 wrong-value 3 more, in lines 7, 8, 9",
    ]
    assert "        8 error ABC101 wrong-value" in lines


def test_each_file_has_five_of_its_own() -> None:
    text = render(report_of(wrong(range(2, 10)), wrong(range(2, 5), "b.csv")), "text")
    assert text.count("a.csv:") == 5 + 1 + 1
    assert text.count("b.csv:") == 3
    assert "b.csv: error" not in text


def test_ten_line_numbers_are_shown_and_then_dots() -> None:
    text = render(report_of(wrong(range(1, 20))), "text")
    assert "a.csv: error ABC101 wrong-value 14 more, in lines 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, …\n" in text
    assert "1 more, in line 6\n" in render(report_of(wrong(range(1, 7))), "text")


def test_verbose_shows_every_finding_and_the_hints() -> None:
    report = report_of(wrong(range(2, 10)))
    report.verbose = True
    text = render(report, "text")
    assert text.count("the value is wrong") == 8
    assert "more" not in text
    assert "Hint." in text


def test_the_verdict_alone() -> None:
    assert render_verdict(report_of(wrong(range(2, 10)))) == "failed: 8 errors\n"
    assert render_verdict(report_of()) == "ok: no problems in 1 file\n"


def test_severity_code_span_and_verdict_are_painted() -> None:
    report = report_of(
        Tally.of([finding(WRONG, At("a.csv", 2, 2), details={"context": "La radio ⟦cerró⟧ ayer."})]),
        wrong(range(3, 4), rule=ODD),
    )
    text = render_text(report, COLOURED)
    for painted in (
        "\x1b[1;31merror\x1b[0m \x1b[1mABC101\x1b[0m wrong-value",
        "\x1b[1;33mwarning\x1b[0m \x1b[1mABC102\x1b[0m odd-value",
        "La radio \x1b[1;4m⟦cerró⟧\x1b[0m ayer.",
        "\x1b[1;31mfailed: 1 error, 1 warning\x1b[0m",
    ):
        assert painted in text
    assert render_verdict(report_of(), COLOURED) == "\x1b[1;32mok: no problems in 1 file\x1b[0m\n"


def test_colours_change_no_letter() -> None:
    report = report_of(wrong(range(2, 10)), wrong(range(3, 4), rule=ODD))
    assert re.sub(r"\x1b\[[0-9;]*m", "", render_text(report, COLOURED)) == render_text(report, PLAIN)
    assert "\x1b" not in render_text(report, PLAIN)


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\nb", "⟦⟧", "⟧ ⟦"])
def test_what_a_file_says_paints_nothing(text: str) -> None:
    report = report_of(Tally.of([finding(WRONG, At(text, 2, 2), details={"context": text})]))
    assert "\x1b" not in render(report, "text")
    assert render_text(report, COLOURED).count("\x1b[") % 2 == 0


def test_findings_that_are_not_samples_are_counted_all_the_same() -> None:
    tally = Tally.counted(WRONG, Severity.ERROR, 100, [finding(WRONG, At("a.csv", n, n)) for n in range(2, 22)])
    lines = render(report_of(tally), "text").splitlines()
    assert "a.csv: error ABC101 wrong-value 95 more, in lines 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …" in lines
    assert "      100 error ABC101 wrong-value" in lines


def test_a_file_whose_findings_are_all_beyond_the_limit_has_a_line() -> None:
    report = report_of(wrong(range(2, 22)), wrong(range(2, 9), "b.csv"))
    report.max_findings = 20
    assert "b.csv: error ABC101 wrong-value 7 findings, in lines 2, 3, 4, 5, 6, 7, 8" in render(report, "text")
