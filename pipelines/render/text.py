"""The report as a linter prints it: one finding a line, the counts of each rule, and one line of verdict."""

from collections.abc import Iterator

from sharedtask.pipelines.render.words import inputs, more, path_of, place, remarks, shown, told, verdict
from sharedtask.pipelines.report import Report


def render(report: Report) -> str:
    """The whole report as text, ending with a newline."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for finding in report.findings():
        yield f"{place(finding)}: {finding.rule.code} {finding.rule.name} {told(finding)}"
        yield from (f"    | {line}" for line in more(finding))
    rules = report.rules()
    if rules:
        yield ""
        samples = shown(report)
        for rule, severity, count in rules:
            fix = ", fixable" if rule.fixable else ""
            yield f"{count:>9} {severity} {rule.code} {rule.name}{fix}{_first(samples.get((rule.code, severity), 0), count)}"
            if report.verbose:
                yield f"          {rule.meaning}"
                yield f"          {rule.hint}"
        yield ""
    yield from inputs(report)
    yield from (f"wrote {path_of(one.path)}: {one.kind}, {one.rows} records" for one in report.outputs or [])
    yield from remarks(report)
    yield verdict(report) + ("; `sharedtask explain NAME` says more about a rule" if rules else "")


def _first(samples: int, count: int) -> str:
    if samples == count:
        return ""
    return f" (first {samples} shown)" if samples else " (none shown)"
