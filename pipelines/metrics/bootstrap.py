"""Bootstrap over items: percentile intervals for one run, and the paired comparison of two runs.

A resample draws as many items as there are, with replacement, from the rows of `Scorer.units`: documents, sentences,
posts. What one item contributes was found once, by the scorer; a resample only adds up, and nothing is matched again.
The AUC is not a sum over posts, so each resample is ranked anew from the drawn labels and scores, which is exact.

Items are sorted by key first and the draws come from the seed alone, so the same seed gives the same result for the
same items in whatever order. Draws are made with Polars' sampler; another version of Polars may draw differently.
"""

import random
from collections.abc import Callable, Iterator, Sequence

import polars as pl

from sharedtask.pipelines.results.score_results import LEVEL, Difference, Interval

BLOCK_ROWS = 2_000_000  # rows drawn at once: bounds the memory, and is part of what a seed means

Statistic = Callable[[pl.DataFrame], pl.DataFrame]


def intervals(
    units: pl.DataFrame, keys: Sequence[str], statistic: Statistic, *, n: int, seed: int, level: float = LEVEL
) -> dict[str, Interval]:
    """For each score of `statistic` the interval that holds the middle `level` of its values in `n` resamples of
    `units`.

    `units` has one row an item with the columns `keys`; see `Scorer`. Percentiles are interpolated linearly. Raises
    ValueError unless n >= 1 and 0 < level < 1.
    """
    drawn = _resample([units], keys, [statistic], n=n, level=level, seed=seed)[0]
    return {score.name: Interval(*_percentiles(score, level), n, n - score.count()) for score in drawn}


def compare(
    units_a: pl.DataFrame,
    units_b: pl.DataFrame,
    keys: Sequence[str],
    statistic: Statistic,
    *,
    n: int,
    seed: int,
    level: float = LEVEL,
) -> dict[str, Difference]:
    """The paired bootstrap: both runs are scored on the same `n` resamples of the items, and the differences are looked
    at.

    An item that only one run has (rows that a scorer skips) adds nothing to the other. The p-value is that of the
    percentile interval turned round: twice the share of resamples in which the difference is not above 0, or not below
    0, whichever is smaller, each with one added so that it is never 0, and at most 1. Raises as `intervals`.
    """
    items = pl.concat([units_a.select(keys), units_b.select(keys)]).unique()
    sides = [items.join(units, on=list(keys), how="left") for units in (units_a, units_b)]
    drawn_a, drawn_b = _resample(sides, keys, [statistic, statistic], n=n, level=level, seed=seed)
    whole_a, whole_b = (statistic(units.with_columns(resample=0)) for units in (units_a, units_b))
    result: dict[str, Difference] = {}
    for name in drawn_a.columns:
        a, b = (whole[name].item() if whole.height else None for whole in (whole_a, whole_b))
        drawn = drawn_a[name] - drawn_b[name]
        result[name] = Difference(
            a=a,
            b=b,
            difference=None if a is None or b is None else a - b,
            low=_percentiles(drawn, level)[0],
            high=_percentiles(drawn, level)[1],
            p_value=_p_value(drawn.drop_nulls()),
            resamples=n,
            undefined=n - drawn.count(),
        )
    return result


def _resample(
    sides: list[pl.DataFrame], keys: Sequence[str], statistics: list[Statistic], *, n: int, level: float, seed: int
) -> list[pl.DataFrame]:
    """The scores of each side on the same `n` resamples: one row a resample. The sides have the same keys."""
    if n < 1 or not 0 < level < 1:
        raise ValueError(f"the bootstrap has n = {n} and level = {level}; expected n >= 1 and 0 < level < 1")
    ordered = [side.sort(keys) for side in sides]
    scores: list[list[pl.DataFrame]] = [[] for _ in sides]
    for drawn in _draws(ordered[0].height, n, seed):
        for side, statistic, blocks in zip(ordered, statistics, scores, strict=True):
            rows = side.select(pl.all().gather(drawn["row"])).with_columns(drawn["resample"])
            blocks.append(statistic(rows))
    return [pl.concat(blocks) for blocks in scores]


def _draws(items: int, n: int, seed: int) -> Iterator[pl.DataFrame]:
    """Blocks of whole resamples: `row` (drawn row numbers) and `resample` (sorted, counted from 0 in each block)."""
    seeds = random.Random(seed)  # noqa: S311 (a bootstrap needs no secrets)
    rows = pl.int_range(items, eager=True, dtype=pl.UInt32).alias("row")
    at_once = max(1, BLOCK_ROWS // max(items, 1))
    for first in range(0, n, at_once):
        size = min(at_once, n - first) * items
        row = rows.sample(size, with_replacement=True, seed=seeds.getrandbits(63))
        yield pl.DataFrame({"row": row, "resample": pl.int_range(size, eager=True) // max(items, 1)})


def _percentiles(values: pl.Series, level: float) -> tuple[float | None, float | None]:
    tail = (1 - level) / 2
    return values.quantile(tail, "linear"), values.quantile(1 - tail, "linear")


def _p_value(differences: pl.Series) -> float | None:
    if differences.is_empty():
        return None
    smaller = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return min(1.0, 2 * (smaller + 1) / (len(differences) + 1))
