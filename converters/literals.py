"""Tags cells: lists of dicts in a CSV cell, as Python or JSON writes them. A cell is parsed, never evaluated.

Cells that are JSON, and cells in the usual form of Python's `str(list)`, are recognised by a guard and rewritten with plain replacements over
the whole column. Only what is left (an apostrophe in a text, an escape, a tuple) meets a literal parser, once for each distinct cell.
"""

import ast
import json
import warnings

import polars as pl

from sharedtask.converters.json_text import FLAT, LIST, LONE_SURROGATE, NUMBER, typed

_PYTHON_STRING = r"'[^'\"\\\x00-\x1f]*'"
_PYTHON_FIELD = rf"{_PYTHON_STRING}\s*:\s*(?:{_PYTHON_STRING}|{NUMBER})\s*"
_PYTHON_DICT = rf"\{{\s*(?:{_PYTHON_FIELD}(?:,\s*{_PYTHON_FIELD})*)?\}}"
_PYTHON_LIST = rf"\[\s*(?:{_PYTHON_DICT}\s*(?:,\s*{_PYTHON_DICT}\s*)*)?\]"
JSON_CELL = rf"^\s*(?:{LIST}|{FLAT})\s*$"
PYTHON_CELL = rf"^\s*(?:{_PYTHON_LIST}|{_PYTHON_DICT})\s*$"

MAX_CELL = 1 << 20  # characters; a literal parser is no place for more


def json_cells(cells: pl.LazyFrame, column: str) -> pl.LazyFrame:
    """Turn a column of tags cells into JSON text.

    Adds `tags.text` (a JSON list of flat objects, null where the cell cannot be read), `tags.bad` (why not, with the character from 1),
    `tags.lone` (one dict without a list) and `tags.json` (written as JSON). A null cell is bad: an empty list is written `[]`.
    """
    cell = pl.col(column)
    is_json = cell.str.contains(JSON_CELL) & ~cell.str.contains(LONE_SURROGATE)
    not_python = pl.when(is_json).then(typed(cell)).str.contains(r'"(?:null|true|false)\|"')
    is_python = cell.str.contains(PYTHON_CELL)
    quick = pl.when(is_json).then(cell).when(is_python).then(cell.str.replace_all("'", '"', literal=True))
    rest = cells.select(column).filter(~is_json & ~is_python).unique().collect(engine="streaming")[column]
    parsed = _parse_each(rest, column)
    told = (
        cells.join(parsed.lazy(), on=column, how="left", maintain_order="left")
        .with_columns(quick=quick)
        .with_columns(
            pl.coalesce("quick", "tags.slow").alias("tags.text"),
            pl.when(cell.is_null())
            .then(pl.lit("the cell is empty, no list is written []"))
            .when(not_python)
            .then(pl.lit("the list holds null, true or false, which are JSON and no Python"))
            .otherwise("tags.why")
            .alias("tags.bad"),
            (is_json & cell.str.contains('"', literal=True)).alias("tags.json"),
        )
    )
    lone = pl.col("tags.text").str.contains(r"^\s*\{")
    wrapped = pl.when(lone).then(pl.format("[{}]", "tags.text")).otherwise("tags.text")
    return told.with_columns(lone.fill_null(False).alias("tags.lone"), wrapped.alias("tags.text")).drop(
        "quick", "tags.slow", "tags.why"
    )


def _parse_each(cells: pl.Series, column: str) -> pl.DataFrame:
    read = [_parse(cell) for cell in cells.drop_nulls()]
    return pl.DataFrame(
        {column: cells.drop_nulls(), "tags.slow": [text for text, _ in read], "tags.why": [why for _, why in read]},
        schema={column: pl.String, "tags.slow": pl.String, "tags.why": pl.String},
    )


def _parse(cell: str) -> tuple[str | None, str | None]:
    """JSON text of a cell, or why it is none."""
    if not cell.strip():
        return None, "the cell is empty, no list is written []"
    if len(cell) > MAX_CELL:
        return None, f"the cell has {len(cell)} characters, more than {MAX_CELL}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # an unknown escape such as \d
            value = ast.literal_eval(cell.strip())
    except SyntaxError as error:
        at = max((error.offset or 1) + len(cell) - len(cell.lstrip()), 1)
        return None, f"no Python or JSON list: character {at} is {cell[at - 1 : at + 19]!r}"
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None, f"no plain list of dicts, but an expression: {cell[:60]!r}"
    tags = [value] if isinstance(value, dict) else value
    if not isinstance(tags, list | tuple):
        return None, f"a {type(value).__name__} where a list is wanted"
    for number, tag in enumerate(tags, 1):
        if not isinstance(tag, dict):
            return None, f"item {number} of the list is a {type(tag).__name__}, not a dict"
        for key, part in tag.items():
            if not isinstance(key, str) or not (part is None or isinstance(part, str | int | float | bool)):
                return None, f"item {number} of the list holds more than plain values at {key!r}"
    text = json.dumps(value, ensure_ascii=False, allow_nan=False) if _finite(tags) else None
    if text is None or not _encodable(text):
        return None, "the list holds a value that no text file can hold"
    return text, None


def _finite(tags: list[dict[str, object]] | tuple[dict[str, object], ...]) -> bool:
    return all(not isinstance(part, float) or part - part == 0 for tag in tags for part in tag.values())


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
