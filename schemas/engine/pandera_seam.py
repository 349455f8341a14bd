"""The one seam to Pandera: the checks of a kind as a Pandera schema, made from the expressions of the fused plan."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from sharedtask.schemas.engine.across_rows import columns_of
from sharedtask.schemas.engine.masks import mask_frame, span_view
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Check, Kind, TableCheck, View
from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.fmt_values import NULL_VALUE

if TYPE_CHECKING:
    import pandera.polars as pa
    from pandera.api.polars.types import PolarsData


def pandera_schema(kind: Kind) -> "pa.DataFrameSchema":
    """The Pandera schema of a kind over its canonical columns.

    `validate(frame, lazy=True)` on an eager frame gives the verdict of the fused plan; what is not an error there is a
    warning here.
    """
    import pandera.polars as pa

    columns = {
        column.name: pa.Column(
            column.reading.dtype,
            nullable=column.nullable,
            required=not column.optional,
            title=column.official,
            description=column.description,
        )
        for column in kind.columns
    }
    every = checks_for(kind, columns, given=False)
    masked = [check for check in (*every.row, *every.span) if check.view is View.SPAN or check.rule is not NULL_VALUE]
    tests = [_pandera_check(kind, check.rule, partial(_masked, kind, check), check.severity) for check in masked]
    tests += [
        _pandera_check(kind, rule, partial(_found, kind, check, rule)) for check in every.table for rule in check.rules
    ]
    return pa.DataFrameSchema(
        columns,
        checks=tests,
        name=kind.name,
        title=kind.title,
        description=kind.description,
        strict=True,
        metadata={"source": kind.source, "version": kind.version},
    )


def _pandera_check(
    kind: Kind, rule: Rule, verdict: Callable[["PolarsData"], pl.LazyFrame], severity: Severity | None = None
) -> "pa.Check":
    import pandera.polars as pa

    mild = (severity or rule.severity_for(kind)) is not Severity.ERROR
    return pa.Check(verdict, name=rule.name, error=rule.name, raise_warning=mild)


def _placed(data: "PolarsData") -> pl.LazyFrame:
    return data.lazyframe.with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))


def _verdict(frame: pl.LazyFrame, broken: pl.LazyFrame) -> pl.LazyFrame:
    """One boolean a record: whether none of the `row` numbers of `broken` is its own."""
    rows = broken.select("row").unique()
    return (
        frame.select("row")
        .join(rows.with_columns(bad=True), on="row", how="left", maintain_order="left")
        .select(pl.col("bad").is_null())
    )


def _masked(kind: Kind, check: Check, data: "PolarsData") -> pl.LazyFrame:
    frame = _placed(data)
    view = _view_of(frame, kind, check.view)
    if view is None or not set(check.fails.meta.root_names()) <= set(view.collect_schema().names()):
        return _verdict(frame, frame.clear())
    return _verdict(frame, mask_frame(view, [check]))


def _found(kind: Kind, check: TableCheck, rule: Rule, data: "PolarsData") -> pl.LazyFrame:
    frame = _placed(data)
    view = _view_of(frame, kind, check.view)
    if view is None or not set(check.columns) <= set(view.collect_schema().names()):
        return _verdict(frame, frame.clear())
    found = check.find(columns_of(check, frame, kind))
    return _verdict(frame, found.filter(pl.col("rule") == rule.name))


def _view_of(frame: pl.LazyFrame, kind: Kind, view: View) -> pl.LazyFrame | None:
    """The view that a check is written over; None where the frame lacks the list of spans."""
    if view is not View.SPAN:
        return frame
    lacks_spans = kind.spans is not None and kind.spans.name not in frame.collect_schema().names()
    return None if lacks_spans else span_view(frame, kind)
