"""The rules that look across rows.

Each a query of its own over a few columns, as a file or as parts of it below one another.
"""

from collections.abc import Callable, Sequence

import polars as pl

from sharedtask.schemas import spans
from sharedtask.schemas.engine.masks import PLACE, span_view
from sharedtask.schemas.engine.select import Checks
from sharedtask.schemas.kind import Kind, TableCheck, View
from sharedtask.schemas.table_checks import NOTHING_FOUND


def across_rows(
    frame: pl.LazyFrame, kind: Kind, checks: Checks, unread: Callable[[], pl.LazyFrame] | None = None
) -> pl.DataFrame:
    """Run the checks that look across rows, each over its own few columns.

    The columns of `table_checks.FOUND`, in row order.

    `unread` gives the keys of records that are there and cannot be read, where there are any. It is asked only where
    something was found.
    """
    columns = key_columns(frame, kind, checks.table)
    across = found_across(checks.table, columns)
    if unread is None or not across.height:
        return across
    below = unread().with_columns(file=pl.lit(0, pl.UInt32), row=pl.lit(None, pl.UInt32))
    again = [
        pl.concat([seen, below.select(*PLACE, *check.columns)]) if check.needs_unread else seen
        for check, seen in zip(checks.table, columns, strict=True)
    ]
    return found_across(checks.table, again)


def key_columns(frame: pl.LazyFrame, kind: Kind, checks: Sequence[TableCheck]) -> list[pl.LazyFrame]:
    """What each of these checks looks at: its place and its columns.

    The same of two parts of a file, one below the other, is that of both.
    """
    return [columns_of(check, frame, kind) for check in checks]


def found_across(checks: Sequence[TableCheck], columns: Sequence[pl.LazyFrame]) -> pl.DataFrame:
    """The findings of checks in their `key_columns`."""
    plans = [check.find(seen) for check, seen in zip(checks, columns, strict=True)]
    found = pl.collect_all(plans, engine="streaming")
    return pl.concat([NOTHING_FOUND, *found]).sort(*PLACE, spans.SPAN, maintain_order=True)


def columns_of(check: TableCheck, frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    """What a check looks at: the place of each row of its view, and its columns."""
    if check.view is View.SPAN:
        return span_view(frame, kind).select(*PLACE, spans.SPAN, *check.columns)
    return frame.select(*PLACE, *check.columns)
