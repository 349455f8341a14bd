"""Which one cause explains the offsets of a run: every row of the table of causes is tried on the whole file.

Evidence is judged over the spans that a cause moves. Where a span carries its own text it is equality, in the form of the
text or in that of the tool; otherwise it is how spans sit on word boundaries (of 8,145 published spans 4 cut a word, and
none has white space at an edge). A cause is named if nearly all the spans that it moves fit once they are moved, and most
of them did not before. One of some spans only is named where their own texts prove it.
"""

from dataclasses import dataclass, replace

import polars as pl

from sharedtask.pipelines.runs.span_text import text_at
from sharedtask.schemas.flares.cause_rules import OFFSETS_SHIFTED
from sharedtask.schemas.flares.causes import CAUSES, Cause, meant
from sharedtask.schemas.spans import END, SPAN, SPAN_TEXT, START, TEXT

SAMPLE = 2000  # bad spans on which all causes are tried; the best few are then judged on all spans
FINALISTS = 4
FITS = 0.9  # the share of moved spans that must fit afterwards
GAINS = 0.5  # the share of moved spans that must not have fitted before
FEWEST = 2  # spans that must be put right before anything is said, or one whose own text proves a way of counting
CUT_OUT, CUT_OUT_SHARE = 10, 0.02  # spans that cut words although each has its text: of published ones 4 in 8,145 do
CONTRARY = 50  # spans that must speak for a cause for each that speaks against it, where one fits with it and without
NO_CHANCE = 8  # spans that no shift puts right by chance
FEWEST_OF_SOME = 3  # that must be put right by their own texts, where a cause does not hold for all spans
PROVED = 0.5  # the share of the spans which did not fit that it must put right then
HERE = (pl.col(START), pl.col(END))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause that explains a file.

    `spans` has `row`, `span`, and `start` and `end` as meant, for the spans that it moves.

    `put_right` of `moved` spans fit now and did not before, `fit` of them fit now. `mixed` says that it holds for some
    spans only, which their own texts prove, and `behind` that these are the later ones of their records. `by_text` says
    that the evidence is the text of the spans. `others` are the rules of causes that give the same offsets for this
    file, and `alike` says that as much speaks for another way of numbering words, which gives others.
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


def without_cut_out_texts(view: pl.DataFrame) -> pl.DataFrame:
    """The span view, without the texts of spans where a script cut them out of the record at its own offsets.

    Each is what stands at its offsets then, and so says nothing of where these should be; but many cut words.
    """
    told = view.drop_nulls([TEXT, START, END, SPAN_TEXT])
    all_same, unfit = told.select((text_at() == pl.col(SPAN_TEXT)).all(), unfit=(~fits(by_text=False)).sum()).row(0)
    if not all_same or unfit < max(CUT_OUT, CUT_OUT_SHARE * told.height):
        return view
    return view.with_columns(pl.lit(None, pl.String).alias(SPAN_TEXT))


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
    content = text_at(start, end)
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
    if gained.height < _fewest(cause, proved.height):
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


def _fewest(cause: Cause, proved: int) -> int:
    """How many spans a cause has to put right, of which so many are proved by their own texts.

    Dozens of shifts are tried, and two or three spans fit some far one by chance.
    """
    if proved and cause.pattern is not None:
        return 1
    by_chance = 0 if proved >= FEWEST else abs(cause.start) // 2
    return min(FEWEST + by_chance, NO_CHANCE)


def _are_behind(spans: pl.DataFrame, moved: pl.DataFrame, cause: Cause) -> bool:
    """Whether in each record the spans that a shift moves come behind those that fit as they are."""
    if cause.rule is not OFFSETS_SHIFTED:  # the others say how a tool counts, in all of a text
        return False
    first = moved.group_by("row").agg(first=pl.col("given_start").min())
    others = spans.join(moved, on=["row", SPAN], how="anti").filter(pl.col("fitted")).join(first, on="row")
    return bool(others.height) and bool((others[START] < others["first"]).all())


def movable(view: pl.DataFrame, found: Diagnosis) -> pl.DataFrame:
    """Those of the spans of a cause that a repair may move (`row`, `span`, `start` and `end` as meant).

    A span with a text of its own moves to where this text is. Any other stays where it fits if the new place does not
    fit, and if it fits in both, where other spans speak against the cause. None moves where as much speaks for another
    place.
    """
    if found.alike:
        return found.spans.clear()
    there = view.join(found.spans.rename({START: "meant_start", END: "meant_end"}), on=["row", SPAN], how="inner")
    new_start, new_end = pl.col("meant_start"), pl.col("meant_end")
    there = there.with_columns(
        here=fits(by_text=True), there=fits(by_text=True, cause=found.cause, start=new_start, end=new_end)
    )
    fits_here, fits_there = pl.col("here"), pl.col("there")
    speaks_for, speaks_against = there.select(
        (fits_there & ~fits_here).sum(), against=(fits_here & ~fits_there).sum()
    ).row(0)
    both = fits_there & (speaks_against * CONTRARY <= speaks_for)
    moves = there.filter(
        pl.when(pl.col(SPAN_TEXT).is_not_null()).then(fits_there).when(fits_here).then(both).otherwise(True)
    )
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
        content = pl.when(moved & fits(by_text=True, cause=cause)).then(text_at())
        own = pl.when(pl.col(SPAN_TEXT).is_not_null()).then(pl.coalesce(content, SPAN_TEXT))
        there = there.with_columns(own.alias(SPAN_TEXT))
    return there.drop("meant_start", "meant_end")
