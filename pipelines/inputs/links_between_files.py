"""Rules between a file and the files that belong to it.

Keys that are referred to and not there, or there and not referred to.
"""

from collections.abc import Sequence

import polars as pl

from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.schemas.rule import Rule, Tally


def link_tallies(judged: Judged, others: Sequence[Judged], limit: int) -> list[Tally]:
    """Findings between a judged file and those of `others` that its kind is linked to."""
    tallies: list[Tally] = []
    for link in judged.opened.kind.links:
        for other in others:
            if other.opened.kind.name == link.kind:
                key = other.opened.kind.key[0]
                tallies += _absent(judged, link.column, other, key, link.missing, limit)
                tallies += _absent(other, key, judged, link.column, link.unused, limit)
    return tallies


def _absent(here: Judged, column: str, there: Judged, other: str, rule: Rule, limit: int) -> list[Tally]:
    """The records of one file whose value is not among the values of the other."""
    values = there.frame.select(pl.col(other).alias(column)).drop_nulls().unique()
    lonely = here.frame.select("row", column).drop_nulls().join(values, on=column, how="anti", maintain_order="left")
    rows = lonely.select("row").collect(engine="streaming")["row"]
    path = there.opened.source.path
    name = here.opened.table.names.get(column, column)
    return row_tally(
        here.opened,
        here.frame,
        rule,
        rows,
        limit,
        column=name,
        arguments=lambda record: {"value": record.values[column], "other": path},
    )
