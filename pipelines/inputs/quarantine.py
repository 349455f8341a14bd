"""The records of an input that cannot be used.

Which they are, and where they go, unchanged, each with the rules it breaks.
"""

import polars as pl

from sharedtask.converters.canonical_sink import sink
from sharedtask.converters.outputs import Target
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.provenance import metadata
from sharedtask.schemas.engine.judge import records_with_errors
from sharedtask.schemas.rules.fmt_columns import DUPLICATE_COLUMN, MISSING_COLUMN


def quarantine(judged: Judged, target: Target) -> int:
    """Write the records that cannot be used, if there are any; how many there are."""
    bad = bad_records(judged)
    count = bad.height + judged.rows - judged.height
    if count:
        write_quarantine(judged, bad, target)
    return count


def write_quarantine(judged: Judged, bad: pl.DataFrame, target: Target) -> None:
    """Write these records (`row`, `rules`) with all columns unchanged, and those that cannot be read at all."""
    table = judged.opened.table
    rows = (
        pl.LazyFrame()
        if table.as_given is None
        else table.as_given.join(bad.lazy(), on="row", how="inner", maintain_order="left").drop("row")
    )
    unread = int(table.unread.select(pl.len()).collect(engine="streaming").item())
    says = metadata(judged.opened, unread + (0 if table.as_given is None else bad.height))
    with target.open() as part:
        kept = pl.concat([rows, table.unread], how="diagonal")
        sink(kept, part, "parquet", lambda _: says).run()


def bad_records(judged: Judged) -> pl.DataFrame:
    """`row` and `rules` of the records that cannot be used; all of them where a column is missing."""
    parts = [records_with_errors(judgement, judged.opened.kind) for judgement in judged.judgements]
    for tally in judged.opened.table.tallies:
        if tally.rule in (MISSING_COLUMN, DUPLICATE_COLUMN):
            parts.append(judged.frame.select("row", rule=pl.lit(tally.rule.name)).collect(engine="streaming"))
    return pl.concat(parts).group_by("row").agg(rules=pl.col("rule").unique().sort()).sort("row")
