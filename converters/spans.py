"""Lists of spans as typed JSON text -> the raw span column: one struct of Strings a span, under canonical names."""

import polars as pl

from sharedtask.converters.json.text import as_text, as_written
from sharedtask.schemas.kind import Column, SpanColumn


def keys(spans: SpanColumn) -> list[str]:
    """Every key under which a field of a span may stand."""
    return [name for column in spans.columns for name in (column.official, *column.aliases)]


def typed_dtype(spans: SpanColumn) -> pl.List:
    """What typed JSON text of a list of spans decodes to: every known key as a String."""
    return pl.List(pl.Struct({name: pl.String() for name in keys(spans)}))


def alias_used(text: pl.Expr, spans: SpanColumn) -> pl.Expr:
    """Whether a key of the JSON text is an alias of a documented one."""
    aliases = "|".join(alias for column in spans.columns for alias in column.aliases)
    return text.str.contains(rf'[{{,]\s*"(?:{aliases})"\s*:').fill_null(False)


def alias_given(typed: pl.Expr, spans: SpanColumn) -> pl.Expr:
    """Whether a span of the decoded list has a value under an alias of a documented key."""
    aliases = [pl.element().struct.field(alias).is_not_null() for column in spans.columns for alias in column.aliases]
    return typed.list.eval(pl.any_horizontal(aliases)).list.any().fill_null(False)


def raw_spans(typed: pl.Expr, spans: SpanColumn) -> pl.Expr:
    """The decoded list with canonical field names and the raw text of each value.

    Text that should be text without its quotes.
    """
    return typed.list.eval(pl.struct([_field(column).alias(column.name) for column in spans.columns]))


def _field(column: Column) -> pl.Expr:
    names = (column.official, *column.aliases)
    value = pl.coalesce(pl.element().struct.field(name) for name in names)
    return as_written(value) if column.reading.dtype.is_numeric() else as_text(value)


def read_spans(raw: pl.Expr, spans: SpanColumn) -> pl.Expr:
    """The canonical list of spans from the raw one, by the readings of its columns."""
    fields = [
        column.reading.parse(pl.element().struct.field(column.name)).alias(column.name) for column in spans.columns
    ]
    return raw.list.eval(pl.struct(fields))
