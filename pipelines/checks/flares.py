"""FLARES runs against their test file: spans need its texts."""

import polars as pl

from sharedtask.converters.columns import fold
from sharedtask.converters.flares import write
from sharedtask.pipelines.checks.offsets import revise
from sharedtask.pipelines.checks.run_check import RunCheck
from sharedtask.pipelines.judging import Judged
from sharedtask.pipelines.places import row_tally
from sharedtask.schemas.flares.kinds import RELIABILITIES, SPAN_TYPE, SUBTASK1, SUBTASK1_RUN, SUBTASK2, SUBTASK2_RUN
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.run_rules import TEXT_DIFFERS


def _with_text(run: pl.LazyFrame, reference: pl.LazyFrame) -> pl.LazyFrame:
    """The run with the reference's text of each id, null where the id is not there; as it is where the reference has no texts (a gold), or
    the run no ids.
    """
    if "text" not in reference.collect_schema() or "id" not in run.collect_schema():
        return run
    return run.join(reference.select("id", "text"), on="id", how="left", maintain_order="left")


def _own_text(run: Judged, reference: Judged, limit: int) -> list[Tally]:
    """Records whose own text, in a column that the official form does not have, is not that of the reference."""
    given = run.intake.table.as_given
    names = given.collect_schema().names() if given is not None else []
    own = next((name for name in names if fold(name) == "text"), None)
    if given is None or own is None or "text" not in run.frame.collect_schema().names():
        return []
    both = run.frame.select("row", "text").join(
        given.select("row", own=own), on="row", how="inner", maintain_order="left"
    )
    differs = both.filter(pl.col("own") != pl.col("text")).collect(engine="streaming")
    texts = {row: mine for row, _, mine in differs.head(limit).iter_rows()}
    return row_tally(
        run.intake,
        run.frame,
        TEXT_DIFFERS,
        differs["row"],
        limit,
        column=own,
        message=lambda _: f"the text is not the one in {reference.intake.source.path}",
        value=lambda record: texts[record.row],
        expected=lambda record: record.values["text"],
    )


def _no_spans(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select("id", spans=pl.lit([], SPAN_TYPE))


def _all_reliable(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select("id", reliability=pl.lit(RELIABILITIES[0]))


RUN_CHECKS = (
    RunCheck(SUBTASK1_RUN, SUBTASK1, write.subtask1_run, _no_spans, "subtask_1_run.csv", _with_text, _own_text, revise),
    RunCheck(SUBTASK2_RUN, SUBTASK2, write.subtask2_run, _all_reliable, "subtask_2_run.csv"),
)
