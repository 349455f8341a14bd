"""ReINTEL: ids are joined, ties count one half, one class only is an error."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sharedtask.pipelines.metrics import reintel
from sharedtask.pipelines.metrics.join import UndefinedRowsError
from sharedtask.pipelines.metrics.ranking import NotRankableError, OneClassError
from sharedtask.pipelines.results.score_results import Score

(SCORER,) = reintel.SCORERS


def gold_table(labels: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"id": range(len(labels)), "label": labels}, schema={"id": pl.Int64, "label": pl.Int8})


def run_table(probabilities: list[float], ids: list[int] | None = None) -> pl.DataFrame:
    keys = range(len(probabilities)) if ids is None else ids
    schema = {"id": pl.Int64, "probability": pl.Float64}
    return pl.DataFrame({"id": keys, "probability": probabilities}, schema=schema)


def scored(labels: list[int], probabilities: list[float], ids: list[int] | None = None) -> Score:
    return SCORER.score(gold_table(labels), run_table(probabilities, ids))


def test_one_tie() -> None:
    score = scored([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9])
    assert score.scores == {"roc_auc": 0.875}
    assert score.counts == {"positive": 2, "negative": 2, "tied_pairs": 1}
    assert not score.notes


def test_rank_of_each_post() -> None:
    items = scored([0, 1, 1, 0], [0.5, 0.9, 0.5, 0.1]).per_item
    assert items.columns == ["id", "label", "probability", "rank"]
    assert items["rank"].to_list() == [2.5, 1.0, 2.5, 4.0]


rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6).map(lambda n: n / 6)), min_size=2, max_size=20).filter(
    lambda some: len({label for label, _ in some}) == 2
)


@given(some=rows, seed=st.integers(0, 99))
def test_equals_scikit_learn_in_any_order(some: list[tuple[int, float]], seed: int) -> None:
    labels, probabilities = [label for label, _ in some], [value for _, value in some]
    gold, run = gold_table(labels), run_table(probabilities)
    for one, other in ((gold, run), (gold.sample(fraction=1, shuffle=True, seed=seed), run.reverse())):
        assert SCORER.score(one, other).scores["roc_auc"] == pytest.approx(
            roc_auc_score(labels, probabilities), abs=1e-12
        )


def test_a_post_without_an_answer_counts_as_one_half() -> None:
    partial = scored([0, 1, 1, 0], [0.4, 0.9, 0.6], ids=[0, 1, 3])  # post 2, a positive, gets 0.5: above 0.4, below 0.6
    assert partial.scores["roc_auc"] == 0.75
    assert partial.notes == ("1 of 4 gold rows are not in the run and count as probability 0.5.",)
    assert scored([0, 1], []).scores["roc_auc"] == 0.5


@pytest.mark.parametrize("labels", [[], [1, 1], [0, 0]])
def test_one_class_only(labels: list[int]) -> None:
    with pytest.raises(OneClassError):
        scored(labels, [0.5] * len(labels))


def test_a_probability_that_is_not_finite() -> None:
    with pytest.raises(NotRankableError):
        scored([0, 1], [0.5, float("nan")])


def test_the_same_post_twice_and_an_unknown_one() -> None:
    for ids in ([0, 1, 1], [0, 1, 2]):
        with pytest.raises(UndefinedRowsError):
            scored([0, 1], [0.1, 0.2, 0.3], ids=ids)
    gold = gold_table([0, 1])
    with pytest.raises(UndefinedRowsError, match="gold"):
        SCORER.score(pl.concat([gold, gold]), run_table([0.1, 0.2]))


def test_the_statistic_of_the_units_is_the_score() -> None:
    score = scored([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9])
    units = SCORER.units(score.per_item).with_columns(resample=0)
    assert SCORER.statistic(units).row(0, named=True) == score.scores
