"""Canonical FLARES tables in the task's own forms: JSON Lines for data, CSV with Python literals for train and runs.

Everything here is lazy and works row by row, so that it streams. Offsets pass through unchanged. Sources:
facts/flares.md 1.1 (bytes of the JSON Lines), 1.7 (the CSV form of train), 2 variants A and F (runs).
"""

import json
from collections.abc import Callable

import polars as pl

from sharedtask.schemas.spans import END, LABEL, RELIABILITY, SPAN_TEXT, START

_NUMBERS = {"start": "Tag_Start", "end": "Tag_End"}
_RUN_TAG = {**_NUMBERS, LABEL: "5W1H_Label"}
_TAG = {**_RUN_TAG, RELIABILITY: "Reliability_Label", SPAN_TEXT: "Tag_Text"}
_PAGE_TAG = {START: "start", END: "end", LABEL: "tag"}
_TEXT = {"id": "Id", "text": "Text"}
_SUBTASK2 = {**_TEXT, **{name: _TAG[name] for name in (RELIABILITY, LABEL, SPAN_TEXT, START, END)}}
_JSON_REPAIRS = {"/": "\\/", ',"Reliability_Label":null': "", ',"Tag_Text":null': ""}


def subtask1_lines(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text[, spans]` as one column `line`, a JSON object a row: Id, Text and, where there are spans, Tags."""
    columns = _renamed(_TEXT)
    if "spans" in frame.collect_schema():
        tag = pl.struct(pl.element().struct.field(name).alias(key) for name, key in _TAG.items())
        columns.append(pl.col("spans").list.eval(tag).alias("Tags"))
    return frame.select(_json_line(columns))


def subtask2_lines(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text, start, end, label, span_text[, reliability]` as one column `line`, a JSON object a row."""
    present = frame.collect_schema()
    return frame.select(_json_line(_renamed({name: key for name, key in _SUBTASK2.items() if name in present})))


def subtask1_csv(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text[, spans]` as Id, Text and, where there are spans, Tags.

    What Python's `str(list of dicts)` gives, five keys a dict.
    """
    tags = [_tags_literal(_TAG)] if "spans" in frame.collect_schema() else []
    return frame.select(*_renamed(_TEXT), *tags)


def subtask1_page(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The same as the draft page of the competition has it: ID, TEXT, TAGS, three keys a dict, and What for WHAT."""
    tags = [_tags_literal(_PAGE_TAG, title=True).alias("TAGS")] if "spans" in frame.collect_schema() else []
    return frame.select(*_renamed({"id": "ID", "text": "TEXT"}), *tags)


def subtask1_run(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, spans` as Id, Tags with the three keys that the official scorer reads."""
    return frame.select(*_renamed({"id": "Id"}), _tags_literal(_RUN_TAG))


def subtask1_run_with_texts(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The same with all five keys of a tag, which say more of a span than the official scorer reads."""
    return frame.select(*_renamed({"id": "Id"}), _tags_literal(_TAG))


def subtask2_run(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, reliability` as Id, Reliability_Label."""
    return frame.select(_renamed({"id": "Id", "reliability": "Reliability_Label"})).cast(
        {"Reliability_Label": pl.String}
    )


def _renamed(names: dict[str, str]) -> list[pl.Expr]:
    return [pl.col(name).alias(official) for name, official in names.items()]


def _json_line(columns: list[pl.Expr]) -> pl.Expr:
    """Compact ASCII JSON with `\\/`, as of pandas' `to_json(orient="records", lines=True)`.

    A reliability or a tag text that is null has no key: no released row has a null in it.
    """
    line = pl.struct(columns).struct.json_encode()
    return _respelled(line, r"[^\x00-\x7f]", _json_escape, _JSON_REPAIRS).alias("line")


def _tags_literal(keys: dict[str, str], *, title: bool = False) -> pl.Expr:
    """Spans as a Python list of dicts with these keys, in one String; a key whose value is null is left out.

    With `title` labels have one capital.
    """
    items: list[pl.Expr] = []
    for name, key in keys.items():
        value = pl.element().struct.field(name).cast(pl.String)
        if title and name == "label":
            value = value.str.to_titlecase()
        items.append(pl.concat_str(pl.lit(f"'{key}': "), value if name in _NUMBERS else _quoted(value)))
    fields = pl.concat_str(items, separator=", ", ignore_nulls=True)
    tag = pl.concat_str(pl.lit("{"), fields, pl.lit("}"))
    cell = pl.concat_str(pl.lit("["), pl.col("spans").list.eval(tag).list.join(", "), pl.lit("]"))
    return _respelled(cell, r"[^\x20-\x7e]", _python_escape, {}).alias("Tags")


def _quoted(text: pl.Expr) -> pl.Expr:
    """Python's `repr` of a string, but for unprintable characters: in `"` if it holds `'` and no `"`, else in `'`."""
    body = text.str.replace_all("\\", "\\\\", literal=True)
    double = text.str.contains("'", literal=True) & ~text.str.contains('"', literal=True)
    single = body.str.replace_all("'", "\\'", literal=True)
    return pl.when(double).then(_between('"', body)).otherwise(_between("'", single))


def _between(quote: str, text: pl.Expr) -> pl.Expr:
    return pl.concat_str(pl.lit(quote), text, pl.lit(quote))


def _json_escape(character: str) -> str:
    return json.dumps(character)[1:-1]


def _python_escape(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def _respelled(text: pl.Expr, pattern: str, escape: Callable[[str], str], repairs: dict[str, str]) -> pl.Expr:
    """`text` with each character that `pattern` finds escaped and the `repairs` done.

    `escape` sees each distinct character of a batch once, so the cost in Python does not grow with the rows.
    """

    def respell(batch: pl.Series) -> pl.Series:
        found = batch.str.extract_all(pattern).explode().drop_nulls().unique().to_list()
        return batch.str.replace_many(repairs | {character: escape(character) for character in found})

    return text.map_batches(respell, return_dtype=pl.String, is_elementwise=True)
