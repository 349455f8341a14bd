"""What was measured, as Markdown: budgets with what became of them, and tables of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from measure import Run, ratios

from sharedtask.schemas.exports.markdown import table


@dataclass(frozen=True, slots=True)
class Budget:
    """What is allowed, or wanted at least, and what was measured, round by round."""

    what: str
    measured: Sequence[float]
    limit: float
    unit: str = "×"
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the median keeps to the limit."""
        middle = median(self.measured)
        return middle >= self.limit if self.at_least else middle <= self.limit


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the results: what was done, its budgets, and further blocks of Markdown."""

    title: str
    text: str
    budgets: Sequence[Budget] = ()
    blocks: Sequence[str] = ()

    def markdown(self) -> str:
        """This section with its heading."""
        budgets = [budget_table(self.budgets)] if self.budgets else []
        return "\n".join([f"## {self.title}\n", f"{self.text}\n", *budgets, *self.blocks])


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, and an empty line after it."""
    return "\n".join(table(heads, rows)) + "\n"


def budget_table(budgets: Sequence[Budget]) -> str:
    """Each budget with the median that was measured, the range, and whether it is met."""
    rows = []
    for budget in budgets:
        bound = f"{'≥' if budget.at_least else '≤'} {_number(budget.limit)} {budget.unit}"
        rows.append([budget.what, spread(budget.measured), bound, "met" if budget.met else "**not met**"])
    return markdown_table(["work", "measured", "budget", ""], rows)


def run_table(runs: Mapping[str, Sequence[Run]], yardsticks: Mapping[str, str] | None = None) -> str:
    """The medians of runs; `yardsticks` names the case that a case is divided by, round by round."""
    over = yardsticks or {}
    compared = list(dict.fromkeys(over.values()))
    rows = []
    for name, some in runs.items():
        times = [f"{median(run.wall for run in some):.3g}", _range([run.wall for run in some])]
        costs = [f"{median(run.cpu for run in some):.3g}", _number(peak(some))]
        beside = [spread(ratios(some, runs[other])) if over.get(name) == other else "" for other in compared]
        rows.append([name, *times, *costs, *beside])
    heads = ["command", "seconds", "range", "CPU seconds", "peak MB", *(f"× {name}" for name in compared)]
    return markdown_table(heads, rows)


def peak(runs: Sequence[Run]) -> float:
    """The highest peak memory of some runs, in MB."""
    return max(run.peak for run in runs) / 1e6


def spread(values: Sequence[float]) -> str:
    """The median, and the range behind it where there is more than one value."""
    middle = _number(median(values))
    return middle if len(values) == 1 else f"{middle} ({_range(values)})"


def _range(values: Sequence[float]) -> str:
    return f"{_number(min(values))}–{_number(max(values))}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
