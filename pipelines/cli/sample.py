"""`sample`: synthetic files in the documented shapes."""

import click


@click.command()
@click.argument("task")
@click.option("--out", metavar="FOLDER", required=True, help="The folder to write to; s3:// works, too.")
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Number of records in each training file; other files scale in proportion.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same bytes.")
def sample(task: str, out: str, rows: int, seed: int) -> None:
    """Make synthetic files of TASK (flares, cheers or reintel) under their documented names."""
    from sharedtask.pipelines.render.phrases import path_of
    from sharedtask.pipelines.verbs.sample import sample as make

    for path in make(task, out, rows=rows, seed=seed):
        click.echo(path_of(path))
