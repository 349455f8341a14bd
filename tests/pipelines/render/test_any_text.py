"""Whatever stands in messages, values and file names, each format stays what it is, and no log takes an order from it."""

import json
import re
import unicodedata
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from junitparser import JUnitXml

from sharedtask.pipelines.render import FORMATS, html, render
from sharedtask.pipelines.render.github import COMMANDS
from sharedtask.pipelines.render.phrases import more, path_of, sentence, visible
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.schemas.rule import SEVERITIES, At, Finding, Rule, Severity, Tally, finding
from tests.pipelines.render.runner import Command, command, lines
from tests.pipelines.render.sarif_shape import SARIF

RULES = {
    severity: Rule(f"ABC10{place}", f"rule-{place}", severity, "Meaning.", "Why.", "Hint.", "{words}")
    for place, severity in enumerate(Severity)
}
ODD = (
    "\n", "\r\n", "|", "`", "\\", "::error::", "::stop-commands::x", "##[add-mask]a", "##", "[", "]]>", "-->", "<b>", "&amp;", "%0A", "%25",
    "\x1b[31m", "\x9b1m", "\x00", "\u2028", "\u202e", "\ud800", "\ufffe", "{0}", "](", ",", ":", "=", "../", "/", "s3://", " ", "a", "é", "😀",
)  # fmt: skip
# Every character there is, lone surrogates too, with plenty of what means something somewhere.
TEXTS = st.lists(st.sampled_from(ODD) | st.characters(exclude_categories=()), max_size=6).map("".join)
PATHS = TEXTS | st.sampled_from(["a,b:c%2C", "::error::x", "-", ""])
VALUES = (
    TEXTS | st.none() | st.integers() | st.floats() | st.binary(max_size=4) | st.dictionaries(TEXTS, TEXTS, max_size=2)
)
DETAILS = st.fixed_dictionaries(
    {}, optional={"context": TEXTS, "rows": st.lists(st.integers(), max_size=3), "explains": VALUES}
)
HTML_TAGS = {"div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "br"}


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    severity = draw(st.sampled_from(list(Severity)))
    at = At(
        draw(PATHS | st.none()),
        line=draw(st.none() | st.integers(1, 10**12)),
        row=draw(st.none() | st.integers(1, 10**12)),
        column=draw(st.none() | TEXTS),
        key=draw(st.none() | st.dictionaries(TEXTS, VALUES, max_size=2)),
    )
    return finding(RULES[severity], at, value=draw(VALUES), details=draw(DETAILS), words=draw(TEXTS))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    found = draw(st.lists(findings(), max_size=4))
    paths = draw(st.lists(PATHS, max_size=2)) + [one.at.file for one in found if one.at.file is not None]
    tallies = [Tally.of([one], draw(st.integers(1, 30))) for one in found]
    return Report("check", [Input("run", path, None, "a" * 64, 1, None) for path in paths], tallies)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "github"])
@given(report=reports())
def test_the_log_takes_no_orders(form: str, report: Report) -> None:
    text = render(report, form)
    assert [line for line in lines(text) if command(line)] == []
    unseen = {one for one in text if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")}
    assert unseen <= {"\n"}


@given(report=reports())
def test_github_is_one_command_a_finding(report: Report) -> None:
    log = render(report, "github")
    commands = [command(line) for line in lines(log)]
    assert len(commands) == log.count("\n")
    listed = sorted(report.findings(), key=lambda one: SEVERITIES.index(one.severity))
    rest = sum(report.counts.values()) > len(listed)
    assert len(commands) == len(listed) + rest
    for one, shown in zip(commands, listed, strict=False):
        wanted = {"title": f"{shown.rule.code} {shown.rule.name}"}
        if shown.at.file and shown.at.file != "-":
            wanted["file"] = path_of(shown.at.file)
        if shown.at.line:
            wanted["line"] = str(shown.at.line)
        assert one == Command(COMMANDS[shown.severity][0], wanted, "\n".join([sentence(shown), *more(shown)]))


@given(report=reports())
def test_json_reads_as_what_was_found(report: Report) -> None:
    whole = json.loads(render(report, "json"))
    each = [json.loads(line) for line in render(report, "jsonl").splitlines()]
    assert whole["findings"] == each
    for one, shown in zip(each, report.findings(), strict=True):
        assert one["message"] == shown.finding.message.encode(errors="backslashreplace").decode()
        assert one["line"] == shown.at.line


@given(report=reports())
def test_sarif_keeps_its_shape(report: Report) -> None:
    log = json.loads(render(report, "sarif"))
    Draft7Validator(SARIF).validate(log)
    [run] = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[one["ruleIndex"]] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
    assert len(run["results"]) == len(report.findings())
    for address in _addresses(run):
        assert re.fullmatch(r"[A-Za-z0-9._~/%:@?&=+-]+", address["uri"])
        assert ("uriBaseId" in address) == (":" not in address["uri"])


def _addresses(run: dict[str, Any]) -> list[dict[str, str]]:
    places = [
        place["physicalLocation"]["artifactLocation"] for one in run["results"] for place in one.get("locations", [])
    ]
    return places + [one["location"] for one in run["artifacts"]]


@given(report=reports())
def test_junit_is_well_formed(report: Report) -> None:
    text = render(report, "junit")
    root = ElementTree.fromstring(text.encode())
    assert len(list(root.iter("failure"))) == len(
        {one.at.file for one in report.findings() if one.severity is Severity.ERROR}
    )
    assert JUnitXml.fromstring(text.encode()).failures == int(root.get("failures", "-1"))


@given(report=reports())
def test_markdown_tables_have_a_row_a_thing(report: Report) -> None:
    rows = [line for line in render(report, "markdown").splitlines() if line.startswith("|")]
    rules, findings = len(report.rules()), len(report.findings())
    assert len(rows) == (4 + rules + findings if findings else 0)
    widths = [line.count("|") - 1 for line in rows]
    assert widths == ([5] * (rules + 2) + [3] * (findings + 2) if findings else [])
    assert not re.search(r"<(?!/?code>|br>)", "".join(rows))


@given(report=reports())
def test_html_is_well_formed(report: Report) -> None:
    root = ElementTree.fromstring(html.render(report).replace("<br>", "<br/>"))
    assert {element.tag for element in root.iter()} <= HTML_TAGS
    assert len(list(root.iter("tr"))) == (2 + len(report.rules()) + len(report.findings()) if report.findings() else 0)


@given(text=TEXTS)
def test_visible_text_is_one_line(text: str) -> None:
    assert len(visible(text).splitlines()) <= 1
    assert visible(visible(text)) == visible(text)
