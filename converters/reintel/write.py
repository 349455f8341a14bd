"""Canonical ReINTEL tables as the distributed files (facts/reintel.md 1) and the results file (2). All lazy."""

import polars as pl

_COUNTS = ("num_like_post", "num_comment_post", "num_share_post")


def posts(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The seven columns of a posts file, and `label` if present. `timestamp_post` is in seconds since 1970, UTC.

    The counts are Strings, all three `unknown` where `counts_unknown`. `image`, in no distributed file, is dropped.
    """
    columns = [pl.col("id", "user_name", "post_message"), pl.col("posted_at").dt.epoch("s").alias("timestamp_post")]
    columns += [
        pl.when("counts_unknown").then(pl.lit("unknown")).otherwise(_text(count)).alias(count) for count in _COUNTS
    ]
    if "label" in frame.collect_schema():
        columns.append(pl.col("label"))
    return frame.select(columns)


def annotations(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, annotator_id, score`, one row an annotation."""
    return frame.select("id", "annotator_id", "score")


def labels(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, label`: 1 for unreliable."""
    return frame.select("id", "label")


def rechecks(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, recheck`: news or opinion."""
    return frame.select("id", _text("recheck"))


def results(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, probability` in the order given; the file has no header."""
    return frame.select("id", "probability")


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)
