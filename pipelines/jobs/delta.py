"""Delta tables.

What a job has written of a kind, its findings and its scores, each put into one table in one transaction.

Rows belong to an input, named in the column `source`. What a table has of an input that was worked again is replaced,
so a job that is done twice leaves one copy; jobs that commit at the same time are serialised by the table, and one that
lost a race tries again on what is there.
"""

import random
import re
import time
from collections.abc import Callable, Collection
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import polars as pl

from sharedtask.converters.canonical_sink import in_open_types
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.storage import client_options

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

TRIES = 50  # of one commit; each failure means that another job has got in
LONGEST_WAIT = 2.0  # seconds between two of them
SOURCE = "source"
_RACE = re.compile(
    r"(?i)already exists|concurrent|conflict"
)  # two jobs that create a table at the same time get these, which are no fault of theirs


def refuse_without_delta() -> None:
    """Raise UnusableError where the extra `delta` is not installed."""
    try:
        import deltalake  # noqa: F401
    except ImportError:
        raise UnusableError("table is delta: to write Delta tables, pip install 'sharedtask[delta]'") from None


def put_rows(
    place: str, rows: Callable[[], pl.LazyFrame] | None, sources: Collection[str], partition_by: Collection[str] = ()
) -> None:
    """Make the rows of `sources` in the Delta table at `place` those of `rows()`, in one transaction.

    The table is made where there is none.

    `rows()` has a column `source` with nothing but these, and is asked for anew for each try; None means no rows. Raises
    UnusableError where the table cannot be written, or other jobs get in again and again.
    """
    from deltalake.exceptions import CommitFailedError

    why = ""
    for number in range(TRIES):
        try:
            _put_once(place, rows() if rows else None, sources, list(partition_by))
        except Exception as error:  # what is wrong with the rows comes as a bare Exception
            why = " ".join(str(error).split())[:300]
            if not isinstance(error, CommitFailedError) and not _RACE.search(why):
                raise UnusableError(f"{place}: cannot be written: {why}") from None
            time.sleep(random.uniform(0, min(LONGEST_WAIT, 0.05 * 2**number)))  # noqa: S311 - so that two do not meet again
        else:
            return
    raise UnusableError(f"{place}: cannot be written; other writers came first {TRIES} times: {why}")


def _put_once(place: str, rows: pl.LazyFrame | None, sources: Collection[str], partition_by: list[str]) -> None:
    from deltalake import CommitProperties, Transaction, write_deltalake

    table, options = _open(place), client_options(place)
    known = _known(table, sources) if table is not None else []
    mark = sha256("\n".join(sorted(sources)).encode()).hexdigest()[:16]
    once = Transaction(f"sharedtask-{mark}", (table.version() if table is not None else 0) + 1)
    predicate = f"{SOURCE} IN ({', '.join(map(_quoted, sorted(sources)))})"
    if rows is None:
        if table is not None and known:
            table.delete(predicate)
        return
    how: dict[str, Any] = {"mode": "append"}
    if known:
        how = {"mode": "overwrite", "predicate": predicate}
    elif table is None:
        how = {"mode": "error", "partition_by": partition_by}
    write_deltalake(
        table if table is not None else place,
        _reader(rows),
        schema_mode=None if table is None else "merge",
        storage_options=options,
        commit_properties=CommitProperties(app_transactions=[once], max_commit_retries=0),
        **how,
    )


def _open(place: str) -> "DeltaTable | None":
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        return DeltaTable(place, storage_options=client_options(place))
    except TableNotFoundError:
        return None


def _known(table: "DeltaTable", sources: Collection[str]) -> list[str]:
    """Those of `sources` of which the table has rows."""
    stored = pl.scan_delta(table).select(SOURCE).filter(pl.col(SOURCE).is_in(sorted(sources))).unique()
    return stored.collect(engine="streaming")[SOURCE].sort().to_list()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _reader(rows: pl.LazyFrame) -> "pa.RecordBatchReader":
    """The rows as a stream of Arrow batches in types that Delta has."""
    import pyarrow as pa

    from sharedtask.converters.columnar.types import as_plain, plain_schema

    plain = in_open_types(rows)
    wanted = plain_schema(plain.clear().collect().to_arrow().schema)
    batches = (
        plain_batch
        for frame in plain.collect_batches(maintain_order=True, engine="streaming")
        for batch in frame.to_arrow().to_batches()
        for plain_batch in as_plain(batch, wanted)
    )
    return pa.RecordBatchReader.from_batches(wanted, batches)


def read_rows(place: str) -> pl.DataFrame | None:
    """All rows of a table, None where there is no table."""
    table = _open(place)
    return None if table is None else pl.scan_delta(table).collect(engine="streaming")
