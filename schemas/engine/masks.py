"""The checks of a kind as one fused Polars plan.

Pandera collects once for each check and materialises every failing row, which for a run file with one systematic fault
means all of them. So a file is judged by a mask frame: every check of a view is one bit of one integer column, computed
in a single streaming pass that returns the failing rows only. `pandera_seam` gives the plain schema made from the very
same expressions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.schemas import spans
from sharedtask.schemas.engine.select import Checks
from sharedtask.schemas.kind import RAW, Check, Kind

PLACE = ("file", "row")


@dataclass(slots=True)
class Judgement:
    """What was found in one file.

    Mask frames of failing rows (`file, row[, span], broken`), and the findings across rows, by check.
    """

    checks: Checks
    rows: pl.DataFrame
    spans: pl.DataFrame
    across: pl.DataFrame


def span_view(frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    """One row a span.

    `file, row, span` (index in the record's list), the record's other columns, and the fields of the span.

    The raw text of a field stands beside it as `raw.<field>`. A text column that the file lacks is null: rules over it
    are not judged.
    """
    if not kind.spans:
        return frame.with_columns(pl.lit(None, pl.UInt32).alias(spans.SPAN))
    name, columns = kind.spans.name, frame.collect_schema().names()
    raw = RAW + name
    lists = [name, raw] if raw in columns else [name]
    flat = (
        frame.filter(pl.col(name).list.len() > 0)
        .with_columns(pl.int_ranges(0, pl.col(name).list.len(), dtype=pl.UInt32).alias(spans.SPAN))
        .explode([*lists, spans.SPAN])
    )
    if raw in columns:
        fields = [column.raw for column in kind.spans.columns]
        flat = flat.with_columns(pl.col(raw).struct.rename_fields(fields)).unnest(raw)
    flat = flat.unnest(name)
    return flat if spans.TEXT in columns else flat.with_columns(pl.lit(None, pl.String).alias(spans.TEXT))


def mask_frame(view: pl.LazyFrame, checks: Sequence[Check], place: Sequence[str] = PLACE) -> pl.LazyFrame:
    """The failing rows of a view: their place and, bit by bit in `broken`, the checks they fail.

    Checks that say what is suspect are asked in those rows only, and in all that fail another check.
    """
    names = [f"fails.{bit}" for bit in range(len(checks))]
    fails = {name: check.fails.fill_null(False).alias(name) for name, check in zip(names, checks, strict=True)}
    asked = {name: check.suspect for name, check in zip(names, checks, strict=True) if check.suspect is not None}
    if asked:
        suspects = {str(suspect): suspect.fill_null(False) for suspect in asked.values()}
        view = view.with_columns(one for name, one in fails.items() if name not in asked)
        view = view.filter(pl.any_horizontal(*(name for name in names if name not in asked), *suspects.values()))
    columns = [fails[name] if name in asked or not asked else pl.col(name) for name in names]
    marked = view.select(*place, *columns).filter(pl.any_horizontal(names) if names else pl.lit(value=False))
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
    of_spans = mask_frame(span_view(frame, kind), checks.span, (*PLACE, spans.SPAN)) if checks.span else None
    empty = pl.LazyFrame(schema={"file": pl.UInt32, "row": pl.UInt32, spans.SPAN: pl.UInt32, "broken": pl.UInt64})
    return [mask_frame(frame, checks.row), empty if of_spans is None else of_spans]
