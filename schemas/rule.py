"""What the tool can report: a `Rule`, and one place where it was broken, a `Finding`.

A rule owns its words: the messages of its findings are templates that stand beside its meaning. `finding` is the only
builder of a finding; it takes the facts, and the sentence is made from them when somebody asks for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol

from sharedtask.schemas.messages import shown, worded

FOUND_AND_EXPECTED = "{subject} is {value}; expected {expected}"
"""The message of a rule about one cell that has nothing more to say: `subject` names the column, and the span where it is one of a list."""

NOTHING: Mapping[str, object] = MappingProxyType({})


class Severity(StrEnum):
    """How bad a broken rule is: only an error makes a file fail by default."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


class Role(StrEnum):
    """What a file is to the call: data, a run, the reference that a run is checked against, or another split."""

    DATA = "data"
    RUN = "run"
    REFERENCE = "reference"
    ALSO = "also"


@dataclass(frozen=True, slots=True)
class Example:
    """A whole small file that breaks a rule, and the same file mended.

    `wrong` and `right` are the bytes or the text (UTF-8) of a file called `name` and of kind `kind`. For a rule that is
    checked against a reference, `against` is the text of the reference file called `against_name`.
    """

    kind: str
    name: str
    wrong: str | bytes
    right: str | bytes
    against: str = ""
    against_name: str = ""


class HasSeverities(Protocol):
    """A kind of file, as far as rules ask for it."""

    @property
    def severities(self) -> Mapping[str, Severity]:
        """The severities that differ from those of the rules, by the name of the rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing the tool can report; frozen, and the only source for reports, `explain`, the docs and the tests.

    `code` is three letters and three digits and is never used again; `name` is in kebab case. `meaning` says what is
    wrong, `why` what it does to a user, `hint` what to do about it. `message` is the sentence of a finding, or several
    by key: a template that `Finding.message` fills in. A kind of file may have another severity for it
    (`Kind.severities`). `fixable` says that a safe repair exists for some of its findings: `fix` for run files, the
    reader of `convert` for data files; a finding says whether it is one of them. A rule that speaks `once` has one
    finding a record or span, whatever the number of its cells that are mended.
    """

    code: str
    name: str
    severity: Severity
    meaning: str
    why: str
    hint: str
    message: str | Mapping[str, str] = field(hash=False)
    fixable: bool = False
    once: bool = False
    example: Example | None = None
    since: str = "0.1.0"

    def severity_for(self, kind: HasSeverities | None) -> Severity:
        """The severity of this rule in files of this kind."""
        return kind.severities.get(self.name, self.severity) if kind else self.severity

    def template(self, which: str = "") -> str:
        """The message template of this key; the only one where the rule has one.

        Raises KeyError for a key that it does not have.
        """
        if isinstance(self.message, str):
            if which:
                raise KeyError(f"{self.name} has one message, and none called {which!r}")
            return self.message
        return self.message[which]


@dataclass(frozen=True, slots=True)
class At:
    """Where a finding is; everything may be unknown.

    `line` is the physical line and `row` the record, both counted from 1; the header is line 1. `column` is the name as
    it is written in the file. `key` has canonical values by the file's own column names. `span` is the index in the
    record's list of spans, from 0.
    """

    file: str | None = None
    line: int | None = None
    row: int | None = None
    column: str | None = None
    key: Mapping[str, object] | None = field(default=None, hash=False)
    span: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule is broken, made by `finding` alone.

    `which` names the message among those of the rule, `facts` are what it shows beside the place. `value` is the raw
    value that was found, `expected` what was expected in its place. `details` belong to the finding as data: the span
    with its context, the records that it counts in, what a cause explains.
    """

    rule: Rule
    severity: Severity
    at: At
    which: str = ""
    value: object = None
    expected: str | None = None
    fixable: bool = False
    facts: Mapping[str, object] = field(default_factory=lambda: NOTHING, hash=False)
    details: Mapping[str, object] = field(default_factory=lambda: NOTHING, hash=False)

    @property
    def message(self) -> str:
        """The finding as one sentence that holds by itself: the rule's template, filled in."""
        fields = {
            "file": self.at.file,
            "line": self.at.line,
            "column": self.at.column,
            "span": self.at.span,
            "value": shown(self.value),
            "expected": self.expected,
            **self.facts,
        }
        return worded(self.rule.template(self.which), fields)


