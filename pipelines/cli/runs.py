"""`check`, `fix`, `template` and `pack`: what is done with run files before they are uploaded."""

from typing import Literal

import click

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.options import Destination, finish, report_options
from sharedtask.pipelines.verbs.check import check as run_check

against_option = click.option(
    "--against", required=True, help="The reference file that the run is checked against, with labels or without."
)
kind_option = click.option(
    "--kind", help="File kind of the run, such as cheers/run.  [default: detected from the columns]"
)


@click.command()
@click.argument("run")
@against_option
@kind_option
@click.option("--also", multiple=True, help="Another split that the ids may belong to.")
@report_options
def check(run: str, against: str, kind: str | None, also: tuple[str, ...], limits: Limits, output: Destination) -> int:
    """Check RUN against its reference before upload."""
    output.spare(run, against, *also)
    return finish(run_check(run, against, kind=kind, also=also, limits=limits), output)


@click.command()
@click.argument("run")
@against_option
@click.option("--out", metavar="FILE", required=True, help="File to write, .csv or .zip.")
@kind_option
@click.option("--diff", is_flag=True, help="Show each change.")
@click.option("--fill-missing", is_flag=True, help="Answer the ids that RUN lacks as `template` does.")
@click.option(
    "--unreadable-as-empty", is_flag=True, help="Answer records and cells that cannot be read as `template` does."
)
@click.option(
    "--place",
    type=click.Choice(["exact", "nearest", "none"]),
    default="none",
    show_default=True,
    help="Put spans where their Tag_Text is: repeated texts by the order of the spans, or nearest to the offset.",
)
@report_options
def fix(
    run: str,
    against: str,
    out: str,
    kind: str | None,
    diff: bool,
    fill_missing: bool,
    unreadable_as_empty: bool,
    place: Literal["exact", "nearest", "none"],
    limits: Limits,
    output: Destination,
) -> int:
    """Apply the safe repairs to RUN and write it in the upload format; the report lists what remains."""
    from sharedtask.pipelines.verbs.fix import fix as run_fix

    output.spare(run, against, out=out)
    fixed = run_fix(
        run,
        against,
        out,
        kind=kind,
        diff=diff,
        fill_missing=fill_missing,
        unreadable_as_empty=unreadable_as_empty,
        place=place,
        limits=limits,
    )
    if not output.quiet:
        from sharedtask.pipelines.render.repairs import render_repairs

        click.echo(render_repairs(fixed), nl=False, err=output.form != "text")
    status = finish(fixed.report, output)
    return status if fixed.after else max(1, status)


@click.command()
@against_option
@click.option("--out", metavar="FILE", required=True, help="File to write, .csv or .zip.")
@report_options
def template(against: str, out: str, limits: Limits, output: Destination) -> int:
    """Write a valid run that predicts nothing, to be filled in."""
    from sharedtask.pipelines.verbs.template import template as write_template

    output.spare(against, out=out)
    return finish(write_template(against, out, limits=limits), output)


@click.command()
@click.argument("run")
@against_option
@click.option("--out", metavar="FILE", required=True, help="The archive to write, .zip.")
@kind_option
@report_options
def pack(run: str, against: str, out: str, kind: str | None, limits: Limits, output: Destination) -> int:
    """If RUN has no errors, pack it into the archive that its task expects."""
    from sharedtask.pipelines.verbs.pack import pack as run_pack

    output.spare(run, against, out=out)
    return finish(run_pack(run, against, out, kind=kind, limits=limits), output)
