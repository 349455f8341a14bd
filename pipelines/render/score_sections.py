"""What the formats for people show of a score and of a comparison.

Titled tables and lines, with the numbers as text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sharedtask.pipelines.render.phrases import amounts, inputs, place, visible, wrote
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import LEVEL, CompareResult, Interval, Score, ScoreResult

MOST_ROWS = 20  # of one table
UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the output under a `title` (none for an empty one): `rows` of cells below a `header`, or `lines`."""

    title: str
    header: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]] = ()
    lines: Sequence[str] = ()


def score_sections(result: ScoreResult, score: Score) -> list[Section]:
    """The sections of a score: how it was made, the scores, counts, labels, notes, published figures, findings."""
    return [
        Section("", lines=[*inputs(result.report), *wrote(result.report), _how(score, result.title)]),
        _scores(score, result.intervals),
        Section("Counts", tuple(map(_words, score.counts)), [tuple(map(str, score.counts.values()))]),
        _labels(score),
        Section("Notes", lines=[visible(note) for note in score.notes]),
        Section("After the safe repairs of `sharedtask fix`", lines=after_fix(result)),
        Section("Published figures", lines=result.context),
        _findings(result.report),
    ]


def after_fix(result: ScoreResult) -> list[str]:
    """The scores after the safe repairs, and what these are; nothing where no error can be repaired."""
    after = result.after_fix
    if after is None:
        return []
    scores = ", ".join(f"{name} {_number(value)}" for name, value in (after.scores or {}).items())
    repairs = ", ".join(f"{one.rule.name} ({one.extent})" for one in after.repairs)
    return [scores or "not scored", f"repairs: {repairs}"]


def comparison_sections(result: CompareResult, scores: tuple[Score, Score]) -> list[Section]:
    """The sections of a comparison.

    How it was made, the differences, counts, the items that differ, notes, findings.
    """
    first, second = scores
    drawn = next((one.resamples for one in result.differences.values()), 0)
    rows: list[tuple[str, ...]] = []
    for name, one in result.differences.items():
        row: tuple[str, ...] = (name, _number(one.a), _number(one.b), _number(one.difference))
        if drawn:
            p_value = UNDEFINED if one.p_value is None else f"{one.p_value:.4g}"
            row = (*row, _range(one.low, one.high), p_value)
        rows.append(row)
    spread = (f"{LEVEL:.0%} interval", "p-value") if drawn else ()
    counts = [(run, *map(str, score.counts.values())) for run, score in zip("AB", scores, strict=True)]
    notes = [f"{run}: {visible(note)}" for run, score in zip("AB", scores, strict=True) for note in score.notes]
    items = result.differing
    listed = f", {min(items.height, MOST_ROWS)} of them here" if items.height else ""
    return [
        Section("", lines=[*_two_runs(result.report), _how(first, result.title)]),
        Section(
            "Scores" + (f", the interval from {drawn} resamples" if drawn else ""),
            ("", "A", "B", "A - B", *spread),
            rows,
        ),
        Section("Counts", ("run", *map(_words, second.counts)), counts),
        Section(
            f"{result.items_differing} of {result.items} items differ{listed}",
            tuple(items.columns),
            [tuple(map(_cell, row)) for row in items.head(MOST_ROWS).iter_rows()],
        ),
        Section("Notes", lines=notes),
        _findings(result.report),
    ]


def _how(score: Score, title: str) -> str:
    return f"scored as {score.scorer}: {title}"


def _two_runs(report: Report) -> list[str]:
    """The files with the runs first, named A and B as in the tables below."""
    lines = inputs(report)
    runs = [line for line, one in zip(lines, report.inputs, strict=True) if one.role == "run"]
    return [
        *(f"{name}: {line}" for name, line in zip("AB", runs, strict=True)),
        *(line for line in lines if line not in runs),
    ]


def _scores(score: Score, intervals: Mapping[str, Interval]) -> Section:
    if not intervals:
        return Section("Scores", ("", "value"), [(name, _number(value)) for name, value in score.scores.items()])
    rows = [
        (name, _number(value), _range(intervals[name].low, intervals[name].high))
        for name, value in score.scores.items()
    ]
    drawn = next(iter(intervals.values())).resamples
    return Section(f"Scores, the interval from {drawn} resamples", ("", "value", f"{LEVEL:.0%} interval"), rows)


def _labels(score: Score) -> Section:
    kept = score.commonest(MOST_ROWS)
    names = next((tuple(row) for row in kept.values()), ())
    rows = [(visible(label, 40), *map(_cell, row.values())) for label, row in kept.items()]
    every = len(score.per_label)
    title = "Labels" if every == len(rows) else f"Labels, the {len(rows)} commonest of {every}"
    return Section(title, ("label", *map(_words, names)), rows)


def _findings(report: Report) -> Section:
    """What was found in the files, a line a rule with the place of its first finding; the reference by itself."""
    first: dict[tuple[str, bool], str] = {}
    for finding in report.findings():
        first.setdefault((finding.rule.name, finding.is_counted), f", first at {place(finding)}")
    lines = [
        f"{'' if is_counted else 'reference: '}{one.count} {one.severity} {one.rule.code} {one.rule.name}"
        f"{first.get((one.rule.name, is_counted), '')}"
        for is_counted, rules in ((True, report.rules()), (False, report.reference_rules()))
        for one in rules
    ]
    parts = [amounts(report.counts), f"reference: {shared}" if (shared := amounts(report.reference_counts)) else ""]
    return Section(f"Findings ({'; '.join(filter(None, parts))}); see `sharedtask check` for details", lines=lines)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _range(low: float | None, high: float | None) -> str:
    return f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.5f}"


def _cell(value: object) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.5f}" if isinstance(value, float) else visible(str(value), 60)
