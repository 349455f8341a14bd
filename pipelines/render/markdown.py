"""The report for pull requests and step summaries: the verdict, a table of rules, a table of findings."""

from collections.abc import Iterable

from sharedtask.pipelines.render.phrases import amounts, inputs, more, place, remarks, sentence, unlisted, verdict
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.exports.markdown import escape, table, table_row

LONGEST = 60_000  # characters; a comment on GitHub holds 65,536


def render(report: Report) -> str:
    """The whole report as GitHub-flavoured Markdown, ending with a newline."""
    head = [f"### {'❌' if report.failed else '✅'} sharedtask {report.verb}", "", f"**{verdict(report)}**", ""]
    files = [f"- {code(line)}" for line in [*inputs(report), *remarks(report)]]
    rules = [
        (
            f"{one.rule.code} {one.rule.name}",
            str(one.severity),
            str(one.count),
            "yes" if one.fixable else "",
            escape(one.rule.meaning),
        )
        for one in report.rules()
    ]
    text = _text([*head, *files])
    if rules:
        text += _text(["", *table(("rule", "severity", "count", "fixable", "meaning"), rules, numbers=[2])])
    return text + _findings(report, LONGEST - len(text))


def code(text: str) -> str:
    """Text literally and in `<code>`, where GitHub makes no mentions and no references of it."""
    return f"<code>{escape(text)}</code>"


def _findings(report: Report, room: int) -> str:
    """The table of as many findings as there is room for, and a count of the others."""
    findings = report.findings()
    if not findings:
        return ""
    text = _text(["", *table(("place", "rule", "finding"), [])])
    listed: list[Shown] = []
    for finding in findings:
        lines = "<br>".join(code(line) for line in [sentence(finding), *more(finding)])
        row = _text([table_row((code(place(finding)), f"{finding.rule.code} {finding.rule.name}", lines))])
        if len(text) + len(row) > room:
            break
        text += row
        listed.append(finding)
    rest = amounts(unlisted(report, listed))
    return text + (_text(["", f"Not listed: {rest}."]) if rest else "")


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
