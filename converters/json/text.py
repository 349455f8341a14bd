"""JSON as text in a column: guards that say a text is well formed, and a rewriting that keeps the types of its values.

A reader of JSON makes `5`, `"5"` and `5.0` the same number. Here each scalar becomes a string that says what it was
before it is decoded: a string `x` becomes `|x`, a number `5.0` becomes `5.0|`, and `true`, `false` and `null` likewise.
So JSON is read as String throughout, as delimited text is, and one bad value cannot stop a query.
"""

import json
import re
from collections.abc import Sequence

import polars as pl

# A key with a sign of JSON in it, or an escape, is left to the parser: no match can begin at the wrong quote then.
KEY = r'"[^"\\\x00-\x1f,:{}\[\]]*"'
STRING = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
SCALAR = rf"(?:{STRING}|{NUMBER}|true|false|null)"
WS = r"[ \t\r\n]*"  # all that JSON knows as white space
_FIELD = rf"{KEY}{WS}:{WS}{SCALAR}{WS}"
FLAT = rf"\{{{WS}(?:{_FIELD}(?:,{WS}{_FIELD})*)?\}}"
LIST = rf"\[{WS}(?:{FLAT}{WS}(?:,{WS}{FLAT}{WS})*)?\]"
_NESTED = rf"{KEY}{WS}:{WS}(?:{SCALAR}|{LIST}|{FLAT}){WS}"
RECORD = rf"^{WS}\{{{WS}(?:{_NESTED}(?:,{WS}{_NESTED})*)?\}}{WS}$"
LONE_SURROGATE = r"\\u[dD][89a-fA-F]"

_KEYED_SCALAR = rf'({KEY}{WS}:{WS})(?:"((?:[^"\\]|\\.)*)"|({NUMBER}|true|false|null))'


class Digits(str):
    """A JSON number as it is written."""

    __slots__ = ()


def typed(text: pl.Expr) -> pl.Expr:
    """The JSON text with each scalar value as a string that shows its type."""
    return text.str.replace_all(_KEYED_SCALAR, '${1}"${3}|${2}"')


def lists_as_text(text: pl.Expr, names: Sequence[str]) -> pl.Expr:
    """The JSON text with the lists of numbers under these keys as strings, so that all values are scalars."""
    if not names:
        return text
    keys = "|".join(map(re.escape, names))
    numbers = rf"\[{WS}(?:{NUMBER}{WS}(?:,{WS}{NUMBER}{WS})*)?\]"
    return text.str.replace_all(rf'("(?:{keys})"{WS}:{WS})({numbers})', '${1}"${2}"')


def shape(text: pl.Expr) -> pl.Expr:
    """The JSON text without its values: keys and nesting only, each scalar as null.

    There are few of these in any file.
    """
    bare = text.str.replace_all(rf"({KEY}{WS}:{WS}){SCALAR}", "${1}null")
    return bare.str.replace_all(rf"{WS}([{{}}\[\]:,]){WS}", "${1}")


def is_string(value: pl.Expr) -> pl.Expr:
    """Whether a typed scalar was a string."""
    return value.str.starts_with("|")


def as_text(value: pl.Expr) -> pl.Expr:
    """The content of a typed scalar that should be a string; another type as it is written, JSON null as null."""
    plain = value.str.strip_suffix("|")
    return pl.when(is_string(value)).then(value.str.slice(1)).when(plain != "null").then(plain)


def as_written(value: pl.Expr) -> pl.Expr:
    """A typed scalar that should not be a string, as it is written in the file.

    A string keeps its quotes, JSON null is null.
    """
    plain = value.str.strip_suffix("|")
    return pl.when(is_string(value)).then(pl.format('"{}"', value.str.slice(1))).when(plain != "null").then(plain)


def decoded(text: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Decode typed JSON text whose scalars are all strings."""
    return text.str.json_decode(dtype)


def pairs_of(shape_text: str) -> list[tuple[str, object]]:
    """The keys of an object in order, repeated ones too; nested objects as lists of pairs."""
    read = json.loads(shape_text, object_pairs_hook=lambda pairs: pairs)
    return read if isinstance(read, list) else []


def keys_of(pairs: object) -> Sequence[str]:
    """The keys of an object that was read as pairs."""
    return [key for key, _ in pairs] if isinstance(pairs, list) and pairs and isinstance(pairs[0], tuple) else []
