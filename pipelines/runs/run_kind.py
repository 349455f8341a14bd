"""How one kind of run is held against its reference."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged, Revised
from sharedtask.schemas.engine.masks import Judgement
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally

# A canonical run frame and the frame of its reference -> the run frame with what its rules need of the reference.
Enrich = Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame]
# A judged run, its judged reference, and how many samples are wanted -> what the task itself has to say of the two.
Compare = Callable[[Judged, Judged, int], list[Tally]]


def unchanged(run: pl.LazyFrame, reference: pl.LazyFrame) -> pl.LazyFrame:
    """The rules of this run need nothing of the reference."""
    return run


def nothing_more(run: Judged, reference: Judged, limit: int) -> list[Tally]:
    """The task has no rule of its own between run and reference."""
    return []


# The judged frame, its judgement, the kind, the path of the file -> causes in the place of the symptoms that they explain.
ReviseRun = Callable[[pl.LazyFrame, Judgement, Kind, str], Revised]
Frame = Callable[[pl.LazyFrame], pl.LazyFrame]


@dataclass(frozen=True, slots=True)
class RunKind:
    """A kind of run, the kind of its reference, and what the task adds to the rules that every run has.

    `official` turns a canonical run frame into the columns of the upload form, `empty` a reference frame into a run that predicts
    nothing; `member` is the name of the run inside an upload archive.

    `revise` puts causes in the place of the symptoms that they explain.
    """

    run: Kind
    reference: Kind
    official: Frame
    empty: Frame
    member: str
    enrich: Enrich = unchanged
    compare: Compare = nothing_more
    revise: ReviseRun | None = None
