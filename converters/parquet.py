"""Canonical Parquet: read with its metadata, and written whole or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from sharedtask.converters.source import Source
from sharedtask.converters.table import Table
from sharedtask.schemas.kind import Kind

PARQUET_MAGIC = b"PAR1"
KEY = "sharedtask."


def stored_kind(source: Source) -> str | None:
    """The kind that a Parquet file says it holds."""
    return pl.read_parquet_metadata(source.local).get(f"{KEY}kind")


def parquet_columns(source: Source) -> list[str]:
    return list(pl.read_parquet_schema(source.local))


def read_parquet(source: Source, kind: Kind) -> Table:
    """A Parquet file with the canonical columns of a kind; columns that the kind does not know stay out."""
    scan = pl.scan_parquet(source.local, glob=False)
    names = [column.name for column in kind.columns if column.name in scan.collect_schema()]
    frame = scan.select(names).with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    return Table(
        frame.select("file", "row", *names), {name: name for name in names}, form={"container": "parquet"}, as_given=frame, typed=True
    )


def sink_parquet(frame: pl.LazyFrame, path: Path, metadata: "Mapping[str, str] | None" = None) -> pl.LazyFrame:
    """The plan that writes a frame: zstd, statistics, rows in order, the same bytes each time."""
    return frame.sink_parquet(path, compression="zstd", statistics=True, maintain_order=True, metadata=dict(metadata or {}), lazy=True)


def settle(temporary: Path, path: Path) -> None:
    """Give a finished file its name: what stands there is the old file or the new one, whatever happens."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
