"""One repair that `fix` made, as data."""

from dataclasses import dataclass

from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import Rule


@dataclass(frozen=True, slots=True)
class Repair:
    """The rule for which something in a run was changed, and how many places were: cells, spans, records, or the file.

    `count` is of changes that were made, never of findings that are gone.
    """

    rule: Rule
    count: int
    unit: str = "place"

    def to_dict(self) -> dict[str, object]:
        """The repair as plain data."""
        return {"code": self.rule.code, "name": self.rule.name, "count": self.count, "unit": self.unit}

    @property
    def extent(self) -> str:
        """What was changed, in words."""
        return plural(self.count, self.unit)


def summed(repairs: list[Repair]) -> tuple[Repair, ...]:
    """The repairs with one for each rule and unit, in the order in which rules come first; those of nothing left out."""
    counts: dict[tuple[str, str], Repair] = {}
    for one in repairs:
        so_far = counts.get((one.rule.name, one.unit))
        counts[(one.rule.name, one.unit)] = Repair(one.rule, one.count + (so_far.count if so_far else 0), one.unit)
    return tuple(one for one in counts.values() if one.count)
