"""THE task table: the only file that lists the tasks."""

from collections.abc import Iterable
from dataclasses import dataclass

from sharedtask.pipelines.checks import cheers as cheers_runs
from sharedtask.pipelines.checks import flares as flares_runs
from sharedtask.pipelines.checks import reintel as reintel_runs
from sharedtask.pipelines.checks.run_check import RunCheck
from sharedtask.schemas.cheers import kinds as cheers
from sharedtask.schemas.flares import kinds as flares
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.reintel import kinds as reintel


@dataclass(frozen=True, slots=True)
class Task:
    """One shared task: its kinds of file, and how its runs are held against a reference."""

    name: str
    kinds: tuple[Kind, ...]
    run_checks: tuple[RunCheck, ...] = ()


TASKS: tuple[Task, ...] = (
    Task("flares", flares.KINDS, flares_runs.RUN_CHECKS),
    Task("cheers", cheers.KINDS, cheers_runs.RUN_CHECKS),
    Task("reintel", reintel.KINDS, reintel_runs.RUN_CHECKS),
)


def all_kinds() -> Iterable[Kind]:
    """The kinds of all tasks."""
    return (kind for task in TASKS for kind in task.kinds)


def run_checks() -> Iterable[RunCheck]:
    """The checks of the runs of all tasks."""
    return (check for task in TASKS for check in task.run_checks)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises KeyError with the known names."""
    for kind in all_kinds():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in all_kinds())
    raise KeyError(f"no kind of file is called {name!r}; the kinds are {known}")
