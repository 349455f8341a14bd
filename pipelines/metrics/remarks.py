"""What the remarks on scores share: perfect scores, and labels that differ from the gold's in spelling only."""

from collections.abc import Iterable

import polars as pl

from sharedtask.pipelines.metrics.scorer import named
from sharedtask.schemas.messages import plural, shown


def perfect(names: Iterable[str]) -> str:
    """The note on scores that are exactly 1."""
    listed = list(names)
    return f"Exactly 1: {named(listed)}. The run may be a copy of the gold."


def folded(label: pl.Expr) -> pl.Expr:
    """A label without what people overlook: case, and white space at its ends or more of it between words."""
    return label.str.strip_chars().str.replace_all(r"\s+", " ").str.to_lowercase()


def misspelt(pairs: pl.DataFrame) -> tuple[str, ...]:
    """The note on labels of the run that are those of the gold but for case or white space; no note where there are none.

    `pairs` has a row for each such label: `gold` and `run` (String).
    """
    if pairs.is_empty():
        return ()
    kinds = pairs.group_by("gold", "run").len().sort("len", "run", "gold", descending=[True, False, False])
    spellings = named([f"{shown(run)} for {shown(gold)}" for gold, run in kinds.select("gold", "run").iter_rows()])
    differ = "differs" if pairs.height == 1 else "differ"
    count = "counts" if pairs.height == 1 else "count"
    return (
        f"{plural(pairs.height, 'label')} of the run {differ} from the gold's only by case or white space and {count} "
        f"as wrong: {spellings}.",
    )
