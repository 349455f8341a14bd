"""The bootstrap against theory: known spread, known p-values, and nothing that depends on order."""

import math
from collections.abc import Sequence
from unittest import mock

import polars as pl
import pytest

from sharedtask.pipelines.metrics import bootstrap, cheers, flares, reintel
from sharedtask.pipelines.metrics.bootstrap import compare, intervals
from sharedtask.pipelines.metrics.scorer import Scorer


def mean(resampled: pl.DataFrame) -> pl.DataFrame:
    """The mean of `value` over each resample; null where none of its values is defined."""
    return resampled.group_by("resample").agg(pl.col("value").mean()).sort("resample").select("value")


def units(values: Sequence[float | None]) -> pl.DataFrame:
    return pl.DataFrame({"id": range(len(values)), "value": values}, schema={"id": pl.Int64, "value": pl.Float64})


COINS = units([1.0] * 300 + [0.0] * 700)


def test_the_interval_of_a_share_is_the_binomial_one() -> None:
    """A resampled share of 0.3 in 1,000 is binomial: its middle 95 % is 0.3 +- 1.96 sqrt(0.3 * 0.7 / 1000), as near as
    4,000 draws can tell.
    """
    found = intervals(COINS, ["id"], mean, n=4_000, seed=3)["value"]
    half = 1.96 * math.sqrt(0.3 * 0.7 / 1000)
    assert found.low == pytest.approx(0.3 - half, abs=0.003)
    assert found.high == pytest.approx(0.3 + half, abs=0.003)
    assert (found.resamples, found.undefined) == (4_000, 0)
    narrower = intervals(COINS, ["id"], mean, n=4_000, seed=3, level=0.5)["value"]
    assert narrower.high == pytest.approx(0.3 + half * 0.6745 / 1.96, abs=0.003)


def test_each_resample_draws_as_many_items_as_there_are_with_replacement() -> None:
    with mock.patch.object(bootstrap, "BLOCK_ROWS", 25):
        blocks = list(bootstrap._draws(items=10, n=7, seed=5))
    assert [block["resample"].n_unique() for block in blocks] == [2, 2, 2, 1]
    for block in blocks:
        assert set(block["resample"].value_counts()["count"]) == {10}
        assert block["row"].is_between(0, 9).all()
    drawn = pl.concat(blocks)["row"]
    assert drawn.n_unique() > 5
    assert not blocks[0]["row"].equals(blocks[1]["row"])


def test_the_seed_alone_decides() -> None:
    once = intervals(COINS, ["id"], mean, n=50, seed=7)
    assert intervals(COINS, ["id"], mean, n=50, seed=7) == once
    assert intervals(COINS.reverse(), ["id"], mean, n=50, seed=7) == once
    assert intervals(COINS, ["id"], mean, n=50, seed=8) != once


def test_items_that_are_all_alike_have_no_spread() -> None:
    found = intervals(units([0.25] * 8), ["id"], mean, n=20, seed=1)["value"]
    assert (found.low, found.high) == (0.25, 0.25)


def test_resamples_without_a_value_are_counted_and_left_out() -> None:
    found = intervals(units([0.5, None]), ["id"], mean, n=400, seed=1)["value"]
    assert (found.low, found.high) == (0.5, 0.5)
    assert 60 <= found.undefined <= 140  # both draws miss the one value in a quarter of the resamples: 100 +- 4.6 sd


def test_no_items() -> None:
    found = intervals(units([]), ["id"], mean, n=5, seed=1)["value"]
    assert (found.low, found.high, found.undefined) == (None, None, 5)
    difference = compare(units([]), units([]), ["id"], mean, n=5, seed=1)["value"]
    assert (difference.difference, difference.p_value, difference.undefined) == (None, None, 5)


