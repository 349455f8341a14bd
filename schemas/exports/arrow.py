"""A kind of file as an Arrow schema, in the JSON form of Arrow's integration tests, which needs no Arrow to be read."""

from collections.abc import Mapping

import polars as pl

from sharedtask.schemas.kind import Kind
from sharedtask.schemas.reading import item_type

PLAIN: Mapping[type[pl.DataType], Mapping[str, object]] = {
    pl.String: {"name": "utf8"},
    pl.Boolean: {"name": "bool"},
    pl.Float64: {"name": "floatingpoint", "precision": "DOUBLE"},
}


def arrow_schema(kind: Kind) -> dict[str, object]:
    """The canonical columns with their descriptions as metadata, as `convert --to parquet` writes them.

    Labels of a closed set are text.
    """
    fields = [
        _field(column.name, column.reading.dtype, nullable=column.nullable)
        | {
            "metadata": [
                {"key": "official", "value": column.official},
                {"key": "description", "value": column.description},
            ]
        }
        for column in kind.columns
    ]
    says = {"sharedtask.kind": kind.name, "sharedtask.schema_version": str(kind.version)}
    return {"schema": {"fields": fields, "metadata": [{"key": key, "value": value} for key, value in says.items()]}}


def _field(name: str, dtype: pl.DataType, *, nullable: bool = True) -> dict[str, object]:
    children: list[dict[str, object]] = []
    kind: Mapping[str, object]
    if isinstance(dtype, pl.List):
        kind, children = {"name": "list"}, [_field("element", item_type(dtype))]
    elif isinstance(dtype, pl.Struct):
        kind, children = {"name": "struct"}, [_field(one.name, one.dtype) for one in dtype.fields]  # type: ignore[arg-type]
    elif isinstance(dtype, pl.Datetime):
        kind = {"name": "timestamp", "unit": "MICROSECOND", "timezone": str(dtype.time_zone)}
    elif dtype.is_integer():
        kind = {"name": "int", "bitWidth": int(str(dtype).removeprefix("Int")), "isSigned": True}
    else:
        kind = PLAIN[pl.String if isinstance(dtype, pl.Enum) else type(dtype)]
    return {"name": name, "nullable": nullable, "type": dict(kind), "children": children}
