"""`job`: a job file over many inputs."""

import os
import sys
from pathlib import Path

import click

from sharedtask.pipelines.cli.exit_status import FAILED, status_of
from sharedtask.pipelines.cli.terminal import is_terminal, progress_bar


@click.command()
@click.argument("job_file", metavar="JOB", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--table", type=click.Choice(["none", "delta"]), help="Format of the outputs; overrides `table` in the job file."
)
@click.option("--threads", type=click.IntRange(1, 256), help="Number of query threads.  [default: all processors]")
@click.option("--max-errors", type=click.IntRange(0), metavar="N", help="Stop when more than N inputs have errors.")
def job(job_file: Path, table: str | None, threads: int | None, max_errors: int | None) -> int:
    """Run the job file JOB (TOML): many inputs, local or s3://, through the steps validate, convert, check, score.

    Work that was done before is not repeated. On a terminal, progress is shown; otherwise a log is
    written to stderr, one JSON object per line. The exit status is 1 if an input has errors, also if they stop the job.
    """
    if threads is not None:
        os.environ["POLARS_MAX_THREADS"] = str(threads)  # read once, when Polars is imported: below
    from sharedtask.converters.errors import StoppedError
    from sharedtask.pipelines.jobs.log import log_to, no_log
    from sharedtask.pipelines.render.phrases import visible
    from sharedtask.pipelines.verbs.job import run_job

    watched = is_terminal(sys.stderr)
    log = no_log if watched else log_to(lambda line: click.echo(line, err=True))
    try:
        with progress_bar() as progress:
            result = run_job(job_file, table=table, max_errors=max_errors, log=log, progress=progress)  # type: ignore[arg-type]
    except StoppedError as error:
        click.echo(f"sharedtask: {visible(str(error))}", err=True)
        return FAILED
    click.echo(result.summary(), nl=False)
    return status_of(failed=not result.ok)
