"""The report as a linter prints it: one finding a line, the counts of each rule, and one line of verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sharedtask.pipelines.render.colour import PLAIN, Palette
from sharedtask.pipelines.render.phrases import inputs, more, path_of, place, remarks, samples, sentence, verdict
from sharedtask.pipelines.report import Report, Shown
from sharedtask.schemas.messages import plural

MOST_ALIKE = 5  # findings of one rule in one file that have a line of their own
MOST_LINES = 10  # line numbers that stand for the others


def render(report: Report, palette: Palette = PLAIN) -> str:
    """The whole report as text, ending with a newline."""
    return "".join(f"{line}\n" for line in _lines(report, palette))


def render_verdict(report: Report, palette: Palette = PLAIN) -> str:
    """The verdict alone."""
    return palette.verdict(verdict(report), failed=report.failed) + "\n"


def _lines(report: Report, palette: Palette) -> Iterator[str]:
    yield from _findings(report, palette)
    rules = report.rules()
    if rules:
        yield ""
        numbers = samples(report)
        for one in rules:
            rule, fix = one.rule, ", fixable" if one.fixable else ""
            first = _first(numbers.get((rule.code, one.severity), 0), one.count)
            severity = palette.severity(str(one.severity), one.severity)
            yield f"{one.count:>9} {severity} {palette.code(rule.code)} {rule.name}{fix}{first}"
            if report.verbose:
                yield f"          {rule.meaning}"
                yield f"          {rule.hint}"
        yield ""
    yield from inputs(report)
    yield from (f"wrote {path_of(one.path)}: {one.kind}, {plural(one.rows, 'record')}" for one in report.outputs or [])
    listed = {one.path for one in report.outputs or []}
    yield from (f"wrote {path_of(path)}" for path in report.written if path not in listed)
    yield from remarks(report)
    yield palette.verdict(verdict(report), failed=report.failed) + (
        "; see `sharedtask explain RULE` for details" if rules else ""
    )


def _findings(report: Report, palette: Palette) -> Iterator[str]:
    """A line a finding, with its text below; after some of one rule in one file, one line for the others."""
    findings = report.findings()
    alike: dict[tuple[object, ...], list[Shown]] = {}
    for finding in findings:
        alike.setdefault(_sort(finding), []).append(finding)
    seen: Counter[tuple[object, ...]] = Counter()
    for finding in findings:
        sort = _sort(finding)
        seen[sort] += 1
        if seen[sort] <= MOST_ALIKE or report.verbose:
            yield f"{_head(finding, place(finding), palette)} {sentence(finding)}"
            yield from (f"    | {palette.context(line)}" for line in more(finding))
        others = alike[sort][MOST_ALIKE:]
        if seen[sort] == MOST_ALIKE and others and not report.verbose:
            yield f"{_head(finding, path_of(finding.at.file), palette)} {_others(others)}"


def _sort(finding: Shown) -> tuple[object, ...]:
    return finding.at.file, finding.rule.code, finding.severity, finding.is_counted


def _head(finding: Shown, where: str, palette: Palette) -> str:
    severity = palette.severity(str(finding.severity), finding.severity)
    return f"{palette.place(where + ':')} {severity} {palette.code(finding.rule.code)} {finding.rule.name}"


def _others(findings: Sequence[Shown]) -> str:
    """How many more there are, and in which lines."""
    numbers = dict.fromkeys(one.at.line for one in findings if one.at.line is not None)
    lines = ", ".join(map(str, list(numbers)[:MOST_LINES])) + (", …" if len(numbers) > MOST_LINES else "")
    where = f", in line{'s' if len(numbers) > 1 else ''} {lines}" if numbers else ""
    return f"{len(findings)} more{where}"


def _first(listed: int, count: int) -> str:
    if listed == count:
        return ""
    return f" (first {listed} listed)" if listed else " (none listed)"
