"""What the report of a FLARES run says of wrong offsets: the cause in the place of the symptoms that it explains.

Where nothing explains them, that is said, and so are spans that were all searched for from the start of their texts.
"""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from sharedtask.pipelines.inputs.judge import Revised
from sharedtask.pipelines.runs.flares_offsets import Diagnosis, apply, diagnose, judged_spans, without_cut_out_texts
from sharedtask.pipelines.runs.span_text import is_first_place, is_repeated
from sharedtask.schemas.engine.masks import Judgement, counts, mask_frame, span_view
from sharedtask.schemas.flares.cause_rules import OFFSETS_FIRST_OCCURRENCE, OFFSETS_UNEXPLAINED
from sharedtask.schemas.flares.causes import CAUSES
from sharedtask.schemas.flares.rules import (
    SPAN_CUTS_WORD,
    SPAN_EDGE_WHITESPACE,
    SPAN_EMPTY,
    SPAN_OUT_OF_BOUNDS,
    SPAN_TEXT_DIFFERS,
)
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import At, Severity, Tally, tally_one
from sharedtask.schemas.spans import END, SPAN, SPAN_TEXT, START, TEXT

SYMPTOMS = (SPAN_OUT_OF_BOUNDS, SPAN_EMPTY, SPAN_TEXT_DIFFERS, SPAN_EDGE_WHITESPACE, SPAN_CUTS_WORD)
SPEAKING = 10  # spans without which nobody can say that most are wrong
MOST = 0.5
REPEATED = 5  # spans with a repeated text that must all lie at its first place


def revise(frame: pl.LazyFrame, judgement: Judgement, kind: Kind, path: str) -> Revised:
    """Replace the symptoms of a judged run by the cause that explains them, where there is one."""
    if kind.spans is None or kind.spans.name not in frame.collect_schema():
        return Revised(judgement, [])
    bits = [bit for bit, check in enumerate(judgement.checks.span) if check.rule in SYMPTOMS]
    symptoms = [judgement.checks.span[bit] for bit in bits]
    mask = sum(1 << bit for bit in bits)
    suffering = judgement.spans.filter(pl.col("broken") & mask != 0)
    view = span_view(frame, kind).collect(engine="streaming")
    if not suffering.height:
        return Revised(judgement, _first_places(view, kind, path))
    view = without_cut_out_texts(view)
    found = diagnose(view)
    if found is None:
        return Revised(judgement, _unexplained(view, kind, path) or _first_places(view, kind, path))
    place = ["row", SPAN]
    there = mask_frame(apply(view, found.spans, found.cause).lazy(), symptoms, ("file", "row", SPAN)).collect()
    still = there.select(*place, still=pl.sum_horizontal(_moved_bit(at, bit) for at, bit in enumerate(bits)))
    moved = suffering.join(found.spans.select(place), on=place, how="semi").join(still, on=place, how="left")
    broken, remain = pl.col("broken") & pl.lit(mask, pl.UInt64), pl.col("still").fill_null(0)
    is_worse = remain & ~broken != 0  # wrong in a way that it was not before: nothing of it is explained
    gone = pl.when(is_worse).then(pl.lit(0, pl.UInt64)).otherwise(broken & ~remain)
    healed = moved.select("file", *place, broken=gone).filter(pl.col("broken") != 0)
    marked = judgement.spans.join(healed.select(*place, healed="broken"), on=place, how="left", maintain_order="left")
    left = marked.with_columns(pl.col("broken") & ~pl.col("healed").fill_null(0))
    spans = left.filter(pl.col("broken") != 0).drop("healed")
    explained = counts(healed, judgement.checks.span)
    explains = {
        check.rule.name: count
        for check, count in zip(judgement.checks.span, explained, strict=True)
        if check.rule in SYMPTOMS and count
    }
    suffers_still = spans.filter(pl.col("broken") & mask != 0)
    meant_spans = found.spans.join(suffers_still, on=place, how="anti", maintain_order="left")
    return Revised(replace(judgement, spans=spans), [cause_tally(found, explains, kind, path)], meant_spans)


def _moved_bit(at: int, bit: int) -> pl.Expr:
    """A bit of `broken` at another place."""
    is_set = pl.col("broken") & pl.lit(1 << at, pl.UInt64) != 0
    return pl.when(is_set).then(pl.lit(1 << bit, pl.UInt64)).otherwise(pl.lit(0, pl.UInt64))


def _unexplained(view: pl.DataFrame, kind: Kind, path: str) -> list[Tally]:
    """Whether most spans are wrong, and nothing explains it: an error unless they do no more than cut words."""
    spans = judged_spans(view)
    length = pl.col(TEXT).str.len_chars().cast(pl.Int64)
    outside = (pl.col(START) < 0) | (pl.col(END) > length)
    contradicts = ~pl.col("fitted") & pl.col(SPAN_TEXT).is_not_null()
    wrong, unfit = spans.select((outside | contradicts).sum(), (~pl.col("fitted")).sum()).row(0)
    if spans.height < SPEAKING or unfit < MOST * spans.height:
        return []
    is_error = wrong >= MOST * spans.height
    tried = list(dict.fromkeys(cause.rule.name.removeprefix("offsets-") for cause in CAUSES))
    count = wrong if is_error else unfit
    return [
        tally_one(
            OFFSETS_UNEXPLAINED,
            At(path, column=_column(kind)),
            kind=kind,
            which="" if is_error else "words",
            severity=Severity.ERROR if is_error else Severity.WARNING,
            details={"affected": count, "tried": tried},
            wrong=count,
            spans=spans.height,
            tried=tried,
        )
    ]


def cause_tally(found: Diagnosis, explains: Mapping[str, int], kind: Kind, path: str) -> Tally:
    """The finding of a cause, with how many findings of each rule it explains."""
    evidence = "their own text" if found.by_text else "word boundaries"
    details = {
        "affected": found.moved,
        "explains": dict(explains),
        "evidence": {"moved": found.moved, "fit": found.fit, "put_right": found.put_right, "by": evidence},
        "mixed": found.mixed,
    }
    some = "behind" if found.behind else "some" if found.mixed else ""
    which = "-".join(
        key for key, is_so in ((some, bool(some)), ("others", bool(found.others) and not found.behind)) if is_so
    )
    facts = {"fit": found.fit, "moved": found.moved, "evidence": evidence, "others": list(found.others)}
    return tally_one(
        found.cause.rule,
        At(path, column=_column(kind)),
        kind=kind,
        which="alike" if found.alike else which,
        fixable=not found.alike,
        details=details,
        **facts,
        **found.cause.facts,
    )


def _column(kind: Kind) -> str:
    """The official name of the list of spans, or of where a span starts if each record is one."""
    return kind.column(kind.spans.name if kind.spans else START).official


def _first_places(view: pl.DataFrame, kind: Kind, path: str) -> list[Tally]:
    """Whether every span whose text occurs more than once is at its first place."""
    spans = view.drop_nulls([TEXT, START, END]).filter(pl.col(START) >= 0)
    repeated = spans.filter(is_repeated())
    if repeated.height < REPEATED or not repeated.select(is_first_place().all()).item():
        return []
    details = {"affected": repeated.height, "explains": {}}
    at = At(path, column=_column(kind))
    return [tally_one(OFFSETS_FIRST_OCCURRENCE, at, kind=kind, details=details, spans=repeated.height)]
