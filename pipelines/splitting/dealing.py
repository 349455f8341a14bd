"""Units dealt out to parts: by chance, in proportion within each stratum, and close to the requested sizes.

The large units of a stratum are dealt first and the small ones last, each class of size by what is still free in the
parts. So the last class, often of single records, makes up for what the large ones could not do, without a look at one
unit after the other.
"""

from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from sharedtask.pipelines.splitting.sizes import whole_shares


def deal(units: pl.DataFrame, targets: Sequence[int]) -> pl.DataFrame:
    """The units (`unit, order, weight, stratum`) with their `part`, a number from 0.

    Chance comes from `order` alone.
    """
    size = (pl.col("weight").cast(pl.Float64) + 0.5).log(2).floor().cast(pl.Int32)
    ordered = units.with_columns(size=size).sort("order", "unit")
    rarest_first = ordered.group_by("stratum").agg(pl.len()).sort("len", "stratum")["stratum"]
    free = list(targets)
    parts = []
    for stratum in rarest_first:
        of_stratum = ordered.filter(pl.col("stratum") == stratum)
        for large in of_stratum["size"].unique().sort(descending=True):
            block = of_stratum.filter(pl.col("size") == large)
            part = _deal_block(block["weight"], free, targets)
            parts.append(block.with_columns(part=part))
            for number, weight in parts[-1].group_by("part").agg(pl.col("weight").sum()).iter_rows():
                free[number] -= weight
    return pl.concat(parts).drop("size")


def _deal_block(weights: pl.Series, free: Sequence[int], targets: Sequence[int]) -> pl.Series:
    """The part of each unit of a block, in proportion to what is free in those parts that can take any of them."""
    most, total = int(weights.max() or 0), int(weights.sum())  # type: ignore[arg-type]
    if not most:  # units without weight, such as texts without spans, follow the requested sizes
        return _deal_block(pl.repeat(1, len(weights), dtype=pl.Int64, eager=True), targets, targets)
    room = [Fraction(space if space >= most else 0) for space in free]
    if not any(room):
        room = [Fraction(max(space - max(free) + 1, 0)) for space in free]
    if most == 1:
        shares: list[float] = [float(share) for share in whole_shares(total, room)]
    else:
        shares = [float(total * space / sum(room)) for space in room]
    bounds = pl.Series([sum(shares[: at + 1]) for at in range(len(shares) - 1)], dtype=pl.Float64)
    middle = weights.cum_sum().cast(pl.Float64) - weights / 2
    part = bounds.search_sorted(middle, side="right").cast(pl.Int64)
    return part.alias("part")
