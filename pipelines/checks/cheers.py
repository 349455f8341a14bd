"""CHEERS runs against the sentences of their split."""

import polars as pl

from sharedtask.converters.cheers import write
from sharedtask.pipelines.checks.run_check import RunCheck
from sharedtask.pipelines.judging import Judged, records_of
from sharedtask.schemas.cheers.kinds import RUN, SENTENCES
from sharedtask.schemas.cheers.rules import SECTOR_UNSEEN_IN_REFERENCE
from sharedtask.schemas.cheers.vocabulary import LAST_SECTOR, NO_SECTOR
from sharedtask.schemas.rule import Tally, Violation


def _unseen_sectors(run: Judged, reference: Judged, limit: int) -> list[Tally]:
    """Valid sectors that no sentence of a labelled reference has: the official script refuses them."""
    columns = reference.frame.collect_schema().names()
    if "sector_ids" not in columns or "sector_id" not in run.frame.collect_schema().names():
        return []
    listed = reference.frame.select(pl.col("sector_ids").list.explode(keep_nulls=False, empty_as_null=False).unique())
    seen = listed.collect(engine="streaming").to_series()
    sector = pl.col("sector_id")
    valid = pl.col("is_relevant") & (sector >= 0) & (sector <= LAST_SECTOR)
    unseen = run.frame.filter(valid & ~sector.is_in(seen.implode())).select("row").collect(engine="streaming")["row"]
    if not len(unseen):
        return []
    rule, intake = SECTOR_UNSEEN_IN_REFERENCE, run.intake
    severity, path = rule.severity_for(intake.kind.name), reference.intake.source.path
    samples = [
        Violation(
            rule,
            severity,
            f"sector {record['sector_id']} stands nowhere in {path}",
            intake.source.path,
            line=record["line"],
            row=row + 1,
            column=intake.table.names["sector_id"],
            key=record["key"],
            value=record["sector_id"],
            hint=rule.hint,
        )
        for row, record in sorted(records_of(intake, run.frame, unseen.head(limit).to_list()).items())
    ]
    return [Tally(rule, severity, len(unseen), tuple(samples))]


def _nothing_relevant(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select(
        "doc_id", "sentence_id", is_relevant=pl.lit(value=False), sector_id=pl.lit(NO_SECTOR, pl.Int8)
    )


RUN_CHECKS = (RunCheck(RUN, SENTENCES, write.run, _nothing_relevant, "run.csv", compare=_unseen_sectors),)
