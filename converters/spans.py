"""Lists of spans, decoded from JSON text or typed -> the raw span column: one struct of Strings a span, under canonical names."""

import json
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from sharedtask.converters.columnar.cells import cell
from sharedtask.converters.json.text import as_text, as_written
from sharedtask.converters.tags_without_keys import TagForm
from sharedtask.schemas.column_names import TagKey, fold, odd_keys, tag_keys
from sharedtask.schemas.kind import Kind, SpanColumn
from sharedtask.schemas.spans import BAD, END, KEY, LABEL, SPAN_TEXT, START

Keys = Mapping[str, Sequence[TagKey]]


def names_of_fields(spans: SpanColumn) -> list[list[str]]:
    """The names of each field of a span, the official one first."""
    return [list(dict.fromkeys((one.official, *one.aliases, one.name))) for one in spans.columns]


def tag_form(kind: Kind) -> TagForm:
    """How cells of a kind are read whose tags are sequences and not dicts, or whose list stands under its name."""
    assert kind.spans is not None  # noqa: S101 - the caller has looked
    listed, columns = kind.column(kind.spans.name), {column.name: column for column in kind.spans.columns}
    labels = columns[LABEL].reading.dtype
    known = labels.categories if isinstance(labels, pl.Enum) else ()
    start, end, label, text = (columns[name].official for name in (START, END, LABEL, SPAN_TEXT))
    names = (listed.official, *listed.aliases, listed.name)
    return TagForm(start, end, label, text, frozenset(one.casefold() for one in known), frozenset(map(fold, names)))


def keys_among(names: Iterable[str], spans: SpanColumn) -> Keys:
    """The keys of tags in a file by the field that they stand for; the official key of a field is always there."""
    return tag_keys({*names, *(column.official for column in spans.columns)}, spans)


def typed_dtype(keys: Keys) -> pl.List:
    """What typed JSON text of a list of spans decodes to: every key as a String."""
    return pl.List(pl.Struct({key.name: pl.String() for some in keys.values() for key in some}))


def raw_spans(typed: pl.Expr, spans: SpanColumn, keys: Keys) -> pl.Expr:
    """The decoded list with canonical field names and the raw text of each value.

    Text that should be text without its quotes.
    """

    def field(name: str, *, is_number: bool) -> pl.Expr:
        value = pl.coalesce(pl.element().struct.field(key.name) for key in keys[name])
        return as_written(value) if is_number else as_text(value)

    fields = [
        field(column.name, is_number=column.reading.dtype.is_numeric()).alias(column.name) for column in spans.columns
    ]
    return typed.list.eval(pl.struct(fields))


def raw_typed_spans(listed: pl.Expr, dtype: pl.Struct, spans: SpanColumn, keys: Keys) -> pl.Expr:
    """The same for a list of structures of this type, as Parquet and Arrow hold it. A number kept as text has quotes."""
    types = {field.name: field.dtype for field in dtype.fields}

    def text(name: str, *, is_number: bool) -> pl.Expr:
        column = next(column for column in spans.columns if column.name == name)
        texts = []
        for key in keys[name]:
            if key.name in types:
                value = cell(pl.element().struct.field(key.name), types[key.name], column.reading).text  # type: ignore[arg-type]
                quoted = is_number and types[key.name] == pl.String
                texts.append(pl.format('"{}"', value) if quoted else value)
        return pl.coalesce(texts) if texts else pl.lit(None, pl.String)

    fields = [
        text(column.name, is_number=column.reading.dtype.is_numeric()).alias(column.name) for column in spans.columns
    ]
    return listed.list.eval(pl.struct(fields))


def key_flags(listed: pl.Expr, keys: Keys, present: Iterable[str] | None = None) -> list[pl.Expr]:
    """For each key that is not official, whether a span of the list has a value under it; `present` limits the keys."""
    names = None if present is None else {*present}
    odd = [key.name for key in odd_keys(keys) if names is None or key.name in names]
    return [
        listed.list.eval(pl.element().struct.field(name).is_not_null())
        .list.any()
        .fill_null(value=False)
        .alias(KEY + name)
        for name in odd
    ]


def conflict_flag(listed: pl.Expr, keys: Keys, present: Iterable[str]) -> list[pl.Expr]:
    """Why a list cannot be read where a span of it has a field under two of the keys that its structure has."""
    names = {*present}
    reasons = []
    for some in keys.values():
        there = [key.name for key in some if key.name in names]
        if len(there) > 1:
            held = [pl.element().struct.field(name).is_not_null() for name in there]
            both = listed.list.eval(pl.sum_horizontal(held) > 1).list.any()
            why = json.dumps({"which": "fields", "first": there[0], "key": there[1]})
            reasons.append(pl.when(both).then(pl.lit(why)))
    return [pl.coalesce(reasons).alias(BAD)] if reasons else []


def read_spans(raw: pl.Expr, spans: SpanColumn) -> pl.Expr:
    """The canonical list of spans from the raw one, by the readings of its columns."""
    fields = [
        column.reading.parse(pl.element().struct.field(column.name)).alias(column.name) for column in spans.columns
    ]
    return raw.list.eval(pl.struct(fields))
