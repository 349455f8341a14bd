"""A text folded step by step, each character of which knows the characters of the original that it came from.

The folds are cumulative: white space, case, quotes and dashes, the canonical normal form, the compatibility one.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

FOLDS = ("white space", "case", "quotes and dashes", "canonical forms (NFC)", "compatibility forms (NFKC)")
"""The folds in their order; that of level 1 is the first, and level 0 is the text as it is."""

_WHITE = re.compile(r"\s+")
_SINGLE, _DOUBLE, _DASHES = "‘’‚‛′´`", "“”„‟″«»", "‐‑‒–—―−"
_PLAIN = str.maketrans({**dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_DASHES, "-")})
_VOWELS_AND_FINALS = range(0x1160, 0x1200)  # of Hangul, which compose with what precedes them
_SOUND_MARKS = "\uff9e\uff9f"  # the halfwidth ones, which compose in compatibility forms


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text; its character at a place came from the characters `[starts[place], ends[place])` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "FoldedText":
        """A text as it is."""
        return cls(text, range(len(text)), range(1, len(text) + 1))

    def is_aligned(self, first: int, last: int) -> bool:
        """Whether `[first, last)` here is the whole of what came from some characters of the original."""
        starts = self.starts
        return (first == 0 or starts[first] != starts[first - 1]) and (
            last == len(starts) or starts[last] != starts[last - 1]
        )


class Folds:
    """The levels of one text, each made when it is first asked for."""

    def __init__(self, text: str) -> None:
        self._levels = [FoldedText.of(text)]

    def at(self, level: int) -> FoldedText:
        """The text after the first `level` folds."""
        while len(self._levels) <= level:
            self._levels.append(_STEPS[len(self._levels) - 1](self._levels[-1]))
        return self._levels[level]


def folded(fragment: str, level: int) -> str:
    """A fragment after the first `level` folds, without white space at its ends."""
    return Folds(fragment.strip()).at(level).text.strip() if level else fragment


def is_continued(character: str) -> bool:
    """Whether a character belongs to the one before it: a mark, or a part of a syllable."""
    return (
        unicodedata.category(character)[0] == "M" or ord(character) in _VOWELS_AND_FINALS or character in _SOUND_MARKS
    )


def _changed(one: FoldedText, pieces: Iterable[tuple[int, int]], change: Callable[[str], str]) -> FoldedText:
    """The text with each piece changed; all characters of a changed piece come from the whole of it."""
    parts, starts, ends = list[str](), list[int](), list[int]()
    for first, last in pieces:
        piece = one.text[first:last]
        part = change(piece)
        parts.append(part)
        if part == piece:
            starts += one.starts[first:last]
            ends += one.ends[first:last]
        else:
            starts += [one.starts[first]] * len(part)
            ends += [one.ends[last - 1]] * len(part)
    return FoldedText("".join(parts), starts, ends)


def _white_space(one: FoldedText) -> FoldedText:
    """Each run of white space as one space."""
    return _changed(one, _runs(one.text), lambda piece: " " if piece.isspace() else piece)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """The runs of white space and what is between them."""
    at = 0
    for run in _WHITE.finditer(text):
        if at < run.start():
            yield at, run.start()
        yield run.span()
        at = run.end()
    if at < len(text):
        yield at, len(text)


def _case(one: FoldedText) -> FoldedText:
    """Without case. No character is lost by it, so that characters stay in their places where their number does."""
    text = one.text.casefold()
    if len(text) == len(one.text):
        return FoldedText(text, one.starts, one.ends)
    return _changed(one, ((at, at + 1) for at in range(len(one.text))), str.casefold)


def _punctuation(one: FoldedText) -> FoldedText:
    """With plain quotes and dashes."""
    return FoldedText(one.text.translate(_PLAIN), one.starts, one.ends)


def _normalized(one: FoldedText, form: str) -> FoldedText:
    """In a normal form, character by character with its marks."""
    if one.text.isascii():
        return one
    edges = [at for at, character in enumerate(one.text) if not at or not is_continued(character)]
    pieces = zip(edges, [*edges[1:], len(one.text)], strict=True)
    return _changed(one, pieces, lambda piece: unicodedata.normalize(form, piece))  # type: ignore[arg-type]


_STEPS: tuple[Callable[[FoldedText], FoldedText], ...] = (
    _white_space,
    _case,
    _punctuation,
    partial(_normalized, form="NFC"),
    partial(_normalized, form="NFKC"),
)
