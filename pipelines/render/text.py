"""The report as a linter prints it: one finding a line, the counts of each rule, and one line of verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sharedtask.pipelines.render.colour import PLAIN, Palette
from sharedtask.pipelines.render.phrases import inputs, more, path_of, place, remarks, sentence, verdict, wrote
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.listing import shown as shown_of
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import Rule, Severity

MOST_ALIKE = 5  # findings of one rule in one file that have a line of their own
MOST_LINES = 10  # line numbers that stand for the others
Sort = tuple[str | None, str, Severity, bool]
"""What findings alike share: the file, the code and severity of the rule, and whether they count."""


def render(report: Report, palette: Palette = PLAIN) -> str:
    """The whole report as text, ending with a newline."""
    return "".join(f"{line}\n" for line in _lines(report, palette))


def render_verdict(report: Report, palette: Palette = PLAIN) -> str:
    """The verdict alone."""
    return palette.verdict(verdict(report), failed=report.failed) + "\n"


def _lines(report: Report, palette: Palette) -> Iterator[str]:
    findings = report.findings()
    yield from _findings(report, findings, palette)
    rules = report.rules()
    if rules:
        yield ""
        listed_rules = {(one.rule.code, one.severity) for one in findings if one.is_counted}
        for one in rules:
            rule, fix = one.rule, ", fixable" if one.fixable else ""
            first = "" if (rule.code, one.severity) in listed_rules else " (none listed)"
            severity = palette.severity(str(one.severity), one.severity)
            yield f"{one.count:>9} {severity} {palette.code(rule.code)} {rule.name}{fix}{first}"
            if report.verbose:
                yield f"          {rule.meaning}"
                yield f"          {rule.hint}"
        yield ""
    yield from inputs(report)
    yield from wrote(report)
    yield from remarks(report)
    yield palette.verdict(verdict(report), failed=report.failed) + (
        "; see `sharedtask explain RULE` for details" if rules else ""
    )


def _findings(report: Report, findings: Sequence[Shown], palette: Palette) -> Iterator[str]:
    """A line a finding, with its text below; after some of one rule in one file, one line for the others."""
    alike: dict[Sort, list[Shown]] = {}
    for finding in findings:
        alike.setdefault(_sort(finding), []).append(finding)
    groups = _groups(report)
    printed: Counter[Sort] = Counter()
    for finding in findings:
        sort = _sort(finding)
        own = len(alike[sort]) if report.verbose else min(len(alike[sort]), MOST_ALIKE)
        if printed[sort] == own:
            continue
        printed[sort] += 1
        yield f"{_head(sort, finding.rule, place(finding), palette)} {sentence(finding)}"
        yield from (f"    | {palette.context(line)}" for line in more(finding))
        if printed[sort] == own < groups[sort].count:
            left = groups[sort].count - own
            yield _rest(sort, groups[sort], f"{left} more", own, palette)
    if report.max_findings:
        for sort, group in groups.items():
            if not printed[sort] and group.lines:
                yield _rest(sort, group, plural(group.count, "finding"), 0, palette)


@dataclass(slots=True)
class _Group:
    """All findings of one sort: how many there are, and the lines of the first ones."""

    rule: Rule
    count: int = 0
    lines: list[int] = field(default_factory=list)


def _groups(report: Report) -> dict[Sort, _Group]:
    """The findings by file, rule and severity, in the order of the tallies."""
    groups: dict[Sort, _Group] = {}
    for tally in report.shown:
        for finding in tally.samples[:1]:
            shown = shown_of(finding, tally)
            group = groups.setdefault(_sort(shown), _Group(tally.rule))
            group.count += tally.count
            group.lines += [one.at.line for one in tally.samples if one.at.line is not None]
    return groups


def _sort(finding: Shown) -> Sort:
    return finding.at.file, finding.rule.code, finding.severity, finding.is_counted


def _head(sort: Sort, rule: Rule, where: str, palette: Palette) -> str:
    severity = palette.severity(str(sort[2]), sort[2])
    return f"{palette.place(where + ':')} {severity} {palette.code(rule.code)} {rule.name}"


def _rest(sort: Sort, group: _Group, amount: str, own: int, palette: Palette) -> str:
    """One line for the findings without a line of their own: how many there are, and in which lines."""
    numbers = list(dict.fromkeys(sorted(group.lines)[own:]))
    shown = ", ".join(map(str, numbers[:MOST_LINES]))
    cut = ", …" if len(numbers) > MOST_LINES or len(group.lines) < group.count else ""
    where = f", in line{'s' if len(numbers) > 1 or cut else ''} {shown}{cut}" if numbers else ""
    return f"{_head(sort, group.rule, path_of(sort[0]), palette)} {amount}{where}"
