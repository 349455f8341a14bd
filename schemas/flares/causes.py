"""Why offsets are wrong.

Each way in which tools count otherwise, as one row of a table, with the way back to code points of the text.

A tool that counts otherwise does so by constants (the end is inclusive, the first character is 1), or by the widths of
some pieces of the text: a piece of so many code points in the text as given has another width in what the tool had
before it (an emoji is two UTF-16 units, a leading blank is nothing in a stripped text). Offsets move by what the widths
of the pieces before them differ, and no more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from sharedtask.schemas.flares import other_texts
from sharedtask.schemas.flares.cause_rules import (
    OFFSETS_END_INCLUSIVE,
    OFFSETS_IN_WORDS,
    OFFSETS_ON_COLLAPSED_WHITESPACE,
    OFFSETS_ON_CRLF_TEXT,
    OFFSETS_ON_ESCAPED_HTML,
    OFFSETS_ON_ESCAPED_JSON,
    OFFSETS_ON_NORMALIZED_TEXT,
    OFFSETS_ON_STRIPPED_TEXT,
    OFFSETS_ON_UNESCAPED_HTML,
    OFFSETS_ONE_BASED,
    OFFSETS_ONE_BASED_INCLUSIVE,
    OFFSETS_SHIFTED,
    OFFSETS_UTF8_BYTES,
    OFFSETS_UTF16,
)
from sharedtask.schemas.flares.other_texts import Change
from sharedtask.schemas.rule import NOTHING, Rule

FARTHEST_SHIFT = 64
_GAP = "\x00"  # stands for a piece while the text is cut up; no text of a sound file holds it


@dataclass(frozen=True, slots=True)
class Cause:
    """One way of counting; `facts` are what the message of its rule shows of it.

    `start` and `end` are what must be added to the constants; `pattern` finds the pieces of a text that count otherwise.
    A cause has the one or the other. `form` makes of a text, or of a piece of it, what the tool had: pieces count as long
    as they are in that form, and spans that the tool copied are in it. Where it had the same text in another unit,
    `width` is how much a piece counts. With `words`, a pattern of one, offsets are numbers of words, and `end` is 1 where
    that of the last word is given.
    """

    rule: Rule
    start: int = 0
    end: int = 0
    pattern: str | None = None
    form: Change | None = None
    width: Callable[[pl.Expr], pl.Expr] | None = None
    words: str | None = None
    facts: Mapping[str, object] = field(default_factory=lambda: NOTHING, hash=False)

    def same(self, text: pl.Expr, own: pl.Expr) -> pl.Expr:
        """Whether a part of the text is what a span says of it, in the form of the text or in that of the tool."""
        same = text == own
        return same if self.form is None else same | (self.form(text) == self.form(own))

    def counted(self, piece: pl.Expr) -> pl.Expr:
        """How much a piece counts."""
        if self.width is not None:
            return self.width(piece)
        return (piece if self.form is None else self.form(piece)).str.len_chars()


# What a normal form may change: any character beyond ASCII with the marks behind it, and an ASCII letter that has marks behind it.
_COMPOSED = r"[^\x00-\x7F]\p{M}*|[\x00-\x7F]\p{M}+"

# What Python's `re` makes of \w+|[^\w\s]: here \w would have combining marks and zero-width joiners, too.
_TOKENS = r"[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]"

CAUSES: tuple[Cause, ...] = (
    Cause(OFFSETS_UTF16, pattern=r"[\x{10000}-\x{10FFFF}]", width=lambda _: pl.lit(2)),
    Cause(OFFSETS_UTF8_BYTES, pattern=r"[^\x00-\x7F]", width=lambda piece: piece.str.len_bytes()),
    Cause(OFFSETS_END_INCLUSIVE, end=1),
    Cause(OFFSETS_ONE_BASED, start=-1, end=-1),
    Cause(OFFSETS_ONE_BASED_INCLUSIVE, start=-1),
    *(
        Cause(OFFSETS_SHIFTED, by, by, facts={"by": abs(by), "direction": "high" if by < 0 else "low"})
        for size in range(1, FARTHEST_SHIFT + 1)
        for by in (-size, size)
        if by != -1  # the first character is 1, which has its own name
    ),
    Cause(OFFSETS_ON_STRIPPED_TEXT, pattern=r"^\s+", width=lambda _: pl.lit(0)),
    *(
        Cause(OFFSETS_ON_NORMALIZED_TEXT, pattern=_COMPOSED, form=other_texts.normalized(form), facts={"form": form})
        for form in ("NFC", "NFD", "NFKC")
    ),
    Cause(OFFSETS_ON_COLLAPSED_WHITESPACE, pattern=r"\s{2,}", form=other_texts.collapsed),
    *(
        Cause(OFFSETS_ON_CRLF_TEXT, pattern=pattern, form=form, facts=facts)
        for pattern, form, facts in (
            (r"\r\n", other_texts.with_line_feeds, {"line_end": "CRLF", "width": 1}),
            (r"\r\n|\n", other_texts.with_returns, {"line_end": "line feed", "width": 2}),
        )
    ),
    Cause(
        OFFSETS_ON_UNESCAPED_HTML,
        pattern=r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?",
        form=other_texts.unescaped,
    ),
    *(
        Cause(OFFSETS_ON_ESCAPED_HTML, pattern=pattern, form=other_texts.as_html(quotes=quotes), facts={"signs": signs})
        for pattern, quotes, signs in ((r"[&<>]", False, "& < >"), (r"[&<>\"']", True, "& < > \" '"))
    ),
    *(
        Cause(OFFSETS_ON_ESCAPED_JSON, pattern=pattern, form=form, facts={"letters": letters})
        for pattern, form, letters in (
            (
                r'[\x00-\x1F"\\/]|[^\x00-\x7F]',
                other_texts.as_json(ascii_only=True, slashes=True),
                "letters beyond ASCII and slashes",
            ),
            (r'[\x00-\x1F"\\]|[^\x00-\x7F]', other_texts.as_json(ascii_only=True), "letters beyond ASCII"),
            (r'[\x00-\x1F"\\]', other_texts.as_json(ascii_only=False), "quotes and line ends"),
        )
    ),
    *(
        Cause(OFFSETS_IN_WORDS, end=end, words=pattern, facts={"words": words, "last": last})
        for pattern, words in ((r"\S+", "words"), (_TOKENS, "words and punctuation marks"))
        for end, last in ((0, "the next word"), (1, "the last word"))
    ),
)


def pieces(texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The pieces of each text (`key`, `text`) whose width the cause changes: one row a piece, in order.

    `key`; `begins` and `ends` in code points of the text; `counted_begins` and `counted_ends` as the tool counted.
    """
    assert cause.pattern is not None  # noqa: S101 - only causes with pieces come here
    flat = _cut(texts, cause.pattern).with_columns(counted=cause.counted(pl.col("piece")).cast(pl.Int64))
    counted_ends = (pl.col("before") + pl.col("counted")).cum_sum().over("key")
    placed = flat.select(
        "key", "begins", "ends", counted_begins=counted_ends - pl.col("counted"), counted_ends=counted_ends
    )
    return placed.filter(pl.col("ends") - pl.col("begins") != pl.col("counted_ends") - pl.col("counted_begins"))


