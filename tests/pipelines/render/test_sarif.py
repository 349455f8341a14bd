"""Where SARIF says that a file is, and what its messages are taken for."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from sharedtask.pipelines.render import render
from sharedtask.pipelines.render.sarif import literally, location
from sharedtask.pipelines.results.report import Report
from tests.pipelines.render.sarif_shape import SARIF


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("run.csv", "run.csv"),
        ("./runs//a b.csv", "runs/a%20b.csv"),
        ("c:d#é%.csv", "c%3Ad%23%C3%A9%25.csv"),
        (str(Path.cwd() / "runs" / "run.csv"), "runs/run.csv"),
    ],
)
def test_a_file_below_the_working_directory_is_relative(path: str, uri: str) -> None:
    assert location(path) == {"uri": uri, "uriBaseId": "%SRCROOT%"}


@pytest.mark.parametrize(
    ("path", "uri"),
    [("/elsewhere/a b.csv", "file:///elsewhere/a%20b.csv"), ("s3://lake/a b/ñ.csv", "s3://lake/a%20b/%C3%B1.csv")],
)
def test_a_file_elsewhere_has_its_whole_address(path: str, uri: str) -> None:
    assert location(path) == {"uri": uri}


def test_messages_are_taken_literally() -> None:
    assert literally("the span [3, 5) of {'a': 1}") == "the span [3, 5) of {'a': 1}"
    assert literally("{0} of [x](http://y)") == r"{{0}} of \[x\](http://y)"


def test_the_whole_report_keeps_the_shape(report: Report) -> None:
    Draft7Validator.check_schema(SARIF)
    log = json.loads(render(report, "sarif"))
    Draft7Validator(SARIF).validate(log)
    log["runs"][0]["results"][0]["line"] = 1
    assert [error.validator for error in Draft7Validator(SARIF).iter_errors(log)] == ["additionalProperties"]


def test_a_fault_keeps_its_fingerprint_when_lines_move(report: Report) -> None:
    def prints() -> list[str]:
        results = json.loads(render(report, "sarif"))["runs"][0]["results"]
        return [one["partialFingerprints"]["finding/v1"] for one in results if one["ruleId"] == "FLA201"]

    before = prints()
    assert len(set(before)) == 2
    first = report.tallies[0]
    moved = [
        replace(one, at=replace(one.at, line=(one.at.line or 0) + 7, row=(one.at.row or 0) + 7))
        for one in first.samples
    ]
    report.tallies[0] = replace(first, samples=tuple(moved))
    assert prints() == before
