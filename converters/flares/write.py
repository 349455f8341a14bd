"""Canonical FLARES tables in the task's own forms: JSON Lines for data, CSV with Python literals for train and runs.

Everything here is lazy and works row by row, so that it streams. Offsets pass through unchanged. Sources: facts/flares.md 1.1 (bytes of
the JSON Lines), 1.7 (the CSV form of train), 2 variants A and F (runs).
"""

import json
from collections.abc import Callable

import polars as pl

_RUN_TAG = {"start": "Tag_Start", "end": "Tag_End", "label": "5W1H_Label"}
_TAG = {**_RUN_TAG, "reliability": "Reliability_Label", "span_text": "Tag_Text"}
_SUBTASK2 = {"id": "Id", "text": "Text", "reliability": _TAG["reliability"], "label": _TAG["label"], "span_text": _TAG["span_text"]}
_SUBTASK2 |= {"start": _TAG["start"], "end": _TAG["end"]}
_NUMBERS = ("start", "end")
_JSON_REPAIRS = {"/": "\\/", ',"Reliability_Label":null': "", ',"Tag_Text":null': ""}


def subtask1_lines(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text[, spans]` as one column `line`, a JSON object a row: Id, Text and, where there are spans, Tags."""
    columns = [pl.col("id").alias("Id"), pl.col("text").alias("Text")]
    if "spans" in frame.collect_schema():
        tag = pl.struct(pl.element().struct.field(name).alias(key) for name, key in _TAG.items())
        columns.append(pl.col("spans").list.eval(tag).alias("Tags"))
    return frame.select(_json_line(columns))


def subtask2_lines(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text, start, end, label, span_text[, reliability]` as one column `line`, a JSON object a row."""
    present = frame.collect_schema()
    return frame.select(_json_line([pl.col(name).alias(key) for name, key in _SUBTASK2.items() if name in present]))


def subtask1_csv(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text, spans` as Id, Text, Tags, where Tags is what `str(list of dicts)` gives in Python (five keys a dict)."""
    return frame.select(pl.col("id").alias("Id"), pl.col("text").alias("Text"), _tags_literal(_TAG))


def subtask1_run(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, spans` as Id, Tags with the three keys that the official scorer reads."""
    return frame.select(pl.col("id").alias("Id"), _tags_literal(_RUN_TAG))


def subtask2_run(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, reliability` as Id, Reliability_Label."""
    return frame.select(pl.col("id").alias("Id"), pl.col("reliability").cast(pl.String).alias("Reliability_Label"))


def _json_line(columns: list[pl.Expr]) -> pl.Expr:
    """Compact JSON in ASCII with `\\/`, as pandas' `to_json(orient="records", lines=True)`; reliability and tag text have no key when null."""
    line = pl.struct(columns).struct.json_encode()
    return _respelled(line, r"[^\x00-\x7f]", lambda character: json.dumps(character)[1:-1], _JSON_REPAIRS).alias("line")


def _tags_literal(keys: dict[str, str]) -> pl.Expr:
    """Spans as a Python list of dicts with these keys, in one String; a key whose value is null is left out."""
    parts: list[pl.Expr] = []
    for name, key in keys.items():
        value = pl.element().struct.field(name).cast(pl.String)
        parts.append(pl.concat_str(pl.lit(f"{', ' if parts else ''}'{key}': "), value if name in _NUMBERS else _quoted(value)))
    tag = pl.concat_str(pl.lit("{"), *parts, pl.lit("}"), ignore_nulls=True)
    cell = pl.concat_str(pl.lit("["), pl.col("spans").list.eval(tag).list.join(", "), pl.lit("]"))
    return _respelled(cell, r"[^\x20-\x7e]", _python_spelling, {}).alias("Tags")


def _quoted(text: pl.Expr) -> pl.Expr:
    """Python's `repr` of a string, but for characters that are not printable: double quotes only around an apostrophe without them."""
    body = text.str.replace_all("\\", "\\\\", literal=True)
    double = text.str.contains("'", literal=True) & ~text.str.contains('"', literal=True)
    single_quoted = pl.concat_str(pl.lit("'"), body.str.replace_all("'", "\\'", literal=True), pl.lit("'"))
    return pl.when(double).then(pl.concat_str(pl.lit('"'), body, pl.lit('"'))).otherwise(single_quoted)


def _python_spelling(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def _respelled(text: pl.Expr, pattern: str, spelling: Callable[[str], str], repairs: dict[str, str]) -> pl.Expr:
    """Each character that `pattern` finds in its `spelling`, and the `repairs` done; Python sees each distinct character of a batch once."""

    def respell(batch: pl.Series) -> pl.Series:
        found = batch.str.extract_all(pattern).explode().drop_nulls().unique().to_list()
        return batch.str.replace_many(repairs | {character: spelling(character) for character in found})

    return text.map_batches(respell, return_dtype=pl.String, is_elementwise=True)
