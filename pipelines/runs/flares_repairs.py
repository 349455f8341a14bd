"""The safe repairs of the spans of a FLARES run.

The offsets that were meant, white space at the edges, order and copies.
"""

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.runs import flares_offsets
from sharedtask.schemas.engine.masks import span_view
from sharedtask.schemas.spans import END, LABEL, PLACE, START, TEXT, raw


def mend_spans(frame: pl.DataFrame, run: Judged) -> pl.DataFrame:
    """The frame of a judged run with its lists of spans mended; as it is where the run has none.

    Spans have the offsets that were meant and no white space at their edges; they are in order, and each is there once.
    """
    kind = run.opened.kind
    if kind.spans is None or kind.spans.name not in frame.columns:
        return frame
    name = kind.spans.name
    view = span_view(run.frame, kind).collect(engine="streaming")
    found = flares_offsets.diagnose(view)
    if found is not None and (found.by_text or not found.mixed):
        view = flares_offsets.apply(view, found)
    view = _trimmed(view)
    # An unknown label is kept as it was written; only its offsets were judged here.
    written = [pl.col(raw(LABEL))] if raw(LABEL) in view.columns else []
    view = view.with_columns(pl.coalesce(pl.col(LABEL).cast(pl.String), *written).alias(LABEL))
    once = view.unique(["row", *PLACE], keep="first", maintain_order=True).sort(
        "row", START, maintain_order=True, nulls_last=True
    )
    fields = [column.name for column in kind.spans.columns]
    lists = once.group_by("row", maintain_order=True).agg(pl.struct(fields).alias(name))
    rows = run.frame.select("row", given=pl.col(name).is_not_null()).collect(engine="streaming")
    joined = rows.join(lists, on="row", how="left", maintain_order="left")
    empty = pl.lit([], joined.schema[name])
    mended = pl.when(pl.col(name).is_null() & pl.col("given")).then(empty).otherwise(name)
    return frame.with_columns(joined.select(mended.alias(name)))


def _trimmed(view: pl.DataFrame) -> pl.DataFrame:
    """Spans without white space at their edges; a span of nothing else stays as it is."""
    text, start, size = pl.col(TEXT), pl.col(START), pl.col(END) - pl.col(START)
    inside = (start >= 0) & (size > 0) & (pl.col(END) <= text.str.len_chars())
    content = pl.when(inside).then(text.str.slice(start.fill_null(0).clip(0), size.fill_null(0).clip(0)))
    lead = (content.str.len_chars() - content.str.strip_chars_start().str.len_chars()).cast(pl.Int64)
    trail = (content.str.len_chars() - content.str.strip_chars_end().str.len_chars()).cast(pl.Int64)
    trim = (content.str.strip_chars() != "").fill_null(value=False)
    return view.with_columns(
        pl.when(trim).then(start + lead).otherwise(start).alias(START),
        pl.when(trim).then(pl.col(END) - trail).otherwise(END).alias(END),
    )
