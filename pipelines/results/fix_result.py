"""What `fix` has done, as data."""

from dataclasses import dataclass

from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.results.report import Report


@dataclass(frozen=True, slots=True, repr=False)
class FixResult:
    """What `fix` has done.

    The report before, the repairs, and the report on what was written (None where nothing could be). `diff` has a line
    for each place that was changed, if that was asked for.
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

    @property
    def report(self) -> Report:
        """What is left: the report on what was written, or the one before where nothing was."""
        return self.before if self.after is None else self.after

    def to_dict(self) -> dict[str, object]:
        """The report on what is left as plain data, with the `repairs` and, if it was asked for, the `diff`."""
        return self.report.to_dict()
