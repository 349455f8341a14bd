"""What two splits have in common: ids, texts, folded texts, groups, and texts with two labels.

Each finding is about one value (an id, a text, a group) in one file that an earlier file has too. It is shown at the
first record of the later file that has the value, beside the first record of the earliest file.

Texts that are similar, but not equal, are found by `similar_texts.py`.
"""

from collections.abc import Sequence

import polars as pl

from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.spl import (
    CONFLICTING_DUPLICATE,
    GROUP_SPLIT,
    ID_COLLISION,
    ID_LEAK,
    NEAR_TEXT_LEAK,
    TEXT_LEAK,
)

PAIR = ("file", "row", "other_file", "other_row")
PLACE = ("file", "row")


def leaks(records: pl.DataFrame) -> dict[Rule, pl.DataFrame]:
    """The findings of each rule on the hashed records of all files, in their order.

    `file, row, other_file, other_row`.
    """
    keyed = records.filter(pl.col("key").is_not_null())
    same = shared(keyed, keyed, ["key", "text"])
    ids = same.filter(pl.col("text") != 0)
    collisions = shared(keyed, keyed, ["key"]).join(same, on=["key", "file"], how="anti")
    lone = records.filter("lone").select(PLACE)
    long = records.filter(pl.col("fold").is_not_null())
    texts = shared(long.join(ids, on=["key", "text", "file"], how="anti"), long, ["text"])
    known = pl.concat([ids.select("text", "file"), texts.select("text", "file")])
    folds = shared(long.join(known, on=["text", "file"], how="anti"), long, ["fold"])
    grouped = records.filter(pl.col("group").is_not_null())
    groups = shared(grouped, grouped, ["group"])
    return {
        ID_LEAK: ids,
        ID_COLLISION: collisions.join(lone, on=PLACE, how="anti"),
        TEXT_LEAK: texts,
        NEAR_TEXT_LEAK: folds,
        CONFLICTING_DUPLICATE: _conflicts(records, known),
        # A document that is the same in both files was reported by its id.
        GROUP_SPLIT: groups.join(ids.join(lone, on=PLACE), on=PLACE, how="anti"),
    }


def shared(later: pl.DataFrame, earlier: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The values of `by` in each file of `later` that a file of `earlier` before it has.

    The columns of `by` and those of `PAIR`.
    """
    before = earlier.filter(pl.col("file") < pl.lit(earlier["file"].max(), pl.UInt32))
    met = later.filter(pl.col("file") > 0).select(*by, *PLACE).join(before, on=by, how="semi")
    first = before.select(*by, *PLACE).join(met, on=by, how="semi").sort(PLACE).unique(by, keep="first")
    other = first.rename({"file": "other_file", "row": "other_row"})
    found = met.join(other, on=by).filter(pl.col("file") > pl.col("other_file"))
    return found.sort(PLACE).unique([*by, "file"], keep="first", maintain_order=True)


def short_texts(records: pl.DataFrame) -> pl.DataFrame:
    """The texts too short to be a leak that appear in several files under other ids, in the form of `shared`."""
    short = records.filter(pl.col("fold").is_null(), pl.col("text") != 0)
    keyed = short.filter(pl.col("key").is_not_null())
    ids = shared(keyed, keyed, ["key", "text"])
    return shared(short.join(ids, on=["key", "text", "file"], how="anti"), short, ["text"])


def _conflicts(records: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The leaked texts that have one label here and another in an earlier file.

    A label that a file does not give differs from none.
    """
    leaked = records.join(known.select("text").unique(), on="text", how="semi")
    labels = (
        leaked.with_columns(place=pl.int_ranges(pl.col("labels").list.len()))
        .explode("labels", "place", empty_as_null=False)
        .drop_nulls("labels")
    )
    by = ["item", "place"]
    earlier = labels.join(known.select("text", later="file"), on="text").filter(pl.col("file") < pl.col("later"))
    pairs = labels.join(known, on=["text", "file"]).join(
        earlier.select(*by, "labels", file="later", other_file="file", other_row="row"), on=[*by, "file"]
    )
    differ = pairs.filter(pl.col("labels") != pl.col("labels_right")).sort(*PAIR)
    return differ.group_by("text", "file", maintain_order=True).agg(pl.col("row", "other_file", "other_row").first())
