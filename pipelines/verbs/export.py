"""The verb `export`.

A canonical table, or any file that can be read, in a format in which its kind is published or handed on.
"""

import json
from contextlib import ExitStack
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.columnar.source import CONTAINERS, stored_metadata
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.export_format import ExportFormat, goes_back, write_format
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs, Target
from sharedtask.converters.raw_table import UNFIT
from sharedtask.converters.source_form import SourceForm
from sharedtask.pipelines.inputs.canonical_output import OnError, note_escaped, repaired
from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged, moved_notes
from sharedtask.pipelines.inputs.paths import beside
from sharedtask.pipelines.inputs.quarantine import bad_records, write_quarantine
from sharedtask.pipelines.results.report import Output, Report
from sharedtask.pipelines.tasks import export_format
from sharedtask.schemas.rules.fmt_values import BAD_VALUE


def export(
    file: str | Path,
    out: str | Path,
    *,
    variant: str | None = None,
    kind: str | None = None,
    on_error: OnError = "stop",
    escape_formulas: bool = False,
    limits: Limits = USUAL_LIMITS,
) -> Report:
    """Write a file in the format that the ending of `out` and `variant` name; without `variant` it is the official one.

    A canonical Parquet file then comes back as its source was (line ends, final newline, byte order mark, array or
    lines, order of the columns), so that a release comes back byte for byte; a note says so, or why not. A file with an
    error, or with a record that the format cannot hold, is not written; with `on_error="quarantine"` its valid records
    are, and the rest goes, unchanged, to `quarantine/<name>.parquet` beside `out`. `escape_formulas` writes an
    apostrophe before texts of a CSV that a spreadsheet would take for formulas, and counts them.

    Raises UnusableError where the file cannot be read, or no format of its kind has this ending and variant.
    """
    report = Report("export", outputs=[], max_findings=limits.findings)
    outputs = Outputs([file])
    target = outputs.file(out)
    aside = outputs.file(beside(target.path, "quarantine", ".parquet")) if on_error == "quarantine" else None
    with Inputs(report, limits) as inputs:
        sniffed = inputs.sniff(file, "data")
        opened = inputs.open(sniffed, "data", kind=kind)
        if opened is None:
            return report
        formatted = export_format(opened.kind.name, target.path, variant)
        if escape_formulas and formatted.container != "csv":
            raise UnusableError(f"{target.path}: only a CSV has formulas to escape")
        targets = [target, *(outputs.file(path) for path in formatted.beside_path(target.path))]
        judged = inputs.judge_opened(sniffed, opened, "data")
        unfit = _unfit(formatted, judged, report)
        if (report.ok or aside is not None) and judged.is_complete:
            _write(
                formatted,
                judged,
                unfit,
                targets,
                aside,
                report,
                as_source=variant is None,
                escaped=[] if escape_formulas else None,
            )
    return report


def _unfit(formatted: ExportFormat, judged: Judged, report: Report) -> pl.DataFrame:
    """`row` and `rules` of the records that the format cannot hold; they are reported."""
    none = pl.DataFrame(schema={"row": UNFIT["row"], "rules": pl.List(pl.String)})
    if formatted.unfit is None or not judged.has(formatted.reads):
        return none
    found = formatted.unfit(judged.as_meant).collect(engine="streaming").sort("row")
    shown = found.select("row", "which", "facts").head(report.max_findings)
    facts = {row: {"which": which, **json.loads(more)} for row, which, more in shown.iter_rows()}
    for (column,), rows in found.group_by("column", maintain_order=True):
        name = judged.opened.table.names.get(str(column), str(column))
        expected = f"what {formatted.variant} can hold"
        report.add(
            row_tally(
                judged.opened,
                judged.frame,
                BAD_VALUE,
                rows["row"],
                report.max_findings,
                column=name,
                arguments=lambda record, expected=expected: {**facts[record.row], "expected": expected},  # type: ignore[misc]
            )
        )
    return pl.concat([none, found.select("row", rules=pl.lit([BAD_VALUE.name]))])


def _write(
    formatted: ExportFormat,
    judged: Judged,
    unfit: pl.DataFrame,
    targets: list[Target],
    aside: Target | None,
    report: Report,
    *,
    as_source: bool,
    escaped: list[int] | None = None,
) -> None:
    frame, bad = judged.as_meant, pl.concat([bad_records(judged), unfit])
    if bad.height:
        bad = bad.group_by("row").agg(pl.col("rules").explode().unique().sort()).sort("row")
        frame = frame.join(bad.lazy(), on="row", how="anti", maintain_order="left")
    source, container = judged.opened.source, judged.opened.container
    moved = judged.moved(bad)
    report.notes += moved_notes(source.path, moved)
    stored = stored_metadata(source, container) if container in CONTAINERS else {}
    form = SourceForm.from_json(stored["source_form"]) if "source_form" in stored else None
    back = as_source and goes_back(formatted, form)
    rows, kind = judged.height - bad.height, judged.opened.kind.name
    with ExitStack() as files:
        written = [files.enter_context(target.open()) for target in targets]
        columns = write_format(formatted, repaired(frame, judged), written, form if back else None, escaped)
        sums = [file_sha256(path) for path in written]
    if escaped is not None:
        note_escaped(report, escaped)
    for target, sha256 in zip(targets, sums, strict=True):
        report.written.append(target.path)
        if report.outputs is not None:
            report.outputs.append(Output(target.path, kind, rows, sha256, judged.opened.source.path))
    if aside is not None and (bad.height or judged.rows > judged.height):
        write_quarantine(judged, bad, aside)
        report.written.append(aside.path)
    if back and form is not None:
        whole = rows == judged.rows and stored.get("rows") == str(rows)
        report.notes.append(_back(form, stored, columns, sums[0], whole=whole))


def _back(form: SourceForm, stored: dict[str, str], columns: list[str], sha256: str, *, whole: bool) -> str:
    """Whether what was written is the source again, and if not, why."""
    name = stored.get("source_name", "the source")
    if whole and sha256 == (form.sha256 or stored.get("source_sha256")):
        return f"the same bytes as {name}"
    why = form.lost(columns) if whole else ["records of the table are left out", *form.lost(columns)]
    listed = ", ".join(why) or "cells of it are spelt in a way that the canonical table does not keep"
    return f"not the same bytes as {name}: {listed}"
