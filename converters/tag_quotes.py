"""Flat dicts that Python cannot parse, rewritten so that it can: other quotes, bare apostrophes, no commas in between.

A text ends at the first quote that is followed by the next key or by the end of its dict; where something else could be
meant, nothing is rewritten.
"""

import ast
import json
import re
import warnings
from collections.abc import Collection
from typing import NamedTuple

from sharedtask.schemas.column_names import fold

NO_COMMAS = "dicts without commas between them"
NO_LIST = "dicts without a list around them"
APOSTROPHE = "bare quotes in a quoted text"
CURLY = "typographic quotes"

WS = r"[ \t\r\n\f]*+"
_CURLY_SINGLE, _CURLY_DOUBLE, _ANGLED = "‘’‚‛′´`", "“”„‟″", "«»"
_STRAIGHT = "'\""
_ANY = f"[{_STRAIGHT}{_CURLY_SINGLE}{_CURLY_DOUBLE}{_ANGLED}]"
_WORD = r"\w[\w \-]{0,60}"
_FOLLOWS = rf"(?={WS}(?:,{WS}(?:{_ANY}{_WORD}{_ANY}{WS}:|\}}{WS}(?:[,{{\])]|\Z))|\}}{WS}(?:[,{{\])]|\Z)))"

_BETWEEN = re.compile(r"[\s\[\](),=.\w]*+")
_KEY = re.compile(rf"{WS}({_ANY})({_WORD}){_ANY}{WS}:{WS}")
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_BARE = re.compile(rf"[-+]?[\w.]++(?:\({WS}(?:[-+]?[\w.]++|{_QUOTED}){WS}\))?+", re.DOTALL)
_NEXT = re.compile(rf"{WS}(?:,{WS}(\}}?)|(\}}))")
_EMPTY = re.compile(rf"{WS}\}}")
_MORE_THAN_TEXT = re.compile(rf"[{{}}]|{_ANY}{_WORD}{_ANY}{WS}:")
_WORD_INSIDE = re.compile(rf"(?<!\w)(\w{{1,60}}){_ANY}?{WS}:")
_ESCAPED = re.compile(r'\\.|["\n\r]', re.DOTALL)
_ESCAPES = {'"': '\\"', "\n": "\\n", "\r": "\\r"}


class _Quotes(NamedTuple):
    """What closes a text, where it is followed by what may follow, and what within it would be such a quote."""

    end: re.Pattern[str]
    bare: re.Pattern[str]
    twice: re.Pattern[str]


def _quotes(signs: str) -> _Quotes:
    return _Quotes(
        re.compile(rf"\\.|[{signs}]{_FOLLOWS}", re.DOTALL),
        re.compile(rf"\\.|[{signs}]", re.DOTALL),
        re.compile(rf"[{signs}]{WS}[{signs}]"),
    )


_BY_SIGN = {
    sign: quotes
    for signs in ("'", '"', _CURLY_SINGLE, _CURLY_DOUBLE, _ANGLED)
    for quotes in (_quotes(signs),)
    for sign in signs
}


class Respelled(NamedTuple):
    """Python source, and what was odd about the text."""

    text: str
    forms: tuple[str, ...]


def respelled(text: str, keys: Collection[str]) -> Respelled:
    """A text of flat dicts as Python source. Raises ValueError where it is something else, or not certain.

    A tag with a bare quote in a text may only have keys that are known: `keys`, folded.
    """
    parts: list[str] = []
    forms: dict[str, None] = {}
    at = 0
    while (opening := text.find("{", at)) >= 0:
        between = _between(text[at:opening])
        if at and not between.strip():
            forms[NO_COMMAS] = None
            between = ", "
        source, at = _dict(text, opening, keys, forms)
        parts += [between, source]
    if not parts:
        raise ValueError("no dict")
    if not parts[0].strip() and len(parts) > 2:
        forms[NO_LIST] = None
        forms.pop(NO_COMMAS, None)
    return Respelled("".join([*parts, _between(text[at:])]), tuple(forms))


def _between(text: str) -> str:
    """What stands outside dicts, on one line."""
    if not _BETWEEN.fullmatch(text):
        raise ValueError("not between dicts")
    return re.sub(r"[\r\n\f]", " ", text)


def _dict(text: str, at: int, keys: Collection[str], forms: dict[str, None]) -> tuple[str, int]:
    """The source of the dict that opens at a place, and the place behind it."""
    if empty := _EMPTY.match(text, at + 1):
        return "{}", empty.end()
    parts: list[str] = []
    names: list[str] = []
    is_bare = False
    at += 1
    while True:
        key = _KEY.match(text, at)
        if key is None:
            raise ValueError("no key")
        if key[1] not in _STRAIGHT:
            forms[CURLY] = None
        names.append(key[2])
        quotes = _BY_SIGN.get(text[key.end() : key.end() + 1])
        if quotes is None:
            value = _BARE.match(text, key.end())
            if value is None:
                raise ValueError("no value")
            source, at = value[0], value.end()
        else:
            if text[key.end()] not in _STRAIGHT:
                forms[CURLY] = None
            end = _end(text, key.end() + 1, quotes)
            body = text[key.end() + 1 : end]
            has_bare = any(found[0][0] != "\\" for found in quotes.bare.finditer(body))
            is_bare |= has_bare
            if has_bare and _is_more(body, quotes, keys):
                raise ValueError("more than a text")
            source, at = repr(_content(body, is_json=text[key.end()] == '"' and not has_bare)), end + 1
        parts.append(f"{key[2]!r}: {source}")
        follows = _NEXT.match(text, at)
        if follows is None:
            raise ValueError("no end of a value")
        at = follows.end()
        if follows[1] or follows[2]:
            break
    if is_bare and (not {*map(fold, names)} <= {*keys} or len({*names}) < len(names)):
        raise ValueError("a text may go on over a key")
    if is_bare:
        forms[APOSTROPHE] = None
    return "{" + ", ".join(parts) + "}", at


def _end(text: str, at: int, quotes: _Quotes) -> int:
    """The place of the first quote from a place on that ends a text."""
    for found in quotes.end.finditer(text, at):
        if found[0] != "\\" and len(found[0]) == 1:
            return found.start()
    raise ValueError("no end of a text")


def _is_more(body: str, quotes: _Quotes, keys: Collection[str]) -> bool:
    """Whether a text with bare quotes looks like more than one text: like texts side by side, or like keys of tags."""
    if _MORE_THAN_TEXT.search(body) or quotes.twice.search(body):
        return True
    return any(fold(word[1]) in keys for word in _WORD_INSIDE.finditer(body))


def _content(body: str, *, is_json: bool) -> str:
    """The content of a quoted text: that of a JSON string where it is one, else what Python makes of it."""
    if "\\" not in body:
        return body
    if is_json:
        try:
            return str(json.loads(f'"{body}"', strict=False))
        except ValueError:
            pass
    source = _ESCAPED.sub(lambda found: _ESCAPES.get(found[0], found[0]), body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unknown escape such as \\d
        return str(ast.literal_eval(f'"{source}"'))
