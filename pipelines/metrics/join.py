"""Answers brought to the gold rows by key; order changes nothing, and nothing is paired by position."""

from collections.abc import Sequence

import polars as pl


class UndefinedRowsError(ValueError):
    """The gold or the run has rows for which the scorer has no rule: repeated keys, or answers without a gold row."""


def refuse_repeated(frame: pl.DataFrame, keys: Sequence[str], name: str) -> None:
    """Raise `UndefinedRowsError` if a key of `frame` is in more than one row."""
    if frame.is_empty() or frame[keys[0]].n_unique() == frame.height:  # one column is counted far faster than several
        return
    extra = frame.height - frame.select(keys).n_unique()
    if extra:
        raise UndefinedRowsError(
            f"{extra} rows of the {name} repeat a key ({', '.join(keys)}) that the {name} already has"
        )


def refuse_unknown(gold: pl.DataFrame, run: pl.DataFrame, keys: Sequence[str]) -> None:
    """Raise `UndefinedRowsError` if the run answers a key that the gold does not have."""
    unknown = run.join(gold, on=list(keys), how="anti").height
    if unknown:
        raise UndefinedRowsError(f"{unknown} rows of the run have a key ({', '.join(keys)}) that is not in the gold")


def answers(gold: pl.DataFrame, run: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The gold rows in their order, the run's other columns beside them, and `answered`; the run's columns are null
    where it is false.

    Columns of the same name in both get the ending `_run`. Raises `UndefinedRowsError` on repeated keys on either side
    and on unknown ones.
    """
    refuse_repeated(gold, keys, "gold")
    answered = run.with_columns(answered=pl.lit(True))
    if gold.select(keys).equals(run.select(keys)):  # the same keys in the same order: nothing to join
        beside = answered.drop(keys)
        return gold.hstack(beside.rename({name: f"{name}_run" for name in beside.columns if name in gold.columns}))
    refuse_repeated(run, keys, "run")
    refuse_unknown(gold, run, keys)
    joined = gold.join(answered, on=list(keys), how="left", suffix="_run", maintain_order="left")
    return joined.with_columns(pl.col("answered").fill_null(False))


def unanswered_note(joined: pl.DataFrame, meaning: str) -> tuple[str, ...]:
    """The note that some gold rows have no answer, and what they counted as; no note where all have one."""
    missing = joined.height - int(joined["answered"].sum())
    return (f"{missing} of {joined.height} gold rows are not in the run and count as {meaning}.",) if missing else ()


def differing(units_a: pl.DataFrame, units_b: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The items on which two runs differ, by their `Scorer.units`: the keys, then each value with `_a` and with `_b`.

    Sorted by the keys. An item that only one run has is there, with nulls for the other.
    """
    values = [name for name in units_a.columns if name not in keys]
    named_a, named_b = (
        units.rename({name: f"{name}_{run}" for name in values}) for run, units in (("a", units_a), ("b", units_b))
    )
    both = named_a.join(named_b, on=list(keys), how="full", coalesce=True)
    unlike = pl.any_horizontal(pl.col(f"{name}_a").ne_missing(pl.col(f"{name}_b")) for name in values)
    pairs = [f"{name}_{run}" for name in values for run in ("a", "b")]
    return both.filter(unlike).select(*keys, *pairs).sort(keys)
