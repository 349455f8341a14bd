"""Macro F1, precision and recall, and accuracy over the union of the classes in gold and run; equal to scikit-learn's.

Tables of answers have one row an item: `gold` and `run`, the classes as given (String). `run` is null for an answer of
no class: it misses the gold class and adds no class of its own. `gold` has no nulls. Other columns are left alone.
"""

from collections.abc import Sequence

import polars as pl

from sharedtask.pipelines.metrics.scorer import ratio


def per_class(answers: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a class (and value of `by`): `label`, `support`, `predicted`, `correct`, `precision`, `recall`, `f1`.

    Precision of a class that was never predicted and recall of a class that the gold does not have are 0/0, so null. F1
    is `2 * correct / (support + predicted)`, which is always defined and is what scikit-learn computes.
    """
    cells = answers.group_by(*by, "gold", "run").agg(pl.len().cast(pl.Int64).alias("n"))
    right = pl.when(pl.col("gold") == pl.col("run")).then("n").otherwise(0)
    nothing = pl.lit(0, dtype=pl.Int64)
    as_gold = cells.select(*by, label="gold", support="n", predicted=nothing, correct=right)
    as_run = cells.drop_nulls("run").select(*by, label="run", support=nothing, predicted="n", correct=nothing)
    counts = pl.concat([as_gold, as_run]).group_by(*by, "label").agg(pl.all().sum())
    correct, predicted, support = pl.col("correct"), pl.col("predicted"), pl.col("support")
    return counts.with_columns(
        precision=ratio(correct, predicted), recall=ratio(correct, support), f1=ratio(2 * correct, support + predicted)
    ).sort(*by, "label")


def macro(answers: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """One row a value of `by` (one row without): `f1_macro`, `accuracy`, `precision_macro`, `recall_macro`; all null
    without items.

    The mean over the classes counts a 0/0 as 0, as scikit-learn does with a warning (`zero_division`).
    """
    classes = per_class(answers, by)
    means = (
        pl.col("f1").mean().alias("f1_macro"),
        ratio(pl.col("correct").sum(), pl.col("support").sum()).alias("accuracy"),
        pl.col("precision").fill_null(0.0).mean().alias("precision_macro"),
        pl.col("recall").fill_null(0.0).mean().alias("recall_macro"),
    )
    return classes.group_by(*by).agg(means).sort(*by) if by else classes.select(means)
