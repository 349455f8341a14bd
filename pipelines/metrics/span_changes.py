"""What became of the spans of some records from one version to the next.

Both tables have `pair` (the record), `start`, `end`, `label`, further fields, and `span`, the whole span as it is to be
shown.
"""

from collections.abc import Sequence

import polars as pl

_PLACE = ["pair", "start", "end"]


def span_changes(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """`pair, change, old, new` of each span that is not the same in both, sorted by pair.

    Spans are matched by place and label, then by place alone (`relabelled`), then with the nearest of the same label
    that overlaps (`moved`); the rest is `removed` and `added`. Of spans with the same place and label the first other
    field that differs is named: `<field>_changed`.
    """
    fields = [name for name in old.columns if name not in (*_PLACE, "label", "span")]
    alike, old, new = _matched(old, new, [*_PLACE, "label"])
    same = [pl.when(pl.col(name).ne_missing(pl.col(f"{name}.new"))).then(pl.lit(f"{name}_changed")) for name in fields]
    changed = alike.with_columns(change=pl.coalesce(*same, pl.lit(None, pl.String))).drop_nulls("change")
    relabelled, old, new = _matched(old, new, _PLACE)
    moved, old, new = _overlapping(old, new)
    nothing = pl.lit(None, old.schema["span"])
    found = [
        changed.select("pair", "change", old="span", new="span.new"),
        relabelled.select("pair", change=pl.lit("relabelled"), old="span", new="span.new"),
        moved.select("pair", change=pl.lit("moved"), old="span", new="span.new"),
        old.select("pair", change=pl.lit("removed"), old="span", new=nothing),
        new.select("pair", change=pl.lit("added"), old=nothing, new="span"),
    ]
    return pl.concat(found).sort("pair", maintain_order=True)


Split = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]


def _matched(old: pl.DataFrame, new: pl.DataFrame, on: Sequence[str]) -> Split:
    """The spans that are in both, and those of each side that are left; copies are matched one by one."""
    old, new = (one.with_columns(nth=pl.int_range(pl.len()).over(on)) for one in (old, new))
    keys = [*on, "nth"]
    both = old.join(new, on=keys, nulls_equal=True, suffix=".new", maintain_order="left")
    left, come = (
        one.join(other, on=keys, how="anti", nulls_equal=True, maintain_order="left").drop("nth")
        for one, other in ((old, new), (new, old))
    )
    return both, left, come


def _overlapping(old: pl.DataFrame, new: pl.DataFrame) -> Split:
    """The spans that overlap the nearest one of their label on the other side, and those of each side that are left."""
    old, new = (one.drop_nulls(["start", "end"]).with_row_index("nth").sort("start") for one in (old, new))
    other = new.with_columns(begin="start")
    near = old.join_asof(
        other, on="start", by=["pair", "label"], strategy="nearest", suffix=".new", check_sortedness=False
    )
    overlaps = (pl.col("begin") < pl.col("end")) & (pl.col("start") < pl.col("end.new"))
    both = near.filter(overlaps).unique("nth.new", keep="first", maintain_order=True)
    left = old.join(both, on="nth", how="anti", maintain_order="left").sort("nth").drop("nth")
    come = new.join(both, left_on="nth", right_on="nth.new", how="anti", maintain_order="left").sort("nth").drop("nth")
    return both, left, come
