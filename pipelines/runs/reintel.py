"""ReINTEL results against the posts of their test file."""

import polars as pl

from sharedtask.converters.reintel import write
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.schemas.reintel.kinds import POSTS, RUN


def _undecided(reference: pl.LazyFrame) -> pl.LazyFrame:
    return reference.select("id", probability=pl.lit(0.5))


RUN_KINDS = (RunKind(RUN, POSTS, write.results, _undecided, "results.csv"),)
