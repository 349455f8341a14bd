"""Area under the ROC curve by sorting and searching; ties count one half, as in scikit-learn's `roc_auc_score`."""

import math
from dataclasses import dataclass

import polars as pl

SAMPLE = 100_000  # scores looked at to guess how many of them are distinct
FEW_VALUES = 0.25  # up to this share of distinct scores among them, grouping by score beats sorting the posts


class OneClassError(ValueError):
    """The labels have one class only, so there is no pair to rank and no AUC."""


class NotRankableError(ValueError):
    """An AUC cannot be computed from this: other lengths, nulls, NaN, infinities, more than two classes."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a positive and a negative: `higher` where the positive has the higher score, `tied` where it has the
    same.
    """

    positive: int
    negative: int
    higher: int
    tied: int

    @property
    def auc(self) -> float:
        """(higher + tied / 2) / (positive * negative)."""
        return (2 * self.higher + self.tied) / (2 * self.positive * self.negative)


def roc_auc(labels: pl.Series, scores: pl.Series) -> float:
    """Area under the ROC curve, a fraction; the greater of the two labels is the positive class.

    Equal to `sklearn.metrics.roc_auc_score(labels, scores)`. The range of the scores does not matter. Raises
    `OneClassError` if the labels are all the same, `NotRankableError` on anything else that has no AUC; both are
    ValueErrors.
    """
    return pair_counts(labels, scores).auc


def tied_pairs(labels: pl.Series, scores: pl.Series) -> int:
    """How many pairs of one positive and one negative have equal scores. Raises as `roc_auc`."""
    return pair_counts(labels, scores).tied


def pair_counts(labels: pl.Series, scores: pl.Series) -> Pairs:
    """The pairs behind `roc_auc`; labels and scores are columns of one table, in the same order. Raises as it does."""
    is_positive = _positives(labels)
    if len(scores) != len(labels):
        raise NotRankableError(f"{len(labels)} labels, but {len(scores)} scores")
    if not scores.dtype.is_numeric() or scores.null_count():
        raise NotRankableError("a score is missing or is not a number")
    # A look at some of the scores is enough to choose: both ways give the same, only not as fast.
    some = scores.gather_every(max(1, len(scores) // SAMPLE))
    if some.n_unique() < len(some) * FEW_VALUES:
        return _pairs_by_value(is_positive, scores)
    return _pairs_by_search(scores.filter(is_positive).sort(), scores.filter(~is_positive).sort())


def _positives(labels: pl.Series) -> pl.Series:
    """Which labels are the positive class, as Boolean."""
    if labels.null_count() or (labels.dtype.is_float() and labels.is_nan().any()):
        raise NotRankableError("a label is missing")
    if labels.is_empty():
        raise OneClassError("there are no labels")
    low, high = labels.min(), labels.max()
    if low == high:
        raise OneClassError(f"all {len(labels)} labels are {high!r}; the AUC needs two classes")
    is_positive = labels == high
    if not (is_positive | (labels == low)).all():
        raise NotRankableError("the labels have more than two classes")
    return is_positive


def _refuse_not_finite(ordered: pl.Series) -> None:
    """Sorting puts -inf first, inf and NaN last, so the ends of the sorted scores show them."""
    if not (math.isfinite(ordered[0]) and math.isfinite(ordered[-1])):
        raise NotRankableError("a score is not a finite number")


def _pairs_by_search(positive: pl.Series, negative: pl.Series) -> Pairs:
    """For each sorted positive score, how many sorted negative scores lie below it, and how many not above it.

    An as-of join is the search in one walk over both; it finds the last negative and so its row number, null where
    there is none.
    """
    _refuse_not_finite(positive)
    _refuse_not_finite(negative)
    have = pl.LazyFrame({"score": positive}).set_sorted("score")
    find = pl.LazyFrame({"score": negative}).set_sorted("score").with_row_index("last")
    below, not_above = (
        have.join_asof(find, on="score", allow_exact_matches=equal)
        .select((pl.col("last").cast(pl.Int64) + 1).sum())
        .collect()
        .item()
        for equal in (False, True)
    )
    return Pairs(len(positive), len(negative), below, not_above - below)


def _pairs_by_value(is_positive: pl.Series, scores: pl.Series) -> Pairs:
    """The same from the counts of both classes at each distinct score, where these are few."""
    table = pl.LazyFrame({"positive": is_positive, "score": scores})
    at_score = table.group_by("score").agg(pl.len().cast(pl.Int64).alias("n"), pl.col("positive").sum().cast(pl.Int64))
    # The streaming engine groups ten times as fast here as the default one.
    counts = at_score.collect(engine="streaming").sort("score")
    _refuse_not_finite(counts["score"])
    positive, negative = pl.col("positive"), pl.col("n") - pl.col("positive")
    sums = counts.select(
        positive=positive.sum(),
        negative=negative.sum(),
        higher=(positive * (negative.cum_sum() - negative)).sum(),
        tied=(positive * negative).sum(),
    )
    return Pairs(**sums.row(0, named=True))


def resampled_auc(items: pl.DataFrame) -> pl.DataFrame:
    """`roc_auc` of each resample: columns `resample`, `label` (0 or 1), `score` in; `roc_auc` out, one row a
    resample in their order.

    Null where a resample has one class only. The resamples are ranked anew, which is exact; nothing is linearised.
    """
    at_score = (
        items.group_by("resample", "score")
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("label").cast(pl.Int64).sum().alias("positive"))
        .sort("resample", "score")
        .with_columns(negative=pl.col("n") - pl.col("positive"))
    )
    below = pl.col("negative").cum_sum().over("resample") - pl.col("negative")
    pairs = pl.col("positive").sum() * pl.col("negative").sum()
    won = at_score.with_columns(won=pl.col("positive") * (2 * below + pl.col("negative")))
    auc = pl.when(pairs > 0).then(pl.col("won").sum() / (2 * pairs))
    return won.group_by("resample").agg(auc.alias("roc_auc")).sort("resample").select("roc_auc")
