"""Which one cause explains the offsets of a run: every row of the table of causes is tried on the whole file.

Evidence is judged over the spans that a cause moves. Where a span carries its own text it is equality, in the form of the
text or in that of the tool; otherwise it is how spans sit on word boundaries (of 8,145 published spans 4 cut a word, and
none has white space at an edge). A cause is named if nearly all the spans that it moves fit once they are moved, and most
of them did not before. One of some spans only is named where their own texts prove it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from sharedtask.pipelines.inputs.judge import Revised
from sharedtask.schemas.engine.masks import Judgement, counts, mask_frame, span_view
from sharedtask.schemas.flares.cause_rules import OFFSETS_FIRST_OCCURRENCE, OFFSETS_UNEXPLAINED
from sharedtask.schemas.flares.causes import CAUSES, Cause, meant
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
SAMPLE = 2000  # bad spans on which all causes are tried; the best few are then judged on all spans
FINALISTS = 4
FITS = 0.9  # the share of moved spans that must fit afterwards
GAINS = 0.5  # the share of moved spans that must not have fitted before
FEWEST = 2  # spans that must be put right before anything is said, or one whose own text proves a way of counting
FEWEST_OF_SOME = 3  # that must be put right by their own texts, where a cause does not hold for all spans
PROVED = 0.5  # the share of the spans which did not fit that it must put right then
SPEAKING = 10  # spans without which nobody can say that most are wrong
MOST = 0.5
HERE = (pl.col(START), pl.col(END))
REPEATED = 5  # spans with a repeated text that must all lie at its first place


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause that explains a file.

    `spans` has `row`, `span`, and `start` and `end` as meant, for the spans that it moves.

    `put_right` of `moved` spans fit now and did not before, `fit` of them fit now. `mixed` says that it holds for some
    spans only, which their own texts prove, and `behind` that these are the later ones of their records. `by_text` says
    that the evidence is the text of the spans. `others` are the rules of causes that give the same offsets for this
    file, and `alike` says that as much speaks for another way of numbering words, which gives
    others.
    """

    cause: Cause
    spans: pl.DataFrame
    moved: int
    fit: int
    put_right: int
    mixed: bool
    by_text: bool
    behind: bool = False
    others: tuple[str, ...] = ()
    alike: bool = False


def diagnose(view: pl.DataFrame) -> Diagnosis | None:
    """The cause of wrong offsets in a span view, or None where nothing explains them.

    The view has `row`, `span`, `text`, `start`, `end` and `span_text`.
    """
    spans = judged_spans(view)
    by_text = spans[SPAN_TEXT].count() * 2 > spans.height
    judged = [found for cause in finalists(spans) if (found := _judge(spans, cause, by_text)) is not None]
    if not judged:
        return None
    best = max(judged, key=lambda one: (one.put_right, not one.mixed, one.fit / one.moved, -CAUSES.index(one.cause)))
    rest = [one for one in judged if one is not best and one.mixed == best.mixed]
    same = [one for one in rest if one.spans.equals(best.spans)]
    equal = [one for one in rest if (one.put_right, one.fit) == (best.put_right, best.fit)]
    is_unsure = best.cause.words is not None and any(not one.spans.equals(best.spans) for one in equal)
    first = min([best, *same], key=lambda one: CAUSES.index(one.cause))
    others = tuple(
        one.cause.rule.name for one in (best, *same) if one is not first and one.cause.rule is not first.cause.rule
    )
    return replace(first, others=others, alike=is_unsure)


