"""What moves as one: records of one group, and of one text, and whatever hangs together by these."""

import polars as pl


def together(base: pl.Series, fold: pl.Series) -> pl.Series:
    """The unit of each record.

    The smallest `base` of all that hang together by a common base or a common `fold` (null joins nothing).

    Each round takes the smallest label over every fold and then the label of that label, so that long chains are short
    work.
    """
    ties = pl.DataFrame({"base": base, "fold": fold}).drop_nulls("fold").unique()
    ties = ties.filter(pl.col("fold").is_duplicated()).sort("base", "fold")
    labels = ties.select("base", label="base").unique("base", maintain_order=True)
    while True:
        over_fold = ties.join(labels, on="base").with_columns(pl.col("label").min().over("fold"))
        lower = over_fold.group_by("base").agg(pl.col("label").min())
        jumped = lower.join(labels.rename({"label": "next"}), left_on="label", right_on="base").select(
            "base", label=pl.min_horizontal("label", "next")
        )
        new = jumped.sort("base")
        if new.equals(labels):
            break
        labels = new
    of_base = pl.DataFrame({"base": base}).join(labels, on="base", how="left", maintain_order="left")
    return of_base.select(pl.coalesce("label", "base"))["label"]


def strata(values: pl.DataFrame, units: pl.Series) -> pl.Series:
    """The stratum of each unit (numbers from 0): the rarest of the `values` (`unit, value` as text) of its records.

    None is a value, too.
    """
    known = values.with_columns(pl.col("value").fill_null("none"))
    frequency = known.group_by("value").agg(times=pl.len())
    rarest = known.unique().join(frequency, on="value").sort("times", "value").unique("unit", keep="first")
    return pl.DataFrame({"unit": units}).join(rarest, on="unit", how="left", maintain_order="left")["value"]