def _cut(texts: pl.DataFrame, pattern: str) -> pl.DataFrame:
    """What a pattern finds in each text, in order: `key`, `number` from 0, `piece`, `begins` and `ends` in code points.

    `before` is the number of code points between a piece and the one before it.
    """
    text = pl.col("text")
    found = texts.filter(text.str.contains(pattern)).select(
        "key",
        piece=text.str.extract_all(pattern),
        gap=text.str.replace_all(pattern, _GAP).str.split(_GAP),
    )
    several = pl.col("piece").list.len()
    flat = found.with_columns(pl.col("gap").list.head(several), number=pl.int_ranges(0, several))
    flat = flat.explode("piece", "gap", "number").with_columns(before=pl.col("gap").str.len_chars().cast(pl.Int64))
    length = pl.col("piece").str.len_chars().cast(pl.Int64)
    ends = (pl.col("before") + length).cum_sum().over("key")
    return flat.select("key", "number", "piece", "before", begins=ends - length, ends=ends)


def meant(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """`key`, `start`, `end` as a tool counted -> the offsets in code points that it meant, in the same order.

    Null where an offset lies inside a piece, which no whole character of the text begins.
    """
    if cause.words is not None:
        return _of_words(offsets, texts, cause)
    if cause.pattern is None:
        return offsets.with_columns(start=pl.col("start") + cause.start, end=pl.col("end") + cause.end)
    return _moved(offsets, pieces(texts, cause), "counted_begins", "counted_ends", "begins", "ends")


def counted(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The way back: what a tool with this cause writes for offsets in code points of the text."""
    if cause.words is not None:
        return _in_words(offsets, texts, cause)
    if cause.pattern is None:
        return offsets.with_columns(start=pl.col("start") - cause.start, end=pl.col("end") - cause.end)
    return _moved(offsets, pieces(texts, cause), "begins", "ends", "counted_begins", "counted_ends")


def _of_words(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """Numbers of words -> offsets; null where there is no such word."""
    assert cause.words is not None  # noqa: S101 - the caller has looked
    words = _cut(texts, cause.words)
    numbered = offsets.with_columns(last=pl.col("end") - 1 + cause.end)
    first = numbered.join(
        words, left_on=["key", "start"], right_on=["key", "number"], how="left", maintain_order="left"
    )["begins"]
    last = numbered.join(words, left_on=["key", "last"], right_on=["key", "number"], how="left", maintain_order="left")
    return offsets.with_columns(first.alias("start"), last["ends"].alias("end"))


def _in_words(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """Offsets -> numbers of words; null where no word begins or ends there."""
    assert cause.words is not None  # noqa: S101 - the caller has looked
    words = _cut(texts, cause.words)
    first = offsets.join(
        words, left_on=["key", "start"], right_on=["key", "begins"], how="left", maintain_order="left"
    )["number"]
    last = offsets.join(words, left_on=["key", "end"], right_on=["key", "ends"], how="left", maintain_order="left")
    return offsets.with_columns(first.alias("start"), (last["number"] + 1 - cause.end).alias("end"))


def _moved(
    offsets: pl.DataFrame, found: pl.DataFrame, begins: str, ends: str, to_begins: str, to_ends: str
) -> pl.DataFrame:
    numbered = offsets.with_row_index("number")
    for name in ("start", "end"):
        numbered = numbered.with_columns(_one(numbered, name, found, begins, ends, to_begins, to_ends))
    return numbered.drop("number")


def _one(
    offsets: pl.DataFrame, name: str, found: pl.DataFrame, begins: str, ends: str, to_begins: str, to_ends: str
) -> pl.Series:
    """One column of offsets, each moved by the pieces that end at or before it."""
    at = offsets.select("number", "key", at=pl.col(name)).drop_nulls().sort("at")
    passed = found.select("key", at=pl.col(ends), by=pl.col(to_ends) - pl.col(ends)).sort("at")
    entered = found.select("key", at=pl.col(begins), began=pl.col(begins), until=pl.col(ends)).sort("at")
    moved = at.join_asof(passed, on="at", by="key", check_sortedness=False).join_asof(
        entered, on="at", by="key", check_sortedness=False
    )
    inside = ((pl.col("began") < pl.col("at")) & (pl.col("at") < pl.col("until"))).fill_null(value=False)
    moved = moved.select("number", value=pl.when(~inside).then(pl.col("at") + pl.col("by").fill_null(0)))
    return offsets.select("number").join(moved, on="number", how="left", maintain_order="left")["value"].alias(name)
