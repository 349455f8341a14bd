"""The places of spans whose text is the truth and whose offsets are guesses: `fix --place`.

A text that occurs once as it is needs no more than expressions over whole columns. Only the records in which some text
does not are gone through one by one: there texts are looked for under the folds of `folded_text`, and a text that
occurs several times has the place that the order of the spans leaves, or the one that is nearest to its offset.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.runs.folded_text import FOLDS, FoldedText, Folds, folded, is_continued
from sharedtask.pipelines.runs.span_order import Place, places_in_order
from sharedtask.schemas.spans import END, SPAN, SPAN_TEXT, START, TEXT

NEAREST = "nearest"

LOOKED_AT = 1000  # occurrences of one text in a record; where there are more, nothing is said about it
WORK = 1 << 21  # characters that are compared for them at most, about

PLACED, AMBIGUOUS, ABSENT = "placed", "ambiguous", "absent"
FIRST, LAST, STATUS, LEVEL, TIMES, MORE = "placed.start", "placed.end", "status", "level", "times", "more"
PLACES = {
    "row": pl.UInt32,
    SPAN: pl.UInt32,
    FIRST: pl.Int64,
    LAST: pl.Int64,
    STATUS: pl.String,
    LEVEL: pl.Int64,
    TIMES: pl.Int64,
    MORE: pl.Boolean,
}
"""A span with a text: its place from `first` to `last` if it has one, under how many folds its text was found, how many
times that occurs, and whether there are more than were looked at."""


def places(view: pl.DataFrame, choice: str, group: pl.Expr) -> pl.DataFrame:
    """The place of each span of a view that has a text, in a record that has one (`PLACES`).

    A span that stands at its text stays. With `exact` the order in which spans were given decides between several
    places, among those of one `group` of a record, with `nearest` the offset first.
    """
    text, fragment = pl.col(TEXT), pl.col(SPAN_TEXT)
    spans = view.select("row", SPAN, TEXT, SPAN_TEXT, START, END, group=group).drop_nulls([TEXT, SPAN_TEXT])
    spans = spans.with_columns(at=pl.when(fragment.str.strip_chars() != "").then(text.str.find(fragment, literal=True)))
    before = text.cast(pl.Binary).bin.slice(0, pl.col("at").fill_null(0)).cast(pl.String).str.len_chars()
    spans = spans.with_columns(at=pl.when(pl.col("at").is_not_null()).then(before).cast(pl.Int64))
    again = text.str.slice(pl.col("at") + 1).str.contains(fragment, literal=True)
    once = pl.col("at").is_not_null() & ~again.fill_null(value=True)
    spans = spans.with_columns(pl.when(once).then("at").alias("at"))
    open_rows = spans.filter(pl.col("at").is_null()).select("row").unique()
    alone = spans.filter(pl.col("at").is_not_null()).join(open_rows, on="row", how="anti", maintain_order="left")
    sure = alone.select(
        "row",
        SPAN,
        pl.col("at").alias(FIRST),
        (pl.col("at") + fragment.str.len_chars()).alias(LAST),
        pl.lit(PLACED).alias(STATUS),
        pl.lit(0).alias(LEVEL),
        pl.lit(1).alias(TIMES),
        pl.lit(value=False).alias(MORE),
    ).cast(PLACES)  # type: ignore[arg-type]
    records = spans.join(open_rows, on="row", how="semi", maintain_order="left")
    lists = records.group_by("row", maintain_order=True).agg(pl.col(TEXT).first(), SPAN, SPAN_TEXT, START, END, "group")
    rows = [one for row, whole, *columns in lists.iter_rows() for one in _of_record(row, whole, columns, choice)]
    return pl.concat([sure, pl.DataFrame(rows, schema=PLACES, orient="row")])


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a text occurs: under how many folds, at which places, how often, and whether more often than was looked at."""

    level: int
    places: Sequence[Place]
    times: int = 0
    more: bool = False


