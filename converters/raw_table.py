"""What a file shape hands on: raw text in columns, with the findings about the shape itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sharedtask.schemas.rule import Tally

UNFIT = {"row": pl.UInt32(), "column": pl.String(), "which": pl.String(), "facts": pl.String()}
"""Records that an export format cannot hold: the canonical column, the message of `bad-value` that says why, and JSON of what it shows."""

UNREAD = {"line": pl.UInt32(), "record": pl.String(), "rules": pl.List(pl.String)}

# Which physical line each of some records (row numbers from 0) begins on; None where that is not known.
LineFinder = Callable[[Sequence[int]], list[int | None]]


def no_lines(rows: Sequence[int]) -> list[int | None]:
    """The lines of records in a form that has none."""
    return [None] * len(rows)


def nothing_unread() -> pl.LazyFrame:
    """No record that cannot be read."""
    return pl.LazyFrame(schema=UNREAD)


@dataclass(slots=True)
class Table:
    """One file as a lazy frame of raw text.

    `frame` has `file` and `row` (UInt32, the record from 0), a String column `raw.<canonical name>` for each column
    that the file has, and whatever Boolean columns the shape's own checks look at. A typed source may have a canonical
    column beside its raw text. `names` maps canonical to file names. `aside` makes `unread`, which holds, unchanged, the
    `unread_rows` records that cannot be read at all: few callers want more than their number. `form` is what the way
    back needs. `header` has the names of all columns or keys, `tag_keys` the keys of tags where the reader knows them.
    `as_given` has `row` and every column of the file as text, for the quarantine; a delimited file has its
    last column as `last` too, and `suspect` is true of `(records, nulls in last)` where these show that some record was
    not whole.
    """

    frame: pl.LazyFrame
    names: Mapping[str, str]
    tallies: list[Tally] = field(default_factory=list)
    aside: Callable[[], pl.LazyFrame] = nothing_unread
    lines: LineFinder = no_lines
    form: dict[str, object] = field(default_factory=dict)
    as_given: pl.LazyFrame | None = None
    suspect: Callable[[int, int], bool] = lambda rows, nulls: False
    unread_rows: int = 0
    header: Sequence[str] = ()
    tag_keys: frozenset[str] | None = None

    @property
    def unread(self) -> pl.LazyFrame:
        return self.aside()

    def numbers(self, rows: Sequence[int]) -> list[int]:
        """The numbers of records from 1, those that cannot be read counted too, which have no row."""
        if not self.unread_rows:
            return [row + 1 for row in rows]
        unread = self.unread.select("line").drop_nulls().collect(engine="streaming")["line"].sort()
        before = [0 if line is None else int(unread.search_sorted(line)) for line in self.lines(rows)]
        return [row + 1 + lost for row, lost in zip(rows, before, strict=True)]

    def unread_keys(self, key: Sequence[str]) -> pl.LazyFrame:
        """The keys of whole numbers that can be made out in the raw text of the records that cannot be read."""
        return self.unread_with_keys(key).select(key).drop_nulls()

    def unread_with_keys(self, key: Sequence[str]) -> pl.LazyFrame:
        """The records that cannot be read, beside each its key as far as that can be made out."""
        numbers = pl.col("record").str.extract_all(r"[0-9]+").list.head(len(key)).cast(pl.List(pl.Int64), strict=False)
        return self.unread.with_columns(
            numbers.list.get(at, null_on_oob=True).alias(name) for at, name in enumerate(key)
        )


def is_pattern(name: str) -> bool:
    """Whether a name stands for several columns or fields, where Polars is asked for one."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def as_given(scan: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    """The columns `f0`, `f1`, … under their names in the file, a repeated name with its position.

    So is a name that a quarantine has for itself.
    """
    given: dict[str, None] = {}
    known = {*names, "row", *UNREAD}
    for at, name in enumerate(names):
        is_free = name and name not in given and name not in ("row", *UNREAD) and not is_pattern(name)
        unique = name if is_free else f"{name or 'column'}_{at + 1}"
        while unique in given or (unique != name and unique in known):
            unique += "_"
        given[unique] = None
    return scan.select("row", *(pl.col(f"f{at}").alias(name) for at, name in enumerate(given)))
