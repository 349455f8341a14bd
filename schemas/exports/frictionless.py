"""A kind of file as a Frictionless Table Schema of its official file.

The columns are those of the file, before they are read.
"""

from collections.abc import Mapping

import polars as pl

from sharedtask.schemas.exports.constraints import of_column
from sharedtask.schemas.kind import Column, Kind

PROFILE = "https://datapackage.org/profiles/2.0/tableschema.json"
KEPT = ("enum", "minimum", "maximum", "pattern")


def table_schema(kind: Kind) -> dict[str, object]:
    """The Table Schema; a file may lack the columns that are not required."""
    return {
        "$schema": PROFILE,
        "title": kind.title,
        "description": kind.description,
        "fieldsMatch": "superset",
        "fields": [_field(column, kind) for column in kind.official],
        "primaryKey": [kind.column(name).official for name in kind.key],
        "missingValues": [""],
    }


def _field(column: Column, kind: Kind) -> dict[str, object]:
    listed = kind.spans is not None and column.name == kind.spans.name
    kept: dict[str, object] = {}
    if column.name not in kind.derived and not isinstance(column.reading.dtype, pl.List):
        kept = {name: value for name, value in of_column(kind, column).items() if name in KEPT}
    if isinstance(column.reading.dtype, pl.Enum):
        kept["enum"] = column.reading.dtype.categories.to_list()
    if not column.nullable and not column.optional:
        kept["required"] = True
    field: dict[str, object] = {
        "name": column.official,
        "title": column.name,
        "description": column.description,
        **_type(column, kind, listed=listed),
    }
    return field | ({"constraints": kept} if kept else {})


def _type(column: Column, kind: Kind, *, listed: bool) -> Mapping[str, object]:
    """The type of a cell as it is written; one that has other readings than its type is text."""
    dtype = column.reading.dtype
    if isinstance(dtype, pl.Boolean):
        return {"type": "boolean", "trueValues": ["1"], "falseValues": ["0"]}
    if isinstance(dtype, pl.Datetime):
        return {"type": "integer"}  # seconds since 1970
    if isinstance(dtype, pl.List):
        is_json = not listed or kind.container == "jsonl"
        return {"type": "array" if is_json and dtype.inner != pl.String else "string"}
    if dtype.is_integer():
        return {"type": "integer" if _digits_only(column) else "string"}
    return {"type": "number" if dtype.is_float() else "string"}


def _digits_only(column: Column) -> bool:
    """Whether the reading finds a fault in every word."""
    raw, value = pl.col("raw"), pl.col("value")
    words = pl.DataFrame({"raw": ["unknown"]}).with_columns(value=column.reading.parse(raw))
    return any(words.select(fault.fails(raw, value).fill_null(value=False)).item() for fault in column.reading.faults)
