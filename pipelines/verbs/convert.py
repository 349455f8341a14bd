"""The verb `convert`: official files -> canonical tables, checked on the way.

A file that has errors is skipped unless asked otherwise.
"""

from collections.abc import Sequence
from pathlib import Path

from sharedtask.converters.canonical_sink import ENDINGS
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs, Target, join
from sharedtask.pipelines.inputs.canonical_output import Form, OnError, Settings, note_escaped, write_table
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import moved_notes
from sharedtask.pipelines.inputs.paths import expand, plan_outputs
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.inputs.unread import Unread
from sharedtask.pipelines.results.report import Output, Report
from sharedtask.schemas.rule import Severity


def convert(
    files: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    kind: str | None = None,
    to: Form = "parquet",
    sort: bool = False,
    on_error: OnError = "stop",
    exclude: Sequence[str] = (),
    escape_formulas: bool = False,
    limits: Limits = USUAL_LIMITS,
    progress: Progress = no_progress,
) -> Report:
    """Write each file as a canonical table `out/<name><ending of to>`, keeping sub-folders where a folder was given.

    `out` may be `s3://`.

    A file with an error finding is not written; with `on_error="quarantine"` its valid records are, those that a
    reading repairs too, and the rest goes, unchanged, to `out/quarantine/<name>.parquet` with the rules it breaks.
    A file in a folder that is of no known kind is a finding; those that fit a pattern of `exclude` are left out.
    `sort` orders by key, else the order of the source is kept. `escape_formulas` writes an apostrophe before texts of a
    CSV that a spreadsheet would take for formulas, and counts them. `progress` is called with each file before it is read.

    Raises UnusableError where a file cannot be read, `out` cannot be written, or two inputs would meet in one output.
    """
    if escape_formulas and to != "csv":
        raise UnusableError("only CSV tables have formulas to escape; convert to csv")
    settings = Settings(to, sort, on_error, escaped=[] if escape_formulas else None)
    meant = expand(files, exclude)
    planned = plan_outputs(meant, out, ENDINGS[to])
    outputs = Outputs(path for path, _ in planned)
    targets = [outputs.file(target) for _, target in planned]
    asides: list[Target | None] = [None] * len(planned)
    if on_error == "quarantine":
        asides = [outputs.file(aside) for _, aside in plan_outputs(meant, join(out, "quarantine"), ".parquet")]
    report = Report("convert", outputs=[], max_findings=limits.findings, notes=meant.notes())
    unread = Unread(report)
    for number, file in enumerate(meant.files):
        progress(file.path, number, len(planned))
        with unread.noted(file), Inputs(report, limits) as inputs:
            _convert(inputs, file.path, kind, settings, targets[number], asides[number])
    unread.raise_named(len(planned))
    return report


def _convert(
    inputs: Inputs, path: str, kind: str | None, settings: Settings, target: Target, aside: Target | None
) -> None:
    report, sniffed = inputs.report, inputs.sniff(path, "data")
    opened = inputs.open(sniffed, "data", kind=kind)
    if opened is None:
        return
    judged, written = write_table(opened, target, aside, settings)
    inputs.take(sniffed, judged, "data")
    if written is not None and report.outputs is not None:
        report.written.append(target.path)
        report.notes += moved_notes(opened.source.path, written.moved)
        if settings.escaped is not None:
            note_escaped(report, settings.escaped)
        report.outputs.append(Output(target.path, opened.kind.name, written.rows, written.sha256, opened.source.path))
    if aside is not None and any(tally.severity is Severity.ERROR for tally in judged.tallies):
        report.written.append(aside.path)
    elif aside is not None:
        aside.discard()  # what an earlier version of this file left there
