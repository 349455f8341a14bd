"""What checks across rows return."""

from typing import Any

import polars as pl

from sharedtask.schemas.rule import Rule
from sharedtask.schemas.spans import SPAN

FOUND = {
    "rule": pl.String(),  # the name of the rule
    "file": pl.UInt32(),
    "row": pl.UInt32(),  # where the finding is shown
    SPAN: pl.UInt32(),  # the span it is shown on, null for a finding about records
    "rows": pl.List(pl.UInt32),  # all records that it counts in
    "about": pl.List(pl.String),  # the part of the key that it is about: null for the record, empty for the whole file
    "column": pl.String(),  # canonical name
    "which": pl.String(),  # the key of the rule's message
    "facts": pl.String(),  # JSON of what the message shows
    "times": pl.UInt32(),  # how many findings this row stands for
}
NOTHING_FOUND = pl.DataFrame(schema=FOUND)


def found(
    frame: pl.LazyFrame,
    rule: Rule,
    column: str,
    *,
    times: pl.Expr | None = None,
    about: tuple[str, ...] | None = None,
    which: pl.Expr | None = None,
    **facts: Any,
) -> pl.LazyFrame:
    """The columns of `FOUND` from a frame of findings with `file`, `row` and, for several records, `rows` or `span`.

    `facts` are columns of the frame or expressions over them, by the names that the message of the rule uses.
    """
    names = frame.collect_schema().names()
    return frame.select(
        rule=pl.lit(rule.name),
        file=pl.col("file").cast(pl.UInt32),
        row=pl.col("row").cast(pl.UInt32),
        span=(pl.col(SPAN) if SPAN in names else pl.lit(None)).cast(pl.UInt32),
        rows=(pl.col("rows") if "rows" in names else pl.concat_list("row")).cast(pl.List(pl.UInt32)),
        about=pl.lit(None if about is None else list(about), pl.List(pl.String)),
        column=pl.lit(column),
        which=pl.lit("") if which is None else which,
        facts=pl.struct(**facts).struct.json_encode() if facts else pl.lit("{}"),
        times=(pl.lit(1) if times is None else times).cast(pl.UInt32),
    )
