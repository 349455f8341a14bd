"""The words around a finding."""

from collections.abc import Mapping
from typing import Any

import pytest

from sharedtask.pipelines.render.phrases import more, place, sentence, verdict
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.schemas.rule import At, Role, Rule, Severity, Tally, finding

RULE = Rule("ABC100", "rule", Severity.ERROR, "Meaning.", "Why.", "Hint.", "{words}")


def found(words: str = "wrong", *, details: Mapping[str, object] | None = None, **place: Any) -> Shown:
    return Shown(finding(RULE, At(**place), details=details or {}, words=words), Role.RUN, is_counted=True)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (found(), "wrong"),
        (found(line=3, row=2), "wrong"),
        (found(row=2), "wrong (record 2)"),
        (found(key={"doc_id": 7, "sentence_id": None}, line=3), "wrong (doc_id 7)"),
        (
            found("doc_id 7, sentence_id 2 is unknown", key={"doc_id": 7, "sentence_id": 2}),
            "doc_id 7, sentence_id 2 is unknown",
        ),
        (found("Id 92 is twin", key={"Id": 9}), "Id 92 is twin (Id 9)"),
    ],
)
def test_a_message_names_the_record_once(shown: Shown, text: str) -> None:
    assert sentence(shown) == text


def test_places() -> None:
    assert place(found()) == "-"
    assert place(found(file="run.csv", row=2)) == "run.csv"
    assert place(found(file="run.csv", line=3)) == "run.csv:3"
    assert place(found(file=" ::error::x", line=3)) == "./ ::error::x:3"


def test_lines_below_a_finding() -> None:
    assert more(found(details={"affected": 3, "explains": {}})) == ["affects 3"]
    assert more(found(details={"affected": 3, "explains": {"span-empty": 2}, "rows": [1, 4]})) == [
        "records 1, 4",
        "explains 2 span-empty",
    ]


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({}, "ok: no problems in 1 file"),
        ({Severity.INFO: 1}, "ok: 1 info"),
        ({Severity.WARNING: 2, Severity.INFO: 2}, "ok: 2 warnings, 2 infos"),
        ({Severity.ERROR: 1, Severity.INFO: 1}, "failed: 1 error, 1 info"),
    ],
)
def test_verdicts(counts: dict[Severity, int], text: str) -> None:
    tallies = [Tally.counted(RULE, severity, count, []) for severity, count in counts.items()]
    assert verdict(Report("check", [Input("run", "run.csv", None, "a" * 64, 1, None)], tallies)) == text


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({Severity.INFO: 1}, "ok: 1 info"),
        ({Severity.WARNING: 2}, "failed: 2 warnings"),
        ({Severity.ERROR: 1}, "failed: 1 error"),
    ],
)
def test_warnings_fail_where_they_are_to_fail(counts: dict[Severity, int], text: str) -> None:
    report = Report("check", [], [Tally.counted(RULE, severity, count, []) for severity, count in counts.items()])
    report.fail_on = Severity.WARNING
    assert verdict(report) == text
    assert report.ok is (Severity.ERROR not in counts)


def test_the_key_of_the_record_stays_where_the_message_names_part_of_it_for_another() -> None:
    words = "nearly that of doc_id 7, sentence_id 9"
    shown = found(words, file="a.csv", line=2, key={"doc_id": 7, "sentence_id": 5})
    assert sentence(shown) == f"{words} (doc_id 7, sentence_id 5)"
