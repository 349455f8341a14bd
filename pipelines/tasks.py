"""THE task table: the only file that lists the tasks."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from sharedtask.pipelines.checks import cheers as cheers_runs
from sharedtask.pipelines.checks import flares as flares_runs
from sharedtask.pipelines.checks import reintel as reintel_runs
from sharedtask.pipelines.checks.run_check import RunCheck
from sharedtask.schemas.cheers import kinds as cheers
from sharedtask.schemas.flares import kinds as flares
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.reintel import kinds as reintel

if TYPE_CHECKING:
    from sharedtask.pipelines.baselines.recipe import Baseline
    from sharedtask.pipelines.metrics.score import Scorer


@dataclass(frozen=True, slots=True)
class Task:
    """One shared task: its kinds of file, and how its runs are held against a reference.

    `metrics` names the module whose SCORERS score its runs, `made_by` the one whose BASELINES make runs. They are loaded when they are asked
    for, since most verbs need neither.
    """

    name: str
    kinds: tuple[Kind, ...]
    run_checks: tuple[RunCheck, ...] = ()
    metrics: str | None = None
    made_by: str | None = None

    @property
    def scorers(self) -> "tuple[Scorer, ...]":
        """The ways of scoring the runs of this task, for each kind of run the default first."""
        found: tuple[Scorer, ...] = import_module(self.metrics).SCORERS if self.metrics else ()
        return found

    @property
    def baselines(self) -> "tuple[Baseline, ...]":
        """The ways of making a run without a model, for each kind of run the default first."""
        found: tuple[Baseline, ...] = import_module(self.made_by).BASELINES if self.made_by else ()
        return found


TASKS: tuple[Task, ...] = (
    Task(
        "flares",
        flares.KINDS,
        flares_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.flares",
        "sharedtask.pipelines.baselines.flares",
    ),
    Task(
        "cheers",
        cheers.KINDS,
        cheers_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.cheers",
        "sharedtask.pipelines.baselines.cheers",
    ),
    Task(
        "reintel",
        reintel.KINDS,
        reintel_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.reintel",
        "sharedtask.pipelines.baselines.reintel",
    ),
)


def all_kinds() -> Iterable[Kind]:
    """The kinds of all tasks."""
    return (kind for task in TASKS for kind in task.kinds)


def run_checks() -> Iterable[RunCheck]:
    """The checks of the runs of all tasks."""
    return (check for task in TASKS for check in task.run_checks)


def all_scorers() -> "Iterable[Scorer]":
    """The scorers of all tasks."""
    return (scorer for task in TASKS for scorer in task.scorers)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises KeyError with the known names."""
    for kind in all_kinds():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in all_kinds())
    raise KeyError(f"no kind of file is called {name!r}; the kinds are {known}")
