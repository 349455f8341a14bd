"""Tags cells: lists of dicts in a CSV cell, as Python or JSON writes them. A cell is parsed, never evaluated.

Cells that are JSON, and cells in the usual form of Python's `str(list)`, are recognised by a guard and rewritten with plain replacements over
the whole column. Only what is left (an apostrophe in a text, an escape, a tuple) meets a parser, once for each distinct cell: that of JSON,
then that of Python's literals.
"""

import ast
import json
import re
import warnings
from collections.abc import Sequence

import polars as pl

from sharedtask.converters.json.text import FLAT, KEY, LIST, LONE_SURROGATE, NUMBER, WS, typed

_PYTHON_KEY = r"'[^'\"\\\x00-\x1f,:{}\[\]]*'"
_PYTHON_STRING = r"'[^'\"\\\x00-\x1f]*'"
_PYTHON_FIELD = rf"{_PYTHON_KEY}{WS}:{WS}(?:{_PYTHON_STRING}|{NUMBER}){WS}"
_PYTHON_DICT = rf"\{{{WS}(?:{_PYTHON_FIELD}(?:,{WS}{_PYTHON_FIELD})*)?\}}"
_PYTHON_LIST = rf"\[{WS}(?:{_PYTHON_DICT}{WS}(?:,{WS}{_PYTHON_DICT}{WS})*)?\]"
JSON_CELL = rf"^{WS}(?:{LIST}|{FLAT}){WS}$"
PYTHON_CELL = rf"^{WS}(?:{_PYTHON_LIST}|{_PYTHON_DICT}){WS}$"
PLAIN_KEY = re.compile(KEY[1:-1])

MAX_CELL = 1 << 20  # characters; a literal parser is no place for more
BLANK = " \t\r\n\f"  # what Python knows as white space
EMPTY = "the cell is empty, no list is written []"
NOT_PYTHON = "the list holds null, true or false, which are JSON and no Python"


def json_cells(cells: pl.LazyFrame, column: str, keys: Sequence[str]) -> pl.LazyFrame:
    """Turn a column of tags cells into JSON text; `keys` are those by which a tag is read.

    Adds `tags.text` (a JSON list of flat objects, null where the cell cannot be read), `tags.bad` (why not, with the character from 1),
    `tags.lone` (one dict without a list) and `tags.json` (written as JSON). A null cell is bad: an empty list is written `[]`.
    """
    cell = pl.col(column)
    # Of a key that stands twice in a tag JSON and Python take the last, and the decoder the first.
    once = ~cell.str.contains("|".join(map(_repeated, keys)))
    cells = cells.with_columns(
        (once & cell.str.contains(JSON_CELL) & ~cell.str.contains(LONE_SURROGATE)).alias("tags.is_json"),
        (once & cell.str.contains(PYTHON_CELL)).alias("tags.is_python"),
    )
    is_json, is_python = pl.col("tags.is_json"), pl.col("tags.is_python")
    not_python = pl.when(is_json).then(typed(cell)).str.contains(r'"(?:null|true|false)\|"')
    quick = pl.when(is_json).then(cell).when(is_python).then(cell.str.replace_all("'", '"', literal=True))
    rest = cells.filter(~is_json & ~is_python).select(column).unique().collect(engine="streaming")[column]
    parsed = _parse_each(rest, column)
    told = (
        cells.join(parsed.lazy(), on=column, how="left", maintain_order="left")
        .with_columns(quick=quick)
        .with_columns(
            pl.coalesce("quick", "tags.slow").alias("tags.text"),
            pl.when(cell.is_null())
            .then(pl.lit(EMPTY))
            .when(not_python)
            .then(pl.lit(NOT_PYTHON))
            .otherwise("tags.why")
            .alias("tags.bad"),
            ((is_json & cell.str.contains('"', literal=True)) | pl.col("tags.by_json").fill_null(False)).alias(
                "tags.json"
            ),
        )
    )
    told = told.with_columns(pl.col("tags.json") & pl.col("tags.bad").is_null())
    lone = pl.col("tags.text").str.contains(r"^\s*\{")
    wrapped = pl.when(lone).then(pl.format("[{}]", "tags.text")).otherwise("tags.text")
    return told.with_columns(lone.fill_null(False).alias("tags.lone"), wrapped.alias("tags.text")).drop(
        "quick", "tags.slow", "tags.why", "tags.by_json", "tags.is_json", "tags.is_python"
    )


def _repeated(key: str) -> str:
    """A pattern for a tag in which a key stands twice. A brace in a text between them hides it."""
    quoted = rf"""['"]{re.escape(key)}['"]{WS}:"""
    return rf"{quoted}[^{{}}]*{quoted}"


def _parse_each(cells: pl.Series, column: str) -> pl.DataFrame:
    rows = [(cell, *_parse(cell)) for cell in cells.drop_nulls()]
    schema = {column: pl.String, "tags.slow": pl.String, "tags.why": pl.String, "tags.by_json": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _parse(cell: str) -> tuple[str | None, str | None, bool]:
    """JSON text of a cell, what is wrong with it, and whether the cell is JSON."""
    if not cell.strip():
        return None, EMPTY, False
    if len(cell) > MAX_CELL:
        return None, f"the cell has {len(cell)} characters, more than {MAX_CELL}", False
    try:
        return *_flat(json.loads(cell, parse_constant=_refuse), by_json=True), True
    except (ValueError, RecursionError):
        pass
    try:
        return *_flat(_literal(cell.strip(BLANK)), by_json=False), False
    except SyntaxError as error:
        return None, _where(error, cell), False
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None, f"no plain list of dicts, but an expression: {cell[:60]!r}", False


def _flat(value: object, *, by_json: bool) -> tuple[str | None, str | None]:
    """JSON text of a list of flat dicts, or of one dict, and what is wrong with it."""
    tags = [value] if isinstance(value, dict) else value
    if not isinstance(tags, list | tuple):
        return None, f"a {type(value).__name__} where a list is wanted"
    for number, tag in enumerate(tags, 1):
        if not isinstance(tag, dict):
            return None, f"item {number} of the list is a {type(tag).__name__}, not a dict"
        for key, part in tag.items():
            if not isinstance(key, str) or not (part is None or isinstance(part, str | int | float | bool)):
                return None, f"item {number} of the list holds more than plain values at {key!r}"
    kept = [{key: part for key, part in tag.items() if PLAIN_KEY.fullmatch(key)} for tag in tags]
    text = json.dumps(kept[0] if isinstance(value, dict) else kept, ensure_ascii=False) if _finite(tags) else None
    if text is None or not _encodable(text):
        return None, "the list holds a value that no text file can hold"
    words = by_json and any(part is None or isinstance(part, bool) for tag in tags for part in tag.values())
    return text, NOT_PYTHON if words else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _literal(text: str) -> object:
    """The value of a Python literal; raises whatever the parser raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unknown escape such as \\d
        return ast.literal_eval(text)


def _where(error: SyntaxError, cell: str) -> str:
    """The place of a syntax error in the cell, whose lines the parser counts one by one."""
    text = cell.strip(BLANK)
    before = sum(len(line) + 1 for line in text.split("\n")[: (error.lineno or 1) - 1])
    at = len(cell) - len(cell.lstrip(BLANK)) + before + max(error.offset or 1, 1)
    return f"no Python or JSON list: character {at} is {cell[at - 1 : at + 19]!r}"


def _finite(tags: list[dict[str, object]] | tuple[dict[str, object], ...]) -> bool:
    return all(not isinstance(part, float) or part - part == 0 for tag in tags for part in tag.values())


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
