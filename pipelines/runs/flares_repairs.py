"""The safe repairs of the spans of a FLARES run.

The offsets that were meant, white space at the edges, order and copies. A span moves only where nothing speaks against
its new place: neither its own text, nor the word boundaries around it.
"""

from collections.abc import Sequence

import polars as pl

from sharedtask.converters.flares.write import subtask1_run_with_texts
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.runs import flares_offsets
from sharedtask.pipelines.runs.flares_fragments import Fragments, no_fragments, place_fragments
from sharedtask.pipelines.runs.flares_offsets import Diagnosis, without_cut_out_texts
from sharedtask.pipelines.runs.mended import CHANGES, Mended
from sharedtask.pipelines.runs.span_text import is_first_place, is_repeated, text_at
from sharedtask.schemas.engine.masks import failing, span_view
from sharedtask.schemas.flares.rules import DUPLICATE_SPAN, SPAN_EDGE_WHITESPACE, UNSORTED_SPANS
from sharedtask.schemas.spans import END, LABEL, PLACE, RELIABILITY, SPAN, SPAN_TEXT, START, TEXT, raw

ONE = ["row", SPAN]
WORDS = (LABEL, RELIABILITY)  # fields of a closed set of words
SAID = (RELIABILITY, SPAN_TEXT)  # of a span beside its place
GIVEN = "given."
TRUSTED = 0.9  # the share of other spans that must fit their texts where white space is taken off spans


def mend_spans(frame: pl.DataFrame, run: Judged, place: str = "none") -> Mended:
    """The frame of a judged run with its lists of spans mended; as it is where the run has none.

    Spans have the offsets that were meant and no white space at their edges; they are in order, and each is there once.
    A record with a span whose place cannot be read stays as it was given, but for the spans that `place` asked to put
    where their text is.
    """
    kind = run.opened.kind
    if kind.spans is None or kind.spans.name not in frame.columns:
        return Mended(frame)
    name, official = kind.spans.name, next(one.official for one in kind.columns if one.name == kind.spans.name)
    given = span_view(frame.lazy(), kind).collect(engine="streaming")
    given = without_cut_out_texts(given) if place == "none" else given
    given = given.with_columns(pl.col(field).alias(GIVEN + field) for field in (START, END))
    fragments = no_fragments() if place == "none" else place_fragments(given, place)
    every = fragments.apply(given)
    broken = every.filter(pl.any_horizontal(_is_lost(every, field) for field in PLACE))["row"].unique()
    view = every.filter(~pl.col("row").is_in(broken.implode()))
    free = every.join(fragments.places, on=ONE, how="anti", maintain_order="left")
    found = flares_offsets.diagnose(free)
    moves = view.select(ONE).clear() if found is None else flares_offsets.movable(view, found)
    moved = view if found is None else flares_offsets.apply(view, moves, found.cause)
    trimmed = _trimmed(moved, pl.concat([_left_alone(found, moves), fragments.left.select(ONE)]))
    # A word that no rule knows is kept as it was written; only its offsets were judged here.
    words = [
        pl.coalesce(pl.col(field).cast(pl.String), *([pl.col(raw(field))] if raw(field) in view.columns else []))
        for field in WORDS
    ]
    whole = trimmed.with_columns(words)
    part = (
        _placed_in_part(every, broken, fragments)
        .with_columns(*words, trimmed=pl.lit(value=False))
        .select(whole.columns)
    )
    written = pl.concat([view.select(ONE), part.select(ONE)])
    # Two texts without a place are no copies of one another, although the offsets that they were given may be equal.
    own = whole.join(fragments.left.select(*ONE, own=SPAN), on=ONE, how="left", maintain_order="left")
    # Nor are two at the first place of a text that occurs again: each may be another place, searched for from the start.
    own = own.with_columns(own=pl.when(is_repeated() & is_first_place()).then(SPAN).otherwise("own"))
    # Nor are two that say different things of one place; one that says nothing is a copy of one that says something.
    filled = [pl.col(field).fill_null(strategy="forward").fill_null(strategy="backward") for field in SAID]
    said = own.with_columns(one.over("row", *PLACE) for one in filled)
    once = said.unique(["row", *PLACE, *SAID, "own"], keep="first", maintain_order=True).drop("own")
    ordered = once.sort("row", START, maintain_order=True)
    repairs = [
        *([] if found is None else [Repair(found.cause.rule, moves.height, "span")]),
        Repair(SPAN_EDGE_WHITESPACE, int(trimmed["trimmed"].sum()), "span"),
        *fragments.repairs(written, given),
        *_of_fields(run, written, fragments.placed.select(ONE)),
        Repair(DUPLICATE_SPAN, whole.height - once.height, "span"),
        Repair(UNSORTED_SPANS, _out_of_order(ordered), "record"),
    ]
    fields = [column.name for column in kind.spans.columns]
    lists = ordered.group_by("row", maintain_order=True).agg(pl.struct(fields).alias(name))
    rows = frame.select("row", given=pl.col(name).is_not_null())
    joined = rows.join(lists, on="row", how="left", maintain_order="left")
    empty = pl.lit([], joined.schema[name])
    mended = pl.when(pl.col(name).is_null() & pl.col("given")).then(empty).otherwise(name)
    changes = _changes(pl.concat([whole, part]), pl.concat([once, part]), official)
    cells = _cells(part, fields, name)
    listed = frame.with_columns(joined.select(mended.alias(name)))
    return Mended(listed, repairs, changes, as_given=broken, cells=cells, found=fragments.findings(run))


