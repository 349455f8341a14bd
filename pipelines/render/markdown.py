"""The report for pull requests and step summaries: the verdict, a table of rules, a table of findings."""

import re
from collections.abc import Iterable

from sharedtask.pipelines.render.words import amounts, inputs, more, place, remarks, sentence, unlisted, verdict
from sharedtask.pipelines.report import Report, Shown

LONGEST = 60_000  # characters; a comment on GitHub holds 65,536

_SPECIAL = re.compile(r"[\\`*_~\[\]$]|:(?=//)|(?<=www)\.")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})


def render(report: Report) -> str:
    """The whole report as GitHub-flavoured Markdown, ending with a newline."""
    head = [f"### {'❌' if report.failed else '✅'} sharedtask {report.verb}", "", f"**{verdict(report)}**", ""]
    files = [f"- {code(line)}" for line in [*inputs(report), *remarks(report)]]
    rules = [
        f"| {one.rule.code} {one.rule.name} | {one.severity} | {one.count} | {'yes' if one.fixable else ''} "
        f"| {escape(one.rule.meaning)} |"
        for one in report.rules()
    ]
    text = _text([*head, *files])
    if rules:
        text += _text(["", "| rule | severity | count | fixable | meaning |", "|---|---|--:|---|---|", *rules])
    return text + _findings(report, LONGEST - len(text))


def escape(text: str) -> str:
    """Text that Markdown and HTML take literally, in a table cell too."""
    return _SPECIAL.sub(r"\\\g<0>", text.translate(_ENTITIES))


def code(text: str) -> str:
    """Text literally and in `<code>`, where GitHub makes no mentions and no references of it."""
    return f"<code>{escape(text)}</code>"


def _findings(report: Report, room: int) -> str:
    """The table of as many findings as there is room for, and a count of the others."""
    findings = report.findings()
    if not findings:
        return ""
    text = _text(["", "| place | rule | finding |", "|---|---|---|"])
    listed: list[Shown] = []
    for finding in findings:
        lines = "<br>".join(code(line) for line in [sentence(finding), *more(finding)])
        row = f"| {code(place(finding))} | {finding.rule.code} {finding.rule.name} | {lines} |\n"
        if len(text) + len(row) > room:
            break
        text += row
        listed.append(finding)
    rest = amounts(unlisted(report, listed))
    return text + (_text(["", f"Not listed: {rest}."]) if rest else "")


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
