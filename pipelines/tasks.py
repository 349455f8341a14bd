"""THE task table: the only file that lists the tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from sharedtask.converters.errors import UnusableError
from sharedtask.schemas.cheers import kinds as cheers
from sharedtask.schemas.flares import kinds as flares
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.nearest import unknown
from sharedtask.schemas.reintel import kinds as reintel

if TYPE_CHECKING:
    from sharedtask.converters.export_format import ExportFormat
    from sharedtask.pipelines.baselines.recipe import Baseline
    from sharedtask.pipelines.derivations.derivation import Derivation
    from sharedtask.pipelines.inputs.judge import Reviser
    from sharedtask.pipelines.metrics.scorer import Scorer
    from sharedtask.pipelines.runs.run_kind import RunKind


@dataclass(frozen=True, slots=True)
class Task:
    """One shared task: its kinds of file, and the modules that know more about it.

    `checked_by` names the module whose RUN_KINDS check its runs, `metrics` the one whose SCORERS score them, `made_by`
    the one whose BASELINES make runs, `written_by` the one whose EXPORT_FORMATS are the formats of its files,
    `derived_by` the one whose DERIVATIONS make one of its files from others, `sampled_by` the one whose `write` makes
    synthetic files, `explained_by` the one whose REVISERS find the causes behind the findings of its data files, by
    kind. They are loaded when they are asked for, since most verbs need none of them. `language` is that of its texts,
    by ISO 639.
    """

    name: str
    kinds: tuple[Kind, ...]
    checked_by: str | None = None
    metrics: str | None = None
    made_by: str | None = None
    written_by: str | None = None
    derived_by: str | None = None
    sampled_by: str | None = None
    explained_by: str | None = None
    language: str = ""

    @property
    def run_kinds(self) -> "tuple[RunKind, ...]":
        """The kinds of run of this task, each with how it is checked against its reference."""
        found: tuple[RunKind, ...] = import_module(self.checked_by).RUN_KINDS if self.checked_by else ()
        return found

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
    def export_formats(self) -> "tuple[ExportFormat, ...]":
        """The formats in which the files of this task are written, for each kind and ending the official one first."""
        found: tuple[ExportFormat, ...] = import_module(self.written_by).EXPORT_FORMATS if self.written_by else ()
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
        checked_by="sharedtask.pipelines.runs.flares",
        metrics="sharedtask.pipelines.metrics.flares",
        made_by="sharedtask.pipelines.baselines.flares",
        written_by="sharedtask.converters.flares.export_formats",
        derived_by="sharedtask.pipelines.derivations.flares",
        sampled_by="sharedtask.pipelines.samples.flares",
        explained_by="sharedtask.pipelines.runs.flares_data",
        language="es",
    ),
    Task(
        "cheers",
        cheers.KINDS,
        checked_by="sharedtask.pipelines.runs.cheers",
        metrics="sharedtask.pipelines.metrics.cheers",
        made_by="sharedtask.pipelines.baselines.cheers",
        written_by="sharedtask.converters.cheers.export_formats",
        sampled_by="sharedtask.pipelines.samples.cheers",
        language="en",
    ),
    Task(
        "reintel",
        reintel.KINDS,
        checked_by="sharedtask.pipelines.runs.reintel",
        metrics="sharedtask.pipelines.metrics.reintel",
        made_by="sharedtask.pipelines.baselines.reintel",
        written_by="sharedtask.converters.reintel.export_formats",
        derived_by="sharedtask.pipelines.derivations.reintel",
        sampled_by="sharedtask.pipelines.samples.reintel",
        language="vi",
    ),
)


def all_kinds() -> Iterable[Kind]:
    """The kinds of all tasks."""
    return (kind for task in TASKS for kind in task.kinds)


def run_kinds() -> "Iterable[RunKind]":
    """The kinds of run of all tasks."""
    return (kind for task in TASKS for kind in task.run_kinds)


def all_scorers() -> "Iterable[Scorer]":
    """The scorers of all tasks."""
    return (scorer for task in TASKS for scorer in task.scorers)


def export_formats() -> "Iterable[ExportFormat]":
    """The formats in which the files of all tasks are written."""
    return (one for task in TASKS for one in task.export_formats)


def export_format(kind: str, out: str, variant: str | None) -> "ExportFormat":
    """The format that the ending of `out` and the variant name. Raises UnusableError with those that there are."""
    formats, ending = [one for one in export_formats() if one.kind == kind], PurePath(out).suffix
    for one in formats:
        if ending.lower() in one.endings and variant in (None, one.variant):
            return one
    known = "; ".join(f"{'|'.join(one.endings)} {one.variant} ({one.description})" for one in formats)
    asked = f"{ending or 'no ending'}{f' with variant {variant}' if variant else ''}"
    raise UnusableError(f"{out}: a {kind} file is not written as {asked}; expected one of {known}")


def derivations() -> "Iterable[Derivation]":
    """The derivations of all tasks."""
    return (derivation for task in TASKS for derivation in task.derivations)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises UnusableError with the nearest one."""
    kinds = {kind.name: kind for kind in all_kinds()}
    if name not in kinds:
        raise UnusableError(unknown("kind", name, kinds))
    return kinds[name]


def reviser_of(kind: Kind) -> "Reviser | None":
    """What finds the causes behind the findings of a data file of this kind; None where its task knows none."""
    for task in TASKS:
        if task.explained_by is not None and any(one.name == kind.name for one in task.kinds):
            revisers: Mapping[str, Reviser] = import_module(task.explained_by).REVISERS
            return revisers.get(kind.name)
    return None


def labels_of(kind: Kind) -> tuple[str, ...]:
    """The columns of a kind of data that the runs of its task predict; none for a kind that no run answers."""
    for task in TASKS:
        for run in task.run_kinds:
            if run.reference.name == kind.name:
                return next((one.labels for one in task.scorers if one.kind == run.run.name), ())
    return ()
