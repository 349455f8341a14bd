"""FLARES: subtask 2 from subtask 1 (facts/flares.md 1.3)."""

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.derivations.derivation import Derivation, Derived, Given
from sharedtask.schemas.flares.kinds import SUBTASK1, SUBTASK2


def _subtask2(given: Given) -> Derived:
    """A record a tag, in the order of the file and of its tags, numbered from 0.

    The train file of subtask 2, sorted by Id.
    """
    frame = given.source.as_meant
    if "spans" not in frame.collect_schema():
        raise UnusableError(
            f"{given.source.opened.source.path}: has no Tags; expected the spans that the records of subtask 2 are made from"
        )
    usable = frame.join(given.bad.lazy(), on="row", how="anti", maintain_order="left")
    spans = usable.filter(pl.col("spans").list.len() > 0).select("text", "spans").explode("spans").unnest("spans")
    numbered = spans.with_row_index("id").with_columns(pl.col("id").cast(pl.Int64))
    return Derived(numbered.select(column.name for column in SUBTASK2.columns), given.bad)


DERIVATIONS = (Derivation("subtask2", SUBTASK1, SUBTASK2, _subtask2),)
