"""Interval join: which spans of one table meet which of another, found by sorting and searching.

Two closed intervals meet either where the second begins inside the first, or where the first begins inside the second
and after its start. Each of the two is a run of neighbours in a table sorted by start, so every overlapping pair is
found once and no other pair is looked at. Group and position are packed into one sort key; positions are replaced by
their ranks, so that any 64-bit offset fits.
"""

import polars as pl


def overlapping_ranges(claimants: pl.DataFrame, options: pl.DataFrame) -> pl.DataFrame:
    """Runs of neighbours that meet a span: columns `side`, `group`, `owner`, `first`, `count`.

    Both frames have `place` (their own row number), `group`, `low` and `high`. In rows with side 0 the owner is a
    claimant's place, and `first` and `count` name options in the order of (group, low, place); in rows with side 1 it
    is the other way round.
    """
    keyed = [_keyed(side, claimants, options) for side in (claimants, options)]
    found: list[pl.DataFrame] = []
    for side, (owners, neighbours) in enumerate((keyed, keyed[::-1])):
        starts = neighbours["low"].sort()
        # Side 1 leaves out equal starts: side 0 has them.
        first = starts.search_sorted(owners["low"], side="left" if side == 0 else "right").cast(pl.Int64)
        last = starts.search_sorted(owners["high"], side="right").cast(pl.Int64)
        found.append(
            owners.select(
                pl.lit(side, dtype=pl.UInt8).alias("side"),
                "group",
                pl.col("place").alias("owner"),
                first.alias("first"),
                (last - first).alias("count"),
            ).filter(pl.col("count") > 0)
        )
    return pl.concat(found)


def _keyed(frame: pl.DataFrame, *sides: pl.DataFrame) -> pl.DataFrame:
    """`place`, `group`, and `low`, `high` as sort keys that hold the group too."""
    positions = pl.concat([side[end] for side in sides for end in ("low", "high")]).unique().sort()
    group = pl.col("group").cast(pl.Int64) * len(positions)
    ends = (positions.search_sorted(frame[end], side="left").alias(end) for end in ("low", "high"))
    return frame.select("place", "group", *((group + end).alias(end.name) for end in ends))


def overlapping(
    ranges: pl.DataFrame, claimants: pl.DataFrame, options: pl.DataFrame, *, odd_pairs: bool
) -> pl.DataFrame:
    """The pairs of places (`claimant`, `option`) that the ranges stand for, without pairs of odd spans that do not
    count as meeting.

    Two odd spans count only if `odd_pairs`, and then only if one interval holds the other.
    """
    spread = ranges.select(
        "side", "owner", pl.int_ranges("first", pl.col("first") + pl.col("count")).alias("at")
    ).explode("at")
    found: list[pl.DataFrame] = []
    for side, owner, neighbour, neighbours in (
        (0, "claimant", "option", options),
        (1, "option", "claimant", claimants),
    ):
        places = neighbours.sort("group", "low", "place")["place"]
        rows = spread.filter(side=side)
        found.append(
            pl.DataFrame({owner: rows["owner"], neighbour: places.gather(rows["at"])}).select("claimant", "option")
        )
    pairs = pl.concat(found)
    if not (claimants["odd"].any() and options["odd"].any()):
        return pairs
    ends = [
        side.select(pl.col("low", "high", "odd").gather(pairs[name]).name.prefix(f"{name}_"))
        for name, side in (("claimant", claimants), ("option", options))
    ]
    nested = (pl.col("claimant_low") <= pl.col("option_low")) & (pl.col("option_high") <= pl.col("claimant_high"))
    holds = (pl.col("option_low") <= pl.col("claimant_low")) & (pl.col("claimant_high") <= pl.col("option_high"))
    both_odd = pl.col("claimant_odd") & pl.col("option_odd")
    meets = ~both_odd | (pl.lit(odd_pairs) & (nested | holds))
    return pairs.filter(pl.concat(ends, how="horizontal").select(meets).to_series())
