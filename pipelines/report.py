"""What a verb found, as data: exact counts for each rule, bounded samples, and what was read. No text is made here."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from sharedtask.schemas.rule import Finding, Rule, Severity, Tally

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)
LONGEST_TEXT = 4096  # characters of one text in the plain data, as many as a path may have
MOST_ITEMS = 100  # of one list or mapping that a finding holds


@dataclass(frozen=True, slots=True)
class Input:
    """One file that was read: `role` is data, run, reference or also; `kind` is null where none could be found; `rows` counts records."""

    role: str
    path: str
    kind: str | None
    sha256: str
    bytes: int
    rows: int | None

    def as_json(self) -> dict[str, object]:
        return {
            "role": self.role,
            "path": self.path,
            "kind": self.kind,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "rows": self.rows,
        }


@dataclass(frozen=True, slots=True)
class Output:
    """One file that was written from `source`."""

    path: str
    kind: str
    rows: int
    sha256: str
    source: str

    def as_json(self) -> dict[str, object]:
        return {"path": self.path, "kind": self.kind, "rows": self.rows, "sha256": self.sha256, "source": self.source}


@dataclass(slots=True)
class Report:
    """The result of a verb that judges files. `tallies` are exact in their counts and bounded in their samples.

    `measures` are numbers that a verb has found beside them, `notes` lines on what it did. `fail_on` is the mildest severity that makes the
    verdict a failure, `verbose` asks for what to do about each rule, where the report is text.
    """

    verb: str
    inputs: list[Input] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    outputs: list[Output] | None = None
    max_findings: int = 20
    measures: dict[str, float | int | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fail_on: Severity = Severity.ERROR
    verbose: bool = False

    def add(self, tallies: Iterable[Tally]) -> None:
        self.tallies.extend(tallies)

    @property
    def task(self) -> str | None:
        """The task of all inputs; None where there are several or none."""
        tasks = {one.kind.partition("/")[0] for one in self.inputs if one.kind}
        return tasks.pop() if len(tasks) == 1 else None

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        return {
            str(severity): sum(tally.count for tally in self.tallies if tally.severity is severity)
            for severity in SEVERITIES
        }

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return self.counts["error"] == 0

    @property
    def failed(self) -> bool:
        """Whether a finding is so severe that the user wants a failure; `ok` says the same of errors, whatever the user wants."""
        severe = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return any(self.counts[severity] for severity in severe)

    def rules(self) -> list[tuple[Rule, Severity, int]]:
        """Each broken rule once for each severity with its exact count, by severity and code."""
        sums: dict[tuple[str, Severity], tuple[Rule, int]] = {}
        for tally in self.tallies:
            _, so_far = sums.get((tally.rule.code, tally.severity), (tally.rule, 0))
            sums[tally.rule.code, tally.severity] = (tally.rule, so_far + tally.count)
        ordered = sorted(sums.items(), key=lambda item: (SEVERITIES.index(item[0][1]), item[0][0]))
        return [(rule, severity, count) for (_, severity), (rule, count) in ordered]

    def findings(self) -> list[Finding]:
        """The samples, at most `max_findings` of each rule, in the order of file and line."""
        shown: dict[tuple[str, Severity], int] = {}
        samples: list[Finding] = []
        for tally in self.tallies:
            key = (tally.rule.code, tally.severity)
            left = self.max_findings - shown.get(key, 0)
            samples += tally.samples[: max(left, 0)]
            shown[key] = shown.get(key, 0) + min(len(tally.samples), max(left, 0))
        order: dict[str | None, int] = {}
        for one in self.inputs:
            order.setdefault(one.path, len(order))
        return sorted(
            samples,
            key=lambda one: (order.get(one.file, -1), one.line or 0, one.row or 0, one.span or 0),
        )

    def as_json(self, version: str) -> dict[str, object]:
        """The report as plain data; `version` is the tool's."""
        data: dict[str, object] = {
            "tool": "sharedtask",
            "version": version,
            "verb": self.verb,
            "task": self.task,
            "ok": self.ok,
            "inputs": [plain(one.as_json()) for one in self.inputs],
            "counts": self.counts,
            "rules": [
                {
                    "code": rule.code,
                    "name": rule.name,
                    "severity": str(severity),
                    "count": count,
                    "fixable": rule.fixable,
                }
                for rule, severity, count in self.rules()
            ],
            "findings": [finding_as_json(finding) for finding in self.findings()],
        }
        if self.outputs is not None:
            data["outputs"] = [plain(one.as_json()) for one in self.outputs]
        if self.measures:
            data["measures"] = plain(self.measures)
        if self.notes:
            data["notes"] = plain(self.notes)
        return data

    def _repr_html_(self) -> str:
        """The report as a notebook shows it."""
        html: str = import_module("sharedtask.pipelines.render.html").render(
            self
        )  # render knows Report, so it is loaded late
        return html


def tool_version() -> str:
    """The installed version of `sharedtask`, read from its metadata when somebody asks."""
    from importlib.metadata import version

    return version("sharedtask")


def finding_as_json(finding: Finding) -> dict[str, object]:
    """One finding as plain data."""
    data: dict[str, object] = {
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "row": finding.row,
        "column": finding.column,
        "key": dict(finding.key) if finding.key is not None else None,
        "value": finding.value,
        "expected": finding.expected,
        "hint": finding.hint or finding.rule.hint,
    }
    if finding.span is not None:
        data["span"] = finding.span
    data.update(finding.details)
    return {name: plain(value) for name, value in data.items()}


def plain(value: object) -> object:
    """A value as JSON can hold it, whatever it is, and no longer than it need be."""
    if isinstance(value, str):
        kept = value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "…"
        return kept.encode(errors="backslashreplace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(plain(str(name))): plain(item) for name, item in list(value.items())[:MOST_ITEMS]}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value[:MOST_ITEMS]]
    return plain(str(value))
