"""FLARES runs against their test file: spans need its texts."""

import polars as pl

from sharedtask.converters.flares import write
from sharedtask.pipelines.runs.flares_explained import revise
from sharedtask.pipelines.runs.flares_repairs import mend_spans
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.schemas.flares.kinds import SPAN_TYPE, SUBTASK1, SUBTASK1_RUN, SUBTASK2, SUBTASK2_RUN
from sharedtask.schemas.flares.tag_rules import RELIABILITIES
from sharedtask.schemas.spans import TEXT


def _with_text(run: pl.LazyFrame, reference: pl.LazyFrame) -> pl.LazyFrame:
    """The run with the reference's text of each id, null where the id is not there.

    As it is where the reference has no texts (a gold), or the run no ids.
    """
    if TEXT not in reference.collect_schema() or "id" not in run.collect_schema():
        return run
    return run.join(reference.select("id", TEXT), on="id", how="left", maintain_order="left")


def _no_spans(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select("id", spans=pl.lit([], SPAN_TYPE))


def _all_reliable(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select("id", reliability=pl.lit(RELIABILITIES[0]))


RUN_KINDS = (
    RunKind(
        SUBTASK1_RUN,
        SUBTASK1,
        write.subtask1_run,
        _no_spans,
        "subtask_1_run.csv",
        (TEXT,),
        _with_text,
        revise=revise,
        mend=mend_spans,
        evidence=write.subtask1_run_with_texts,
    ),
    RunKind(SUBTASK2_RUN, SUBTASK2, write.subtask2_run, _all_reliable, "subtask_2_run.csv"),
)
