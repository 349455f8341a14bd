"""`check`, `fix`, `template` and `pack`: what is done with run files before they are uploaded."""

from pathlib import Path
from typing import Any

import click

from sharedtask.pipelines.cli.options import finish, report_options
from sharedtask.pipelines.verbs.check import check as run_check
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


@click.command()
@click.argument("run")
@click.option(
    "--against", required=True, help="The reference: the data file that the run answers, with labels or without."
)
@click.option("--kind", help="What the run is, such as flares/subtask1-run; found from its columns otherwise.")
@click.option("--also", multiple=True, help="Another split, to which the ids may belong instead.")
@report_options
def check(
    run: str,
    against: str,
    kind: str | None,
    also: tuple[str, ...],
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Judge RUN against its reference, before it is uploaded."""
    report = run_check(
        run, against, kind=kind, also=also, max_findings=max_findings, max_bytes=max_bytes or MAX_FIELD_BYTES
    )
    return finish(report, **output)


@click.command()
@click.argument("run")
@click.option("--against", required=True, help="The reference: the data file that the run answers.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Where the repaired run goes, .csv or .zip.",
)
@click.option("--kind", help="What the run is; found from its columns otherwise.")
@click.option("--diff", is_flag=True, help="Show the lines that changed.")
@report_options
def fix(
    run: str,
    against: str,
    out: Path,
    kind: str | None,
    diff: bool,
    max_findings: int,
    max_bytes: int | None,
    **output: Any,
) -> int:
    """Apply the safe repairs to RUN and write it in the upload form; what is left stays reported."""
    from sharedtask.pipelines.verbs.fix import fix as run_fix

    fixed = run_fix(
        run, against, out, kind=kind, diff=diff, max_findings=max_findings, max_bytes=max_bytes or MAX_FIELD_BYTES
    )
    if not output["quiet"]:
        from sharedtask.pipelines.render.repairs import render_repairs

        click.echo(render_repairs(fixed), nl=False, err=output["form"] != "text")
    return finish(fixed.after or fixed.before, **output) if fixed.after else max(1, finish(fixed.before, **output))


@click.command()
@click.option("--against", required=True, help="The reference: the data file that the run will answer.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where the run goes, .csv or .zip."
)
def template(against: str, out: Path) -> None:
    """Write a valid run that predicts nothing, to be filled in."""
    from sharedtask.pipelines.verbs.template import template as write_template

    how = write_template(against, out)
    click.echo(f"wrote {out}: {how.run.name}")


@click.command()
@click.argument("run")
@click.option("--against", required=True, help="The reference: the data file that the run answers.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The archive to write, .zip."
)
@click.option("--kind", help="What the run is; found from its columns otherwise.")
@report_options
def pack(
    run: str, against: str, out: Path, kind: str | None, max_findings: int, max_bytes: int | None, **output: Any
) -> int:
    """Pack RUN into the archive that its task takes, if it has no error."""
    from sharedtask.pipelines.verbs.pack import pack as run_pack

    report = run_pack(run, against, out, kind=kind, max_findings=max_findings, max_bytes=max_bytes or MAX_FIELD_BYTES)
    return finish(report, **output)
