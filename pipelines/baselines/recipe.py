"""What a baseline is: a run that is made from the labels of a train file and from chance, without a model."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named way of making one kind of run.

    `make(train, reference, seed)` takes the columns `labels` of the train file (canonical, without nulls), and the
    canonical frame of the reference, whose rows are numbered in `row`; it gives the canonical run, a record for each of
    the reference in its order. The same arguments give the same run, whatever the machine and the version of Polars.
    """

    name: str
    kind: str
    title: str
    labels: tuple[str, ...]
    make: Callable[[pl.DataFrame, pl.LazyFrame, int], pl.LazyFrame]


def commonest(values: pl.Series) -> str | None:
    """The label that stands most often in a column, the first by name where several do; None where there is none."""
    counted = values.cast(pl.String).value_counts().sort(["count", values.name], descending=[True, False])
    return str(counted.item(0, 0)) if counted.height else None
