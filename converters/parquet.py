"""Canonical Parquet as a source: what it says it holds, and its columns."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_columns import EXTRA_COLUMN, MISSING_COLUMN

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
    # Opened here, since Polars takes brackets in a path for a pattern.
    with _named(source), source.local.open("rb") as file:
        return list(pl.read_parquet_schema(file))


def read_parquet(source: Source, kind: Kind) -> Table:
    """A Parquet file with the canonical columns of a kind; columns that the kind does not know stay out."""
    scan = pl.scan_parquet(source.local, glob=False)
    there = scan.collect_schema().names()
    names = [column.name for column in kind.columns if column.name in there]
    frame = scan.select(names).with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    return Table(
        frame.select("file", "row", *names),
        {name: name for name in names},
        _column_tallies(there, kind, source.path),
        form={"container": "parquet"},
        as_given=frame,
        typed=True,
    )


def _column_tallies(there: Sequence[str], kind: Kind, path: str) -> list[Tally]:
    """The required columns that are not there, and those that the kind does not have, by their canonical names."""
    known = {column.name for column in kind.columns}
    missing = [column.name for column in kind.official if not column.optional and column.name not in there]
    return [
        *(
            tally_one(MISSING_COLUMN, At(path, column=name), kind=kind, which="column", expected=name)
            for name in missing
        ),
        *(
            tally_one(EXTRA_COLUMN, At(path, column=name), kind=kind, which="column")
            for name in there
            if name not in known
        ),
    ]
