"""The form in which a run is uploaded: the official columns as CSV, alone or in a zip."""

import zipfile
from pathlib import Path, PurePath

import polars as pl

from sharedtask.converters.csv.write import sink_delimited
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.rule import At, Severity, Tally, tally_one
from sharedtask.schemas.rules.run import NOT_UPLOAD_FORM

ENDINGS = {".csv": "", ".zip": "zip"}  # of a run that is written, and what it is packed as then
UPLOADS = {"csv"}
CONTAINERS = {"jsonl": "JSON Lines", "json": "JSON", "parquet": "Parquet", "ipc": "Arrow", "xlsx": "a workbook"}
PACKED = {"": "a CSV file", "zip": "a zip", "gz": "a gz file", "zst": "a zst file"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold, so that equal runs are equal archives


def container_of(out: str) -> str:
    """The ending of an output that can be written. Raises UnusableError for any other."""
    ending = PurePath(out).suffix.lower()
    if ending not in ENDINGS:
        raise UnusableError(f"{out}: the name of a run ends in {' or '.join(ENDINGS)}")
    return ending


def upload_form(run: Judged, *, advise: bool = False) -> list[Tally]:
    """Whether the run is in the container that its task takes, under the official names.

    With `advise`, also what only has to be packed or unpacked, and is no fault of the run.
    """
    source, kind = run.opened.source, run.opened.kind
    container, at = str(run.opened.table.form.get("container")), At(source.path)
    takes, takes_zip = kind.uploaded_as, kind.upload is not None
    if container not in UPLOADS:
        name = CONTAINERS.get(container, container)
        return [tally_one(NOT_UPLOAD_FORM, at, kind=kind, expected=takes, container=name)]
    tallies = []
    if kind.canonical:
        names = ", ".join(column.name for column in kind.columns)
        official = kind_named(kind.name).official_header
        at_header = At(source.path, 1)
        tallies = [tally_one(NOT_UPLOAD_FORM, at_header, kind=kind, which="names", value=names, expected=official)]
    found, ending = PACKED[source.packed], PurePath(source.path).suffix.lower()
    if ending in ENDINGS and source.packed != ENDINGS[ending]:
        facts = {"container": found, "ending": ending}
        return [*tallies, tally_one(NOT_UPLOAD_FORM, at, kind=kind, which="ending", expected=takes, **facts)]
    if advise and source.packed != ("zip" if takes_zip else ""):
        which, info = "bare" if takes_zip else "", Severity.INFO
        facts = {"which": which, "expected": takes, "container": found}
        tallies.append(tally_one(NOT_UPLOAD_FORM, at, kind=kind, severity=info, fixable=False, **facts))
    return tallies


def write_upload(columns: pl.LazyFrame, path: Path, ending: str, how: RunKind, unread: pl.Series | None = None) -> None:
    """Write the official columns of a run to `path`.

    `unread` are records that no column can hold, kept as raw lines at the end.
    """
    body = path.with_name(path.name + ".csv") if ending == ".zip" else path
    try:
        sink_delimited(columns, body, header=how.run.header)
        if unread is not None and len(unread):
            with body.open("a", encoding="utf-8") as file:
                file.writelines(f"{record}\n" for record in unread)
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
