"""The report as a notebook shows it: the verdict, a table of rules, a table of findings."""

from collections.abc import Iterable, Sequence
from html import escape

from sharedtask.pipelines.render.phrases import amounts, inputs, more, place, remarks, sentence, unlisted, verdict
from sharedtask.pipelines.results.report import Report

MOST_FINDINGS = 100  # that a notebook shows


def render(report: Report) -> str:
    """A fragment of HTML without scripts and styles, in which notebooks find no formulas."""
    findings = report.findings()[:MOST_FINDINGS]
    rules = [
        [f"{one.rule.code} {one.rule.name}", str(one.severity), str(one.count), one.rule.meaning]
        for one in report.rules()
    ]
    rows = [
        [place(finding), f"{finding.rule.code} {finding.rule.name}", "\n".join([sentence(finding), *more(finding)])]
        for finding in findings
    ]
    rest = amounts(unlisted(report, findings))
    parts = [
        f"<p><strong>sharedtask {escape(report.verb)}: {escape(verdict(report))}</strong></p>",
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in [*inputs(report), *remarks(report)])}</ul>",
        _table(["rule", "severity", "count", "meaning"], rules),
        _table(["place", "rule", "finding"], rows),
        f"<p>Not listed: {rest}.</p>" if rest else "",
    ]
    body = "\n".join(part for part in parts if part)
    return f'<div class="tex2jax_ignore mathjax_ignore">\n{body}\n</div>\n'


def _table(names: Sequence[str], rows: Sequence[Iterable[str]]) -> str:
    """A table; nothing where it has no rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def _cell(text: str) -> str:
    return "<br>".join(escape(line) for line in text.split("\n"))
