"""Scores and comparisons in each format; a refusal is a report and is shown as one."""

from collections.abc import Callable, Iterable, Sequence

from sharedtask.pipelines.render import render
from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.markdown import code
from sharedtask.pipelines.render.phrases import visible
from sharedtask.pipelines.render.score_sections import Section, after_fix, comparison_sections, score_sections
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import CompareResult, NotScored, ScoreResult
from sharedtask.schemas.exports.markdown import escape, table

FORMATS = ("text", "json", "markdown")
LONGEST_REASON = 2000  # characters of the line that says why nothing was scored


def render_score(result: ScoreResult, form: str) -> str:
    """A score, or the report of the refusal, in one of `FORMATS`, ending with a newline."""
    if result.score is None:
        return _refusal(result.report, result.not_scored, result.to_dict(), form, after_fix(result))
    if form == "json":
        return dump(result.to_dict(), indented=True)
    return _FORMS[form](score_sections(result, result.score), "score")


def render_comparison(result: CompareResult, form: str) -> str:
    """A comparison, or the report of the refusal, in one of `FORMATS`, ending with a newline."""
    if result.scores is None:
        return _refusal(result.report, result.not_scored, result.to_dict(), form)
    if form == "json":
        return dump(result.to_dict(), indented=True)
    return _FORMS[form](comparison_sections(result, result.scores), "compare")


def _refusal(
    report: Report, why: NotScored | None, data: dict[str, object], form: str, after: Sequence[str] = ()
) -> str:
    """The report of a refusal, `data` as plain data, below a line that says why; `after` are lines on what repairs do."""
    if form == "json":
        return dump(data, indented=True)
    said = [] if why is None else [visible(str(why), LONGEST_REASON)]
    if after:
        said.append(f"after the safe repairs of `sharedtask fix`: {'; '.join(after)}")
    lines = [escape(line) if form == "markdown" else line for line in said]
    return "\n\n".join([*lines, render(report, form)])


def _text(sections: Iterable[Section], verb: str) -> str:
    parts = []
    for section in sections:
        lines = [*_aligned(section), *section.lines]
        if lines and section.title:
            lines = [section.title, *(f"  {line}" for line in lines)]
        if lines:
            parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def _aligned(section: Section) -> list[str]:
    """The table with its columns as wide as what they hold; numbers to the right, the first column to the left."""
    table = [section.header, *section.rows] if section.rows else []
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _markdown(sections: Iterable[Section], verb: str) -> str:
    lines = [f"### sharedtask {verb}"]
    for section in sections:
        if not section.rows and not section.lines:
            continue
        lines += ["", f"**{escape(section.title)}**"] if section.title else []
        if section.rows:
            rows = [list(map(escape, row)) for row in section.rows]
            lines += ["", *table(list(map(escape, section.header)), rows, numbers=range(1, len(section.header)))]
        if section.lines:
            lines += ["", *(f"- {code(line) if not section.title else escape(line)}" for line in section.lines)]
    return "".join(f"{line}\n" for line in lines)


_FORMS: dict[str, Callable[[Iterable[Section], str], str]] = {"text": _text, "markdown": _markdown}