@pytest.mark.parametrize(("n", "level"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_senseless_arguments(n: int, level: float) -> None:
    with pytest.raises(ValueError, match="bootstrap"):
        intervals(COINS, ["id"], mean, n=n, seed=1, level=level)


def test_a_run_against_itself() -> None:
    found = compare(COINS, COINS.reverse(), ["id"], mean, n=100, seed=1)["value"]
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_better_on_every_item_is_as_sure_as_the_resamples_allow() -> None:
    better = COINS.with_columns(pl.col("value") + 1)
    found = compare(better, COINS, ["id"], mean, n=199, seed=1)["value"]
    assert [found.a, found.b, found.difference] == pytest.approx([1.3, 0.3, 1.0])
    assert [found.low, found.high] == pytest.approx([1.0, 1.0])  # paired: the spread of the items is gone
    assert found.p_value == 2 / 200


def test_swapping_the_runs_turns_the_sign() -> None:
    other = units([1.0] * 280 + [0.0] * 690 + [1.0] * 30)
    one, two = (compare(*pair, ["id"], mean, n=300, seed=2)["value"] for pair in ((COINS, other), (other, COINS)))
    assert one.difference == pytest.approx(-(two.difference or 0))
    assert one.difference != 0
    assert [one.low, one.high] == pytest.approx([-(two.high or 0), -(two.low or 0)])
    assert one.p_value == two.p_value


def test_a_paired_difference_has_its_normal_spread() -> None:
    """Items differ by +1 in 40 of 400 and by -1 in 20: mean 0.05, variance 0.15 - 0.05^2; a z of 2.61 is p = 0.009."""
    a, b = units([1.0] * 40 + [0.0] * 20 + [0.5] * 340), units([0.0] * 40 + [1.0] * 20 + [0.5] * 340)
    found = compare(a, b, ["id"], mean, n=4_000, seed=4)["value"]
    half = 1.96 * math.sqrt((0.15 - 0.0025) / 400)
    assert [found.low, found.high] == pytest.approx([0.05 - half, 0.05 + half], abs=0.004)
    assert found.p_value is not None
    assert 0.003 < found.p_value < 0.02


def test_an_item_that_one_run_lacks_adds_nothing() -> None:
    found = compare(units([1.0, 0.0]), units([1.0, 0.0]).head(1), ["id"], mean, n=50, seed=1)["value"]
    assert (found.a, found.b) == (0.5, 1.0)


N = 60
INDEX = pl.int_range(N, eager=True)
SPANS = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String}))


def gold_and_run(kind: str, wrong: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A gold of `N` items of one kind, and a run that has the wrong answer where `wrong` says so."""
    if kind == "flares/subtask1-run":
        right = [{"start": 0, "end": 5, "label": "WHAT"}, {"start": 6, "end": 9, "label": "WHO"}]
        other = [{"start": 0, "end": 5, "label": "WHO"}, {"start": 6, "end": 8, "label": "WHO"}]
        lists = ([right] * N, [other if is_wrong else right for is_wrong in wrong])
        gold, run = (pl.DataFrame({"id": INDEX, "spans": spans}, schema_overrides={"spans": SPANS}) for spans in lists)
    elif kind == "flares/subtask2-run":
        gold = pl.DataFrame({"id": INDEX, "reliability": ["a", "b", "c"] * (N // 3)})
        run = gold.with_columns(reliability=pl.when(wrong).then(pl.lit("a")).otherwise("reliability"))
    elif kind == "cheers/run":
        relevant = INDEX % 3 != 0
        sectors = pl.Series([[1, 2] if is_relevant else [] for is_relevant in relevant], dtype=pl.List(pl.Int8))
        keys = {"doc_id": INDEX // 7, "sentence_id": INDEX % 7}
        gold = pl.DataFrame({**keys, "is_relevant": relevant, "sector_ids": sectors})
        answer = relevant ^ (wrong & (INDEX % 4 == 0))
        run = pl.DataFrame({**keys, "is_relevant": answer, "sector_id": wrong.cast(pl.Int8) * 4 + 1})
    else:
        label = (INDEX % 3 == 0).cast(pl.Int8)
        gold = pl.DataFrame({"id": INDEX, "label": label})
        run = pl.DataFrame({"id": INDEX, "probability": (label - wrong.cast(pl.Int8)).abs() * 0.9})
    return gold, run


@pytest.mark.parametrize(
    "scorer", [*flares.SCORERS, *cheers.SCORERS, *reintel.SCORERS], ids=lambda scorer: f"{scorer.kind} {scorer.name}"
)
def test_every_scorer_can_be_resampled(scorer: Scorer) -> None:
    """A run with a tenth of wrong answers beats one with half. Intervals lie in [0, 1] and around the score; the
    compared values are the scores themselves.
    """
    good, bad = (scorer.score(*gold_and_run(scorer.kind, INDEX % every == 0)) for every in (10, 2))
    units_good, units_bad = scorer.units(good.per_item), scorer.units(bad.per_item)
    found = intervals(units_bad, scorer.keys, scorer.statistic, n=200, seed=1)
    differences = compare(units_good, units_bad, scorer.keys, scorer.statistic, n=200, seed=1)
    assert list(found) == list(differences) == list(bad.scores)
    for name, value in bad.scores.items():
        interval, difference = found[name], differences[name]
        assert value is not None
        assert None not in (interval.low, interval.high, difference.low, difference.p_value)
        assert 0 <= (interval.low or 0) <= value <= (interval.high or 0) <= 1
        assert [difference.a, difference.b] == pytest.approx([good.scores[name], value])
        if scorer.name == "legacy-2021-03" and name == "sectorids_accuracy":
            continue  # a constant of the labels: no spread, and no run is better
        assert (interval.low or 0) < (interval.high or 0)
        assert (difference.low or 0) > 0
        assert (difference.p_value or 0) < 0.05
