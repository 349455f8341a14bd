"""`splits check` and `splits make`."""

from typing import Any

import click

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.options import Destination, finish, report_options
from sharedtask.pipelines.cli.terminal import progress_bar


@click.group()
def splits() -> None:
    """Find leaks between splits, or make leak-free splits."""


@splits.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@click.option(
    "--group-by",
    metavar="COL",
    help="Records with the same value in this column must stay in one split.  [default: the document id, for kinds that have one]",
)
@report_options
def check(files: tuple[str, ...], kind: str | None, group_by: str | None, limits: Limits, output: Destination) -> int:
    """Find what FILES, the splits of a data set, share: ids, texts and groups."""
    from sharedtask.pipelines.verbs.splits import splits_check

    output.spare(*files)
    with progress_bar(quiet=output.quiet) as progress:
        report = splits_check(files, kind=kind, group_by=group_by, limits=limits, progress=progress)
    return finish(report, output)


@splits.command()
@click.argument("file")
@click.option(
    "--sizes",
    required=True,
    metavar="PART=SIZE,…",
    help="Fractions that add up to 1, or counts that add up to the size of the file: train=.7,dev=.1,test=.2",
)
@click.option(
    "--by",
    type=click.Choice(["rows", "documents", "spans"]),
    default="rows",
    show_default=True,
    help="What the sizes count; FLARES was split by spans, CHEERS by documents.",
)
@click.option("--group-by", metavar="COL", help="Column, such as doc_id, whose equal values stay in one part.")
@click.option("--stratify", metavar="COL", help="Keep the proportions of the values of this column in every part.")
@click.option(
    "--method",
    type=click.Choice(["random", "stratified"]),
    help="`stratified` without --stratify uses the labels of the kind.  [default: random, stratified with --stratify]",
)
@click.option(
    "--shared-texts",
    is_flag=True,
    help="Allow a text, such as boilerplate, in several groups and thus in several parts.",
)
@click.option("--seed", type=int, required=True, help="The same records and seed make the same parts.")
@click.option("--out", metavar="FOLDER", required=True, help="The folder to write to; s3:// works, too.")
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@report_options
def make(file: str, out: str, limits: Limits, output: Destination, **options: Any) -> int:
    """Split FILE into parts that share no text and no group."""
    from sharedtask.pipelines.verbs.splits import splits_make

    output.spare(file)
    return finish(splits_make(file, out, limits=limits, **options), output)
