"""`splits check` and `splits make`."""

from pathlib import Path
from typing import Any

import click

from sharedtask.pipelines.cli.options import finish, progress_on_terminal, report_options
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


@click.group()
def splits() -> None:
    """Look for what splits have in common, or make splits that have nothing in common."""


@splits.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--kind", help="What the files are; found from their columns otherwise.")
@click.option(
    "--group-by",
    metavar="COL",
    help="The column whose values belong into one split.  [default: the document, where records are parts of one]",
)
@report_options
def check(
    files: tuple[str, ...],
    kind: str | None,
    group_by: str | None,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Tell what FILES, the splits of one data set, have in common: ids, texts, similar texts, groups."""
    from sharedtask.pipelines.verbs.splits import splits_check

    report = splits_check(
        files,
        kind=kind,
        group_by=group_by,
        max_findings=max_findings,
        max_bytes=max_bytes or MAX_FIELD_BYTES,
        progress=progress_on_terminal(quiet=output["quiet"]),
    )
    return finish(report, **output)


@splits.command()
@click.argument("file")
@click.option(
    "--sizes",
    required=True,
    metavar="PART=SIZE,…",
    help="Fractions that add up to 1, or numbers that add up to the file: train=.7,dev=.1,test=.2",
)
@click.option(
    "--by",
    type=click.Choice(["rows", "documents", "spans"]),
    default="rows",
    show_default=True,
    help="What sizes count; FLARES was split by spans, CHEERS by documents.",
)
@click.option("--group-by", metavar="COL", help="Keep the records of each value together, such as doc_id or user_name.")
@click.option("--stratify", metavar="COL", help="Give all parts the values of this column in proportion.")
@click.option(
    "--method",
    type=click.Choice(["random", "stratified"]),
    help="Stratified without --stratify goes by the labels of the kind.  [default: random, stratified with --stratify]",
)
@click.option(
    "--shared-texts", is_flag=True, help="Let one text stand in several groups, and so in several parts: boilerplate."
)
@click.option("--seed", type=int, required=True, help="The same records and seed make the same parts.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write to.")
@click.option("--kind", help="What the file is; found from its columns otherwise.")
@report_options
def make(file: str, out: Path, max_bytes: int | None, max_findings: int, **options: Any) -> int:
    """Deal the records of FILE out to parts; no text stands in two of them, and no group."""
    from sharedtask.pipelines.verbs.splits import splits_make

    output = {name: options.pop(name) for name in ("form", "output_file", "fail_on", "verbose", "quiet")}
    report = splits_make(file, out, max_findings=max_findings, max_bytes=max_bytes or MAX_FIELD_BYTES, **options)
    return finish(report, **output)
