"""What `fix` has done, as data."""

from dataclasses import dataclass

from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.rule import Rule


@dataclass(frozen=True, slots=True)
class Repair:
    """A rule that the run broke and its repair does not, and how many findings of it there were."""

    rule: Rule
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class FixResult:
    """What `fix` has done.

    The report before, the repairs, and the report on what was written (None where nothing could be).
    """

    before: Report
    repairs: tuple[Repair, ...]
    after: Report | None
    diff: tuple[str, ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(repair.rule.name for repair in self.repairs) or "nothing"
        return f"<FixResult: repaired {names}; {'nothing written' if self.after is None else self.after}>"

    @property
    def ok(self) -> bool:
        """Whether what was written has no error left."""
        return self.after is not None and self.after.ok
