"""The findings as workflow commands, which GitHub Actions shows as annotations of the files."""

from sharedtask.pipelines.render.phrases import amounts, more, path_of, sentence, unlisted
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.rule import Severity

# GitHub keeps ten annotations of each level in a step. One notice is left for the line that counts the rest.
COMMANDS = {Severity.ERROR: ("error", 10), Severity.WARNING: ("warning", 10), Severity.INFO: ("notice", 9)}


def render(report: Report) -> str:
    """One command a line; nothing where nothing is wrong."""
    findings = report.findings()
    listed = [finding for severity, (_, most) in COMMANDS.items() for finding in _chosen(findings, severity, most)]
    lines = [_command(finding) for finding in listed]
    if rest := amounts(unlisted(report, listed)):
        lines.append(f"::notice title=sharedtask {report.verb}::{rest} more")
    return "".join(f"{line}\n" for line in lines)


def _chosen(findings: list[Shown], severity: Severity, most: int) -> list[Shown]:
    """The first finding of each rule, then the second of each, and so on."""
    seen: dict[str, int] = {}
    ranked = []
    for finding in findings:
        if finding.severity is severity:
            ranked.append((seen.setdefault(finding.rule.code, 0), finding))
            seen[finding.rule.code] += 1
    return [finding for _, finding in sorted(ranked, key=lambda one: one[0])[:most]]


def _command(finding: Shown) -> str:
    name, _ = COMMANDS[finding.severity]
    properties = [f"title={_property(f'{finding.rule.code} {finding.rule.name}')}"]
    if finding.at.line is not None:
        properties.insert(0, f"line={finding.at.line}")
    if finding.at.file and finding.at.file != "-":  # not from standard input
        properties.insert(0, f"file={_property(path_of(finding.at.file))}")
    text = "\n".join([sentence(finding), *more(finding)])
    return f"::{name} {','.join(properties)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
