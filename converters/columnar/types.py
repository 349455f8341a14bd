"""Arrow types that every reader has, in the place of those that only some have."""

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

_ZONE = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z0-9_+-]+){1,2}")  # zones of this form are in every database
ELEMENT = "element"  # as Parquet calls the items of a list


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """A schema with plain strings and lists in the place of views, long offsets, dictionaries and the like."""
    return pa.schema([pa.field(field.name, _plain(field.type), field.nullable) for field in schema])


def _plain(dtype: pa.DataType) -> pa.DataType:
    types = pa.types
    if isinstance(dtype, pa.BaseExtensionType):
        return _plain(dtype.storage_type)
    if types.is_dictionary(dtype) or types.is_run_end_encoded(dtype):
        return _plain(dtype.value_type)
    if types.is_large_string(dtype) or types.is_string_view(dtype) or (types.is_decimal(dtype) and not is_usual(dtype)):
        return pa.string()
    if types.is_large_binary(dtype) or types.is_binary_view(dtype):
        return pa.binary()
    if types.is_map(dtype):
        pair = pa.struct([pa.field("key", _plain(dtype.key_type)), pa.field("value", _plain(dtype.item_type))])
        return pa.list_(pa.field(ELEMENT, pair))
    if _is_list(dtype) or types.is_list_view(dtype) or types.is_large_list_view(dtype):
        return pa.list_(pa.field(ELEMENT, _plain(dtype.value_type)))
    if types.is_struct(dtype):
        return pa.struct([pa.field(field.name, _plain(field.type), field.nullable) for field in dtype])
    if types.is_timestamp(dtype) and not _is_known_zone(dtype.tz):
        return pa.timestamp(dtype.unit, "UTC")
    return dtype


def is_usual(dtype: pa.DataType) -> bool:
    """Whether Polars reads this type; it ends a thread with a message of its own on some of the others."""
    types = pa.types
    if isinstance(dtype, pa.BaseExtensionType):
        return False
    if types.is_dictionary(dtype):
        return is_usual(dtype.value_type) and not types.is_string_view(dtype.value_type)
    if _is_list(dtype):
        return is_usual(dtype.value_type) and not (types.is_fixed_size_list(dtype) and not dtype.list_size)
    if types.is_decimal128(dtype):
        return bool(dtype.scale >= 0)
    if types.is_struct(dtype):
        return all(is_usual(field.type) for field in dtype)
    if types.is_timestamp(dtype):
        return _is_known_zone(dtype.tz)
    if types.is_decimal256(dtype) or types.is_nested(dtype) or types.is_run_end_encoded(dtype):
        return False
    return not (types.is_interval(dtype) or types.is_union(dtype))


def as_plain(batch: pa.RecordBatch, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A batch in the types of a plain schema, in halves where its text is too long for short offsets.

    Raises ArrowException where a value has no such type.
    """
    try:
        yield from pa.Table.from_batches([_decoded(batch)]).cast(schema).to_batches()
    except pa.ArrowInvalid:
        if batch.num_rows < 2:
            raise
        half = batch.num_rows // 2
        yield from as_plain(batch.slice(0, half), schema)
        yield from as_plain(batch.slice(half), schema)


def _decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with each value in its place, where runs, dictionaries or views of them are kept: `cast` does not do it."""
    return pa.RecordBatch.from_arrays([_each(column) for column in batch.columns], names=batch.schema.names)


def _each(column: pa.Array) -> pa.Array:
    types = pa.types
    if isinstance(column, pa.ExtensionArray):
        return _each(column.storage)
    if types.is_run_end_encoded(column.type):
        return _each(pc.run_end_decode(column))
    if types.is_dictionary(column.type):
        values = _each(column.dictionary).cast(_plain(column.type.value_type))
        return pa.DictionaryArray.from_arrays(column.indices, values).dictionary_decode()
    if types.is_list_view(column.type) or types.is_large_list_view(column.type):  # whose cast cuts values off
        sizes = pc.fill_null(pc.list_value_length(column), 0).cast(pa.int64())
        offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(sizes)])
        return pa.LargeListArray.from_arrays(offsets, _each(column.flatten()), mask=column.is_null())
    return column


def _is_list(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_list(dtype) or pa.types.is_large_list(dtype) or pa.types.is_fixed_size_list(dtype))


def _is_known_zone(zone: str | None) -> bool:
    if zone is None or zone == "UTC":
        return True
    if not _ZONE.fullmatch(zone):
        return False
    try:
        ZoneInfo(zone)
    except (KeyError, OSError, ValueError):  # no such zone, or no name of one
        return False
    return True