def _of_record(row: int, text: str, columns: Sequence[list[object]], choice: str) -> Iterator[tuple[object, ...]]:
    """The rows of `PLACES` of one record."""
    numbers, fragments, starts, ends, groups = columns
    finder = _Finder(text)
    found = [finder.find(str(fragment)) for fragment in fragments]
    candidates = [
        _nearest(one, start, len(text))
        if choice == NEAREST and isinstance(start, int)
        else []
        if one.more
        else one.places
        for one, start in zip(found, starts, strict=True)
    ]
    standing = _standing(found, list(zip(starts, ends, strict=True)))
    decided = list[Place | None]([None] * len(found))
    for group in dict.fromkeys(groups):
        mine = [at for at, other in enumerate(groups) if other == group and candidates[at]]
        fixed = [place for at in mine if (place := standing[at]) is not None]
        if fixed == sorted(fixed):
            choices = [candidates[at] if (place := standing[at]) is None else [place] for at in mine]
        else:  # the spans were given in another order than that of the text, which so says nothing of the others
            mine = [at for at in mine if standing[at] is None and len(candidates[at]) == 1]
            choices = [candidates[at] for at in mine]
        for at, place in zip(mine, places_in_order(choices), strict=True):
            decided[at] = place
    decided = [place if still is None else still for place, still in zip(decided, standing, strict=True)]
    for number, one, place in zip(numbers, found, decided, strict=True):
        status = PLACED if place else AMBIGUOUS if one.places else ABSENT
        first, last = place or (None, None)
        yield row, number, first, last, status, one.level, one.times, one.more


def _standing(found: Sequence[_Found], offsets: Sequence[tuple[object, object]]) -> list[Place | None]:
    """The place of each span that stands at its text already, and is alone there."""
    here = [
        next((place for place in one.places if one.level == 0 and place == given), None)
        for one, given in zip(found, offsets, strict=True)
    ]
    return [place if place is not None and here.count(place) == 1 else None for place in here]


def _nearest(found: _Found, start: int, size: int) -> Sequence[Place]:
    """The places that are nearest to an offset: one, two that are equally far, or none where that is not known.

    An offset outside the text, of `size` characters, tells nothing.
    """
    if not found.places or (found.more and start > found.places[-1][0]):
        return []
    if not 0 <= start <= size:
        return found.places if len(found.places) == 1 else []
    least = min(abs(first - start) for first, _ in found.places)
    return [place for place in found.places if abs(place[0] - start) == least]


class _Finder:
    """Finds texts in the text of one record, each once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folds = Folds(text)
        self.known: dict[str, _Found] = {}

    def find(self, fragment: str) -> _Found:
        """The places of a text under the first fold at which it occurs; whole words where it occurs as such."""
        if fragment not in self.known:
            self.known[fragment] = self._found(fragment)
        return self.known[fragment]

    def _found(self, fragment: str) -> _Found:
        before = None
        for level in range(len(FOLDS) + 1) if fragment.strip() else ():
            sought, whole = folded(fragment, level), self.folds.at(level)
            if before == (sought, whole.text):
                continue
            before = (sought, whole.text)
            places, more = _occurrences(whole, sought)
            if places:
                words = [place for place in places if self._is_whole(*place)]
                kept = words or places
                return _Found(level, kept, len(places if more else kept), more)
        return _Found(0, ())

    def _is_whole(self, first: int, last: int) -> bool:
        """Whether a place begins and ends where a word does, or outside of words."""
        return not any(
            0 < edge < len(self.text) and _is_of_word(self.text[edge - 1]) and _is_of_word(self.text[edge])
            for edge in (first, last)
        )


def _occurrences(whole: FoldedText, sought: str) -> tuple[list[Place], bool]:
    """The places of the original at which a folded text occurs, overlapping ones too, and whether there are more."""
    most = max(2, min(LOOKED_AT, WORK // len(sought)))
    places, at, looked_at = list[Place](), whole.text.find(sought), 0
    while at >= 0 and looked_at < most:
        if whole.is_aligned(at, at + len(sought)):
            places.append((whole.starts[at], whole.ends[at + len(sought) - 1]))
        looked_at += 1
        at = whole.text.find(sought, at + 1)
    return places, at >= 0


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_" or is_continued(character)
