"""Keys and ids that occur more than once in a file: the check of data files and of runs."""

import polars as pl

from sharedtask.schemas.kind import TableCheck
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.fmt_values import DUPLICATE_KEY
from sharedtask.schemas.table_checks import NOTHING_FOUND, found


def repeated_keys(keys: pl.LazyFrame, names: tuple[str, ...], rule: Rule = DUPLICATE_KEY) -> pl.LazyFrame:
    """One finding for each key that occurs more than once: keys are counted, not rows.

    These keys are found first, in a query of its own, so that the source of `keys` is read once where there are none.
    """
    counted = keys.drop_nulls(list(names)).group_by("file", *names).len()
    repeated = counted.filter(pl.col("len") > 1).collect(engine="streaming")
    if repeated.is_empty():
        return NOTHING_FOUND.lazy()
    many = keys.join(repeated.lazy(), on=["file", *names], how="semi", maintain_order="left")
    many = many.group_by("file", *names).agg(row=pl.col("row").min(), rows=pl.col("row"))
    key = pl.concat_str([pl.format(name + " {}", name) for name in names], separator=", ")
    return found(many, rule, names[0], key=key, records=pl.col("rows").list.len())


def duplicate_key(names: tuple[str, ...], rule: Rule = DUPLICATE_KEY) -> TableCheck:
    """The check that a key of these columns occurs once in its file."""
    return TableCheck((rule,), names, lambda keys: repeated_keys(keys, names, rule))