def _placed_in_part(every: pl.DataFrame, broken: pl.Series, fragments: Fragments) -> pl.DataFrame:
    """The spans of records of which some are placed and some have no place, as far as nothing else is written in its stead."""
    lost = [
        pl.col(field).is_null() & pl.col(raw(field)).is_not_null()
        for field in (START, END)
        if raw(field) in every.columns
    ]
    unread = every.filter(pl.any_horizontal(*lost, pl.lit(value=False))).select("row")
    some = every.filter(pl.col("row").is_in(broken.implode())).join(unread, on="row", how="anti", maintain_order="left")
    return some.join(fragments.placed, on="row", how="semi", maintain_order="left")


def _cells(part: pl.DataFrame, fields: Sequence[str], name: str) -> pl.DataFrame:
    """The text of the lists of these spans, with all that is known of each."""
    lists = part.group_by("row", maintain_order=True).agg(pl.struct(fields).alias(name))
    written = subtask1_run_with_texts(lists.lazy().with_columns(id=pl.lit(None, pl.Int64))).collect()
    return lists.select("row", cell=written.to_series(1))


def _is_lost(view: pl.DataFrame, field: str) -> pl.Expr:
    """Whether nothing is known of a field: no value of an offset, and no word at all for a label."""
    lost = pl.col(field).is_null()
    return lost & pl.col(raw(field)).is_null() if field == LABEL and raw(field) in view.columns else lost


def _left_alone(found: Diagnosis | None, moves: pl.DataFrame) -> pl.DataFrame:
    """The spans that a cause would move and no repair does: nothing else is moved about them."""
    return moves if found is None else found.spans.join(moves, on=ONE, how="anti").select(ONE)


