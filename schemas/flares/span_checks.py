"""The rules of a FLARES span against its text, and against the other spans of its record."""

import polars as pl

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

start, end, whole = pl.col("start"), pl.col("end"), pl.col("text")
length = whole.str.len_chars().cast(pl.Int64)

outside = (start < 0) | (end > length)
empty = (end <= start) & ~outside.fill_null(False)
# A span that does not fit its text has one finding, so the rules about its content are not judged on it.
fits = (start >= 0) & (end <= length) & (end > start)
# A branch that is not taken is computed all the same, so offsets that do not fit must not reach `slice`.
inner, size = start.clip(0), (end - start).clip(0)
content = pl.when(fits).then(whole.str.slice(inner, size))

WORD_PAIR = r"^\w\w$"
before = pl.when(fits & (start > 0)).then(whole.str.slice((start - 1).clip(0), 2)).str.contains(WORD_PAIR)
after = pl.when(fits & (end < length)).then(whole.str.slice((end - 1).clip(0), 2)).str.contains(WORD_PAIR)

SPAN_CHECKS = (
    Check(
        SPAN_OUT_OF_BOUNDS,
        "start",
        outside,
        "offsets within the text",
        "the span {value} does not lie within its text",
        View.SPAN,
        says=property_says("start", {"minimum": 0}),
        says_all=False,
    ),
    Check(SPAN_EMPTY, "start", empty, "an end after the start", "the span {value} holds nothing", View.SPAN),
    Check(
        SPAN_TEXT_DIFFERS,
        "span_text",
        pl.col("span_text") != content,
        "the text at the offsets",
        "the span is not the text at {value}",
        View.SPAN,
    ),
    Check(
        SPAN_EDGE_WHITESPACE,
        "start",
        content != content.str.strip_chars(),
        "no white space at the edges",
        "the span {value} starts or ends with white space",
        View.SPAN,
    ),
    Check(
        SPAN_CUTS_WORD,
        "start",
        before.fill_null(False) | after.fill_null(False),
        "whole words",
        "the span {value} cuts a word",
        View.SPAN,
    ),
)


def _neighbours(spans: pl.LazyFrame) -> pl.LazyFrame:
    """Repeated spans, overlapping pairs, and records whose spans are not in order of their start."""
    record = ["file", "row"]
    place = [*record, "start", "end", "label"]
    spans = spans.drop_nulls(["start", "end"])
    copies = spans.with_columns(copy=pl.int_range(pl.len()).over(place)).filter(pl.col("copy") > 0)
    repeated = pl.format(
        "the span [{}, {}) {} stands here already", "start", "end", pl.col("label").cast(pl.String).fill_null("?")
    )

    unsorted = spans.filter(pl.col("start") < pl.col("start").shift().over(record)).unique(
        record, keep="first", maintain_order=True
    )
    order = pl.format("span {} starts before the one that precedes it", "late")

    return pl.concat(
        [
            found(copies, DUPLICATE_SPAN, "start", repeated),
            _overlaps(spans.unique(place, keep="first", maintain_order=True)),
            found(unsorted.rename({"span": "late"}), UNSORTED_SPANS, "spans", order),
        ]
    )


def _overlaps(spans: pl.LazyFrame) -> pl.LazyFrame:
    """Overlapping pairs, counted on the later span: the spans that began before it less those that had ended when it began.

    Counting starts and ends in one sorted sequence keeps a record of ten thousand spans from making a hundred million pairs.
    """
    record = ["file", "row"]
    ordered = spans.filter(pl.col("end") > pl.col("start")).sort(*record, "start", "end", "span")
    ends = ordered.select(*record, at="end", ended=1, order=pl.lit(None, pl.Int64))
    starts = ordered.select(
        *record,
        "span",
        "start",
        "end",
        at="start",
        ended=pl.lit(0),
        order=pl.int_range(pl.len(), dtype=pl.Int64).over(record),
    )
    events = pl.concat([ends, starts], how="diagonal").sort(*record, "at", pl.col("ended").neg(), maintain_order=True)
    pairs = events.with_columns(ended_before=pl.col("ended").cum_sum().over(record)).filter(
        pl.col("order").is_not_null()
    )
    pairs = pairs.with_columns(times=pl.col("order") - pl.col("ended_before")).filter(pl.col("times") > 0)
    message = pl.format("the span [{}, {}) overlaps one that begins before it", "start", "end")
    return found(pairs, SPAN_OVERLAP, "start", message, times=pl.col("times"))


NEIGHBOUR_CHECK = TableCheck(
    (DUPLICATE_SPAN, SPAN_OVERLAP, UNSORTED_SPANS),
    ("start", "end", "label"),
    _neighbours,
    View.SPAN,
    repair={"spans": pl.col("spans").list.unique(maintain_order=True)},
)
