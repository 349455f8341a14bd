"""Greedy assignment of overlapping spans: each claimant, in order, takes the free option that it likes best.

Both published scripts find Partial matches this way, one claim after the other. Here most claims are settled side by
side: a claim is certain as soon as no earlier claimant can want the option. The rest, long chains in which each claim
hangs on the one before it, go to the plain loop. All pairs of overlapping spans are listed by an interval join, so the
cost follows the overlaps and not the square of the spans; a group that is dense all the same (a row stuffed with
overlapping spans) is walked without listing its pairs.
"""

import polars as pl

from sharedtask.pipelines.metrics.overlaps import overlapping, overlapping_ranges

ROUNDS = 4  # each round settles what it can; chains gain one claim a round, so more rounds only cost
BLOCK_PAIRS = 4_000_000  # pairs listed at once: bounds the memory at some 100 MB
DENSE_PAIRS = 10_000  # below this, listing the pairs of a group is always cheap


def assign(claimants: pl.DataFrame, options: pl.DataFrame, *, odd_pairs: bool) -> pl.DataFrame:
    """The pairs that the greedy walk makes: columns `claimant`, `option`, values of the inputs' `index`; in no promised
    order.

    Both frames have `index`, `item`, `label`, `low`, `high` (a closed interval, low <= high) and `odd` (Boolean).
    Claimants are in the order in which they choose, options in the order of preference. A claimant can take
    the options of its item and label whose interval meets its own. Two odd spans meet only if `odd_pairs`, and then
    only if one interval holds the other. No nulls.
    """
    groups = claimants.select("item", "label").unique().with_row_index("group")
    claimants, options = (
        side.join(groups, on=["item", "label"], maintain_order="left").with_row_index("place")
        for side in (claimants, options)
    )
    ranges = overlapping_ranges(claimants, options)
    dense = _dense_groups(claimants, options, ranges)
    found = [_walk(claimants.filter(group=group), options.filter(group=group)) for group in dense]
    listed = ranges.filter(~pl.col("group").is_in(dense)).sort("group")
    block = (pl.col("count").cum_sum() // BLOCK_PAIRS).first().over("group")  # a group is never split
    for part in listed.with_columns(block.alias("block")).partition_by("block"):
        found.append(_settle(overlapping(part, claimants, options, odd_pairs=odd_pairs)))
    pairs = pl.concat([pl.DataFrame(schema={"claimant": pl.UInt32, "option": pl.UInt32}), *found])
    return pairs.select(
        claimants["index"].gather(pairs["claimant"]).alias("claimant"),
        options["index"].gather(pairs["option"]).alias("option"),
    )


def _dense_groups(claimants: pl.DataFrame, options: pl.DataFrame, ranges: pl.DataFrame) -> list[int]:
    """The groups for which the walk is cheaper than a list of all pairs.

    The walk looks at about (claimants x options / pairs) options for each claimant until one fits, so it wins where
    pairs > claimants x sqrt(options). It does not know how two odd spans meet, so groups with odd spans on both sides
    stay out.
    """
    sizes = ranges.group_by("group").agg(pl.col("count").sum()).filter(pl.col("count") > DENSE_PAIRS)
    for name, side in (("claimants", claimants), ("options", options)):
        sizes = sizes.join(
            side.group_by("group").agg(pl.len().alias(name), pl.col("odd").any().alias(f"odd_{name}")), on="group"
        )
    worth = pl.col("count") > pl.col("claimants") * pl.col("options").sqrt()
    return sizes.filter(worth & ~(pl.col("odd_claimants") & pl.col("odd_options")))["group"].to_list()


def _settle(pairs: pl.DataFrame) -> pl.DataFrame:
    """The greedy result for listed pairs of places (`claimant`, `option`): lower places choose first, and are liked
    more.
    """
    pairs = pairs.sort("claimant", "option")
    settled: list[pl.DataFrame] = []
    for _ in range(ROUNDS):
        if pairs.is_empty():
            break
        # The first pair of a claimant is its favourite, the first of an option its earliest claimant. Where both are
        # the same pair, nobody can come before, and the claim is certain.
        won = pairs.filter(pl.col("claimant").is_first_distinct() & pl.col("option").is_first_distinct())
        settled.append(won)
        pairs = pairs.join(won, on="claimant", how="anti", maintain_order="left")
        pairs = pairs.join(won, on="option", how="anti", maintain_order="left")
    return pl.concat([*settled, _greedy(pairs)])


def _greedy(pairs: pl.DataFrame) -> pl.DataFrame:
    """The plain loop over pairs sorted by claimant and then by option."""
    taken: dict[int, int] = {}
    used: set[int] = set()
    for claimant, option in zip(pairs["claimant"].to_list(), pairs["option"].to_list(), strict=True):
        if claimant not in taken and option not in used:
            taken[claimant] = option
            used.add(option)
    return pl.DataFrame({"claimant": list(taken), "option": list(taken.values())}, schema=pairs.schema)


def _walk(claimants: pl.DataFrame, options: pl.DataFrame) -> pl.DataFrame:
    """The plain loop over the spans of one group, without a list of pairs.

    Options that end before all claimants still to come are dropped on the way.
    """
    lows = claimants["low"].reverse().cum_min().reverse().to_list()  # the lowest start still to come
    free = list(options.select("place", "low", "high").iter_rows())
    taken: list[tuple[int, int]] = []
    for (claimant, low, high), lowest in zip(claimants.select("place", "low", "high").iter_rows(), lows, strict=True):
        at = 0
        while at < len(free):
            option, option_low, option_high = free[at]
            if option_high < lowest:
                del free[at]
            elif option_low <= high and option_high >= low:
                taken.append((claimant, option))
                del free[at]
                break
            else:
                at += 1
    return pl.DataFrame(taken, schema={"claimant": pl.UInt32, "option": pl.UInt32}, orient="row")
