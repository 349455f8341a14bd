"""The cause behind wrong offsets in a FLARES data file, where the texts and the spans are in one file.

Nothing is looked for unless spans have findings, and then in some records of these spans first: a few faults in a large
file are no reason to hold all its spans in memory. A span that fits where it is moves only where nothing speaks
against its new place. Spans are judged again where they were meant to be, so that what is left is what is wrong there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from sharedtask.pipelines.inputs.judge import Revised, Reviser
from sharedtask.pipelines.runs.flares_explained import SYMPTOMS, cause_tally
from sharedtask.pipelines.runs.flares_offsets import (
    SAMPLE,
    Diagnosis,
    apply,
    diagnose,
    finalists,
    judged_spans,
    movable,
    without_cut_out_texts,
)
from sharedtask.pipelines.runs.span_text import text_at
from sharedtask.schemas.engine.across_rows import found_across
from sharedtask.schemas.engine.masks import PLACE, Judgement, counts, mask_frame, span_view
from sharedtask.schemas.flares.kinds import SUBTASK1, SUBTASK2
from sharedtask.schemas.kind import Check, Kind, View
from sharedtask.schemas.spans import END, FIELDS, SPAN, SPAN_TEXT, START, TEXT

ONE = ["row", SPAN]
ALL_BITS = (1 << 64) - 1
_MEANT = "meant."  # with a name behind it: a column as it was meant


def revise(frame: pl.LazyFrame, judgement: Judgement, kind: Kind, path: str) -> Revised:
    """Replace the symptoms of a judged data file by the cause that explains them, where there is one.

    `as_meant` is the file with the offsets that were meant.
    """
    checks, masks = judgement.checks.span, judgement.spans
    if kind.spans is None:
        checks, masks = judgement.checks.row, judgement.rows.with_columns(pl.lit(0, pl.UInt32).alias(SPAN))
    bits = {bit: check for bit, check in enumerate(checks) if check.rule in SYMPTOMS}
    suffering = masks.filter(pl.col("broken") & sum(1 << bit for bit in bits) != 0)
    if not suffering.height:
        return Revised(judgement, [])
    rows = suffering["row"].unique().sort()
    some = frame.filter(pl.col("row").is_in(rows.gather_every(max(len(rows) // SAMPLE, 1)).implode()))
    if not finalists(judged_spans(without_cut_out_texts(_spans(some, kind)))):
        return Revised(judgement, [])
    given = _spans(frame, kind)
    view = without_cut_out_texts(given)
    found = diagnose(view)
    if found is None:
        return Revised(judgement, [])
    if found.alike:
        return Revised(judgement, [cause_tally(found, {}, kind, path)])
    moves = _moves(view, found)
    touched = view.filter(pl.col("row").is_in(moves["row"].unique().implode()))
    moved = apply(touched, moves, found.cause)
    if view[SPAN_TEXT].null_count() > given[SPAN_TEXT].null_count():  # cut out again, at the offsets that were meant
        moved = moved.with_columns(text_at().alias(SPAN_TEXT))
    symptoms = mask_frame(moved.join(moves, on=ONE, how="semi").lazy(), list(bits.values()), (*PLACE, SPAN)).collect()
    there, across = _judged_there(masks, moves, symptoms, list(bits)), _across_there(judgement, moved)
    after = _counts(there, checks) + _times(across)
    explains = {
        rule: count - after[rule] for rule, count in (_counts(masks, checks) + _times(judgement.across)).items()
    }
    return Revised(
        replace(judgement, spans=there, across=across) if kind.spans else replace(judgement, rows=there.drop(SPAN)),
        [cause_tally(found, {rule: count for rule, count in explains.items() if count > 0}, kind, path)],
        moves if kind.spans else moves.with_columns(pl.lit(None, pl.UInt32).alias(SPAN)),
        _as_meant(frame, moved, kind),
    )


def _spans(frame: pl.LazyFrame, kind: Kind) -> pl.DataFrame:
    """The spans of a file with their texts; where each record is a span, it has the number 0."""
    view = span_view(frame, kind)
    names = view.collect_schema().names()
    own = [] if SPAN_TEXT in names else [pl.lit(None, pl.String).alias(SPAN_TEXT)]
    fields = [name for name in FIELDS if name in names]
    return view.select(*PLACE, pl.col(SPAN).fill_null(0), TEXT, *fields, *own).collect(engine="streaming")


def _moves(view: pl.DataFrame, found: Diagnosis) -> pl.DataFrame:
    """The spans of a cause that are judged at their new places: those that may move, and those that fit nowhere else."""
    unfit = judged_spans(view).filter(~pl.col("fitted"))
    some = pl.concat([movable(view, found).select(ONE), unfit.select(ONE)])
    return found.spans.drop_nulls([START, END]).join(some, on=ONE, how="semi", maintain_order="left")


def _judged_there(masks: pl.DataFrame, moves: pl.DataFrame, symptoms: pl.DataFrame, bits: list[int]) -> pl.DataFrame:
    """The masks of all spans, with the symptoms that the moved ones have at their new places.

    In `symptoms` the bits are those of the symptoms alone, which have their places among all checks in `bits`.
    """
    at_new_place = [
        pl.when(pl.col("broken") & pl.lit(1 << at, pl.UInt64) != 0).then(pl.lit(1 << bit, pl.UInt64)).otherwise(0)
        for at, bit in enumerate(bits)
    ]
    others = pl.col("broken") & pl.lit(~sum(1 << bit for bit in bits) & ALL_BITS, pl.UInt64)
    parts = [
        masks.join(moves, on=ONE, how="anti"),
        masks.join(moves, on=ONE, how="semi").with_columns(others),
        symptoms.with_columns(broken=pl.sum_horizontal(at_new_place)),
    ]
    place = [*PLACE, SPAN]
    every = pl.concat([part.select(*place, pl.col("broken").cast(pl.UInt64)) for part in parts])
    # A bit is set in one of them at most, so that their sum has them all.
    return every.group_by(place).agg(pl.col("broken").sum()).filter(pl.col("broken") != 0).sort(place)


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


def _counts(masks: pl.DataFrame, checks: Sequence[Check]) -> Counter[str]:
    """How many spans have each symptom."""
    found = zip(checks, counts(masks, checks), strict=True)
    return Counter({check.rule.name: count for check, count in found if check.rule in SYMPTOMS})


def _times(across: pl.DataFrame) -> Counter[str]:
    """How often each rule across rows was broken."""
    return Counter(dict(across.group_by("rule").agg(pl.col("times").cast(pl.Int64).sum()).sort("rule").rows()))


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
