"""A kind of file as JSON Schema (draft 2020-12) of its canonical records.

What the Pandera schema accepts of one record.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from sharedtask.schemas.exports.constraints import INTEGERS, said, unsaid
from sharedtask.schemas.kind import Column, Kind, View
from sharedtask.schemas.reading import item_type

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MOMENT = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|\+00:00)$"


def json_schema(kind: Kind) -> dict[str, object]:
    """The schema of one canonical record as an object of plain JSON types."""
    schema: dict[str, object] = {
        "$schema": DIALECT,
        "$id": f"urn:sharedtask:{kind.name.replace('/', ':')}:{kind.version}",
        "title": kind.title,
        "description": kind.description,
        **_object(kind.columns, kind, said(kind, View.ROW)),
    }
    left = unsaid(kind)
    if left:
        schema["$comment"] = (
            f"Not said here, or not wholly: {', '.join(left)}. Rules across records are not said either."
        )
    return schema


def _object(
    columns: Sequence[Column], kind: Kind, fragments: Sequence[Mapping[str, object]], *, closed: bool = True
) -> dict[str, object]:
    of_rows = [] if kind.spans else said(kind, View.SPAN)
    rules = [*fragments, *(of_rows if closed else [])]
    schema: dict[str, object] = {
        "type": "object",
        "properties": {column.name: _column(column, kind) for column in columns},
        "required": [column.name for column in columns if not column.optional],
        "additionalProperties": False,
    }
    return schema | ({"allOf": rules} if rules else {})


def _column(column: Column, kind: Kind) -> dict[str, object]:
    schema: dict[str, object] = {"title": column.official, "description": column.description}
    if kind.spans and column.name == kind.spans.name:
        spans = _object(kind.spans.columns, kind, said(kind, View.SPAN), closed=False)
        value: dict[str, object] = {"type": "array", "items": spans}
    else:
        value = _value(column.reading.dtype)
    if not column.nullable:
        return schema | value
    if "enum" in value:
        return schema | {"enum": [*value["enum"], None]}  # type: ignore[misc]
    return schema | value | {"type": [value["type"], "null"]}


def _value(dtype: pl.DataType) -> dict[str, object]:
    """The type of a value, with the limits that its canonical type sets."""
    if isinstance(dtype, pl.Enum):
        return {"enum": dtype.categories.to_list()}
    if isinstance(dtype, pl.List):
        return {"type": "array", "items": _value(item_type(dtype))}
    if isinstance(dtype, pl.Datetime):
        return {"type": "string", "format": "date-time", "pattern": MOMENT}
    if type(dtype) in INTEGERS:
        low, high = INTEGERS[type(dtype)]
        return {"type": "integer", "minimum": low, "maximum": high}
    return {"type": {pl.String: "string", pl.Boolean: "boolean", pl.Float64: "number"}[type(dtype)]}
