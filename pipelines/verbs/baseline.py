"""The verb `baseline`: a run without a model, made from the labels of a train file, in the form of the upload."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256, whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.opening import Intake, kind_of, take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.pipelines.baselines.recipe import Baseline
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.report import Input, Output, Report
from sharedtask.pipelines.runs.judge import is_sound
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.score_inputs import is_whole, requiring
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.pipelines.tasks import TASKS, all_kinds
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind


def baseline(
    train: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    seed: int = 0,
    method: str | None = None,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Report:
    """Write a baseline run for a reference to `out` (.csv or .zip), with its ids in its order.

    `method` is one of the baselines of the kind of run, its first one by default: in cheers `random` (relevance and sectors drawn from the
    shares of train) or `majority`; in flares `empty` or `lead` (the first words of each text) for subtask 1, `majority` or `random` for
    subtask 2; in reintel `prior` (the share of unreliable posts) or `random`. The same files and `seed` give the same bytes.

    The report tells the file that was written. Where the train file or the reference has an error of structure or keys, or a label that
    cannot be read, nothing is written and the report has the findings; otherwise what a baseline does not care for is not reported.
    Raises UnusableError where a file cannot be read or written at all, is of the wrong kind, or there is no such method.
    """
    target = Path(out)
    ending = container_of(target)
    report = Report("baseline", outputs=[], max_findings=max_findings)
    with ExitStack() as files:
        labelled, answered = (files.enter_context(open_source(str(path))) for path in (train, against))
        reference = _judge(answered, "reference", list(all_kinds()), report, max_bytes)
        if reference is None:
            return report
        how, recipe = _recipe(reference, method)
        judged = _judge(labelled, "train", [_train_kind(labelled, how, recipe)], report, max_bytes)
        labels = _labels(judged, recipe, report) if judged else None
        if labels is None:
            return report
        run = recipe.make(labels, reference.frame, seed)
        with whole_file(target) as temporary:
            write_upload(how.official(run), temporary, ending, how)
        written = Output(str(target), how.run.name, reference.height, file_sha256(target), answered.path)
        report.outputs = [written]
    return report


def _judge(source: Source, role: str, kinds: Sequence[Kind], report: Report, max_bytes: int) -> Judged | None:
    """A judged file; None, with the findings in the report, where its structure or its keys are wrong."""
    taken = take_in(source, kinds, None, limit=report.max_findings)
    if not isinstance(taken, Intake):
        report.add(taken)
        report.inputs.append(Input(role, source.path, None, source.sha256, source.size, 0))
        return None
    judged = judge_intake(taken, limit=report.max_findings, max_bytes=max_bytes)
    report.inputs.append(Input(role, source.path, taken.kind.name, source.sha256, source.size, judged.rows))
    if is_sound(judged):
        return judged
    report.add(judged.tallies)
    return None


def _recipe(reference: Judged, method: str | None) -> tuple[RunKind, Baseline]:
    """How the run for a reference is checked and made. Raises UnusableError where it has no runs, or there is no such method."""
    kind, path = reference.intake.kind.name, reference.intake.source.path
    found = next(((task, how) for task in TASKS for how in task.run_kinds if how.reference.name == kind), None)
    if found is None:
        raise UnusableError(f"{path}: is a {kind} file, for which there are no runs")
    task, how = found
    recipes = [one for one in task.baselines if one.kind == how.run.name]
    chosen = next((one for one in recipes if method in (None, one.name)), None)
    if chosen is None:
        known = ", ".join(one.name for one in recipes)
        raise UnusableError(f"no baseline of {how.run.name} is called {method!r}; they are {known}")
    return how, chosen


def _train_kind(train: Source, how: RunKind, recipe: Baseline) -> Kind:
    """The kind of the train file, of which only keys and labels are required. Raises UnusableError where it is plainly another file."""
    kind = requiring(how.reference, {*how.reference.key, *recipe.labels})
    if train.head and kind_of(train, [kind]) is None:
        looks = kind_of(train, all_kinds())
        told = f"is a {looks.name} file" if looks else "has the columns of no known file"
        raise UnusableError(f"{train.path}: {told}; the labels of a {kind.name} file are wanted")
    return kind


def _labels(train: Judged, recipe: Baseline, report: Report) -> pl.DataFrame | None:
    """The label columns of the train file; None, with the findings in the report, where one of them could not be read."""
    labels = train.frame.select(recipe.labels).collect(engine="streaming")
    if all(is_whole(column) for column in labels):
        return labels
    report.add(train.tallies)
    return None
