"""Canonical Parquet as a source: what it says it holds, and its columns."""

import polars as pl

from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind

PARQUET_MAGIC = b"PAR1"
KEY = "sharedtask."


def stored_metadata(source: Source) -> dict[str, str]:
    """What a Parquet file says about itself, as far as this tool has written it."""
    metadata = pl.read_parquet_metadata(source.local)
    return {name.removeprefix(KEY): value for name, value in metadata.items() if name.startswith(KEY)}


def stored_kind(source: Source) -> str | None:
    """The kind that a Parquet file says it holds."""
    return stored_metadata(source).get("kind")


def parquet_columns(source: Source) -> list[str]:
    return list(pl.read_parquet_schema(source.local))


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
