"""What decides a ReINTEL label beside the votes: the ground truth and the re-check by hand.

The labels themselves are here, too (paper 2.2).
"""

import polars as pl

from sharedtask.schemas.kind import Column, Kind, TableCheck
from sharedtask.schemas.reading import choice, integer
from sharedtask.schemas.reintel.post_readings import LABEL
from sharedtask.schemas.rules.fmt_values import DUPLICATE_KEY
from sharedtask.schemas.table_checks import found

NEWS, OPINION = "news", "opinion"


def _repeated(column: str) -> TableCheck:
    """The check that an item occurs once; the finding shows its values."""

    def find(rows: pl.LazyFrame) -> pl.LazyFrame:
        items = rows.drop_nulls("id").group_by("file", "id").agg(pl.col("row").min(), rows="row", said=column)
        many = items.filter(pl.col("rows").list.len() > 1)
        said = pl.col("said").cast(pl.List(pl.String)).list.unique().list.sort()
        return found(
            many,
            DUPLICATE_KEY,
            "id",
            which=pl.when(said.list.len() > 1).then(pl.lit("contradict")).otherwise(pl.lit("labels")),
            key=pl.format("id {}", "id"),
            records=pl.col("rows").list.len(),
            of=pl.lit(column),
            labels=said.list.join(" and "),
        )

    return TableCheck((DUPLICATE_KEY,), ("id", column), find)


LABELS = Kind(
    name="reintel/labels",
    title="ReINTEL labels",
    description="The label of each item: what `derive labels` makes of the annotations, or a ground truth that decides where their vote does not.",
    source="VLSP 2020 ReINTEL, paper section 2.2; the paper names a ground truth and never shows it",
    columns=(
        Column("id", "id", integer(), "The item, as in the annotations."),
        Column("label", "label", LABEL, "0 for reliable, 1 for unreliable."),
    ),
    key=("id",),
    table_checks=(_repeated("label"),),
)

RECHECK = Kind(
    name="reintel/recheck",
    title="ReINTEL re-check",
    description="What a person found where three votes differ and the ground truth is 0: reliable news, or an opinion, which is removed.",
    source="VLSP 2020 ReINTEL, paper section 2.2",
    columns=(
        Column("id", "id", integer(), "The item, as in the annotations."),
        Column("recheck", "recheck", choice((NEWS, OPINION)), "Whether it is news or an opinion."),
    ),
    key=("id",),
    table_checks=(_repeated("recheck"),),
)
