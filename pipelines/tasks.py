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
    from sharedtask.converters.release import Release
    from sharedtask.pipelines.baselines.recipe import Baseline
    from sharedtask.pipelines.derivations.derivation import Derivation
    from sharedtask.pipelines.metrics.score import Scorer


@dataclass(frozen=True, slots=True)
class Task:
    """One shared task: its kinds of file, and how its runs are held against a reference.

    `metrics` names the module whose SCORERS score its runs, `made_by` the one whose BASELINES make runs, `written_by` the one whose RELEASES
    are the forms of its files, `derived_by` the one whose DERIVATIONS make one of its files from others, `sampled_by` the one whose `write`
    makes synthetic files. They are loaded when they are asked for, since most verbs need none of them.
    """

    name: str
    kinds: tuple[Kind, ...]
    run_checks: tuple[RunCheck, ...] = ()
    metrics: str | None = None
    made_by: str | None = None
    written_by: str | None = None
    derived_by: str | None = None
    sampled_by: str | None = None
    language: str = ""  # of its texts, by ISO 639

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

    @property
    def releases(self) -> "tuple[Release, ...]":
        """The forms in which the files of this task are written, for each kind and ending the official one first."""
        found: tuple[Release, ...] = import_module(self.written_by).RELEASES if self.written_by else ()
        return found

    @property
    def derivations(self) -> "tuple[Derivation, ...]":
        """The files of this task that are made from others."""
        found: tuple[Derivation, ...] = import_module(self.derived_by).DERIVATIONS if self.derived_by else ()
        return found


TASKS: tuple[Task, ...] = (
    Task(
        "flares",
        flares.KINDS,
        flares_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.flares",
        "sharedtask.pipelines.baselines.flares",
        "sharedtask.converters.flares.releases",
        "sharedtask.pipelines.derivations.flares",
        sampled_by="sharedtask.pipelines.samples.flares",
        language="es",
    ),
    Task(
        "cheers",
        cheers.KINDS,
        cheers_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.cheers",
        "sharedtask.pipelines.baselines.cheers",
        "sharedtask.converters.cheers.releases",
        sampled_by="sharedtask.pipelines.samples.cheers",
        language="en",
    ),
    Task(
        "reintel",
        reintel.KINDS,
        reintel_runs.RUN_CHECKS,
        "sharedtask.pipelines.metrics.reintel",
        "sharedtask.pipelines.baselines.reintel",
        "sharedtask.converters.reintel.releases",
        "sharedtask.pipelines.derivations.reintel",
        sampled_by="sharedtask.pipelines.samples.reintel",
        language="vi",
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


def releases() -> "Iterable[Release]":
    """The forms in which the files of all tasks are written."""
    return (release for task in TASKS for release in task.releases)


def derivations() -> "Iterable[Derivation]":
    """The derivations of all tasks."""
    return (derivation for task in TASKS for derivation in task.derivations)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises KeyError with the known names."""
    for kind in all_kinds():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in all_kinds())
    raise KeyError(f"no kind of file is called {name!r}; the kinds are {known}")
