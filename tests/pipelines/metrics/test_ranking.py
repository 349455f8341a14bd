"""ROC-AUC against scikit-learn, and what has no AUC."""

import math
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sharedtask.pipelines.metrics import ranking
from sharedtask.pipelines.metrics.ranking import NotRankableError, OneClassError, roc_auc, tied_pairs

tied = st.integers(0, 5).map(lambda n: n / 4)  # few values: ties inside and between the classes
wide = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.lists(st.tuples(st.integers(0, 1), tied | wide), min_size=2, max_size=40).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


def series(rows: list[tuple[int, float]]) -> tuple[pl.Series, pl.Series]:
    return pl.Series([label for label, _ in rows], dtype=pl.Int8), pl.Series(
        [score for _, score in rows], dtype=pl.Float64
    )


BOTH_WAYS = pytest.mark.parametrize("few_values", [2.0, 0.0], ids=["by value", "search"])


@BOTH_WAYS
@given(rows=pairs)
def test_equals_scikit_learn(few_values: float, rows: list[tuple[int, float]]) -> None:
    labels, scores = series(rows)
    with mock.patch.object(ranking, "FEW_VALUES", few_values):
        assert roc_auc(labels, scores) == pytest.approx(roc_auc_score(labels.to_list(), scores.to_list()), abs=1e-12)


@BOTH_WAYS
@given(rows=pairs)
def test_tied_pairs_are_counted(few_values: float, rows: list[tuple[int, float]]) -> None:
    expected = sum(a == b for label, a in rows for other, b in rows if label > other)
    with mock.patch.object(ranking, "FEW_VALUES", few_values):
        assert tied_pairs(*series(rows)) == expected


def test_many_posts_with_few_and_with_many_values() -> None:
    """Large enough that the choice between both ways is made by the data."""
    index = pl.int_range(20_000, eager=True)
    labels = (index.hash(1) % 5 == 0).cast(pl.Int8)
    scores = (index.hash(2) % 1_000_003).cast(pl.Float64) / 1_000_003
    for rounded in (scores, scores.round(2)):
        expected = roc_auc_score(labels.to_list(), rounded.to_list())
        assert roc_auc(labels, rounded) == pytest.approx(expected, abs=1e-12)


EXAMPLES = [  # facts/reintel.md 3, run with scikit-learn there
    ([0, 0, 1, 1], [0.3, 0.3, 0.3, 0.3], 0.5),
    ([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], 0.875),
    ([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1], 0.0),
    ([0, 1, 0, 1], [-3.0, 7.0, 2.0, 5.0], 1.0),
    ([0, 0, 1, 1], [0.0, 1.0, 1.0, 1.0], 0.75),
]


@pytest.mark.parametrize(("labels", "scores", "expected"), EXAMPLES)
def test_examples(labels: list[int], scores: list[float], expected: float) -> None:
    assert roc_auc(pl.Series(labels), pl.Series(scores)) == expected


@pytest.mark.parametrize(
    "labels",
    [pl.Series([False, True, True]), pl.Series([1, 2, 2]), pl.Series(["0", "1", "1"]), pl.Series([0.0, 1.0, 1.0])],
)
def test_the_greater_label_is_positive(labels: pl.Series) -> None:
    assert roc_auc(labels, pl.Series([0.5, 0.4, 0.9])) == 0.5


def test_scores_can_be_whole_numbers_and_zero_has_no_sign() -> None:
    labels = pl.Series([0, 1])
    assert roc_auc(labels, pl.Series([2**62, 2**62 + 1])) == 1.0  # equal as floats
    assert roc_auc(labels, pl.Series([0.0, -0.0])) == 0.5


@pytest.mark.parametrize("labels", [[], [0], [1, 1, 1]])
def test_one_class_has_no_auc(labels: list[int]) -> None:
    with pytest.raises(OneClassError):
        roc_auc(pl.Series(labels, dtype=pl.Int8), pl.Series([0.5] * len(labels), dtype=pl.Float64))
    assert issubclass(OneClassError, ValueError)


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([0, 1], [0.5]),
        ([0, 1], [0.5, None]),
        ([0, 1], [0.5, math.nan]),
        ([0, 1], [0.5, math.inf]),
        ([0, 1], [0.5, -math.inf]),
        ([0, 1], ["0.5", "0.6"]),
        ([0, None], [0.5, 0.6]),
        ([0.0, math.nan], [0.5, 0.6]),
        ([0, 1, 2], [0.5, 0.6, 0.7]),
    ],
)
@BOTH_WAYS
def test_what_cannot_be_ranked(few_values: float, labels: list[float | None], scores: list[float | None]) -> None:
    with mock.patch.object(ranking, "FEW_VALUES", few_values), pytest.raises(NotRankableError):
        roc_auc(pl.Series(labels), pl.Series(scores))
    assert issubclass(NotRankableError, ValueError)


@given(st.lists(pairs, min_size=1, max_size=4))
def test_each_resample_is_ranked_on_its_own(groups: list[list[tuple[int, float]]]) -> None:
    frames = [
        pl.DataFrame(rows, schema={"label": pl.Int8, "score": pl.Float64}, orient="row").with_columns(
            resample=pl.lit(i)
        )
        for i, rows in enumerate(groups)
    ]
    expected = [roc_auc_score([label for label, _ in rows], [score for _, score in rows]) for rows in groups]
    assert ranking.resampled_auc(pl.concat(frames))["roc_auc"].to_list() == pytest.approx(expected, abs=1e-12)


def test_a_resample_of_one_class_has_no_auc() -> None:
    items = pl.DataFrame({"resample": [0, 0, 1, 1], "label": [1, 1, 0, 1], "score": [0.1, 0.2, 0.1, 0.2]})
    assert ranking.resampled_auc(items)["roc_auc"].to_list() == [None, 1.0]
