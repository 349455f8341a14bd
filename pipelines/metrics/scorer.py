"""What a scorer is and what it hands back, and the ratios that all of them share.

A scorer is a pure function from two canonical tables to a `Score`: values per item, counts summed over the items, then
each ratio once from the sums. All scores are fractions. No value is ever NaN: a ratio that is 0/0 is null (None), and a
note says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.results.score_results import Score
from sharedtask.schemas.rule import Rule

MOST_NAMES = 30  # that a note lists


@dataclass(frozen=True, slots=True)
class Scorer:
    """A named way of scoring one kind of run, with the published behaviour that it reproduces.

    `definition` says what is computed, `source` where that is published, `departures` where this scorer, or the source
    itself, leaves its own description. `labels` are the columns of the gold, beside its keys, that are scored against.
    `defines_missing`, `defines_unknown` and `defines_repeated` say whether the scorer itself has a rule for gold rows
    without an answer, for answers without a gold row, and for rows that are answered twice; where it has none, such
    rows are for the caller to refuse. `score(gold, run)` takes canonical tables; `refuses` names the exceptions by
    which it says that nothing can be scored against a gold, each with its rule. `headline` is the score by which runs
    are ranked. A scorer that `takes_other_forms` scores what a run says that the official script cannot read: one in
    the form of the competition page, or whose cells of tags had to be mended. Another refuses such a run.
    `remarks(score)` are notes on a score that looks like the sign of a mistake: a run that is turned round, a copy of the
    gold. They are for people and made only where somebody reads them.

    Three serve resampling. `keys` name an item (the unit that is drawn: a document, a row, a post),
    `units(score.per_item)` has one row an item, and `statistic` takes such rows with a column `resample` beside them
    and returns one row a resample, ordered by `resample`, with the columns of `scores`.
    """

    name: str
    kind: str
    title: str
    source: str
    definition: str
    departures: tuple[str, ...]
    headline: str
    labels: tuple[str, ...]
    defines_missing: bool
    defines_unknown: bool
    defines_repeated: bool
    score: Callable[[pl.DataFrame, pl.DataFrame], Score]
    keys: tuple[str, ...]
    units: Callable[[pl.DataFrame], pl.DataFrame]
    statistic: Callable[[pl.DataFrame], pl.DataFrame]
    remarks: Callable[[Score], Sequence[str]]
    refuses: tuple[tuple[type[ValueError], Rule], ...] = ()
    takes_other_forms: bool = True


def ratio(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """`numerator / denominator` as Float64; null where the denominator is 0."""
    return pl.when(denominator != 0).then(numerator.cast(pl.Float64) / denominator.cast(pl.Float64))


def harmonic_mean(precision: pl.Expr, recall: pl.Expr) -> pl.Expr:
    """F1 as all three tasks write it, `2PR / (P + R)`; null where P or R is null or both are 0."""
    return ratio(2 * (precision * recall), precision + recall)


def first_row(frame: pl.DataFrame) -> dict[str, float | None]:
    """The first row of a frame of ratios as plain numbers; all None where the frame is empty."""
    if frame.is_empty():
        return dict.fromkeys(frame.columns)
    return {name: None if value is None else float(value) for name, value in frame.row(0, named=True).items()}


def by_label(frame: pl.DataFrame, label: str = "label") -> dict[str, dict[str, float | int | None]]:
    """A frame with one row a label as nested plain values, in the order of the labels."""
    return {row.pop(label): row for row in frame.sort(label).to_dicts()}


def undefined_ratios(per_label: dict[str, dict[str, float | int | None]]) -> tuple[str, ...]:
    """The note on ratios of single labels that are 0/0; no note where there are none."""
    empty = [f"{name} of {label}" for label, row in per_label.items() for name, value in row.items() if value is None]
    return (f"0/0, so given as null: {named(empty)}.",) if empty else ()


def named(names: Sequence[str]) -> str:
    """Some names in a sentence, and how many there are beyond those."""
    listed = ", ".join(names[:MOST_NAMES])
    return listed if len(names) <= MOST_NAMES else f"{listed} and {len(names) - MOST_NAMES} more"
