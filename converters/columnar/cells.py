"""Typed columns (Parquet, Arrow) as the text that an official file would have, so that they meet the same readings.

A value whose type says more than text does (a list, a time) is also kept as it is. Whole numbers that an engine keeps as
floats, because a cell is empty, are whole numbers.
"""

from dataclasses import dataclass

import polars as pl

from sharedtask.converters.raw_table import is_pattern
from sharedtask.schemas.reading import Reading, item_type

EXACT = 2**53  # up to here each whole number is a float of its own


@dataclass(frozen=True, slots=True)
class Cell:
    """A typed value: its `text`, the canonical `value` where that needs no reading, and whether it is `odd`.

    An odd value is a structure, or bytes that are not text, where text or a number belongs.
    """

    text: pl.Expr
    value: pl.Expr | None = None
    odd: pl.Expr | None = None


def cell(value: pl.Expr, dtype: pl.DataType, reading: Reading) -> Cell:
    """A typed value as a cell that `reading` can read."""
    if isinstance(dtype, pl.Array):
        dtype = pl.List(dtype.inner)
        value = value.cast(dtype)
    if isinstance(dtype, pl.List) and isinstance(reading.dtype, pl.List) and not item_type(dtype).is_nested():
        return _list_cell(value, item_type(dtype), reading.dtype)
    if isinstance(dtype, pl.Datetime) and isinstance(reading.dtype, pl.Datetime):
        moment = _moment(value, dtype, reading.dtype)
        beyond = value.to_physical().cast(pl.String)  # a time that no calendar reaches
        return Cell(pl.coalesce(moment.dt.epoch("s").cast(pl.String), beyond), moment)
    if dtype == pl.Binary:
        return Cell(_bytes_text(value), odd=_text_in(value).is_null() & value.is_not_null())
    if dtype.is_nested():
        return Cell(as_json(value, dtype), odd=value.is_not_null())
    return Cell(plain_text(value, dtype, reading.dtype))


def plain_text(value: pl.Expr, dtype: pl.DataType, expected: pl.DataType) -> pl.Expr:
    """A plain value as text; `expected` is the type of its column."""
    if dtype == pl.Null:
        return pl.lit(None, pl.String)
    if dtype == pl.Boolean and (expected == pl.Boolean or expected.is_integer()):
        return pl.when(value).then(pl.lit("1")).when(value.not_()).then(pl.lit("0"))
    if dtype == pl.Binary:
        return _bytes_text(value)
    text = value.cast(pl.String)
    if dtype.is_float() and not (expected == pl.String or expected.is_float()):
        whole = (value == value.floor()) & (value.abs() <= EXACT)
        return pl.when(whole).then(value.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(text)
    if dtype.is_decimal():
        return text.str.replace(r"(\.[0-9]*?)0+$", "${1}").str.strip_suffix(".")
    if isinstance(dtype, pl.Datetime | pl.Duration):
        return value.dt.to_string("iso")
    return text


def _text_in(value: pl.Expr) -> pl.Expr:
    """Bytes as the text that they are, null where they are none."""
    return value.map_batches(_decoded, return_dtype=pl.String(), is_elementwise=True)


def _bytes_text(value: pl.Expr) -> pl.Expr:
    """Bytes as text, those that are none as they are."""
    return pl.coalesce(_text_in(value), pl.format("0x{}", value.bin.encode("hex")))


def _decoded(batch: pl.Series) -> pl.Series:
    """Bytes as text, null where they are not UTF-8: some engines keep all text as bytes."""
    try:
        return batch.cast(pl.String)
    except pl.exceptions.ComputeError:  # one of them is not
        return pl.Series(batch.name, [_text_of(one) for one in batch], pl.String)


def _text_of(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        return None


def as_json(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A list or a structure as JSON text, null where there is none."""
    text = pl.struct(_encodable(value, dtype).alias("v")).struct.json_encode()
    return pl.when(value.is_not_null()).then(text.str.strip_prefix('{"v":').str.strip_suffix("}"))


def _encodable(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """The value with what has no form in JSON as text."""
    if isinstance(dtype, pl.Array):
        dtype = pl.List(dtype.inner)
        value = value.cast(dtype)
    if isinstance(dtype, pl.List):
        return value.list.eval(_encodable(pl.element(), item_type(dtype)))
    if isinstance(dtype, pl.Struct) and any(is_pattern(one.name) for one in dtype.fields):
        return value
    if isinstance(dtype, pl.Struct):
        fields = [_encodable(value.struct.field(one.name), one.dtype).alias(one.name) for one in dtype.fields]  # type: ignore[arg-type]
        return pl.when(value.is_not_null()).then(pl.struct(fields)) if fields else value
    if dtype == pl.Binary:
        return value.bin.encode("hex")
    if dtype.is_numeric() and not dtype.is_decimal():
        return value
    return value if dtype in (pl.Boolean, pl.String, pl.Null) else plain_text(value, dtype, pl.String())


def _list_cell(value: pl.Expr, inner: pl.DataType, expected: pl.List) -> Cell:
    """A list of plain values: as JSON text, and as the canonical list where every item is one of its type."""
    items = value.list.eval(plain_text(pl.element(), inner, item_type(expected)))
    if expected.inner == pl.String:
        items = items.list.drop_nulls()
        kept = pl.when(items.list.len() > 0).then(items)
        return Cell(as_json(items, pl.List(pl.String())), kept)
    text = pl.format("[{}]", items.list.eval(pl.element().fill_null("null")).list.join(", "))
    if not inner.is_numeric():
        return Cell(as_json(items, pl.List(pl.String())))
    read = items.list.eval(pl.element().cast(expected.inner, strict=False))
    whole = ~read.list.eval(pl.element().is_null()).list.any()
    return Cell(text, pl.when(whole.fill_null(value=False)).then(read))


def _moment(value: pl.Expr, dtype: pl.Datetime, expected: pl.Datetime) -> pl.Expr:
    """A time as the canonical one; without a zone it is UTC, as dates in the copies of the data are."""
    fine = value.cast(pl.Datetime(expected.time_unit, dtype.time_zone), strict=False)
    return fine.dt.convert_time_zone("UTC") if dtype.time_zone else fine.dt.replace_time_zone("UTC")
