"""The one seam to Pandera: the checks of a kind as one fused Polars plan, and the same checks as a Pandera schema.

Pandera collects once for each check and materialises every failing row, which for a run file with one systematic fault means all of
them. So a file is judged by a mask frame: every check of a view is one bit of one integer column, computed in a single streaming pass that
returns the failing rows only. `pandera_schema` gives the plain schema made from the very same expressions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from sharedtask.schemas.engine.select import Checks, checks_for
from sharedtask.schemas.kind import RAW, Check, Kind, TableCheck, View
from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.fmt_values import NULL_VALUE
from sharedtask.schemas.table_checks import NOTHING_FOUND

if TYPE_CHECKING:
    import pandera.polars as pa
    from pandera.api.polars.types import PolarsData

PLACE = ("file", "row")


@dataclass(slots=True)
class Judgement:
    """What was found in one file: mask frames of failing rows (`file, row[, span], broken`), and the findings across rows, by check."""

    checks: Checks
    rows: pl.DataFrame
    spans: pl.DataFrame
    across: pl.DataFrame


def span_view(frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    """One row a span: `file, row, span` (index in the record's list), the record's other columns, and the fields of the span.

    The raw text of a field stands beside it as `raw.<field>`. A text column that the file lacks is null: rules over it are not judged.
    """
    if not kind.spans:
        return frame.with_columns(span=pl.lit(None, pl.UInt32))
    name, columns = kind.spans.name, frame.collect_schema().names()
    raw = RAW + name
    lists = [name, raw] if raw in columns else [name]
    flat = (
        frame.filter(pl.col(name).list.len() > 0)
        .with_columns(span=pl.int_ranges(0, pl.col(name).list.len(), dtype=pl.UInt32))
        .explode([*lists, "span"])
    )
    if raw in columns:
        fields = [column.raw for column in kind.spans.columns]
        flat = flat.with_columns(pl.col(raw).struct.rename_fields(fields)).unnest(raw)
    flat = flat.unnest(name)
    return flat if "text" in columns else flat.with_columns(text=pl.lit(None, pl.String))


def mask_frame(view: pl.LazyFrame, checks: Sequence[Check], place: Sequence[str] = PLACE) -> pl.LazyFrame:
    """The failing rows of a view: their place and, bit by bit in `broken`, the checks they fail."""
    names = [f"fails.{bit}" for bit in range(len(checks))]
    fails = [check.fails.fill_null(False).alias(name) for name, check in zip(names, checks, strict=True)]
    marked = view.select(*place, *fails).filter(pl.any_horizontal(names) if names else pl.lit(value=False))
    bits = [pl.when(name).then(pl.lit(1 << bit, pl.UInt64)).otherwise(0) for bit, name in enumerate(names)]
    return marked.select(*place, broken=pl.sum_horizontal(bits) if bits else pl.lit(0, pl.UInt64))


def failing(masks: pl.DataFrame, bit: int) -> pl.DataFrame:
    """The rows of a mask frame that fail the check of this bit."""
    return masks.filter(pl.col("broken") & (1 << bit) != 0)


def counts(masks: pl.DataFrame, checks: Sequence[Check]) -> list[int]:
    """How many rows fail each check, from one aggregate."""
    if not checks:
        return []
    sums = [(pl.col("broken") // (1 << bit) % 2).sum().alias(str(bit)) for bit in range(len(checks))]
    return [int(count) for count in masks.select(sums).row(0)]


def mask_plans(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> list[pl.LazyFrame]:
    """The mask frames of both views, to be collected together with whatever else reads the file."""
    spans = mask_frame(span_view(frame, kind), checks.span, (*PLACE, "span")) if checks.span else None
    empty = pl.LazyFrame(schema={"file": pl.UInt32, "row": pl.UInt32, "span": pl.UInt32, "broken": pl.UInt64})
    return [mask_frame(frame, checks.row), empty if spans is None else spans]


def across_rows(
    frame: pl.LazyFrame, kind: Kind, checks: Checks, unread: Callable[[], pl.LazyFrame] | None = None
) -> pl.DataFrame:
    """Run the checks that look across rows, each over its own few columns; the columns of `table_checks.FOUND`, in row order.

    `unread` gives the keys of records that are there and cannot be read, where there are any. It is asked only where something was found.
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
    """What each of these checks looks at: its place and its columns. The same of two parts of a file, one below the other, is that of both."""
    return [_columns_of(check, frame, kind) for check in checks]


def found_across(checks: Sequence[TableCheck], columns: Sequence[pl.LazyFrame]) -> pl.DataFrame:
    """The findings of checks in their `key_columns`."""
    plans = [check.find(seen) for check, seen in zip(checks, columns, strict=True)]
    found = pl.collect_all(plans, engine="streaming")
    return pl.concat([NOTHING_FOUND, *found]).sort("file", "row", "span", maintain_order=True)


def _columns_of(check: TableCheck, frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    if check.view is View.SPAN:
        return span_view(frame, kind).select(*PLACE, "span", *check.columns)
    return frame.select(*PLACE, *check.columns)


def judge(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> Judgement:
    """Judge a canonical frame (`file`, `row`, canonical columns, and the raw ones where the source is text)."""
    rows, spans = pl.collect_all(mask_plans(frame, kind, checks), engine="streaming")
    return Judgement(checks, rows, spans, across_rows(frame, kind, checks))


def records_with_errors(judgement: Judgement, kind: Kind) -> pl.DataFrame:
    """The records that cannot be used, once for each rule: `row, rule`. They are those that a finding of severity error counts in,
    unless a reading or a repair mends it.
    """
    parts = []
    for masks, checks in ((judgement.rows, judgement.checks.row), (judgement.spans, judgement.checks.span)):
        for bit, check in enumerate(checks):
            if not (check.mended or check.repair or check.severity) and _is_error(check.rule, kind):
                parts.append(failing(masks, bit).select("row", rule=pl.lit(check.rule.name)))
    fatal = [
        rule.name
        for check in judgement.checks.table
        for rule in check.rules
        if not check.repair and _is_error(rule, kind)
    ]
    across = judgement.across.filter(pl.col("rule").is_in(fatal))
    parts.append(across.select(pl.col("rows").alias("row"), "rule").explode("row"))
    return pl.concat(parts)


def _is_error(rule: Rule, kind: Kind) -> bool:
    return rule.severity_for(kind.name) is Severity.ERROR


def pandera_schema(kind: Kind) -> "pa.DataFrameSchema":
    """The Pandera schema of a kind over its canonical columns.

    `validate(frame, lazy=True)` on an eager frame gives the verdict of the fused plan; what is no error there is a warning here.
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

    mild = (severity or rule.severity_for(kind.name)) is not Severity.ERROR
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
    found = check.find(_columns_of(check, frame, kind))
    return _verdict(frame, found.filter(pl.col("rule") == rule.name))


def _view_of(frame: pl.LazyFrame, kind: Kind, view: View) -> pl.LazyFrame | None:
    """The view that a check is written over; None where the frame lacks the list of spans."""
    if view is not View.SPAN:
        return frame
    lacks_spans = kind.spans is not None and kind.spans.name not in frame.collect_schema().names()
    return None if lacks_spans else span_view(frame, kind)
