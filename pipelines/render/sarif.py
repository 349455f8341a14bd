"""The report as SARIF 2.1.0, for code scanning and other viewers of findings."""

import hashlib
import re
from pathlib import Path
from urllib.parse import quote

from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.rule import render_rule
from sharedtask.pipelines.render.words import amounts, more, told, unlisted
from sharedtask.pipelines.report import Report, finding_as_json
from sharedtask.pipelines.version import tool_version
from sharedtask.schemas.rule import Rule, Severity, Violation

MOST_RESULTS = 25_000  # GitHub takes no more in a run
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
PLACES = ("row", "column", "key", "value", "expected", "hint", "span", "start", "end", "label", "context")

_PLACEHOLDER = re.compile(r"\{(\d+)\}")  # filled in by readers, so a literal one has its braces doubled
_LINK = re.compile(r"[\[\]](?=.*\]\()|\](?=\()")


def render(report: Report) -> str:
    """The whole report as one SARIF log with one run."""
    findings = report.findings()[:MOST_RESULTS]
    rules = list({rule.code: rule for rule, _, _ in report.rules()}.values())
    places = {rule.code: place for place, rule in enumerate(rules)}
    run: dict[str, object] = {
        "tool": {"driver": {"name": "sharedtask", "version": tool_version(), "rules": [_rule(rule) for rule in rules]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(report, findings)}],
        "artifacts": ...
        "results": [_result(finding, places[finding.rule.code]) for finding in findings],
        "properties": {"counts": report.counts, ...},
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return dump(log, indented=True)
