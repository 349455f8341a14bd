"""The verb `baseline`: a run without a model, made from the labels of a train file, in the form of the upload."""

from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.baselines.recipe import Baseline
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.lenient_kind import requiring
from sharedtask.pipelines.results.report import Output, Report
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.score_inputs import is_whole
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.pipelines.tasks import TASKS, all_kinds
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.nearest import expected


def baseline(
    train: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    seed: int = 0,
    method: str | None = None,
    limits: Limits = USUAL_LIMITS,
) -> Report:
    """Write a baseline run for a reference to `out` (.csv or .zip), with its ids in its order.

    `method` is one of the baselines of the kind of run, its first one by default: in cheers `random` (relevance and
    sectors drawn from the shares of train) or `majority`; in flares `empty` or `lead` (the first words of each text)
    for subtask 1, `majority` or `random` for subtask 2; in reintel `prior` (the share of unreliable posts) or `random`.
    The same files and `seed` give the same bytes.

    The report names the file that was written. Where the train file or the reference has an error of structure or keys,
    or a label that cannot be read, nothing is written and the report has the findings; otherwise what a baseline does
    not care for is not reported. Raises UnusableError where a file cannot be read or written at all, is of the wrong
    kind, or there is no such method.
    """
    target = Outputs([train, against]).file(out)
    ending = container_of(target.path)
    report = Report("baseline", outputs=[], max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        reference = inputs.judge(against, "reference", only_structure=True)
        if reference is None:
            return report
        how, recipe = _recipe(reference, method)
        sniffed = inputs.sniff(train, "train")
        judged = inputs.judge(sniffed, "train", [_train_kind(sniffed, how, recipe)], only_structure=True)
        labels = _labels(judged, recipe, report) if judged else None
        if labels is None:
            return report
        run = recipe.make(labels, reference.frame, seed)
        with target.open() as temporary:
            write_upload(how.official(run), temporary, ending, how)
            digest = file_sha256(temporary)
        report.written.append(target.path)
        report.outputs = [Output(target.path, how.run.name, reference.height, digest, reference.opened.source.path)]
    return report


def _recipe(reference: Judged, method: str | None) -> tuple[RunKind, Baseline]:
    """How the run for a reference is checked and made.

    Raises UnusableError where it has no runs, or there is no such method.
    """
    kind, path = reference.opened.kind.name, reference.opened.source.path
    found = next(((task, how) for task in TASKS for how in task.run_kinds if how.reference.name == kind), None)
    if found is None:
        raise UnusableError(f"{path}: is a {kind} file, which has no runs")
    task, how = found
    recipes = [one for one in task.baselines if one.kind == how.run.name]
    chosen = next((one for one in recipes if method in (None, one.name)), None)
    if chosen is None:
        raise UnusableError(
            f"there is no baseline {method!r} for {how.run.name}; {expected(str(method), (one.name for one in recipes))}"
        )
    return how, chosen


def _train_kind(train: Sniffed, how: RunKind, recipe: Baseline) -> Kind:
    """The kind of the train file, of which only keys and labels are required.

    Raises UnusableError where it is plainly another file.
    """
    kind = requiring(how.reference, {*how.reference.key, *recipe.labels})
    if train.container and kind_among(train, [kind]) is None:
        looks = kind_among(train, all_kinds())
        what = f"is a {looks.name} file" if looks else "has the columns of no known kind"
        raise UnusableError(f"{train.source.path}: {what}; expected the labels of a {kind.name} file")
    return kind


def _labels(train: Judged, recipe: Baseline, report: Report) -> pl.DataFrame | None:
    """The label columns of the train file.

    None, with the findings in the report, where one of them could not be read.
    """
    labels = train.frame.select(recipe.labels).collect(engine="streaming")
    if all(is_whole(column) for column in labels):
        return labels
    report.add(train.tallies)
    return None
