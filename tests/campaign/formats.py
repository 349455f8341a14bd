"""Reads the formats of a report back, to compare what they say with the JSON."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

FORMATS = ("text", "jsonl", "markdown", "github", "junit", "sarif")
LEVELS = {"error": "error", "warning": "warning", "notice": "info"}

Report = dict[str, Any]
Counts = dict[tuple[str, str], int]


def parse_report(text: str) -> Report:
    """The JSON report of a call, below or above whatever else it printed."""
    report: Report = json.loads(text)
    return report


def counts_of(report: Report) -> Counts:
    """The count of each rule and severity."""
    found: Counter[tuple[str, str]] = Counter()
    for rule in report["rules"]:
        found[rule["name"], rule["severity"]] += rule["count"]
    return dict(found)


def unequal(form: str, text: str, report: Report, verb: str, *, quiet: bool) -> str:
    """What a format says otherwise than the JSON, empty where they agree."""
    if form == "text":
        return _of_verdict(text, report) or ("" if quiet else _of_text(text, report))
    if form == "jsonl":
        return _of_lines(text, report)
    if form == "markdown":
        return _of_markdown(text, report)
    if form == "github":
        return _of_github(text, report)
    return _of_junit(text, report) if form == "junit" else _of_sarif(text, report)


def _of_verdict(text: str, report: Report) -> str:
    line = text.splitlines()[-1]
    said = dict.fromkeys(("error", "warning", "info"), 0)
    for count, name in re.findall(r"([0-9]+) (error|warning|info)s?\b", line):
        said[name] = int(count)
    word = "failed" if report["failed"] else "ok"
    if not line.startswith(word) or said != report["counts"]:
        return f"verdict {line!r}, counts {report['counts']}, failed {report['failed']}"
    return ""


def _of_text(text: str, report: Report) -> str:
    rows = re.findall(r"(?m)^ {0,8}([0-9]+) (error|warning|info) [A-Z]{3}[0-9]{3} ([a-z0-9-]+)", text)
    return _differs(((name, severity, int(count)) for count, severity, name in rows), report)


def _of_markdown(text: str, report: Report) -> str:
    rows = re.findall(r"(?m)^\| [A-Z]{3}[0-9]{3} ([a-z0-9-]+) \| (error|warning|info) \| ([0-9]+) \|", text)
    return _differs(((name, severity, int(count)) for name, severity, count in rows), report)


def _differs(rows: Iterable[tuple[str, str, int]], report: Report) -> str:
    found: Counter[tuple[str, str]] = Counter()
    for name, severity, count in rows:
        found[name, severity] += count
    return "" if dict(found) == counts_of(report) else f"counts {dict(found)}, json {counts_of(report)}"


def _of_lines(text: str, report: Report) -> str:
    lines = [json.loads(line) for line in text.split("\n") if line]
    return "" if lines == report["findings"] else f"{len(lines)} findings, json {len(report['findings'])}, or others"


def _of_github(text: str, report: Report) -> str:
    """Annotations and the line that counts the rest; a finding of the reference is an annotation, too."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        if rest := re.fullmatch(r"::notice title=sharedtask [a-z ]+::(.*) more", line):
            for count, name in re.findall(r"([0-9]+) (error|warning|info)s?\b", rest[1]):
                found[name] += int(count)
        elif command := re.match(r"::(error|warning|notice) ", line):
            found[LEVELS[command[1]]] += 1
        else:
            return f"a line that is no command: {line[:80]!r}"
    references = report["reference_counts"]
    for name, count in report["counts"].items():
        if not count <= found[name] <= count + sum(references.values()):
            return f"{found[name]} of {name}, json {count}"
    return ""


def _of_junit(text: str, report: Report) -> str:
    root = ElementTree.fromstring(text)
    found = sum(
        int(result.attrib["message"].split()[0])
        for case in root.iter("testcase")
        for result in case
        if result.tag in ("failure", "skipped")
    )
    counted = sum(report["counts"].values()) + sum(report["reference_counts"].values())
    return "" if found == counted else f"{found} findings, json {counted}"


def _of_sarif(text: str, report: Report) -> str:
    run: Mapping[str, Any] = json.loads(text)["runs"][0]
    if run["properties"]["counts"] != report["counts"]:
        return f"counts {run['properties']['counts']}, json {report['counts']}"
    names = [run["tool"]["driver"]["rules"][result["ruleIndex"]]["name"] for result in run["results"]]
    listed = [finding["name"] for finding in report["findings"]]
    return "" if names == listed else f"results {Counter(names)}, json {Counter(listed)}"
