"""`validate` and `convert`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import click

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.options import ESCAPE_FORMULAS, Destination, finish, report_options
from sharedtask.pipelines.cli.terminal import progress_bar
from sharedtask.pipelines.inputs.canonical_output import Form, OnError
from sharedtask.pipelines.inputs.unread import UnreadError
from sharedtask.pipelines.verbs.convert import convert as run_convert
from sharedtask.pipelines.verbs.validate import validate as run_validate

EXCLUDE = click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Leave out files of a folder whose name, path in it or sub-folder fits PATTERN. May be repeated.",
)


@contextmanager
def reported(output: Destination) -> Iterator[None]:
    """Write the report of the files that could be read before the error about the others ends the command."""
    try:
        yield
    except UnreadError as error:
        finish(error.report, output)
        raise


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@click.option(
    "--with",
    "with_files",
    multiple=True,
    help="A file that FILES refer to, such as the documents file of a sentences file.",
)
@click.option(
    "--quarantine",
    metavar="FOLDER",
    help="Write the records with errors, unchanged, to this folder.",
)
@EXCLUDE
@report_options
def validate(
    files: tuple[str, ...],
    kind: str | None,
    with_files: tuple[str, ...],
    quarantine: str | None,
    exclude: tuple[str, ...],
    limits: Limits,
    output: Destination,
) -> int:
    """Check FILES against the rules for their kinds. A folder means every file in it; - means standard input."""
    output.spare(*files, *with_files)
    with reported(output), progress_bar(quiet=output.quiet) as progress:
        report = run_validate(
            files,
            kind=kind,
            with_files=with_files,
            quarantine=quarantine,
            exclude=exclude,
            limits=limits,
            progress=progress,
        )
    return finish(report, output)


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--out", metavar="FOLDER", required=True, help="The folder to write to; s3:// works, too.")
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@click.option(
    "--to",
    type=click.Choice(["parquet", "csv", "jsonl", "ipc"]),
    default="parquet",
    show_default=True,
    help="Container of the tables.",
)
@click.option("--sort", is_flag=True, help="Order the records by key; otherwise they keep the order of the source.")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "quarantine"]),
    default="stop",
    show_default=True,
    help="Skip a file that has errors, or write its valid records and move the rest to quarantine.",
)
@EXCLUDE
@ESCAPE_FORMULAS
@report_options
def convert(
    files: tuple[str, ...],
    out: str,
    kind: str | None,
    to: str,
    sort: bool,
    on_error: str,
    exclude: tuple[str, ...],
    escape_formulas: bool,
    limits: Limits,
    output: Destination,
) -> int:
    """Check FILES and write them as canonical tables to a folder."""
    output.spare(*files)
    with reported(output), progress_bar(quiet=output.quiet) as progress:
        report = run_convert(
            files,
            out,
            kind=kind,
            to=cast("Form", to),
            sort=sort,
            on_error=cast("OnError", on_error),
            exclude=exclude,
            escape_formulas=escape_formulas,
            limits=limits,
            progress=progress,
        )
    return finish(report, output)
