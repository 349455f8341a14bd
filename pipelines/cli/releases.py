"""`export`, `derive` and `diff`: what maintainers do with releases."""

from typing import cast

import click

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.options import (
    ESCAPE_FORMULAS,
    MOST,
    Destination,
    finish,
    limit_options,
    report_options,
    result_options,
    write_text,
)
from sharedtask.pipelines.inputs.canonical_output import OnError
from sharedtask.pipelines.render.diff import FORMATS

out_option = click.option("--out", metavar="FILE", required=True, help="File to write; its extension sets the format.")
on_error_option = click.option(
    "--on-error",
    type=click.Choice(["stop", "quarantine"]),
    default="stop",
    show_default=True,
    help="Write nothing if there is an error, or write the valid records and move the rest to quarantine.",
)


@click.command()
@click.argument("file")
@out_option
@click.option(
    "--variant",
    metavar="NAME",
    help="Published format to write: official; for flares/subtask1 also page, brat (.ann with .txt) and bio.  "
    "[default: official; a converted table comes back as its source was written]",
)
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@on_error_option
@ESCAPE_FORMULAS
@report_options
def export(
    file: str,
    out: str,
    variant: str | None,
    kind: str | None,
    on_error: str,
    escape_formulas: bool,
    limits: Limits,
    output: Destination,
) -> int:
    """Write FILE, a canonical table or any other supported file, in a published format."""
    from sharedtask.pipelines.verbs.export import export as run_export

    output.spare(file, out=out)
    report = run_export(
        file,
        out,
        variant=variant,
        kind=kind,
        on_error=cast("OnError", on_error),
        escape_formulas=escape_formulas,
        limits=limits,
    )
    return finish(report, output)


@click.group()
def derive() -> None:
    """Derive a file from other files of the task, following the published rule."""


@derive.command()
@click.argument("train")
@out_option
@on_error_option
@report_options
def subtask2(train: str, out: str, on_error: str, limits: Limits, output: Destination) -> int:
    """Split TRAIN, a FLARES subtask 1 file, into the records of subtask 2, numbered from 0."""
    from sharedtask.pipelines.verbs.derive import derive as run_derive

    output.spare(train, out=out)
    report = run_derive("subtask2", train, out, on_error=cast("OnError", on_error), limits=limits)
    return finish(report, output)


@derive.command()
@click.argument("annotations")
@out_option
@click.option("--ground-truth", help="A file with id and label, used where the votes have no majority.")
@click.option(
    "--recheck",
    help="A file with id and recheck (news or opinion), used where the votes have no majority and the ground truth is 0.",
)
@on_error_option
@report_options
def labels(
    annotations: str,
    out: str,
    ground_truth: str | None,
    recheck: str | None,
    on_error: str,
    limits: Limits,
    output: Destination,
) -> int:
    """Derive the labels of ReINTEL from ANNOTATIONS, by majority of three votes per item."""
    from sharedtask.pipelines.verbs.derive import derive as run_derive

    output.spare(annotations, ground_truth, recheck, out=out)
    report = run_derive(
        "labels",
        annotations,
        out,
        ground_truth=ground_truth,
        recheck=recheck,
        on_error=cast("OnError", on_error),
        limits=limits,
    )
    return finish(report, output)


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--kind", help="File kind, such as cheers/sentences.  [default: detected from the columns]")
@result_options(FORMATS)
@click.option(
    "--max-items",
    type=click.IntRange(0, MOST),
    default=20,
    show_default=True,
    help="Most rows that are listed for each type of change.",
)
@limit_options
@click.option(
    "--exit-code", is_flag=True, help="Exit with status 1 if anything differs, even if only the order or the bytes."
)
def diff(
    old: str, new: str, kind: str | None, max_items: int, exit_code: bool, limits: Limits, output: Destination
) -> int:
    """List what changed between OLD and NEW, two releases of a file: rows, columns, spans, order, or only bytes."""
    from sharedtask.pipelines.render.diff import render_changes
    from sharedtask.pipelines.verbs.diff import diff as run_diff

    output.spare(old, new)
    changes = run_diff(old, new, kind=kind, max_items=max_items, limits=limits)
    write_text(render_changes(changes, output.form), output, [old, new])
    return int(exit_code and not changes.equal)
