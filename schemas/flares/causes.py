"""Why offsets are wrong.

Each way in which tools count otherwise, as one row of a table, with the way back to code points of the text.

A tool that counts otherwise does so by constants (the end is inclusive, the first character is 1), or by the widths of
some pieces of the text: a piece of so many code points in the text as given has another width in what the tool had
before it (an emoji is two UTF-16 units, a leading blank is nothing in a stripped text). Offsets move by what the widths
of the pieces before them differ, and no more.
"""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from sharedtask.schemas.flares.cause_rules import (
    OFFSETS_END_INCLUSIVE,
    OFFSETS_ON_COLLAPSED_WHITESPACE,
    OFFSETS_ON_CRLF_TEXT,
    OFFSETS_ON_NORMALIZED_TEXT,
    OFFSETS_ON_STRIPPED_TEXT,
    OFFSETS_ON_UNESCAPED_HTML,
    OFFSETS_ONE_BASED,
    OFFSETS_ONE_BASED_INCLUSIVE,
    OFFSETS_SHIFTED,
    OFFSETS_UTF8_BYTES,
    OFFSETS_UTF16,
)
from sharedtask.schemas.rule import NOTHING, Rule

FARTHEST_SHIFT = 64
_GAP = "\x00"  # stands for a piece while the text is cut up; no text of a sound file holds it


@dataclass(frozen=True, slots=True)
class Cause:
    """One way of counting; `facts` are what the message of its rule shows of it.

    `start` and `end` are what must be added to the constants; `pattern` finds the pieces of a text whose `width` (an
    expression over the piece) the tool had instead of their length in code points. A cause has the one or the other.
    """

    rule: Rule
    start: int = 0
    end: int = 0
    pattern: str | None = None
    width: Callable[[pl.Expr], pl.Expr] | None = None
    facts: Mapping[str, object] = field(default_factory=lambda: NOTHING, hash=False)


def _bytes(piece: pl.Expr) -> pl.Expr:
    return piece.str.len_bytes()


def _normal(form: str) -> Callable[[pl.Expr], pl.Expr]:
    return lambda piece: piece.str.normalize(form).str.len_chars()  # type: ignore[arg-type]


def _constant(width: int) -> Callable[[pl.Expr], pl.Expr]:
    return lambda _: pl.lit(width)


def _unescaped(piece: pl.Expr) -> pl.Expr:
    """The length of what an entity stands for; there are few distinct entities in any file."""
    return piece.map_batches(_unescaped_lengths, return_dtype=pl.UInt32)


def _unescaped_lengths(pieces: pl.Series) -> pl.Series:
    distinct = pieces.unique()
    lengths = pl.DataFrame(
        {"piece": distinct, "length": [len(html.unescape(piece)) for piece in distinct]},
        schema_overrides={"length": pl.UInt32},
    )
    return pieces.to_frame("piece").join(lengths, on="piece", how="left", maintain_order="left")["length"]


# What a normal form may change: any character beyond ASCII with the marks behind it, and an ASCII letter that has marks behind it.
_COMPOSED = r"[^\x00-\x7F]\p{M}*|[\x00-\x7F]\p{M}+"

CAUSES: tuple[Cause, ...] = (
    Cause(OFFSETS_UTF16, pattern=r"[\x{10000}-\x{10FFFF}]", width=_constant(2)),
    Cause(OFFSETS_UTF8_BYTES, pattern=r"[^\x00-\x7F]", width=_bytes),
    Cause(OFFSETS_END_INCLUSIVE, end=1),
    Cause(OFFSETS_ONE_BASED, start=-1, end=-1),
    Cause(OFFSETS_ONE_BASED_INCLUSIVE, start=-1),
    *(
        Cause(OFFSETS_SHIFTED, by, by, facts={"by": abs(by), "direction": "high" if by < 0 else "low"})
        for size in range(1, FARTHEST_SHIFT + 1)
        for by in (-size, size)
        if by != -1  # the first character is 1, which has its own name
    ),
    Cause(OFFSETS_ON_STRIPPED_TEXT, pattern=r"^\s+", width=_constant(0)),
    *(
        Cause(OFFSETS_ON_NORMALIZED_TEXT, pattern=_COMPOSED, width=_normal(form), facts={"form": form})
        for form in ("NFC", "NFD", "NFKC")
    ),
    Cause(OFFSETS_ON_COLLAPSED_WHITESPACE, pattern=r"\s{2,}", width=_constant(1)),
    Cause(OFFSETS_ON_CRLF_TEXT, pattern=r"\r\n", width=_constant(1), facts={"line_end": "CRLF", "width": 1}),
    Cause(OFFSETS_ON_CRLF_TEXT, pattern=r"\r\n|\n", width=_constant(2), facts={"line_end": "line feed", "width": 2}),
    Cause(
        OFFSETS_ON_UNESCAPED_HTML,
        pattern=r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?",
        width=_unescaped,
    ),
)


def pieces(texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The pieces of each text (`key`, `text`) whose width the cause changes: one row a piece, in order.

    `key`; `begins` and `ends` in code points of the text; `counted_begins` and `counted_ends` as the tool counted.
    """
    assert cause.pattern is not None and cause.width is not None  # noqa: S101, PT018 - only causes with pieces come here
    text = pl.col("text")
    found = texts.filter(text.str.contains(cause.pattern)).select(
        "key",
        piece=text.str.extract_all(cause.pattern),
        gap=text.str.replace_all(cause.pattern, _GAP).str.split(_GAP),
    )
    flat = found.with_columns(pl.col("gap").list.head(pl.col("piece").list.len())).explode("piece", "gap")
    flat = flat.with_columns(
        length=pl.col("piece").str.len_chars().cast(pl.Int64),
        counted=cause.width(pl.col("piece")).cast(pl.Int64),
        before=pl.col("gap").str.len_chars().cast(pl.Int64),
    )
    ends = (pl.col("before") + pl.col("length")).cum_sum().over("key")
    counted_ends = (pl.col("before") + pl.col("counted")).cum_sum().over("key")
    placed = flat.select(
        "key",
        begins=ends - pl.col("length"),
        ends=ends,
        counted_begins=counted_ends - pl.col("counted"),
        counted_ends=counted_ends,
    )
    return placed.filter(pl.col("ends") - pl.col("begins") != pl.col("counted_ends") - pl.col("counted_begins"))


def meant(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """`key`, `start`, `end` as a tool counted -> the offsets in code points that it meant, in the same order.

    Null where an offset lies inside a piece, which no whole character of the text begins.
    """
    if cause.pattern is None:
        return offsets.with_columns(start=pl.col("start") + cause.start, end=pl.col("end") + cause.end)
    return _moved(offsets, pieces(texts, cause), "counted_begins", "counted_ends", "begins", "ends")


def counted(offsets: pl.DataFrame, texts: pl.DataFrame, cause: Cause) -> pl.DataFrame:
    """The way back: what a tool with this cause writes for offsets in code points of the text."""
    if cause.pattern is None:
        return offsets.with_columns(start=pl.col("start") - cause.start, end=pl.col("end") - cause.end)
    return _moved(offsets, pieces(texts, cause), "begins", "ends", "counted_begins", "counted_ends")


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
