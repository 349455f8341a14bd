"""The interval join: every pair of closed intervals that meet, once, and no other pair."""

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.pipelines.metrics.overlaps import overlapping, overlapping_ranges

Interval = tuple[int, int, int, bool]  # group, low, high, odd
intervals = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-9, 9), st.integers(0, 6), st.booleans()).map(
        lambda row: (row[0], row[1], row[1] + row[2], row[3])
    ),
    max_size=15,
)


def table(rows: list[Interval]) -> pl.DataFrame:
    schema = {"group": pl.UInt32, "low": pl.Int64, "high": pl.Int64, "odd": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row").with_row_index("place")


@given(intervals, intervals, st.booleans())
def test_every_pair_that_meets_is_found_once(claimants: list[Interval], options: list[Interval], odd: bool) -> None:
    def meets(one: Interval, two: Interval) -> bool:
        if one[0] != two[0] or one[1] > two[2] or two[1] > one[2]:
            return False
        nested = (one[1] <= two[1] and two[2] <= one[2]) or (two[1] <= one[1] and one[2] <= two[2])
        return (odd and nested) if one[3] and two[3] else True

    left, right = table(claimants), table(options)
    ranges = overlapping_ranges(left, right)
    found = overlapping(ranges, left, right, odd_pairs=odd)
    expected = [(c, o) for c, one in enumerate(claimants) for o, two in enumerate(options) if meets(one, two)]
    assert Counter(found.rows()) == Counter(expected)
    if not any(row[3] for row in claimants):
        assert ranges["count"].sum() == len(expected)  # known before any pair is listed
