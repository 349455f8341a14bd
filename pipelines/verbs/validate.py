"""The verb `validate`: check files against the rules for their kinds."""

from collections.abc import Sequence
from pathlib import Path

from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs, Target
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.links_between_files import link_tallies
from sharedtask.pipelines.inputs.paths import expand, plan_outputs
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.inputs.quarantine import quarantine as write_quarantine
from sharedtask.pipelines.inputs.unread import Unread
from sharedtask.pipelines.results.report import Report


def validate(
    files: str | Path | Sequence[str | Path],
    *,
    kind: str | None = None,
    with_files: Sequence[str | Path] = (),
    quarantine: str | Path | None = None,
    exclude: Sequence[str] = (),
    limits: Limits = USUAL_LIMITS,
    progress: Progress = no_progress,
) -> Report:
    """Check each file against the rules for its kind, which is detected from its columns unless `kind` names it.

    A folder means every data file in it, but for those that fit a pattern of `exclude`; one of no known kind is a
    finding. `with_files` are checked too, and each file against those that belong to it
    (sentences and their documents). Records with errors go unchanged to `quarantine/<name>.parquet`. Counts are exact;
    `limits` bounds the samples of each rule and the size of a field. `progress` is called with each file before it is
    read. Raises UnusableError where a named file cannot be read at all or its kind cannot be detected; where there are
    others, it is an UnreadError with their `report`.
    """
    report = Report("validate", max_findings=limits.findings)
    meant, beside = expand(files, exclude), expand(with_files).paths
    report.notes += meant.notes()
    targets: list[Target] = []
    if quarantine is not None:
        outputs = Outputs([*meant.paths, *beside])
        targets = [outputs.file(target) for _, target in plan_outputs(meant, quarantine, ".parquet")]
    with Inputs(report, limits) as with_inputs:
        judged_beside = [with_inputs.judge(path, "with") for path in beside]
        others = [one for one in judged_beside if one is not None]
        unread = Unread(report)
        for number, file in enumerate(meant.files):
            progress(file.path, number, len(meant.files))
            with unread.noted(file), Inputs(report, limits) as inputs:
                judged = inputs.judge(file.path, "data", kind=kind)
                if judged is None:
                    continue
                report.add(link_tallies(judged, others, limits.findings))
                if targets and write_quarantine(judged, targets[number]):
                    report.written.append(targets[number].path)
                elif targets:
                    targets[number].discard()  # what an earlier version of this file left there
    unread.raise_named(len(meant.files))
    return report
