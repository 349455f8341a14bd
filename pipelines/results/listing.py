"""Which findings a report lists: at most `--max-findings` of each rule, in the order of file and line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sharedtask.pipelines.results.verdict import counts_for_verdict
from sharedtask.schemas.rule import At, Finding, Role, Rule, Severity, Tally


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding in its report: the role of its file, and whether it counts for the verdict."""

    finding: Finding
    role: Role
    is_counted: bool

    @property
    def at(self) -> At:
        """Where it is."""
        return self.finding.at

    @property
    def rule(self) -> Rule:
        """What is broken."""
        return self.finding.rule

    @property
    def message(self) -> str:
        """What is wrong, as one sentence."""
        return self.finding.message

    @property
    def value(self) -> object:
        """The raw value that was found."""
        return self.finding.value

    @property
    def severity(self) -> Severity:
        """How bad it is for this report: what only a reference has is shown as info."""
        return self.finding.severity if self.is_counted else Severity.INFO


def shown(finding: Finding, tally: Tally) -> Shown:
    """A finding of a tally, as its report shows it."""
    return Shown(finding, tally.role, is_counted=counts_for_verdict(tally))


def listed(tallies: Iterable[Tally], paths: Sequence[str], most: int) -> list[Shown]:
    """The samples of the tallies, at most so many of each rule, severity and role; the files in the order of `paths`."""
    seen: dict[tuple[str, Severity, Role], int] = {}
    samples: list[Shown] = []
    for tally in tallies:
        key = (tally.rule.code, tally.severity, tally.role)
        some = tally.samples[: max(most - seen.get(key, 0), 0)]
        samples += [shown(one, tally) for one in some]
        seen[key] = seen.get(key, 0) + len(some)
    order: dict[str | None, int] = {}
    for path in paths:
        order.setdefault(path, len(order))
    return sorted(
        samples, key=lambda one: (order.get(one.at.file, -1), one.at.line or 0, one.at.row or 0, one.at.span or 0)
    )