def finalists(spans: pl.DataFrame) -> list[Cause]:
    """The causes that put most of the `judged_spans` right that do not fit, or of a sample of them."""
    bad = spans.filter(~pl.col("fitted"))
    if bad.height < FEWEST and not bad[SPAN_TEXT].count():
        return []
    sample = bad.gather_every(max(bad.height // SAMPLE, 1))
    gains = [(_moved(sample, cause)["fits"].sum(), -at, cause) for at, cause in enumerate(CAUSES)]
    return [cause for gain, _, cause in sorted(gains, key=lambda one: one[:2], reverse=True)[:FINALISTS] if gain]


def judged_spans(view: pl.DataFrame) -> pl.DataFrame:
    """The spans of which something can be said, `fitted` where they fit as they are."""
    spans = view.select("row", SPAN, TEXT, START, END, SPAN_TEXT).drop_nulls([TEXT, START, END])
    return spans.with_columns(fitted=fits(by_text=True)).with_row_index("number")


def fits(*, by_text: bool, cause: Cause | None = None, start: pl.Expr = HERE[0], end: pl.Expr = HERE[1]) -> pl.Expr:
    """Whether a span of the column `text` sits on word boundaries; `by_text`, whether it is its own text, if it has one.

    With a cause, its own text may be in the form that the tool had.
    """
    text = pl.col(TEXT)
    length = text.str.len_chars().cast(pl.Int64)
    inside = ((start >= 0) & (end > start) & (end <= length)).fill_null(value=False)
    first, size = start.fill_null(0).clip(0), (end - start).fill_null(0).clip(0)
    content = text.str.slice(first, size)
    before = (start > 0) & text.str.slice((first - 1).clip(0), 2).str.contains(r"^\w\w$")
    after = (end < length) & text.str.slice((first + size - 1).clip(0), 2).str.contains(r"^\w\w$")
    whole = ~before.fill_null(value=False) & ~after.fill_null(value=False) & (content == content.str.strip_chars())
    if by_text:
        own = pl.col(SPAN_TEXT)
        same = content == own if cause is None else cause.same(content, own)
        whole = pl.when(own.is_null()).then(whole).otherwise(same)
    return inside & whole


def _moved(spans: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The spans that a cause moves, with the offsets it means and whether they fit there."""
    texts = spans.select(pl.col("row").alias("key"), TEXT).unique("key")
    places = meant(spans.select(pl.col("row").alias("key"), START, END), texts, cause)
    given = spans.select(given_start=START, given_end=END)
    there = spans.with_columns(places[START], places[END]).hstack(given)
    changed = pl.col(START).ne_missing(pl.col("given_start")) | pl.col(END).ne_missing(pl.col("given_end"))
    return there.filter(changed).with_columns(fits=fits(by_text=True, cause=cause).fill_null(value=False))


def _judge(spans: pl.DataFrame, cause: Cause, by_text: bool) -> Diagnosis | None:
    """What a cause explains: all spans that it moves, or those whose own texts prove it."""
    moved = _moved(spans, cause)
    gained = moved.filter(pl.col("fits") & ~pl.col("fitted"))
    fit, proved = int(moved["fits"].sum()), gained.filter(pl.col(SPAN_TEXT).is_not_null())
    if not gained.height or (gained.height < FEWEST and (cause.pattern is None or not proved.height)):
        return None
    place = ("row", SPAN, START, END)
    if fit >= FITS * moved.height and gained.height >= GAINS * moved.height:
        return Diagnosis(cause, moved.select(place), moved.height, fit, gained.height, mixed=False, by_text=by_text)
    wrong = moved.filter(~pl.col("fitted"))
    if proved.height < FEWEST_OF_SOME or proved.height < PROVED * wrong.height:
        return None
    some, height = proved.select(place), proved.height
    return Diagnosis(
        cause, some, height, height, height, mixed=True, by_text=True, behind=_are_behind(spans, proved, cause)
    )


def _are_behind(spans: pl.DataFrame, moved: pl.DataFrame, cause: Cause) -> bool:
    """Whether in each record the spans that a shift moves come behind those that fit as they are."""
    if not cause.is_constant:
        return False
    first = moved.group_by("row").agg(first=pl.col("given_start").min())
    others = spans.join(moved, on=["row", SPAN], how="anti").filter(pl.col("fitted")).join(first, on="row")
    return bool(others.height) and bool((others[START] < others["first"]).all())


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
    found = diagnose(view)
    if found is None:
        return Revised(judgement, _unexplained(view, kind, path) or _first_places(view, kind, path))
    place = ["row", SPAN]
    there = mask_frame(apply(view, found.spans, found.cause).lazy(), symptoms, ("file", "row", SPAN)).collect()
    still = there.select(*place, still=pl.sum_horizontal(_moved_bit(at, bit) for at, bit in enumerate(bits)))
    moved = suffering.join(found.spans.select(place), on=place, how="semi").join(still, on=place, how="left")
    gone = pl.col("broken") & pl.lit(mask, pl.UInt64) & ~pl.col("still").fill_null(0)
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


def movable(view: pl.DataFrame, found: Diagnosis) -> pl.DataFrame:
    """Those of the spans of a cause that a repair may move (`row`, `span`, `start` and `end` as meant).

    A span with a text of its own moves to where this text is. Any other stays where it fits if the new place does not
    fit. None moves where as much speaks for another place.
    """
    there = view.join(found.spans.rename({START: "meant_start", END: "meant_end"}), on=["row", SPAN], how="inner")
    new_start, new_end = pl.col("meant_start"), pl.col("meant_end")
    proved = fits(by_text=True, cause=found.cause, start=new_start, end=new_end)
    loses = fits(by_text=False) & ~fits(by_text=False, start=new_start, end=new_end)
    moves = there.filter(pl.when(pl.col(SPAN_TEXT).is_not_null()).then(proved).otherwise(~loses) & (not found.alike))
    return moves.select("row", SPAN, new_start.alias(START), new_end.alias(END))


def apply(view: pl.DataFrame, moves: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The span view with these spans moved.

    A text of its own that a span has in the form of the tool is put into that of the record.
    """
    meant_there = moves.rename({START: "meant_start", END: "meant_end"})
    joined = view.join(meant_there, on=["row", SPAN], how="left", maintain_order="left")
    moved = pl.col("meant_start").is_not_null() & pl.col("meant_end").is_not_null()
    there = joined.with_columns(
        pl.when(moved).then("meant_start").otherwise(START).alias(START),
        pl.when(moved).then("meant_end").otherwise(END).alias(END),
    )
    if cause.form is not None:
        same = moved & fits(by_text=True, cause=cause)
        size = (pl.col(END) - pl.col(START)).clip(0)
        content = pl.when(same).then(pl.col(TEXT).str.slice(pl.col(START).clip(0), size))
        own = pl.when(pl.col(SPAN_TEXT).is_not_null()).then(pl.coalesce(content, SPAN_TEXT))
        there = there.with_columns(own.alias(SPAN_TEXT))
    return there.drop("meant_start", "meant_end")


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
    """Whether every span whose text stands more than once lies at its first place."""
    text, start, size = pl.col(TEXT), pl.col(START), pl.col(END) - pl.col(START)
    spans = view.filter((start >= 0) & (size > 0)).drop_nulls([TEXT, START, END])
    spans = spans.with_columns(content=text.str.slice(start, size))
    repeated = spans.filter(text.str.count_matches(pl.col("content"), literal=True) > 1)
    if repeated.height < REPEATED:
        return []
    first = text.str.find(pl.col("content"), literal=True) == text.str.slice(0, start).str.len_bytes()
    if not repeated.select(first.all()).item():
        return []
    details = {"affected": repeated.height, "explains": {}}
    at = At(path, column=_column(kind))
    return [tally_one(OFFSETS_FIRST_OCCURRENCE, at, kind=kind, details=details, spans=repeated.height)]
