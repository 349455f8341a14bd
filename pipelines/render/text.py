"""The report as a linter prints it: one finding a line, the counts of each rule, and one line of verdict."""

from collections.abc import Iterator

from sharedtask.pipelines.report import Report
from sharedtask.schemas.rule import Violation


def render(report: Report) -> str:
    """The whole report as text, ending with a newline."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    for finding in report.findings():
        yield _finding(finding)
        context = finding.details.get("context")
        if context:
            yield f"    {_one_line(str(context))}"
    rules = report.rules()
    if rules:
        yield ""
        shown = {name: 0 for _, name in ((0, rule.name) for rule, _, _ in rules)}
        for finding in report.findings():
            shown[finding.rule.name] += 1
        for rule, severity, count in rules:
            more = f" (first {shown[rule.name]} shown)" if shown[rule.name] < count else ""
            fix = ", fixable" if rule.fixable else ""
            yield f"{count:>9} {severity} {rule.code} {rule.name}{fix}{more}"
        yield ""
    for one in report.inputs:
        rows = "" if one.rows is None else f", {one.rows} records"
        yield f"{one.path}: {one.kind or 'no known kind'}{rows}"
    for output in report.outputs or []:
        yield f"wrote {output.path}: {output.kind}, {output.rows} records"
    yield verdict(report)


def verdict(report: Report) -> str:
    """One line that says how it stands."""
    counts = report.counts
    told = ", ".join(
        f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in ("error", "warning") if counts[name]
    )
    if not told:
        return f"ok: nothing wrong in {len(report.inputs)} file{'' if len(report.inputs) == 1 else 's'}"
    return f"{'ok' if report.ok else 'failed'}: {told}; `sharedtask explain NAME` says more about a rule"


def _finding(finding: Violation) -> str:
    place = ":".join(str(part) for part in (finding.file or "-", finding.line) if part is not None)
    key = f" ({', '.join(f'{name} {value}' for name, value in finding.key.items())})" if finding.key else ""
    return f"{place}: {finding.rule.code} {finding.rule.name} {_one_line(finding.message)}{key}"


def _one_line(text: str) -> str:
    return text.replace("\r", "␍").replace("\n", "␊")
