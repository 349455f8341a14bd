"""The rules of a FLARES span against its text, and against the other spans of its record."""

from dataclasses import replace

import polars as pl

from sharedtask.schemas import spans
from sharedtask.schemas.flares.rules import (
    DUPLICATE_SPAN,
    SPAN_CUTS_WORD,
    SPAN_EDGE_WHITESPACE,
    SPAN_EMPTY,
    SPAN_OUT_OF_BOUNDS,
    SPAN_OVERLAP,
    SPAN_TEXT_DIFFERS,
    UNSORTED_SPANS,
)
from sharedtask.schemas.kind import Check, TableCheck, View, property_says
from sharedtask.schemas.table_checks import found

start, end, whole = pl.col(spans.START), pl.col(spans.END), pl.col(spans.TEXT)
length = whole.str.len_chars().cast(pl.Int64)

outside = (start < 0) | (end > length)
empty = (end <= start) & ~outside.fill_null(False)
# A span that does not fit its text has one finding, so the rules about its content are not judged on it.
fits = (start >= 0) & (end <= length) & (end > start)
# A branch that is not taken is computed all the same, so offsets that do not fit must not reach `slice`.
inner, size = start.clip(0), (end - start).clip(0)
content = pl.when(fits).then(whole.str.slice(inner, size))

RECORD = ("file", "row")
WORD_PAIR = r"^\w\w$"
before = pl.when(fits & (start > 0)).then(whole.str.slice((start - 1).clip(0), 2)).str.contains(WORD_PAIR)
after = pl.when(fits & (end < length)).then(whole.str.slice((end - 1).clip(0), 2)).str.contains(WORD_PAIR)

SPAN_CHECKS = (
    Check(
        SPAN_OUT_OF_BOUNDS,
        spans.START,
        outside,
        "offsets within the text",
        view=View.SPAN,
        says=property_says(spans.START, {"minimum": 0}),
        says_all=False,
    ),
    Check(SPAN_EMPTY, spans.START, empty, "an end after the start", view=View.SPAN),
    Check(
        SPAN_TEXT_DIFFERS,
        spans.SPAN_TEXT,
        pl.col(spans.SPAN_TEXT) != content,
        "the text at the offsets",
        view=View.SPAN,
    ),
    Check(
        SPAN_EDGE_WHITESPACE,
        spans.START,
        content != content.str.strip_chars(),
        "no white space at the edges",
        view=View.SPAN,
    ),
    Check(
        SPAN_CUTS_WORD,
        spans.START,
        before.fill_null(False) | after.fill_null(False),
        "whole words",
        view=View.SPAN,
    ),
)

# No upload has the text of a span; white space at its edges says nothing against offsets that have none.
_own = pl.col(spans.SPAN_TEXT)
RUN_SPAN_CHECKS = tuple(
    replace(check, fails=check.fails & (_own.str.strip_chars() != content))
    if check.rule is SPAN_TEXT_DIFFERS
    else check
    for check in SPAN_CHECKS
)

FURTHEST = 2**31 - 1  # an end that a finding can name; no text is longer


def _neighbours(view: pl.LazyFrame) -> pl.LazyFrame:
    """Repeated spans, overlapping pairs, and records whose spans are not in order of their start."""
    place = [*RECORD, *spans.PLACE]
    whole = view.drop_nulls([spans.START, spans.END])
    copies = whole.with_columns(copy=pl.int_range(pl.len()).over(place)).filter(pl.col("copy") > 0)
    label = pl.col(spans.LABEL).cast(pl.String).fill_null("?")
    unsorted = whole.filter(start < start.shift().over(RECORD)).unique(RECORD, keep="first", maintain_order=True)
    return pl.concat(
        [
            found(copies, DUPLICATE_SPAN, spans.START, start=start, end=end, label=label),
            _overlaps(whole.unique(place, keep="first", maintain_order=True)),
            found(unsorted.rename({spans.SPAN: "late"}), UNSORTED_SPANS, "spans", late="late"),
        ]
    )


def _overlaps(view: pl.LazyFrame) -> pl.LazyFrame:
    """Overlapping pairs, counted on the later span.

    The spans that began before it less those that had ended when it began.

    Counting starts and ends in one sorted sequence keeps a record of ten thousand spans from making a hundred million
    pairs.
    """
    ordered = view.filter(end > start).sort(*RECORD, spans.START, spans.END, spans.SPAN)
    ends = ordered.select(*RECORD, at=end, ended=1, order=pl.lit(None, pl.Int64))
    starts = ordered.select(
        *RECORD,
        spans.SPAN,
        spans.START,
        spans.END,
        at=start,
        ended=pl.lit(0),
        order=pl.int_range(pl.len(), dtype=pl.Int64).over(RECORD),
    )
    events = pl.concat([ends, starts], how="diagonal").sort(*RECORD, "at", pl.col("ended").neg(), maintain_order=True)
    pairs = events.with_columns(ended_before=pl.col("ended").cum_sum().over(RECORD)).filter(
        pl.col("order").is_not_null()
    )
    # Of the spans before it the one that ends last, which overlaps it if any of them does; both ends in one number.
    furthest = (end.clip(0, FURTHEST) * (FURTHEST + 1) + start.clip(0, FURTHEST)).cum_max().shift().over(RECORD)
    pairs = pairs.with_columns(times=pl.col("order") - pl.col("ended_before"), other=furthest).filter(
        pl.col("times") > 0
    )
    return found(
        pairs,
        SPAN_OVERLAP,
        spans.START,
        times=pl.col("times"),
        other_start=pl.col("other") % (FURTHEST + 1),
        other_end=pl.col("other") // (FURTHEST + 1),
    )


NEIGHBOUR_CHECK = TableCheck(
    (DUPLICATE_SPAN, SPAN_OVERLAP, UNSORTED_SPANS),
    spans.PLACE,
    _neighbours,
    View.SPAN,
    repair={"spans": pl.col("spans").list.unique(maintain_order=True)},
)
