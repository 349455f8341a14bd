"""The reference of a run judged: its structure, its keys, and what runs are compared with."""

from collections.abc import Collection
from dataclasses import replace

import polars as pl

from sharedtask.converters.canonical_table import canonical
from sharedtask.converters.raw_table import Table
from sharedtask.converters.sniff import Sniffed
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.lenient_kind import only_checked
from sharedtask.schemas.engine.masks import mask_frame
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Kind


def judge_reference(
    inputs: Inputs, sniffed: Sniffed, kind: Kind, reads: Collection[str], distinct: Collection[str]
) -> Judged | None:
    """Judge the key and the columns of `reads` and `distinct`; None where nothing can be checked against the file.

    Of a column of `distinct` the different cells of a delimited file are looked at, which are hardly any, and
    `Judged.distinct` has what was read from them. Where one of these breaks a rule, and in any other file, the column is
    judged cell by cell as those of `reads` are.
    """
    read = {*kind.key, *reads}
    opened = inputs.open(sniffed, "reference", [only_checked(kind, read)])
    if opened is None:
        return None
    names = [name for name in distinct if name not in read and name in opened.table.names]
    if names and opened.layout is not None:
        judged = inputs.judge_unreported(opened, keep=True, distinct=names)
        found = {name: _sound_values(kind, name, cells) for name, cells in judged.distinct.items()}
        judged.distinct = {name: values for name, values in found.items() if values is not None}
        if len(judged.distinct) == len(names):
            return inputs.take(sniffed, judged, "reference")
    if names:
        opened = inputs.open(sniffed, "reference", [only_checked(kind, {*read, *names})]) or opened
    return inputs.take(sniffed, inputs.judge_unreported(opened, keep=True), "reference")


def _sound_values(kind: Kind, name: str, cells: pl.Series) -> pl.Series | None:
    """What different cells of a column are read as; None where one of them breaks a rule."""
    column = kind.column(name)
    alone = replace(only_checked(kind, {name}), columns=(column,), key=(), table_checks=())
    given = cells.alias(column.raw).to_frame().with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    frame = canonical(Table(given.lazy(), {name: column.official}), alone)
    checks = checks_for(alone, frame.collect_schema().names())
    broken = mask_frame(frame, checks.row).collect()
    return frame.select(name).collect().to_series() if broken.is_empty() else None