def finding(
    rule: Rule,
    at: At,
    *,
    kind: HasSeverities | None = None,
    severity: Severity | None = None,
    which: str = "",
    value: object = None,
    expected: str | None = None,
    fixable: bool | None = None,
    details: Mapping[str, object] = NOTHING,
    **facts: object,
) -> Finding:
    """The finding of a rule at a place, with the facts that its message shows.

    The severity is the rule's own for `kind`, unless it is given; it is fixable as the rule is, unless that is given. A
    fact that the template names and nobody gave is a KeyError when the message is asked for, so each call has a case
    whose message is tested.
    """
    return Finding(
        rule,
        severity or rule.severity_for(kind),
        at,
        which,
        value,
        expected,
        rule.fixable if fixable is None else fixable,
        facts,
        details,
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """All findings of one rule and severity in one file: the exact `count`, and the first ones as `samples`.

    `column` is the one that they are about, None where it is none or several. `fixable` says whether a safe repair
    exists for one of them. `role` is that of the file. A tally of a reference `stops` where nothing can be checked
    against the reference because of it.
    """

    rule: Rule
    severity: Severity
    count: int
    samples: tuple[Finding, ...]
    fixable: bool
    column: str | None = None
    role: Role = Role.DATA
    stops: bool = False

    @classmethod
    def of(cls, samples: Sequence[Finding], count: int | None = None) -> "Tally":
        """The tally of findings of one rule and severity; `count` is how many there are, by default the samples."""
        first = samples[0]
        number = len(samples) if count is None else count
        fixable = any(one.fixable for one in samples)
        columns = {one.at.column for one in samples}
        return cls(
            first.rule, first.severity, number, tuple(samples), fixable, columns.pop() if len(columns) == 1 else None
        )

    @classmethod
    def counted(
        cls,
        rule: Rule,
        severity: Severity,
        count: int,
        samples: Iterable[Finding],
        *,
        column: str | None = None,
        fixable: bool | None = None,
    ) -> "Tally":
        """The tally of a rule whose samples may be none, since none were asked for."""
        some = tuple(samples)
        known = any(one.fixable for one in some) if some else rule.fixable
        return cls(rule, severity, count, some, known if fixable is None else fixable, column)

    def as_role(self, role: Role, *, stops: bool = False) -> "Tally":
        """The same for a file of this role."""
        return replace(self, role=role, stops=stops)

    def without_lines(self) -> "Tally":
        """The same for a file whose lines are not known."""
        samples = tuple(replace(one, at=replace(one.at, line=None)) for one in self.samples)
        return replace(self, samples=samples)

    def moved_to(self, path: str) -> "Tally":
        """The same in another file, of which the lines and rows are not known."""
        samples = tuple(replace(one, at=replace(one.at, file=path, line=None, row=None)) for one in self.samples)
        return replace(self, samples=samples)

    def as_left(self) -> "Tally":
        """The same where no repair has done anything about it."""
        samples = tuple(replace(one, fixable=False) for one in self.samples)
        return replace(self, samples=samples, fixable=False)

    def as_error(self) -> "Tally":
        """The same as errors."""
        samples = tuple(replace(one, severity=Severity.ERROR) for one in self.samples)
        return replace(self, severity=Severity.ERROR, samples=samples)


def tally_one(rule: Rule, at: At, **arguments: Any) -> Tally:
    """The tally of a single finding; the arguments are those of `finding`."""
    return Tally.of([finding(rule, at, **arguments)])
