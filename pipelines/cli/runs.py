"""`check`: what is done with run files."""

from typing import Any

import click

from sharedtask.pipelines.check import check as run_check
from sharedtask.pipelines.cli.options import finish, report_options
from sharedtask.schemas.text_checks import MAX_FIELD_BYTES


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
