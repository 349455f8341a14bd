"""The report for readers of test results: a suite a file, a case a rule that is broken there."""

from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sharedtask.pipelines.render.phrases import more, path_of, place, sentence
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.rule import Rule, Severity

Broken = tuple[Rule, Severity]


def render(report: Report) -> str:
    """The whole report as XML.

    An error is a failed case; a warning or an info is a skipped one, since these do not fail a file.
    """
    samples: dict[tuple[str | None, Broken], list[Shown]] = {}
    for finding in report.findings():
        samples.setdefault((finding.at.file, (finding.rule, finding.severity)), []).append(finding)
    kinds = {one.path: one.kind for one in report.inputs}
    files = _files(report)
    root = Element("testsuites", {"name": f"sharedtask {report.verb}"})
    for path, counts in files.items():
        suite = SubElement(root, "testsuite", {"name": path_of(path)})
        classname = kinds.get(path or "") or "no known kind"
        for broken, count in counts.items():
            _add_case(suite, classname, broken, count, samples.get((path, broken), []))
        if not counts and None not in files:
            SubElement(suite, "testcase", {"classname": classname, "name": "no problems", "time": "0"})
        _add_totals(suite)
    _add_totals(root)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _files(report: Report) -> dict[str | None, Counter[Broken]]:
    """How often each rule is broken in each file. Findings whose file no sample names come last, under None."""
    files: dict[str | None, Counter[Broken]] = {one.path: Counter() for one in report.inputs}
    for tally in report.shown:
        path = tally.samples[0].at.file if tally.samples else None
        severity = tally.severity if tally in report.counted else Severity.INFO
        files.setdefault(path, Counter())[tally.rule, severity] += tally.count
    return files


def _add_case(suite: Element, classname: str, broken: Broken, count: int, samples: list[Shown]) -> None:
    rule, severity = broken
    case = SubElement(suite, "testcase", {"classname": classname, "name": f"{rule.code} {rule.name}", "time": "0"})
    first = f": {sentence(samples[0])}" if samples else ""
    result = SubElement(case, "failure" if severity is Severity.ERROR else "skipped")
    result.attrib = {"type": str(severity), "message": f"{count} found{first}"}
    lines = [
        line for one in samples for line in [f"{place(one)}: {sentence(one)}", *(f"    | {line}" for line in more(one))]
    ]
    rest = [f"and {count - len(samples)} more"] if count > len(samples) else []
    result.text = "\n".join([*lines, *rest])


def _add_totals(element: Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))
    element.set("errors", "0")
    element.set("time", "0")
