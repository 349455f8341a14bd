"""The verb `convert`: official files -> canonical tables, judged on the way; nothing of a bad file is written unless that is asked for."""

from collections.abc import Sequence
from pathlib import Path

from sharedtask.converters.atomic import ENDINGS
from sharedtask.converters.opening import take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.pipelines.inputs.canonical_output import Form, OnError, Settings, write_table
from sharedtask.pipelines.inputs.paths import plan_outputs
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.report import Input, Output, Report
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def convert(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    kind: str | None = None,
    to: Form = "parquet",
    sort: bool = False,
    on_error: OnError = "stop",
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
    progress: Progress = no_progress,
) -> Report:
    """Write each file as a canonical table `out/<name><ending of to>`, keeping sub-folders where a folder was given.

    A file with an error finding is not written; with `on_error="quarantine"` its good rows are, those that a reading repairs too, and the
    others go raw and whole to `out/quarantine/<name>.parquet` with their rule names. `sort` orders by key, else the order of the source is
    kept. `progress` is called with each file before it is read.

    Raises UnusableError where a file cannot be read, `out` cannot be written, or two inputs would meet in one output.
    """
    settings = Settings(to, sort, on_error, max_findings, max_bytes)
    targets = plan_outputs(files, Path(out), ENDINGS[to])
    report = Report("convert", outputs=[], max_findings=max_findings)
    for number, (path, target) in enumerate(targets):
        progress(path, number, len(targets))
        with open_source(path) as source:
            _convert_source(source, target, Path(out), report, kind, settings)
    return report


def _convert_source(
    source: Source, target: Path, out: Path, report: Report, kind: str | None, settings: Settings
) -> None:
    taken = take_in(source, all_kinds(), kind, limit=settings.max_findings, max_bytes=settings.max_bytes)
    if isinstance(taken, list):
        report.add(taken)
        report.inputs.append(Input("data", source.path, kind, source.sha256, source.size, 0))
        return
    aside = out / "quarantine" / target.relative_to(out).with_suffix(".parquet")
    judged, written = write_table(taken, target, aside, settings)
    report.add(judged.tallies)
    report.inputs.append(Input("data", source.path, taken.kind.name, source.sha256, source.size, judged.rows))
    if written is not None and report.outputs is not None:
        report.outputs.append(Output(str(target), taken.kind.name, written.rows, written.sha256, source.path))
