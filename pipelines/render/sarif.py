"""The report as SARIF 2.1.0, for code scanning and other viewers of findings."""

import hashlib
import re
from pathlib import Path
from urllib.parse import quote

from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.phrases import amounts, more, sentence, unlisted
from sharedtask.pipelines.render.rule import render_rule
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report, finding_as_json, tool_version
from sharedtask.schemas.rule import Rule, Severity

MOST_RESULTS = 25_000  # GitHub takes no more in a run
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
BASE = "%SRCROOT%"  # what relative addresses stand under: the repository

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)(.*)", re.DOTALL)
_ELSEWHERE = {"code", "name", "severity", "message", "file", "line"}  # of a finding, held by other fields of a result


def render(report: Report) -> str:
    """The whole report as a SARIF log with one run."""
    findings = report.findings()[:MOST_RESULTS]
    counts: dict[Rule, int] = {one.rule: 0 for one in (*report.rules(), *report.reference_rules())}
    for one in report.rules():
        counts[one.rule] += one.count
    index = {rule: place for place, rule in enumerate(counts)}
    rules = [_rule(rule, count) for rule, count in counts.items()]
    ignored = {"ignored": [one.to_dict() for one in report.ignored_rules()]} if report.ignored else {}
    run = {
        "tool": {"driver": {"name": "sharedtask", "version": tool_version(), "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(report, findings)}],
        "artifacts": _artifacts(report),
        "results": [_result(finding, index[finding.rule]) for finding in findings],
        "properties": {"verb": report.verb, "task": report.task, "ok": report.ok, "counts": report.counts, **ignored},
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return dump(log, indented=True)


def _rule(rule: Rule, count: int) -> dict[str, object]:
    markdown = f"{rule.meaning}\n\n**Why:** {rule.why}\n\n**Do:** {rule.hint}"
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.meaning},
        "fullDescription": {"text": f"{rule.meaning} {rule.why}"},
        "help": {"text": render_rule(rule), "markdown": markdown},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"fixable": rule.fixable, "count": count},
    }


def _result(finding: Shown, rule_index: int) -> dict[str, object]:
    plain = finding_as_json(finding)
    result: dict[str, object] = {
        "ruleId": finding.rule.code,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": {"text": literally("\n".join([sentence(finding), *more(finding)]))},
        "partialFingerprints": {"finding/v1": _fingerprint(plain)},
        "properties": {name: value for name, value in plain.items() if name not in _ELSEWHERE and value is not None},
    }
    if finding.at.file is not None:
        place: dict[str, object] = {"artifactLocation": location(finding.at.file)}
        if finding.at.line is not None:
            place["region"] = {"startLine": finding.at.line}
        result["locations"] = [{"physicalLocation": place}]
    return result


def literally(text: str) -> str:
    """Text in which a reader of SARIF finds no placeholder `{0}` and no link `[…](…)`."""
    kept = re.sub(r"\{([0-9]+)\}", r"{{\1}}", text)
    return re.sub(r"[\[\]]", r"\\\g<0>", kept) if "](" in kept else kept


def location(path: str) -> dict[str, str]:
    """Where a file is: below the repository if it is below the working directory, else by its whole address."""
    if url := _URL.fullmatch(path):
        return {"uri": url[1] + _quoted(url[2], "/:@?&=+")}
    file = Path(path)
    if file.is_absolute() and not file.is_relative_to(Path.cwd()):
        return {"uri": f"file:///{_quoted(file.as_posix().lstrip('/'), '/:')}"}
    relative = file.relative_to(Path.cwd()) if file.is_absolute() else file
    return {"uri": _quoted(relative.as_posix()), "uriBaseId": BASE}


def _quoted(text: str, safe: str = "/") -> str:
    return quote(text, safe, errors="backslashreplace")


def _fingerprint(plain: dict[str, object]) -> str:
    """The same for the same fault, though lines before it come and go: by key if there is one, else by line."""
    names = ["code", "file", "column", "key", "span", "value", *(["line", "row"] if plain["key"] is None else [])]
    return hashlib.sha256(repr([plain.get(name) for name in names]).encode()).hexdigest()[:32]


def _artifacts(report: Report) -> list[dict[str, object]]:
    """The files that were read, each once."""
    places = [(location(one.path), one) for one in report.inputs]
    artifacts: dict[str, dict[str, object]] = {
        place["uri"]: {"location": place, "length": one.bytes, "hashes": {"sha-256": one.sha256}}
        for place, one in places
    }
    return list(artifacts.values())


def _notifications(report: Report, listed: list[Shown]) -> list[dict[str, object]]:
    """A note of how many findings are not among the results."""
    rest = amounts(unlisted(report, listed))
    return [{"level": "note", "message": {"text": f"not listed: {rest}"}}] if rest else []
