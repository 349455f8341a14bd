"""`validate` and `convert`."""

from pathlib import Path
from typing import Any, cast

import click

from sharedtask.pipelines.cli.options import finish, progress_on_terminal, report_options
from sharedtask.pipelines.inputs.canonical_output import Form, OnError
from sharedtask.pipelines.verbs.convert import convert as run_convert
from sharedtask.pipelines.verbs.validate import validate as run_validate
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--kind", help="What the files are, such as cheers/sentences; found from their columns otherwise.")
@click.option(
    "--with", "with_files", multiple=True, help="A file that belongs to FILES, such as the documents of sentences."
)
@click.option(
    "--quarantine",
    type=click.Path(path_type=Path),
    help="Write the records with errors, raw and whole, to this folder.",
)
@report_options
def validate(
    files: tuple[str, ...],
    kind: str | None,
    with_files: tuple[str, ...],
    quarantine: Path | None,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Judge FILES by the rules of their kinds. A folder stands for every file in it, - for standard input."""
    report = run_validate(
        files,
        kind=kind,
        with_files=with_files,
        quarantine=quarantine,
        max_findings=max_findings,
        max_bytes=max_bytes or MAX_FIELD_BYTES,
        progress=progress_on_terminal(quiet=output["quiet"]),
    )
    return finish(report, **output)


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write to.")
@click.option("--kind", help="What the files are; found from their columns otherwise.")
@click.option(
    "--to",
    type=click.Choice(["parquet", "csv", "jsonl", "ipc"]),
    default="parquet",
    show_default=True,
    help="Form of the tables.",
)
@click.option("--sort", is_flag=True, help="Order the records by key; the order of the source is kept otherwise.")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "quarantine"]),
    default="stop",
    show_default=True,
    help="Do not write a file with an error, or write its good records and set the others aside.",
)
@report_options
def convert(
    files: tuple[str, ...],
    out: Path,
    kind: str | None,
    to: str,
    sort: bool,
    on_error: str,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Write FILES as canonical tables below OUT, judged on the way."""
    report = run_convert(
        files,
        out,
        kind=kind,
        to=cast("Form", to),
        sort=sort,
        on_error=cast("OnError", on_error),
        max_findings=max_findings,
        max_bytes=max_bytes or MAX_FIELD_BYTES,
        progress=progress_on_terminal(quiet=output["quiet"]),
    )
    return finish(report, **output)
