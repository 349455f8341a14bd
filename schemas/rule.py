"""What the tool can complain about: a `Rule`, and one place where it was broken, a `Finding`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Severity(StrEnum):
    """How bad a broken rule is: only an error makes a file fail by default."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Example:
    """A whole small file that breaks a rule, and the same file mended.

    `wrong` and `right` are the bytes or the text (UTF-8) of a file called `name` and of kind `kind`. For a rule that is judged against
    a reference, `against` is the text of the reference file called `against_name`.
    """

    kind: str
    name: str
    wrong: str | bytes
    right: str | bytes
    against: str = ""
    against_name: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing the tool can complain about; frozen, and the only source for reports, `explain`, the docs and the tests.

    `code` is three letters and three digits and is never used again; `name` is in kebab case. `meaning` says what is wrong, `why` what it
    does to a user, `hint` what to do about it. `severities` overrides `severity` for single kinds of file, by kind name.
    `fixable` says that a safe repair exists: `fix` for run files, the reader of `convert` for data files. A rule that speaks `once` has one
    finding a record or span, whatever the number of its cells that are mended.
    """

    code: str
    name: str
    severity: Severity
    meaning: str
    why: str
    hint: str
    fixable: bool = False
    once: bool = False
    severities: Mapping[str, Severity] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    example: Example | None = None
    since: str = "0.1.0"

    def severity_for(self, kind: str | None) -> Severity:
        """The severity of this rule in files of this kind."""
        return self.severities.get(kind, self.severity) if kind else self.severity


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: where a rule is broken, what was found and what was wanted. Everything but `rule` and `message` may be unknown.

    `line` is the physical line and `row` the record, both counted from 1; the header is line 1. `column` is the name as it stands in
    the file. `key` has canonical values by the file's own column names; `value` is the raw one. `span` is the index in the row's list of spans.
    """

    rule: Rule
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    row: int | None = None
    column: str | None = None
    key: Mapping[str, object] | None = field(default=None, hash=False)
    value: object = None
    expected: str | None = None
    hint: str | None = None
    span: int | None = None
    details: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True)
class Tally:
    """All findings of one rule and severity in one file: the exact `count`, and the first ones as samples."""

    rule: Rule
    severity: Severity
    count: int
    samples: tuple[Finding, ...]


def tally_one(
    rule: Rule, kind: str | None, message: str, *, severity: Severity | None = None, **place: object
) -> Tally:
    """A tally of a single finding; `place` holds further fields of `Finding`."""
    judged = severity or rule.severity_for(kind)
    return Tally(rule, judged, 1, (Finding(rule, judged, message, **place),))  # type: ignore[arg-type]
