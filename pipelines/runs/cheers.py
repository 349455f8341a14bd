"""CHEERS runs against the sentences of their split."""

import polars as pl

from sharedtask.converters.cheers import write
from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.schemas.cheers.kinds import RUN, SENTENCES
from sharedtask.schemas.cheers.rules import SECTOR_UNSEEN_IN_REFERENCE
from sharedtask.schemas.cheers.vocabulary import LAST_SECTOR, NO_SECTOR
from sharedtask.schemas.rule import Tally


def _unseen_sectors(run: Judged, reference: Judged, limit: int) -> list[Tally]:
    """Valid sectors that no sentence of a labelled reference has: the official script refuses them."""
    if not reference.has(["sector_ids"]) or not run.has(["is_relevant", "sector_id"]):
        return []
    lists = reference.distinct.get("sector_ids")
    cells = reference.columns(["sector_ids"]) if lists is None else lists.to_frame().lazy()
    listed = cells.select(pl.col("sector_ids").list.explode(keep_nulls=False, empty_as_null=False).unique())
    seen = listed.collect(engine="streaming").to_series()
    sector = pl.col("sector_id")
    valid = pl.col("is_relevant") & (sector >= 0) & (sector <= LAST_SECTOR)
    answers = run.columns(["row", "is_relevant", "sector_id"])
    unseen = answers.filter(valid & ~sector.is_in(seen.implode())).select("row").collect(engine="streaming")["row"]
    path = reference.opened.source.path
    return row_tally(
        run.opened,
        run.frame,
        SECTOR_UNSEEN_IN_REFERENCE,
        unseen,
        limit,
        column=run.opened.table.names["sector_id"],
        arguments=lambda record: {"value": record.values["sector_id"], "reference": path},
    )


def _nothing_relevant(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select(
        "doc_id", "sentence_id", is_relevant=pl.lit(value=False), sector_id=pl.lit(NO_SECTOR, pl.Int8)
    )


RUN_KINDS = (
    RunKind(RUN, SENTENCES, write.run, _nothing_relevant, "run.csv", distinct=("sector_ids",), compare=_unseen_sectors),
)
