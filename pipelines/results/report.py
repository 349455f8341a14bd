"""What a verb found, as data: exact counts for each rule, bounded samples, and what was read. No text is made here."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.listing import Shown, listed
from sharedtask.pipelines.results.plain import plain
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.results.verdict import counts_for_verdict, counts_of, is_failure
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import SEVERITIES, Role, Rule, Severity, Tally

SCHEMA_VERSION = 1  # of the JSON report; it changes when a key changes its meaning or goes


@dataclass(frozen=True, slots=True)
class Input:
    """One file that was read: `role` is data, run, reference or also; `kind` is null where none could be found.

    `rows` counts records.
    """

    role: str
    path: str
    kind: str | None
    sha256: str
    bytes: int
    rows: int | None

    def to_dict(self) -> dict[str, object]:
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

    def to_dict(self) -> dict[str, object]:
        return {"path": self.path, "kind": self.kind, "rows": self.rows, "sha256": self.sha256, "source": self.source}


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many findings of one rule and severity there are, and whether a safe repair exists for one of them."""

    rule: Rule
    severity: Severity
    count: int
    fixable: bool

    def to_dict(self) -> dict[str, object]:
        """The count as plain data."""
        return {
            "code": self.rule.code,
            "name": self.rule.name,
            "severity": str(self.severity),
            "count": self.count,
            "fixable": self.fixable,
        }


MAKERS = {"convert", "export", "derive", "fix", "pack", "score", "template", "baseline"}
"""The verbs that make something of a file, which an ignored error must not slip into."""

Notebook = Callable[["Report"], str]


