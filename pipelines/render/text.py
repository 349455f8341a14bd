"""The report as a linter prints it: one finding a line, the counts of each rule, and one line of verdict."""

from collections.abc import Iterator

from sharedtask.pipelines.render.words import inputs, more, path_of, place, remarks, samples, sentence, verdict
from sharedtask.pipelines.report import Report
from sharedtask.schemas.rule import plural


def render(report: Report) -> str:
    """The whole report as text, ending with a newline."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for finding in report.findings():
        yield f"{place(finding)}: {finding.rule.code} {finding.rule.name} {sentence(finding)}"
        yield from (f"    | {line}" for line in more(finding))
    rules = report.rules()
    if rules:
        yield ""
        numbers = samples(report)
        for one in rules:
            rule, fix = one.rule, ", fixable" if one.fixable else ""
            first = _first(numbers.get((rule.code, one.severity), 0), one.count)
            yield f"{one.count:>9} {one.severity} {rule.code} {rule.name}{fix}{first}"
            if report.verbose:
                yield f"          {rule.meaning}"
                yield f"          {rule.hint}"
        yield ""
    yield from inputs(report)
    yield from (f"wrote {path_of(one.path)}: {one.kind}, {plural(one.rows, 'record')}" for one in report.outputs or [])
    listed = {one.path for one in report.outputs or []}
    yield from (f"wrote {path_of(path)}" for path in report.written if path not in listed)
    yield from remarks(report)
    yield verdict(report) + ("; see `sharedtask explain RULE` for details" if rules else "")


def _first(listed: int, count: int) -> str:
    if listed == count:
        return ""
    return f" (first {listed} shown)" if listed else " (none shown)"
