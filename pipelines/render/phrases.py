"""Words that the formats share.

Whatever a file holds, they come out of here as one line, short, and without effect on a terminal.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import SEVERITIES, Role

LONGEST_MESSAGE = 500  # characters
MOST_FILES = 20  # that a format for people lists
HASH_DIGITS = 12  # of a file's SHA-256

# Controls, marks that turn the direction of text, separators of lines, the BOM, noncharacters and lone surrogates.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")


def visible(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """One line with every control character shown as a picture or an escape, cut where it gets too long.

    `##[command]` is a command to the log of GitHub Actions anywhere in a line, so it is broken up.
    """
    kept = text if len(text) <= longest else text[:longest] + "…"
    return _UNSEEN.sub(_picture, kept).replace("##[", "##\\[")


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else ascii(found[0])[1:-1]


def path_of(path: str | None) -> str:
    """A path to begin a line with; `-` where there is none.

    A line that begins with `::` is a command to GitHub Actions, too.
    """
    shown = visible(path or "-")
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def place(shown: Shown) -> str:
    """`file:line`, as far as they are known."""
    path = path_of(shown.at.file)
    return path if shown.at.line is None else f"{path}:{shown.at.line}"


def sentence(shown: Shown) -> str:
    """The message, with what names the record as far as the message does not.

    Its key, and its number where no line is known.
    """
    at, message = shown.at, visible(shown.finding.message)
    key = {name: value for name, value in (at.key or {}).items() if value is not None}
    names = [f"{visible(name, 50)} {visible(str(value), 100)}" for name, value in key.items()]
    if at.line is None and at.row is not None:
        names.append(f"record {at.row}")
    named = ", ".join(names)
    return message if re.search(re.escape(named) + r"(?!\w)", message) else f"{message} ({named})"


def more(shown: Shown) -> list[str]:
    """Lines below a finding: its text with the span marked, the records that it is about, what it explains."""
    lines = []
    details = shown.finding.details
    if context := details.get("context"):
        lines.append(visible(str(context)))
    if rows := details.get("rows"):
        lines.append(visible(f"records {_listed(rows)}"))
    if explains := details.get("explains"):
        lines.append(visible(f"explains {_listed(explains)}"))
    elif affected := details.get("affected"):
        lines.append(visible(f"affects {affected}"))
    return lines


def _listed(items: object) -> str:
    if isinstance(items, Mapping):
        return ", ".join(f"{count} {name}" for name, count in items.items())
    return ", ".join(map(str, items)) if isinstance(items, Sequence) else str(items)


def verdict(report: Report) -> str:
    """One line that says how it stands."""
    counts = report.counts
    if not any(counts.values()):
        said = f"ok: no problems in {plural(len(report.inputs), 'file')}"
    else:
        said = f"{'failed' if report.failed else 'ok'}: {amounts(counts)}"
    ignored = sum(one.count for one in report.ignored_rules())
    return f"{said}; {ignored} ignored" if ignored else said


def amounts(counts: dict[str, int]) -> str:
    """Numbers of findings by severity, such as `2 errors, 1 info`."""
    names = {"error": "error", "warning": "warning", "info": "info/infos"}
    return ", ".join(plural(counts[name], noun) for name, noun in names.items() if counts[name])


def inputs(report: Report) -> list[str]:
    """What was read, a line a file, as far as a person wants to know."""
    lines = [
        f"{path_of(one.path)}: {one.kind or 'no known kind'}{'' if one.rows is None else ', ' + plural(one.rows, 'record')}"
        f"{f', sha256 {one.sha256[:HASH_DIGITS]}' if one.sha256 else ''}"
        for one in report.inputs[:MOST_FILES]
    ]
    rest = len(report.inputs) - MOST_FILES
    return [*lines, f"and {rest} more"] if rest > 0 else lines


def wrote(report: Report) -> list[str]:
    """What was written, a line a file."""
    outputs = report.outputs or []
    listed = {one.path for one in outputs}
    return [
        *(f"wrote {path_of(one.path)}: {one.kind}, {plural(one.rows, 'record')}" for one in outputs),
        *(f"wrote {path_of(path)}" for path in report.written if path not in listed),
    ]


def remarks(report: Report) -> list[str]:
    """The numbers that a verb has found and what it has to say of its work, a line each."""
    values = {name: f"{value:.4f}" if isinstance(value, float) else value for name, value in report.measures.items()}
    numbers = [f"{name.replace('_', ' ')}: {'undefined' if value is None else value}" for name, value in values.items()]
    shared = amounts(report.reference_counts)
    reference = (
        [f"the reference has {shared}, shown for information; the run does not fail because of them"] if shared else []
    )
    if any(tally.role is Role.REFERENCE for tally in report.counted):
        reference.append(f"not done: {report.verb} needs a reference without these errors; correct them first")
    ignored = Counter[str]()
    for one in report.ignored_rules():
        ignored[one.rule.name] += one.count
    counts = [f"{count} {name}" for name, count in ignored.items()]
    apart = [f"ignored: {', '.join(counts)}"] if counts else []
    return [*numbers, *reference, *apart, *(f"note: {visible(note)}" for note in report.notes)]


def unlisted(report: Report, listed: Sequence[Shown]) -> dict[str, int]:
    """How many findings of each severity that count are not among those listed."""
    return {
        str(severity): report.counts[severity] - sum(one.is_counted and one.severity is severity for one in listed)
        for severity in SEVERITIES
    }
