"""The verb `export`: a canonical table, or any file that can be read, in a form in which its kind is published or handed on."""

from contextlib import ExitStack
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256, whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.export_format import ExportFormat, goes_back, write_format
from sharedtask.converters.opening import take_in
from sharedtask.converters.parquet import stored_metadata
from sharedtask.converters.source import Source, open_source
from sharedtask.converters.source_form import SourceForm
from sharedtask.pipelines.inputs.canonical_output import OnError, bad_records, repaired, set_aside
from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.inputs.paths import bare_name
from sharedtask.pipelines.report import Input, Output, Report
from sharedtask.pipelines.tasks import all_kinds, export_formats
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.rules.fmt_values import BAD_VALUE


def export(
    file: str | Path,
    out: str | Path,
    *,
    variant: str | None = None,
    kind: str | None = None,
    on_error: OnError = "stop",
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Report:
    """Write a file in the form that the ending of `out` and `variant` name; without `variant` it is the official form.

    A canonical Parquet file then comes back as its source was (line ends, final newline, byte order mark, array or lines, order of the
    columns), so that a release comes back byte for byte; a note says so, or why not. A file with an error, or with a record that the form
    cannot hold, is not written; with `on_error="quarantine"` its good records are, and the others go raw and whole to
    `quarantine/<name>.parquet` beside `out`.

    Raises UnusableError where the file cannot be read, or no form of its kind has this ending and variant.
    """
    target = Path(out)
    report = Report("export", outputs=[], max_findings=max_findings)
    with open_source(str(file)) as source:
        taken = take_in(source, all_kinds(), kind, limit=max_findings, max_bytes=max_bytes)
        if isinstance(taken, list):
            report.add(taken)
            report.inputs.append(Input("data", source.path, kind, source.sha256, source.size, 0))
            return report
        release = chosen(taken.kind.name, target, variant)
        _refuse_same(source, release.paths(target))
        judged = judge_intake(taken, limit=max_findings, max_bytes=max_bytes)
        report.add(judged.tallies)
        report.inputs.append(Input("data", source.path, taken.kind.name, source.sha256, source.size, judged.rows))
        unfit = _unfit(release, judged, report)
        if (report.ok or on_error == "quarantine") and _is_complete(judged):
            _write(release, judged, unfit, target, report, as_source=variant is None)
    return report


def chosen(kind: str, out: Path, variant: str | None) -> ExportFormat:
    """The form that the ending of `out` and the variant name. Raises UnusableError with those that there are."""
    forms = [one for one in export_formats() if one.kind == kind]
    for one in forms:
        if out.suffix.lower() in one.endings and variant in (None, one.variant):
            return one
    known = "; ".join(f"{'|'.join(one.endings)} {one.variant} ({one.told})" for one in forms)
    asked = f"{out.suffix or 'no ending'}{f' with variant {variant}' if variant else ''}"
    raise UnusableError(f"{out}: a {kind} file is not written as {asked}; its forms are {known}")


def _refuse_same(source: Source, paths: list[Path]) -> None:
    for path in paths:
        if path.exists() and path.resolve() == Path(source.path).resolve():
            raise UnusableError(f"{path}: is the file that is read; write to another one")


def _is_complete(judged: Judged) -> bool:
    """Whether every column is there that a file of this kind must have."""
    there = judged.frame.collect_schema()
    return all(column.optional or column.name in there for column in judged.intake.kind.columns)


def _unfit(release: ExportFormat, judged: Judged, report: Report) -> pl.DataFrame:
    """`row` and `rules` of the records that the form cannot hold; they are reported."""
    none = pl.DataFrame(schema={"row": pl.UInt32, "rules": pl.List(pl.String)})
    if release.unfit is None or "text" not in judged.frame.collect_schema():
        return none
    found = release.unfit(judged.frame).collect(engine="streaming").sort("row")
    told = dict(found.select("row", "message").head(report.max_findings).iter_rows())
    for (column,), rows in found.group_by("column", maintain_order=True):
        report.add(
            row_tally(
                judged.intake,
                judged.frame,
                BAD_VALUE,
                rows["row"],
                report.max_findings,
                column=judged.intake.table.names.get(str(column), str(column)),
                message=lambda record: str(told[record.row]),
                expected=lambda record: f"what {release.variant} can hold",
            )
        )
    return pl.concat([none, found.select("row", rules=pl.lit([BAD_VALUE.name]))])


def _write(
    release: ExportFormat, judged: Judged, unfit: pl.DataFrame, target: Path, report: Report, *, as_source: bool
) -> None:
    frame, bad = judged.frame, pl.concat([bad_records(judged), unfit])
    if bad.height:
        bad = bad.group_by("row").agg(pl.col("rules").explode().unique().sort()).sort("row")
        frame = frame.join(bad.lazy(), on="row", how="anti", maintain_order="left")
    stored = stored_metadata(judged.intake.source) if judged.intake.container == "parquet" else {}
    form = SourceForm.from_json(stored["source_form"]) if "source_form" in stored else None
    back = as_source and goes_back(release, form)
    paths = release.paths(target)
    with ExitStack() as files:
        temporary = [files.enter_context(whole_file(path)) for path in paths]
        columns = write_format(release, repaired(frame, judged), temporary, form if back else None)
    rows, kind = judged.height - bad.height, judged.intake.kind.name
    sums = [file_sha256(path) for path in paths]
    for path, sha256 in zip(paths, sums, strict=True):
        if report.outputs is not None:
            report.outputs.append(Output(str(path), kind, rows, sha256, judged.intake.source.path))
    if bad.height or judged.rows > judged.height:
        set_aside(judged, bad, target.parent / "quarantine" / f"{bare_name(str(target))}.parquet")
    if back and form is not None:
        whole = rows == judged.rows == int(stored.get("rows", -1))
        report.notes.append(_back(form, stored, columns, sums[0], whole=whole))


def _back(form: SourceForm, stored: dict[str, str], columns: list[str], sha256: str, *, whole: bool) -> str:
    """Whether what was written is the source again, and if not, why."""
    name = stored.get("source_name", "the source")
    if whole and sha256 == (form.sha256 or stored.get("source_sha256")):
        return f"the same bytes as {name}"
    why = form.lost(columns) if whole else ["records of the table are left out", *form.lost(columns)]
    told = ", ".join(why) or "cells of it are spelt in a way that the canonical table does not keep"
    return f"not the same bytes as {name}: {told}"
