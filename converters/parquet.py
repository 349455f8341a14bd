"""Canonical Parquet as a source: what it says it holds, and its columns."""

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind

PARQUET_MAGIC = b"PAR1"
KEY = "sharedtask."


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """Raise UnusableError with the name of the source for what Polars cannot read."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError):
        raise damaged(source) from None


def damaged(source: Source) -> UnusableError:
    """The error for a Parquet file that cannot be read to its end."""
    return UnusableError(f"{source.path}: cannot be read as Parquet; the file is damaged, cut off or encrypted")


def stored_metadata(source: Source) -> dict[str, str]:
    """What a Parquet file says about itself, as far as this tool has written it."""
    with _named(source), source.local.open("rb") as file:
        metadata = pl.read_parquet_metadata(file)
    return {name.removeprefix(KEY): value for name, value in metadata.items() if name.startswith(KEY)}


def stored_kind(source: Source) -> str | None:
    """The kind that a Parquet file says it holds."""
    return stored_metadata(source).get("kind")


def parquet_columns(source: Source) -> list[str]:
    """The names of the columns. Raises UnusableError where the file is not Parquet, or is damaged."""
    with (
        _named(source),
        source.local.open("rb") as file,
    ):  # opened here, since Polars takes brackets in a path for a pattern
        return list(pl.read_parquet_schema(file))


def read_parquet(source: Source, kind: Kind) -> Table:
    """A Parquet file with the canonical columns of a kind; columns that the kind does not know stay out."""
    scan = pl.scan_parquet(source.local, glob=False)
    names = [column.name for column in kind.columns if column.name in scan.collect_schema()]
    frame = scan.select(names).with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    return Table(
        frame.select("file", "row", *names),
        {name: name for name in names},
        form={"container": "parquet"},
        as_given=frame,
        typed=True,
    )
