"""Raw text -> canonical columns: the readings of a kind applied to a table, whatever shape the file had."""

import polars as pl

from sharedtask.converters import spans, tag_cells
from sharedtask.converters.json import text as json_text
from sharedtask.converters.raw_table import Table
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.spans import ALIAS, CELL, CELL_TEXT


def canonical(table: Table, kind: Kind) -> pl.LazyFrame:
    """The frame of a table with the canonical columns beside the raw ones; columns that the file lacks stay absent.

    Where the file has raw text, the derived columns of the kind are made from it and from the values.
    """
    frame = table.frame
    there = frame.collect_schema()
    if table.typed:
        return frame.with_columns(
            pl.col(column.name).cast(column.reading.dtype, strict=False)
            for column in kind.columns
            if column.name in there
        )
    if kind.spans and there.get(f"raw.{kind.spans.name}") == pl.String:
        frame = _read_cells(frame, kind)
    values = []
    for column in kind.columns:
        if column.raw not in there:
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


def canonical_table(frame: pl.LazyFrame, kind: Kind, *, by_key: bool = False) -> pl.LazyFrame:
    """The canonical columns that a frame has, in the order of the kind; its records as they are, or in that of the keys."""
    there = frame.collect_schema().names()
    table = frame.select(column.name for column in kind.columns if column.name in there)
    return table.sort([name for name in kind.key if name in there]) if by_key else table


def _read_cells(frame: pl.LazyFrame, kind: Kind) -> pl.LazyFrame:
    """Spans as text in cells: parse the cells, then decode what they hold."""
    assert kind.spans is not None  # noqa: S101 - the caller has looked
    name = f"raw.{kind.spans.name}"
    parsed = tag_cells.json_cells(frame, name, spans.keys(kind.spans))
    text = pl.col(CELL_TEXT)
    typed = json_text.decoded(json_text.typed(text), spans.typed_dtype(kind.spans))
    return parsed.with_columns(
        spans.raw_spans(typed, kind.spans).alias(name),
        spans.alias_used(text, kind.spans).alias(ALIAS),
        pl.col(name).alias(CELL),
    ).drop(CELL_TEXT)
