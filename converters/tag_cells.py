"""Tags cells: lists of dicts in a CSV cell, as Python or JSON writes them.

A cell is parsed, never evaluated.

Cells that are JSON, and cells in the usual form of Python's `str(list)`, are recognised by a guard and rewritten with
plain replacements over the whole column. Only what is left (an apostrophe in a text, an escape, a tuple) meets a
parser, once for each distinct cell: that of JSON, then that of Python's literals, then those of `tag_literals`.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from sharedtask.converters.json.text import FLAT, KEY, LIST, LONE_SURROGATE, NUMBER, WS, typed
from sharedtask.converters.tag_literals import WRONG, RepeatedKeyError, json_value, mended, parsed
from sharedtask.converters.tags_without_keys import TagForm, texts_alone
from sharedtask.schemas.column_names import fold
from sharedtask.schemas.spans import BAD, CELL_TEXT, FORM, JSON, LONE

_PYTHON_KEY = r"'[^'\"\\\x00-\x1f,:{}\[\]]*'"
_PYTHON_STRING = r"'[^'\"\\\x00-\x1f]*'"
_PYTHON_FIELD = rf"{_PYTHON_KEY}{WS}:{WS}(?:{_PYTHON_STRING}|{NUMBER}){WS}"
_PYTHON_DICT = rf"\{{{WS}(?:{_PYTHON_FIELD}(?:,{WS}{_PYTHON_FIELD})*)?\}}"
_PYTHON_LIST = rf"\[{WS}(?:{_PYTHON_DICT}{WS}(?:,{WS}{_PYTHON_DICT}{WS})*)?\]"
JSON_CELL = rf"^{WS}(?:{LIST}|{FLAT}){WS}$"
PYTHON_CELL = rf"^{WS}(?:{_PYTHON_LIST}|{_PYTHON_DICT}){WS}$"
PLAIN_KEY = re.compile(KEY[1:-1])

MAX_CELL = 1 << 20  # characters; more is not given to a literal parser
BLANK = " \t\r\n\f"  # what Python knows as white space
NEAR = 20  # characters of a cell that a message shows of the place where parsing stopped
LONGEST_CELL = 60  # of a cell as a whole


def _why(which: str = "", **facts: object) -> str:
    """The message of `bad-tags-cell` by its key, and what it shows, as the flag `spans.BAD` holds them."""
    return json.dumps({"which": which, **facts})


EMPTY = _why()
NOT_PYTHON = _why("words")


def json_cells(
    cells: pl.LazyFrame, column: str, fields: Sequence[Sequence[str]], tag: TagForm, *, as_python: bool = True
) -> tuple[pl.LazyFrame, set[str]]:
    """Turn a column of tags cells into JSON text, and name the keys of all tags. `fields` are the names of each field.

    Adds `spans.CELL_TEXT` (a JSON list of flat objects, null where the cell cannot be read), `spans.BAD` (why not),
    `spans.LONE` (one dict without a list), `spans.JSON` (written as JSON), and a flag for each other form in which
    some cell is written (`spans.FORM`). A null cell is bad: an empty list is written `[]`. With `as_python` a cell
    should be a Python literal, so that null, true and false are bad. `tag` reads tags that are no dicts.
    """
    cell = pl.col(column)
    # Whether a key that occurs twice in a tag has two values, only a parser says.
    once = ~cell.str.contains("|".join([*map(_repeated, fields), _begins_with_label(tag)]))
    cells = cells.with_columns(
        (once & cell.str.contains(JSON_CELL) & ~cell.str.contains(LONE_SURROGATE)).alias("cell.is_json"),
        (once & cell.str.contains(PYTHON_CELL)).alias("cell.is_python"),
    )
    is_json, is_python = pl.col("cell.is_json"), pl.col("cell.is_python")
    not_python = pl.when(is_json).then(typed(cell)).str.contains(r'"(?:null|true|false)\|"')
    quick = pl.when(is_json).then(cell).when(is_python).then(cell.str.replace_all("'", '"', literal=True))
    odd = cells.filter(~is_json & ~is_python).select(column).unique()
    quick_keys = [_keys_of(cells.filter(is_so), cell, quote) for is_so, quote in ((is_json, '"'), (is_python, "'"))]
    rest, *found = pl.collect_all([odd, *quick_keys], engine="streaming")
    slow = _parse_each(rest[column], column, {fold(name): names[0] for names in fields for name in names}, tag)
    found.append(_keys_of(slow.lazy(), pl.col("cell.slow"), '"').collect())
    names = {key.strip("{, \t\r\n:")[1:-1] for frame in found for key in frame["key"]}
    read = (
        cells.join(slow.lazy(), on=column, how="left", maintain_order="left")
        .with_columns(quick=quick)
        .with_columns(
            pl.coalesce("quick", "cell.slow").alias(CELL_TEXT),
            pl.when(cell.is_null())
            .then(pl.lit(EMPTY))
            .when(not_python)
            .then(pl.lit(NOT_PYTHON))
            .otherwise("cell.why")
            .alias(BAD),
            ((is_json & cell.str.contains('"', literal=True)) | pl.col("cell.by_json").fill_null(False)).alias(JSON),
            *form_flags(slow, "cell.forms"),
        )
    )
    if not as_python:
        read = read.with_columns(
            pl.when(pl.col(BAD) != NOT_PYTHON).then(BAD).alias(BAD), pl.lit(value=False).alias(JSON)
        )
    read = read.with_columns(pl.col(JSON) & pl.col(BAD).is_null())
    lone = pl.col(CELL_TEXT).str.contains(r"^\s*\{")
    wrapped = pl.when(lone).then(pl.format("[{}]", CELL_TEXT)).otherwise(CELL_TEXT)
    whole = read.with_columns(lone.fill_null(False).alias(LONE), wrapped.alias(CELL_TEXT)).drop(
        "quick", *slow.columns[1:], "cell.is_json", "cell.is_python"
    )
    return whole, names


def _keys_of(cells: pl.LazyFrame, cell: pl.Expr, quote: str) -> pl.LazyFrame:
    """Each key of the tags in cells once, with its quotes and the signs around it; no text in them has such quotes bare."""
    key = rf"[{{,]{WS}{quote}[^{quote}]*{quote}{WS}:"
    return cells.select(key=cell.str.extract_all(key)).explode("key").unique().drop_nulls()


def _repeated(names: Sequence[str]) -> str:
    """A pattern for a tag in which a field occurs twice, under any of its names. A brace in a text between hides it."""
    every = "|".join(r"[\s_]*".join(map(re.escape, re.split(r"[\s_]+", name))) for name in names)
    quoted = rf"""['"](?i:[\s_]*(?:{every})[\s_]*)['"]{WS}:"""
    return rf"{quoted}[^{{}}]*{quoted}"


def _begins_with_label(tag: TagForm) -> str:
    """A pattern for a dict whose first key is a label, as one of texts by label has it."""
    words = "|".join(map(re.escape, sorted(tag.labels))) or r"[^\s\S]"
    return rf"""\{{{WS}['"]{WS}(?i:{words}){WS}['"]{WS}:"""


def form_flags(frame: pl.DataFrame, column: str) -> list[pl.Expr]:
    """A flag for each of the forms that a column of lists names, with the name of the form in its own."""
    forms = frame[column].explode(keep_nulls=False, empty_as_null=False).unique().sort()
    return [pl.col(column).list.contains(form).fill_null(False).alias(FORM + form) for form in forms]


def _parse_each(cells: pl.Series, column: str, fields: Mapping[str, str], tag: TagForm) -> pl.DataFrame:
    rows = [(cell, *parse_cell(cell, fields, tag)) for cell in cells.drop_nulls()]
    schema = {
        column: pl.String(),
        "cell.slow": pl.String(),
        "cell.why": pl.String(),
        "cell.by_json": pl.Boolean(),
        "cell.forms": pl.List(pl.String),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


class Parsed(NamedTuple):
    """JSON text of a cell, what is wrong with it, whether the cell is JSON, and the forms in which it had to be read."""

    text: str | None
    why: str | None
    by_json: bool = False
    forms: tuple[str, ...] = ()


def parse_cell(cell: str, fields: Mapping[str, str], tag: TagForm) -> Parsed:
    """Read one cell; `fields` names the field of a folded key, `tag` reads tags that are no dicts."""
    if not cell.strip():
        return Parsed(None, EMPTY)
    if len(cell) > MAX_CELL:
        return Parsed(None, _why("long", characters=len(cell), most=MAX_CELL))
    plain = _plain(cell, fields, tag)
    other = mended(cell, fields, tag) if plain.text is None else None
    if other is None:
        return plain
    text, why = _flat(other.value, fields, by_json=other.by_json)
    return Parsed(text, why, False, () if why else other.forms)


def _plain(cell: str, fields: Mapping[str, str], tag: TagForm) -> Parsed:
    """A cell as JSON or as a Python literal; without a text where it holds no more than labels and texts."""
    try:
        return _literal(cell, fields, tag)
    except RepeatedKeyError as error:
        return Parsed(None, _why("repeated", key=error.key))


def _literal(cell: str, fields: Mapping[str, str], tag: TagForm) -> Parsed:
    try:
        value = json_value(cell)
        if texts_alone(value, tag):
            return Parsed(None, _why("type", found=_type(value)))
        return Parsed(*_flat(value, fields, by_json=True), True)
    except RepeatedKeyError:
        raise
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(parsed(cell.strip(BLANK)))
        if texts_alone(value, tag):
            return Parsed(None, _why("type", found=_type(value)))
        return Parsed(*_flat(value, fields, by_json=False))
    except RepeatedKeyError:
        raise
    except SyntaxError as error:
        return Parsed(None, _where(error, cell))
    except WRONG:
        return Parsed(None, _why("expression", near=cell[:LONGEST_CELL]))


def _flat(value: object, fields: Mapping[str, str], *, by_json: bool) -> tuple[str | None, str | None]:
    """JSON text of a list of flat dicts, or of one dict, and what is wrong with it."""
    tags = [value] if isinstance(value, dict) else value
    if not isinstance(tags, list | tuple):
        return None, _why("type", found=_type(value))
    for number, tag in enumerate(tags):
        if not isinstance(tag, dict):
            return None, _why("item", item=number, found=_type(tag))
        for key, part in tag.items():
            if not isinstance(key, str) or not (part is None or isinstance(part, str | int | float | bool)):
                return None, _why("nested", item=number, key=str(key))
        if both := _two_of_a_field([str(key) for key in tag], fields):
            return None, _why("both", item=number, first=both[0], key=both[1])
    kept = [{key: part for key, part in tag.items() if PLAIN_KEY.fullmatch(key)} for tag in tags]
    text = json.dumps(kept[0] if isinstance(value, dict) else kept, ensure_ascii=False) if _finite(tags) else None
    if text is None or not _encodable(text):
        return None, _why("value")
    words = by_json and any(part is None or isinstance(part, bool) for tag in tags for part in tag.values())
    return text, NOT_PYTHON if words else None


def _two_of_a_field(keys: Sequence[str], fields: Mapping[str, str]) -> tuple[str, str] | None:
    """Two keys of a tag that stand for the same field."""
    seen: dict[str, str] = {}
    for key in keys:
        field = fields.get(fold(key))
        if field is not None and seen.setdefault(field, key) != key:
            return seen[field], key
    return None


def _type(value: object) -> str:
    """What a value is, in the words of JSON."""
    names = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list", tuple: "a list"}
    return names.get(type(value), "null" if value is None else f"a {type(value).__name__}")


def _where(error: SyntaxError, cell: str) -> str:
    """The place of a syntax error in the cell, whose lines the parser counts one by one."""
    text = cell.strip(BLANK)
    before = sum(len(line) + 1 for line in text.split("\n")[: (error.lineno or 1) - 1])
    at = len(cell) - len(cell.lstrip(BLANK)) + before + max(error.offset or 1, 1)
    return _why("syntax", character=at, near=cell[at - 1 : at - 1 + NEAR])


def _finite(tags: list[dict[str, object]] | tuple[dict[str, object], ...]) -> bool:
    return all(not isinstance(part, float) or part - part == 0 for tag in tags for part in tag.values())


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
