"""`card`."""

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the data set.  [default: the name of the folder]")
@click.option(
    "--license", "licence", default="unknown", show_default=True, help="Its licence, as Hugging Face spells it."
)
@click.option("--url", help="Where the data set is, or will be, published.")
@click.option("--force", is_flag=True, help="Replace a README.md or croissant.json that `card` did not write.")
def card(folder: Path, name: str | None, licence: str, url: str | None, force: bool) -> None:
    """Write a data set card with statistics (README.md) and Croissant metadata (croissant.json) into FOLDER."""
    from sharedtask.pipelines.verbs.card import card as write_card

    for path in write_card(folder, name=name, licence=licence, url=url, force=force):
        click.echo(path)
