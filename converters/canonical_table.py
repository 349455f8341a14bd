"""Raw text -> canonical columns: the readings of a kind applied to a table, whatever shape the file had."""

import polars as pl

from sharedtask.converters import spans, tag_cells
from sharedtask.converters.json import text as json_text
from sharedtask.converters.raw_table import Table
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.spans import CELL, CELL_TEXT


def canonical(table: Table, kind: Kind) -> pl.LazyFrame:
    """The frame of a table with the canonical columns beside the raw ones; columns that the file lacks stay absent.

    A value that a typed source has already is not read again. The derived columns of the kind are made from raw text and
    values.
    """
    frame = table.frame
    there = frame.collect_schema()
    if kind.spans and there.get(f"raw.{kind.spans.name}") == pl.String:
        frame = _read_cells(frame, kind)
    values = []
    for column in kind.columns:
        if column.raw not in there or column.name in there:
            continue
        raw = pl.col(column.raw)
        value = (
            spans.read_spans(raw, kind.spans)
            if kind.spans and column.name == kind.spans.name
            else column.reading.parse(raw)
        )
        values.append(value.alias(column.name))
    read = frame.with_columns(values)
    names = set(read.collect_schema()) if kind.derived else set()
    return read.with_columns(
        value.alias(name) for name, value in kind.derived.items() if set(value.meta.root_names()) <= names
    )


def canonical_table(frame: pl.LazyFrame, kind: Kind, *, by_key: bool = False, whole: bool = False) -> pl.LazyFrame:
    """The canonical columns that a frame has, in the order of the kind; its records as they are, or in that of the keys.

    With `whole` the columns that it lacks are there, full of nulls, unless it has none at all.
    """
    there = frame.collect_schema().names()
    found = {column.name for column in kind.columns} & {*there}
    table = frame.select(
        pl.col(column.name) if column.name in found else pl.lit(None, column.reading.dtype).alias(column.name)
        for column in kind.columns
        if column.name in found or (whole and found)
    )
    return table.sort([name for name in kind.key if name in there]) if by_key else table


def _read_cells(frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    """Spans as text in cells: parse the cells, then decode what they hold."""
    assert kind.spans is not None  # noqa: S101 - the caller has looked
    name = f"raw.{kind.spans.name}"
    fields = spans.names_of_fields(kind.spans)
    form = spans.tag_form(kind)
    parsed, names = tag_cells.json_cells(frame, name, fields, form, as_python=not kind.canonical)
    keys = spans.keys_among(names, kind.spans)
    decoded = json_text.decoded(json_text.typed(pl.col(CELL_TEXT)), spans.typed_dtype(keys))
    read = parsed.with_columns(decoded.alias(CELL_TEXT), pl.col(name).alias(CELL))
    listed = pl.col(CELL_TEXT)
    return read.with_columns(
        spans.raw_spans(listed, kind.spans, keys).alias(name), *spans.key_flags(listed, keys)
    ).drop(CELL_TEXT)
