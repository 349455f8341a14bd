"""`export`, `derive` and `diff`: what maintainers do with releases."""

from pathlib import Path
from typing import Any, cast

import click

from sharedtask.pipelines.cli.options import finish, report_options, write_text
from sharedtask.pipelines.inputs.canonical_output import OnError
from sharedtask.pipelines.render.diff import FORMATS
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES

out_option = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Where it goes; the ending says the form.",
)
on_error_option = click.option(
    "--on-error",
    type=click.Choice(["stop", "quarantine"]),
    default="stop",
    show_default=True,
    help="Write nothing if there is an error, or write the rest and set what is wrong aside.",
)


@click.command()
@click.argument("file")
@out_option
@click.option(
    "--variant",
    metavar="NAME",
    help="official; for flares/subtask1 also page, brat (.ann, with its .txt) and bio.  "
    "[default: official, as the source was]",
)
@click.option("--kind", help="What FILE is; found from its columns otherwise.")
@on_error_option
@report_options
def export(
    file: str,
    out: Path,
    variant: str | None,
    kind: str | None,
    on_error: str,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Write FILE, a canonical table or any other, in a form in which its kind is published."""
    from sharedtask.pipelines.verbs.export import export as run_export

    report = run_export(
        file,
        out,
        variant=variant,
        kind=kind,
        on_error=cast("OnError", on_error),
        max_findings=max_findings,
        max_bytes=max_bytes or MAX_FIELD_BYTES,
    )
    return finish(report, **output)


@click.group()
def derive() -> None:
    """Make a file that others of its task determine, by the published rule."""


@derive.command()
@click.argument("train")
@out_option
@report_options
def subtask2(train: str, out: Path, max_findings: int, max_bytes: int | None, **output: Any) -> int:
    """Take TRAIN, a FLARES subtask 1 file, apart into the records of subtask 2, numbered from 0."""
    from sharedtask.pipelines.verbs.derive import derive as run_derive

    report = run_derive("subtask2", train, out, max_findings=max_findings, max_bytes=max_bytes or MAX_FIELD_BYTES)
    return finish(report, **output)


@derive.command()
@click.argument("annotations")
@out_option
@click.option("--ground-truth", help="A file of id and label, which decides where the vote does not.")
@click.option(
    "--recheck", help="A file of id and recheck (news or opinion), for a ground truth of 0 without a majority."
)
@on_error_option
@report_options
def labels(
    annotations: str,
    out: Path,
    ground_truth: str | None,
    recheck: str | None,
    on_error: str,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Let ANNOTATIONS, three votes an item, make the labels of ReINTEL."""
    from sharedtask.pipelines.verbs.derive import derive as run_derive

    report = run_derive(
        "labels",
        annotations,
        out,
        ground_truth=ground_truth,
        recheck=recheck,
        on_error=cast("OnError", on_error),
        max_findings=max_findings,
        max_bytes=max_bytes or MAX_FIELD_BYTES,
    )
    return finish(report, **output)


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--kind", help="What the files are; found from their columns otherwise.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How it is written."
)
@click.option(
    "--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Write the result here, not to stdout."
)
@click.option(
    "--max-items", type=click.IntRange(0), default=20, show_default=True, help="How many rows are listed of each sort."
)
@click.option("--max-bytes", type=click.IntRange(1), help="Largest field, in bytes.  [default: 64 MiB]")
@click.option("--exit-code", is_flag=True, help="End with status 1 if anything differs, bytes or order too.")
def diff(
    old: str,
    new: str,
    kind: str | None,
    form: str,
    output_file: Path | None,
    max_items: int,
    max_bytes: int | None,
    exit_code: bool,
) -> int:
    """Tell what changed from OLD to NEW, two releases of one kind of file: rows, columns and spans, order, or bytes alone."""
    from sharedtask.pipelines.render.diff import render_changes
    from sharedtask.pipelines.verbs.diff import diff as run_diff

    changes = run_diff(old, new, kind=kind, max_items=max_items, max_bytes=max_bytes or MAX_FIELD_BYTES)
    write_text(render_changes(changes, form), output_file)
    return int(exit_code and not changes.equal)
