"""The cause behind wrong offsets in a FLARES data file, where the texts and the spans are in one file.

Nothing is looked for unless spans have findings, and then in the records of these spans first: a few faults in a large
file are no reason to hold all its spans in memory. A span moves only where nothing speaks against its new place, and
the file is judged again as it was meant, so that what is left is what is wrong there.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from sharedtask.pipelines.inputs.judge import Revised, Reviser
from sharedtask.pipelines.runs.flares_offsets import (
    SYMPTOMS,
    apply,
    cause_tally,
    diagnose,
    finalists,
    judged_spans,
    movable,
)
from sharedtask.schemas.engine.across_rows import found_across
from sharedtask.schemas.engine.masks import PLACE, Judgement, counts, mask_frame, span_view
from sharedtask.schemas.engine.select import Checks
from sharedtask.schemas.flares.kinds import SUBTASK1, SUBTASK2
from sharedtask.schemas.kind import Kind, View
from sharedtask.schemas.spans import END, FIELDS, SPAN, SPAN_TEXT, START, TEXT

ONE = ["row", SPAN]
NEEDED = (TEXT, START, END)
_MEANT = "meant."  # with a name behind it: a column as it was meant


def revise(frame: pl.LazyFrame, judgement: Judgement, kind: Kind, path: str) -> Revised:
    """Replace the symptoms of a judged data file by the cause that explains them, where there is one.

    `as_meant` is the file with the offsets that were meant.
    """
    bits = {bit: check for bit, check in enumerate(judgement.checks.span) if check.rule in SYMPTOMS}
    mask = sum(1 << bit for bit in bits)
    suffering = judgement.spans.filter(pl.col("broken") & mask != 0)
    if not suffering.height or not {*NEEDED} <= {*span_view(frame, kind).collect_schema()}:
        return Revised(judgement, [])
    some = frame.filter(pl.col("row").is_in(suffering["row"].unique().implode()))
    if not finalists(judged_spans(_spans(some, kind))):
        return Revised(judgement, [])
    view = _spans(frame, kind)
    found = diagnose(view)
    if found is None:
        return Revised(judgement, [])
    moves = movable(view, found).drop_nulls([START, END])
    touched = view.filter(pl.col("row").is_in(moves["row"].unique().implode()))
    moved = apply(touched, moves, found.cause)
    symptoms = mask_frame(moved.join(moves, on=ONE, how="semi").lazy(), list(bits.values()), (*PLACE, SPAN)).collect()
    spans = _judged_there(judgement.spans, moves, symptoms, list(bits))
    across = _across_there(judgement, moved)
    before, after = (
        {**_by_rule(masks, judgement.checks), **_times(one)}
        for masks, one in ((judgement.spans, judgement.across), (spans, across))
    )
    explains = {name: count - after.get(name, 0) for name, count in before.items() if count > after.get(name, 0)}
    return Revised(
        replace(judgement, spans=spans, across=across),
        [cause_tally(found, explains, kind, path)],
        moves if kind.spans else moves.with_columns(pl.lit(None, pl.UInt32).alias(SPAN)),
        _as_meant(frame, moved, kind),
    )


def _spans(frame: pl.LazyFrame, kind: Kind) -> pl.DataFrame:
    """The spans of a file with their texts; where each record is a span, it has the number 0."""
    view = span_view(frame, kind)
    names = view.collect_schema().names()
    own = [] if SPAN_TEXT in names else [pl.lit(None, pl.String).alias(SPAN_TEXT)]
    columns = [name for name in (*PLACE, SPAN, TEXT, *FIELDS) if name in names]
    return view.select(*columns, *own).with_columns(pl.col(SPAN).fill_null(0)).collect(engine="streaming")


def _judged_there(judged: pl.DataFrame, moves: pl.DataFrame, symptoms: pl.DataFrame, bits: list[int]) -> pl.DataFrame:
    """The masks of all spans, with the symptoms that the moved ones have at their new places.

    Bit by bit `symptoms` has the checks that `bits` are the places of.
    """
    set_there = [
        pl.when(pl.col("broken") & pl.lit(1 << at, pl.UInt64) != 0).then(pl.lit(1 << bit, pl.UInt64)).otherwise(0)
        for at, bit in enumerate(bits)
    ]
    there = symptoms.select(*PLACE, SPAN, there=pl.sum_horizontal(set_there).cast(pl.UInt64))
    index = judged.with_columns(listed=SPAN, span=pl.col(SPAN).fill_null(0))
    kept = index.join(moves.select(ONE), on=ONE, how="anti")
    mask = sum(1 << bit for bit in bits)
    others = index.join(moves.select(ONE), on=ONE, how="semi").with_columns(
        pl.col("broken") & pl.lit(~mask & (1 << 64) - 1, pl.UInt64)
    )
    both = others.join(there, on=[*PLACE, SPAN], how="full", coalesce=True).with_columns(
        pl.col("broken").fill_null(0) | pl.col("there").fill_null(0)
    )
    is_list = judged[SPAN].null_count() == 0
    whole = pl.concat([kept.drop("listed"), both.select(judged.columns)]).filter(pl.col("broken") != 0)
    ordered = whole.sort(*PLACE, SPAN)
    return ordered if is_list else ordered.with_columns(pl.lit(None, pl.UInt32).alias(SPAN))


def _across_there(judgement: Judgement, moved: pl.DataFrame) -> pl.DataFrame:
    """What the rules across spans find once spans have moved; what they found before keeps the offsets of the file."""
    checks = [check for check in judgement.checks.table if check.view is View.SPAN]
    across, columns = judgement.across, judgement.across.columns
    again = found_across(checks, [moved.lazy().select(*PLACE, SPAN, *check.columns) for check in checks])
    of_spans = pl.col("rule").is_in([rule.name for check in checks for rule in check.rules])
    here = of_spans & pl.col("row").is_in(moved["row"].unique().implode())
    known = across.filter(here).select("rule", *ONE, given="facts").unique(["rule", *ONE], maintain_order=True)
    again = again.join(known, on=["rule", *ONE], how="left", nulls_equal=True, maintain_order="left")
    again = again.with_columns(facts=pl.coalesce("given", "facts")).select(columns)
    return pl.concat([across.filter(~here), again]).sort(*PLACE, SPAN, maintain_order=True)


def _by_rule(masks: pl.DataFrame, checks: Checks) -> dict[str, int]:
    """How many spans have each symptom."""
    found = zip(checks.span, counts(masks, checks.span), strict=True)
    return {check.rule.name: count for check, count in found if check.rule in SYMPTOMS and count}


def _times(across: pl.DataFrame) -> dict[str, int]:
    """How often each rule across rows was broken."""
    return dict(across.group_by("rule").agg(pl.col("times").sum().cast(pl.Int64)).sort("rule").rows())


def _as_meant(frame: pl.LazyFrame, moved: pl.DataFrame, kind: Kind) -> pl.LazyFrame:
    """The frame with the spans of these records as they are here."""
    if kind.spans is not None:
        fields = [column.name for column in kind.spans.columns]
        lists = moved.sort(ONE).group_by("row", maintain_order=True).agg(pl.struct(fields).alias(kind.spans.name))
    else:
        lists = moved.select("row", START, END, SPAN_TEXT)
    there = frame.collect_schema().names()
    names = [name for name in lists.columns if name != "row" and name in there]
    known = lists.select("row", *(pl.col(name).alias(_MEANT + name) for name in names)).lazy()
    joined = frame.join(known, on="row", how="left", maintain_order="left")
    meant = joined.with_columns(pl.coalesce(_MEANT + name, name).alias(name) for name in names)
    return meant.drop(_MEANT + name for name in names)


REVISERS: Mapping[str, Reviser] = MappingProxyType({SUBTASK1.name: revise, SUBTASK2.name: revise})
