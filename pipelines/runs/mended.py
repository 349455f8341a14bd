"""A run with repairs: its canonical frame, what was changed in it, and for which rules."""

from dataclasses import dataclass, field

import polars as pl

from sharedtask.pipelines.results.repair import Repair
from sharedtask.schemas.rule import Tally

CHANGES = {"row": pl.UInt32, "column": pl.String, "span": pl.UInt32, "before": pl.String, "after": pl.String}
"""One change: the number of the record in the run from 0, the official name of the column, the span in a list of spans, and
both texts. `before` is null where something was added, `after` where something was left out."""

PLACE = "place"  # the column of a change that is about the place of a record among the others
ADDED = "added"  # that of a record which the run does not have
GIVEN_RECORD = "given.record"  # a column of the frame: the text of a record that could not be read and is answered anew


def no_changes() -> pl.DataFrame:
    """The frame of no change."""
    return pl.DataFrame(schema=CHANGES)


@dataclass(frozen=True, slots=True)
class Mended:
    """The canonical frame of a run with repairs, the repairs, and the changes of its spans.

    What was changed in other cells is seen in what is written. `as_given` are the numbers of the records that are
    written as they were, whatever the frame holds; `cells` (`row`, `cell`) has the text of the spans of those of which a
    part was mended all the same. `emptied` are those that are answered as `template` does. `found` is what the repairs
    themselves report.
    """

    frame: pl.DataFrame
    repairs: list[Repair] = field(default_factory=list)
    changes: pl.DataFrame = field(default_factory=no_changes)
    as_given: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.UInt32))
    emptied: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.UInt32))
    cells: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema={"row": pl.UInt32, "cell": pl.String}))
    found: list[Tally] = field(default_factory=list)
