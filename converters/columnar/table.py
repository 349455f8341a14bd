"""Typed tables, whatever container they are in and whatever engine wrote them, as a `Table` of raw text."""

import polars as pl

from sharedtask.converters import spans
from sharedtask.converters.columnar.cells import as_json, cell
from sharedtask.converters.header import match_columns
from sharedtask.converters.raw_table import UNREAD, Table, as_given
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind, SpanColumn
from sharedtask.schemas.reading import item_type
from sharedtask.schemas.rule import At, tally_one
from sharedtask.schemas.rules.fmt_columns import UNKNOWN_JSON_KEY


def read_typed(source: Source, kind: Kind, scan: pl.LazyFrame, container: str) -> Table:
    """The columns of a typed table by their official, canonical or other names, each cell as its raw text.

    Columns that may be absent, and all hold nothing, are absent. Raises what Polars raises.
    """
    schema = scan.collect_schema()
    if {*UNREAD} <= {*schema} and schema["rules"] == UNREAD["rules"]:
        scan = scan.drop(UNREAD)  # a quarantine says of its records why they are there
    scan = scan.drop(_empty_columns(scan, kind))
    names = scan.collect_schema().names()
    match = match_columns(names, kind, source.path, line=None)
    numbered = scan.select(pl.nth(position).alias(f"f{position}") for position in range(len(names))).with_row_index(
        "row"
    )
    keys: frozenset[str] | None = None  # of tags
    raw, tallies = [pl.lit(0, pl.UInt32).alias("file"), pl.col("row")], list(match.tallies)
    for position, name in match.columns.items():
        column, dtype, value = kind.column(name), schema[names[position]], pl.col(f"f{position}")
        if kind.spans and name == kind.spans.name:
            columns, known, unknown = _span_columns(numbered, value, dtype, kind.spans, column.raw)
            raw += columns
            keys = None if known is None else frozenset((*known, *unknown))
            where = [At(source.path, column=f"{names[position]}[].{key}") for key in unknown]
            tallies += [tally_one(UNKNOWN_JSON_KEY, at, kind=kind, which="table") for at in where]
            continue
        found = cell(value, dtype, column.reading)
        raw.append(found.text.alias(column.raw))
        raw += [] if found.value is None else [found.value.alias(name)]
        raw += [] if found.odd is None else [found.odd.fill_null(value=False).alias(f"odd.{name}")]
    return Table(
        numbered.select(raw),
        {name: names[position] for position, name in match.columns.items()},
        tallies,
        form={"container": container},
        as_given=as_given(numbered, names),
        header=names,
        tag_keys=keys,
    )


def _empty_columns(scan: pl.LazyFrame, kind: Kind) -> list[str]:
    """The columns that may be absent, where all of them hold nothing: engines that put tables together fill them so.

    Only where all begin with nothing are they looked through.
    """
    schema, match = scan.collect_schema(), match_columns(scan.collect_schema().names(), kind, "")
    optional = [schema.names()[position] for position, name in match.columns.items() if kind.column(name).optional]
    if not optional:
        return []
    first = scan.select(optional).head(1).collect()
    candidates = [name for name in optional if first.height and first[name].null_count()]
    if not candidates:
        return []
    if len(candidates) < len(optional):  # a table with labels that lacks some of them
        return []
    held = scan.select(pl.col(name).is_not_null().any() for name in candidates).collect(engine="streaming")
    return candidates if not any(held.row(0)) else []


def _span_columns(
    scan: pl.LazyFrame, value: pl.Expr, dtype: pl.DataType, listed: SpanColumn, raw: str
) -> tuple[list[pl.Expr], list[str] | None, list[str]]:
    """The raw spans and what their keys say, the keys that a tag may have (None for text), and the unexpected keys.

    A list of structures is read as it is, a structure of lists (as `datasets` writes one) first turned round; anything
    else as the text of a cell.
    """
    if isinstance(dtype, pl.Array):
        dtype = pl.List(item_type(dtype))
        value = value.cast(dtype)
    if isinstance(dtype, pl.Struct) and _turns_round(scan, value, dtype):
        dtype = pl.List(pl.Struct({field.name: field.dtype.inner for field in dtype.fields}))  # type: ignore[union-attr]
        value = value.map_batches(_turned_round, return_dtype=dtype, is_elementwise=True)
    if isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct):
        names = [field.name for field in dtype.inner.fields]
        keys = spans.keys_among(names, listed)
        known = {key.name for some in keys.values() for key in some}
        columns = [
            spans.raw_typed_spans(value, dtype.inner, listed, keys).alias(raw),
            *spans.key_flags(value, keys, present=names),
            *spans.conflict_flag(value, keys, names),
        ]
        return columns, [name for name in names if name in known], [name for name in names if name not in known]
    text = as_json(value, dtype) if dtype.is_nested() else cell(value, dtype, listed.columns[-1].reading).text
    return [text.alias(raw)], None, []


def _turns_round(scan: pl.LazyFrame, value: pl.Expr, dtype: pl.Struct) -> bool:
    """Whether a structure holds lists, which are equally long in each record."""
    if not dtype.fields or not all(isinstance(field.dtype, pl.List) for field in dtype.fields):
        return False
    sizes = [value.struct.field(field.name).list.len() for field in dtype.fields]
    equal = pl.all_horizontal(size.eq_missing(sizes[0]) for size in sizes)
    return bool(scan.select(equal.all()).collect(engine="streaming").item())


def _turned_round(batch: pl.Series) -> pl.Series:
    """Structures of equally long lists as lists of structures."""
    fields = batch.struct.unnest()
    row = fields.select(pl.int_range(pl.len()).alias("row"), given=pl.col(fields.columns[0]).is_not_null())
    long = fields.with_columns(row["row"]).explode(fields.columns, empty_as_null=False, keep_nulls=False)
    lists = long.group_by("row", maintain_order=True).agg(pl.struct(fields.columns).alias("spans"))
    joined = row.join(lists, on="row", how="left", maintain_order="left")
    empty = pl.lit([], lists.schema["spans"])
    filled = pl.when(pl.col("spans").is_null() & pl.col("given")).then(empty).otherwise("spans")
    return joined.select(filled).to_series().alias(batch.name)
