"""One repair that `fix` made, as data."""

from dataclasses import dataclass, replace

from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import Rule


@dataclass(frozen=True, slots=True)
class Repair:
    """The rule for which something in a run was changed, and how many places were: cells, spans, records, or the file.

    `count` is of changes that were made, never of findings that are gone. `how` says what kind of change it was: a
    repair keeps what the run says; what was asked for beyond that is `added` or `emptied`, as `template` answers, and
    what no upload has is `left out`.
    """

    rule: Rule
    count: int
    unit: str = "place"
    how: str = "repaired"

    def to_dict(self) -> dict[str, object]:
        """The repair as plain data."""
        return {"code": self.rule.code, "name": self.rule.name, "count": self.count, "unit": self.unit, "how": self.how}

    @property
    def extent(self) -> str:
        """What was changed, in words."""
        return plural(self.count, self.unit)


def summed(repairs: list[Repair]) -> tuple[Repair, ...]:
    """The repairs with one for each rule, unit and way, in the order in which they come first; those of nothing left out."""
    counts: dict[tuple[str, str, str], Repair] = {}
    for one in repairs:
        key = (one.rule.name, one.unit, one.how)
        counts[key] = replace(one, count=one.count + (counts[key].count if key in counts else 0))
    return tuple(one for one in counts.values() if one.count)
