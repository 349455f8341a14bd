"""The verb `validate`: judge files by the rules of their kinds."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sharedtask.converters.opening import take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.pipelines.inputs.canonical_output import write_quarantine
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.inputs.linked_files import link_tallies
from sharedtask.pipelines.inputs.paths import expand, plan_outputs
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.report import Input, Report
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def validate(
    files: Sequence[str | Path],
    *,
    kind: str | None = None,
    with_files: Sequence[str | Path] = (),
    quarantine: str | Path | None = None,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
    progress: Progress = no_progress,
) -> Report:
    """Judge each file by the rules of its kind, which is found from its columns unless `kind` names it.

    A folder stands for every data file in it. `with_files` are judged too, and each file against those that belong to it (sentences and
    their documents). Records with errors go raw and whole to `quarantine/<name>.parquet`. Counts are exact; `max_findings` bounds the
    samples of each rule, `max_bytes` the size of a field. `progress` is called with each file before it is read. Raises UnusableError
    where a file cannot be read at all or its kind cannot be told.
    """
    report = Report("validate", max_findings=max_findings)
    paths, beside = expand(files), expand(with_files)
    asides = [aside for _, aside in plan_outputs(files, Path(quarantine), ".parquet")] if quarantine is not None else []
    with ExitStack() as open_files:
        others = []
        for path in beside:
            source = open_files.enter_context(open_source(path))
            judged = judge_source(source, "with", report, None, max_bytes)
            others += [judged] if judged else []
        for number, path in enumerate(paths):
            progress(path, number, len(paths))
            with open_source(path) as source:
                judged = judge_source(source, "data", report, kind, max_bytes)
                if judged:
                    report.add(link_tallies(judged, others, max_findings))
                    if quarantine is not None:
                        write_quarantine(judged, asides[number])
    return report


def judge_source(source: Source, role: str, report: Report, kind: str | None, max_bytes: int) -> Judged | None:
    """Judge one open source and add what was found to the report; None for a file in which there is nothing to judge."""
    taken = take_in(source, all_kinds(), kind, limit=report.max_findings, max_bytes=max_bytes)
    if isinstance(taken, list):
        report.add(taken)
        report.inputs.append(Input(role, source.path, kind, source.sha256, source.size, 0))
        return None
    judged = judge_intake(taken, limit=report.max_findings, max_bytes=max_bytes)
    report.add(judged.tallies)
    report.inputs.append(Input(role, source.path, taken.kind.name, source.sha256, source.size, judged.rows))
    return judged
