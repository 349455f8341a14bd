"""The verdict of a report: which findings count, and whether they make a failure (`--fail-on`)."""

from collections.abc import Iterable, Mapping

from sharedtask.schemas.rule import SEVERITIES, Role, Severity, Tally


def counts_for_verdict(tally: Tally) -> bool:
    """Whether findings count: all but those of a reference, unless nothing can be checked because of them."""
    return tally.role is not Role.REFERENCE or tally.stops


def counts_of(tallies: Iterable[Tally]) -> dict[str, int]:
    """How many findings there are of each severity."""
    sums = dict.fromkeys(map(str, SEVERITIES), 0)
    for tally in tallies:
        sums[tally.severity] += tally.count
    return sums


def is_failure(counts: Mapping[str, int], fail_on: Severity) -> bool:
    """Whether there is a finding of this severity or of a worse one."""
    return any(counts[severity] for severity in SEVERITIES[: SEVERITIES.index(fail_on) + 1])