def _trimmed(view: pl.DataFrame, alone: pl.DataFrame) -> pl.DataFrame:
    """Spans without white space at their edges, `trimmed` where they had some.

    A span of nothing else stays as it is, and so do one that would cut a word then, one whose own text is another, and
    those to be left alone. All do where many other spans do not fit their texts: then offsets are wrong in a way that
    nobody has found, and white space at an edge is no more than another sign of it.
    """
    text, start, size = pl.col(TEXT), pl.col(START), pl.col(END) - pl.col(START)
    inside = (start >= 0) & (size > 0) & (pl.col(END) <= text.str.len_chars())
    content = pl.when(inside).then(text_at())
    bare, own = content.str.strip_chars(), pl.col(SPAN_TEXT)
    lead = (content.str.len_chars() - content.str.strip_chars_start().str.len_chars()).cast(pl.Int64)
    trail = (content.str.len_chars() - content.str.strip_chars_end().str.len_chars()).cast(pl.Int64)
    trim = (content != bare) & (bare != "") & (own.is_null() | (own.str.strip_chars() == bare))
    moved = view.with_columns(
        trim.fill_null(value=False).alias("trimmed"), (start + lead).alias("first"), (pl.col(END) - trail).alias("last")
    )
    fits = flares_offsets.fits(by_text=False, start=pl.col("first"), end=pl.col("last"))
    moved = moved.with_columns(pl.col("trimmed") & fits)
    moved = moved.join(alone.with_columns(alone=pl.lit(value=True)), on=ONE, how="left", maintain_order="left")
    moved = moved.with_columns(pl.col("trimmed") & pl.col("alone").is_null()).drop("alone")
    others = (
        moved.filter((content == bare) & ~pl.col("trimmed")).select(flares_offsets.fits(by_text=True).mean()).item()
    )
    if others is not None and others < TRUSTED:
        moved = moved.with_columns(trimmed=pl.lit(value=False))
    return moved.with_columns(
        pl.when("trimmed").then("first").otherwise(START).alias(START),
        pl.when("trimmed").then("last").otherwise(END).alias(END),
        pl.when(pl.col("trimmed") & own.is_not_null()).then(own.str.strip_chars()).otherwise(own).alias(SPAN_TEXT),
    ).drop("first", "last")


def _of_fields(run: Judged, spans: pl.DataFrame, placed: pl.DataFrame) -> list[Repair]:
    """The repairs that reading the fields of these spans has made: the label of each, and the offsets of those not placed.

    A reliability that was misspelt is in no upload.
    """
    others = spans.join(placed, on=ONE, how="anti")
    places = {LABEL: spans, RELIABILITY: spans, START: others, END: others}
    return [
        Repair(
            check.rule,
            failing(judgement.spans, bit).join(places[check.column], on=ONE, how="semi").height,
            "span",
            "left out" if check.column == RELIABILITY else "repaired",
        )
        for judgement in run.judgements
        for bit, check in enumerate(judgement.checks.span)
        if check.mended and check.column in places
    ]


def _out_of_order(ordered: pl.DataFrame) -> int:
    """The records whose spans are in another order than they were given in."""
    back = pl.col(SPAN).cast(pl.Int64).diff().over("row") < 0
    return int(ordered.filter(back)["row"].n_unique())


def _changes(whole: pl.DataFrame, once: pl.DataFrame, official: str) -> pl.DataFrame:
    """What was changed of each span: its offsets, its label, or the span left out as a copy."""
    dropped = whole.join(once, on=ONE, how="anti", maintain_order="left").with_columns(dropped=True)
    kept = once.with_columns(dropped=False)
    every = pl.concat([kept, dropped])
    place = pl.format("[{}, {})", _written(every, START), _written(every, END))
    after = pl.format("[{}, {})", START, END)
    label = pl.col(raw(LABEL)) if raw(LABEL) in every.columns else pl.col(LABEL)
    parts: Sequence[tuple[pl.Expr, pl.Expr, pl.Expr]] = (
        (pl.col("dropped"), pl.format("{} {}", place, label), pl.lit(None, pl.String)),
        (~pl.col("dropped") & place.ne_missing(after), place, after),
        (~pl.col("dropped") & (label != pl.col(LABEL)), label, pl.col(LABEL)),
    )
    found = [
        every.filter(changed).select("row", pl.lit(official).alias("column"), SPAN, before=old, after=new)
        for changed, old, new in parts
    ]
    return pl.concat(found).cast(CHANGES).sort("row", SPAN, maintain_order=True)  # type: ignore[arg-type]


def _written(view: pl.DataFrame, field: str) -> pl.Expr:
    """An offset as the run has it."""
    given = pl.col(GIVEN + field).cast(pl.String)
    return pl.coalesce(raw(field), given) if raw(field) in view.columns else given