@dataclass(slots=True, repr=False)
class Report:
    """The result of a verb that judges files.

    `tallies` are exact in their counts and bounded in their samples.

    What was found in a reference is shown and does not count, unless nothing could be checked because of it.
    `repairs` are those that `fix` made, `changes` a line for each place that it changed, None where nobody asked for
    them. `measures` are numbers that a verb has found beside the findings, `notes` lines on what it did, `written` the
    paths of all files that it wrote. The findings of `ignored` rules are counted apart and decide nothing.
    `fail_on` is the mildest severity that makes the verdict a failure, `verbose` asks for what to do about each
    rule, where the report is text.
    """

    verb: str
    inputs: list[Input] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    outputs: list[Output] | None = None
    max_findings: int = 20
    measures: dict[str, float | int | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    fail_on: Severity = Severity.ERROR
    verbose: bool = False
    ignored: frozenset[Rule] = frozenset()
    repairs: Sequence[Repair] | None = None
    changes: Sequence[str] | None = None

    notebook: ClassVar[Notebook | None] = None
    """How a notebook shows a report; set by the verbs, since what shows a report knows reports, and not the other way round."""

    def add(self, tallies: Iterable[Tally], role: Role = Role.DATA, *, stops: bool = False) -> None:
        """Add what was found in a file of this role; `stops` where nothing can be done with the file because of it."""
        self.tallies.extend(tally.as_role(role, stops=stops) for tally in tallies)

    def stop_at(self, columns: Collection[str]) -> None:
        """Count the errors that a reference has in these columns, since nothing can be done without what they hold."""
        self.tallies = [
            replace(tally, stops=True)
            if tally.role is Role.REFERENCE and tally.severity is Severity.ERROR and tally.column in columns
            else tally
            for tally in self.tallies
        ]

    def ignore(self, words: Iterable[str]) -> None:
        """Count the findings of these rules (codes or names, in any case) apart, and show none of them.

        A verb that makes something of a file does not ignore its errors. Raises UnusableError where there is no such
        rule.
        """
        from sharedtask.schemas.rules.catalogue import UnknownRuleError, find  # here only: most reports ignore nothing

        try:
            self.ignored = frozenset(find(word) for word in words)
        except UnknownRuleError as error:
            raise UnusableError(str(error)) from None

    def is_ignored(self, tally: Tally) -> bool:
        """Whether the findings of a tally are ignored."""
        return tally.rule in self.ignored and not (self.verb in MAKERS and tally.severity is Severity.ERROR)

    def refuse(self, rule: Rule) -> None:
        """Count what breaks this rule as errors, since nothing can be done because of it."""
        self.tallies = [tally.as_error() if tally.rule is rule else tally for tally in self.tallies]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {severity}" for severity, count in self.counts.items())
        return f"<Report of {self.verb}: {'ok' if self.ok else 'failed'}, {counts}, {plural(len(self.inputs), 'file')}>"

    @property
    def counted(self) -> list[Tally]:
        """The tallies that make the verdict: all but those of a reference that stop nothing, and those that are ignored."""
        return [tally for tally in self.tallies if counts_for_verdict(tally) and not self.is_ignored(tally)]

    @property
    def shown(self) -> list[Tally]:
        """All tallies but the ignored ones."""
        return [tally for tally in self.tallies if not self.is_ignored(tally)]

    @property
    def task(self) -> str | None:
        """The task of all inputs; None where there are several or none."""
        tasks = {one.kind.partition("/")[0] for one in self.inputs if one.kind}
        return tasks.pop() if len(tasks) == 1 else None

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each severity, those that only a reference has left out."""
        return counts_of(self.counted)

    @property
    def reference_counts(self) -> dict[str, int]:
        """How many findings of each severity the reference has that change nothing for the run."""
        return counts_of(tally for tally in self.tallies if not counts_for_verdict(tally))

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not is_failure(self.counts, Severity.ERROR)

    @property
    def failed(self) -> bool:
        """Whether a finding is so severe that the user wants a failure.

        `ok` says the same of errors, whatever the user wants.
        """
        return is_failure(self.counts, self.fail_on)

    def rules(self) -> list[RuleCount]:
        """Each broken rule once for each severity with its exact count, by severity and code.

        Those that only a reference breaks left out.
        """
        return _rules(self.counted)

    def reference_rules(self) -> list[RuleCount]:
        """The same for what the reference has that changes nothing for the run."""
        return _rules(tally for tally in self.tallies if not counts_for_verdict(tally))

    def ignored_rules(self) -> list[RuleCount]:
        """The same for the findings that are ignored."""
        return _rules(tally for tally in self.tallies if self.is_ignored(tally))

    def findings(self) -> list[Shown]:
        """The samples, at most `max_findings` of each rule, in the order of file and line."""
        return listed(self.shown, [one.path for one in self.inputs], self.max_findings)

    def to_dict(self) -> dict[str, object]:
        """The report as plain data."""
        data: dict[str, object] = {
            "tool": "sharedtask",
            "version": tool_version(),
            "schema_version": SCHEMA_VERSION,
            "verb": self.verb,
            "task": self.task,
            "ok": self.ok,
            "failed": self.failed,
            "inputs": [plain(one.to_dict()) for one in self.inputs],
            "counts": self.counts,
            "reference_counts": self.reference_counts,
            "rules": [one.to_dict() for one in self.rules()],
            "findings": [finding_as_json(finding) for finding in self.findings()],
        }
        if self.outputs is not None:
            data["outputs"] = [plain(one.to_dict()) for one in self.outputs]
        if self.repairs is not None:
            data["repairs"] = [one.to_dict() for one in self.repairs]
        if self.changes is not None:
            data["diff"] = [plain(line) for line in self.changes]
        if self.ignored:
            data["ignored"] = [one.to_dict() for one in self.ignored_rules()]
        if self.measures:
            data["measures"] = plain(self.measures)
        if self.notes:
            data["notes"] = plain(self.notes)
        return data

    def _repr_html_(self) -> str | None:
        """The report as a notebook shows it."""
        return None if Report.notebook is None else Report.notebook(self)


def _rules(tallies: Iterable[Tally]) -> list[RuleCount]:
    sums: dict[tuple[str, Severity], RuleCount] = {}
    for tally in tallies:
        key = (tally.rule.code, tally.severity)
        before = sums.get(key, RuleCount(tally.rule, tally.severity, 0, fixable=False))
        sums[key] = RuleCount(tally.rule, tally.severity, before.count + tally.count, before.fixable or tally.fixable)
    return [sums[key] for key in sorted(sums, key=lambda key: (SEVERITIES.index(key[1]), key[0]))]


def tool_version() -> str:
    """The installed version of `sharedtask`, read from its metadata when somebody asks."""
    from importlib.metadata import version

    return version("sharedtask")


def finding_as_json(shown: Shown) -> dict[str, object]:
    """One finding as plain data; everything but its message is what the message was made from."""
    one, at = shown.finding, shown.at
    data: dict[str, object] = {
        "code": one.rule.code,
        "name": one.rule.name,
        "severity": str(one.severity),
        "role": str(shown.role),
        "message": one.message,
        "file": at.file,
        "line": at.line,
        "row": at.row,
        "column": at.column,
        "key": dict(at.key) if at.key is not None else None,
        "value": one.value,
        "expected": one.expected,
        "fixable": one.fixable,
        "hint": one.rule.hint,
    }
    if at.span is not None:
        data["span"] = at.span
    data.update(one.details)
    data["facts"] = dict(one.facts)
    return {name: plain(value) for name, value in data.items()}
