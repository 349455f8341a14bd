"""The form in which a run is uploaded: the official columns as CSV, alone or in a zip."""

import zipfile
from pathlib import Path, PurePath

import polars as pl

from sharedtask.converters.csv.write import sink_delimited, sink_with_raw_lines
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.rule import At, Severity, Tally, tally_one
from sharedtask.schemas.rules.run import NOT_UPLOAD_FORM

ENDINGS = {".csv": "", ".zip": "zip"}  # of a run that is written, and what it is packed as then
CONTAINERS = {"jsonl": "JSON Lines", "json": "JSON", "parquet": "Parquet", "ipc": "Arrow", "xlsx": "a workbook"}
PACKED = {"": "a CSV file", "zip": "a zip", "gz": "a gz file", "zst": "a zst file"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold, so that equal runs are equal archives


def container_of(out: str) -> str:
    """The ending of an output that can be written. Raises UnusableError for any other."""
    ending = PurePath(out).suffix.lower()
    if ending not in ENDINGS:
        raise UnusableError(f"{out}: the name of a run ends in {' or '.join(ENDINGS)}")
    return ending


def upload_form(run: Judged) -> list[Tally]:
    """Whether the run is in a container that its task takes, under the official names."""
    source, kind = run.opened.source, run.opened.kind
    container, at, takes = str(run.opened.table.form.get("container")), At(source.path), kind.uploaded_as
    if container != "csv":
        name = CONTAINERS.get(container, container)
        return [tally_one(NOT_UPLOAD_FORM, at, kind=kind, expected=takes, container=name)]
    tallies, ending = [], PurePath(source.path).suffix.lower()
    if kind.canonical:
        names = ", ".join(column.name for column in kind.columns)
        official, header = kind_named(kind.name).official_header, At(source.path, 1)
        tallies = [tally_one(NOT_UPLOAD_FORM, header, kind=kind, which="names", value=names, expected=official)]
    if source.packed != ENDINGS.get(ending, source.packed):
        facts = {"which": "ending", "container": PACKED[source.packed], "ending": ending}
        tallies.append(tally_one(NOT_UPLOAD_FORM, at, kind=kind, expected=takes, **facts))
    return tallies


def upload_advice(run: Judged) -> list[Tally]:
    """What is left to do with a run that has no error: to be packed, or unpacked."""
    source, kind = run.opened.source, run.opened.kind
    if source.packed == ("" if kind.upload is None else "zip"):
        return []
    facts = {"which": "bare" if kind.upload else "", "container": PACKED[source.packed], "expected": kind.uploaded_as}
    at, info = At(source.path), Severity.INFO
    return [tally_one(NOT_UPLOAD_FORM, at, kind=kind, severity=info, fixable=False, **facts)]


def write_upload(
    columns: pl.LazyFrame, path: Path, ending: str, how: RunKind, unread: pl.DataFrame | None = None
) -> None:
    """Write the official columns of a run to `path`.

    `unread` are records that no column can hold, kept as raw lines in their place: `record`, and `after` how many others.
    """
    body = path.with_name(path.name + ".csv") if ending == ".zip" else path
    try:
        if unread is None or not unread.height:
            sink_delimited(columns, body, header=how.run.header)
        else:
            sink_with_raw_lines(columns, unread, body, header=how.run.header)
        if ending == ".zip":
            _pack(body, path, how.member)
    finally:
        if body != path:
            body.unlink(missing_ok=True)


def _pack(body: Path, path: Path, member: str) -> None:
    with zipfile.ZipFile(path, "w") as archive, body.open("rb") as file:
        info = zipfile.ZipInfo(member, EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w") as out:
            while block := file.read(1 << 20):
                out.write(block)
