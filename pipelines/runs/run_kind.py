"""How one kind of run is checked against its reference."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged, Reviser
from sharedtask.pipelines.runs.mended import Mended
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally

# A canonical run frame and the frame of its reference -> the run frame with what its rules need of the reference.
Enrich = Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame]
# A judged run, its judged reference, and how many findings are listed for a rule -> the findings of the task itself.
Compare = Callable[[Judged, Judged, int], list[Tally]]


def unchanged(run: pl.LazyFrame, reference: pl.LazyFrame) -> pl.LazyFrame:
    """The rules of this run need nothing of the reference."""
    return run


def nothing_more(run: Judged, reference: Judged, limit: int) -> list[Tally]:
    """The task has no rule of its own between run and reference."""
    return []


Frame = Callable[[pl.LazyFrame], pl.LazyFrame]
# The canonical frame of a judged run, the run, and how texts are placed -> the frame with its safe repairs.
Mend = Callable[[pl.DataFrame, Judged, str], Mended]


def as_it_is(frame: pl.DataFrame, run: Judged, place: str) -> Mended:
    """The rules of this run make all repairs themselves."""
    return Mended(frame)


@dataclass(frozen=True, slots=True)
class RunKind:
    """A kind of run, the kind of its reference, and what the task adds to the rules that every run has.

    `official` turns a canonical run frame into the columns of the upload form, `empty` a reference frame into a run
    that predicts nothing; `member` is the name of the run inside an upload archive. `evidence` gives the same columns with
    whatever a run may say about its answers beside them, which the upload form leaves out and `check` reads.

    `reads` are the columns of the reference, beside its key, that `enrich` and `compare` read, `distinct` those of which
    `compare` asks only what different values they have. `revise` puts causes in the place of the symptoms that they
    explain; `mend` makes the safe repairs of a run that no rule alone can make.
    """

    run: Kind
    reference: Kind
    official: Frame
    empty: Frame
    member: str
    reads: tuple[str, ...] = ()
    enrich: Enrich = unchanged
    compare: Compare = nothing_more
    revise: Reviser | None = None
    mend: Mend = as_it_is
    distinct: tuple[str, ...] = ()
    evidence: Frame | None = None
