"""The verb `derive`: a file that others of its task determine, made by the published rule."""

from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.export_format import write_format
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs, Target
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.derivations.derivation import Derivation, Derived, Given
from sharedtask.pipelines.inputs.canonical_output import OnError
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged, moved_notes
from sharedtask.pipelines.inputs.paths import beside as path_beside
from sharedtask.pipelines.inputs.quarantine import bad_records, write_quarantine
from sharedtask.pipelines.results.report import Output, Report
from sharedtask.pipelines.tasks import all_kinds, derivations, export_format
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.nearest import unknown


def derive(
    name: str,
    file: str | Path,
    out: str | Path,
    *,
    on_error: OnError = "stop",
    limits: Limits = USUAL_LIMITS,
    **beside: str | Path | None,
) -> Report:
    """Make the file that `name` says from `file`, in the official format that the ending of `out` names.

    `subtask2` takes FLARES subtask 1 apart. `labels` lets the annotations of ReINTEL vote, with `ground_truth` and
    `recheck` as files that can decide what the vote does not. With an error in any file nothing is written; with
    `on_error="quarantine"` the rest is, and the records that have no part in it go, unchanged, to
    `quarantine/<name>.parquet` beside `out`. Nothing is derived from a file that lacks a column. Raises UnusableError
    where a file cannot be read or is of another kind.
    """
    how = _named(name)
    if unknown := sorted({*beside} - {*how.beside}):
        raise UnusableError(f"derive {name} does not take {', '.join(unknown)}")
    named = {option: str(path) for option, path in beside.items() if path is not None}
    outputs = Outputs([file, *named.values()])
    target = outputs.file(out)
    aside = outputs.file(path_beside(target.path, "quarantine", ".parquet")) if on_error == "quarantine" else None
    formatted = export_format(how.result.name, target.path, None)
    report = Report("derive", outputs=[], max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        source = _judged(inputs, str(file), how.source, "data")
        others = {
            option: _judged(inputs, path, how.beside[option], option.replace("_", "-"))
            for option, path in named.items()
        }
        usable = {option: _usable(one) for option, one in others.items() if one is not None}
        if source is None or len(usable) < len(others):
            return report
        made = how.make(Given(source, bad_records(source), usable, limits.findings))
        report.add(made.tallies)
        report.measures, report.notes = made.measures, made.notes
        if report.ok or aside is not None:
            report.notes += moved_notes(source.opened.source.path, source.moved(made.bad))
            with target.open() as temporary:
                write_format(formatted, made.table, [temporary], None)
                _list_output(report, target, temporary, how, made, source)
            if aside is not None and (made.bad.height or source.rows > source.height):
                write_quarantine(source, made.bad, aside)
                report.written.append(aside.path)
    return report


def _named(name: str) -> Derivation:
    every = {one.name: one for one in derivations()}
    if name not in every:
        raise UnusableError(unknown("derivation", name, every))
    return every[name]


def _judged(inputs: Inputs, path: str, kind: Kind, role: str) -> Judged | None:
    """A judged file of this kind.

    None, with the findings in the report, where there is nothing in it or a column is missing.

    Raises UnusableError where it is a file of another kind.
    """
    sniffed = inputs.sniff(path, role)
    looks = kind_among(sniffed, all_kinds())
    if looks is not None and looks.name != kind.name and not kind_among(sniffed, [kind]):
        raise UnusableError(f"{path}: is a {looks.name} file; expected a {kind.name} file")
    judged = inputs.judge(sniffed, role, [kind], kind=kind.name)
    return judged if judged is not None and judged.is_complete else None


def _usable(judged: Judged) -> pl.LazyFrame:
    return judged.as_meant.join(bad_records(judged).lazy(), on="row", how="anti", maintain_order="left")


def _list_output(report: Report, target: Target, written: Path, how: Derivation, made: Derived, source: Judged) -> None:
    rows = int(made.table.select(pl.len()).collect(engine="streaming").item())
    output = Output(target.path, how.result.name, rows, file_sha256(written), source.opened.source.path)
    report.outputs = [output]
    report.written.append(target.path)
