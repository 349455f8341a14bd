"""What a repair changed, a line a place: `Id 49, span 2: [35, 176) → [34, 173)`."""

from collections.abc import Iterator, Sequence

import polars as pl

from sharedtask.pipelines.runs.mended import ADDED, PLACE
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.messages import shown

MOST_CHANGES = 2000  # that are listed


def change_lines(changes: Sequence[pl.DataFrame], frame: pl.DataFrame, kind: Kind) -> Iterator[str]:
    """The changes of spans and of cells (`mended.CHANGES`), in the order of the records of a run.

    `frame` has `row` and the keys of the records.
    """
    every = pl.concat(changes)
    keys = frame.select("row", *kind.key).filter(pl.col("row").is_not_null())
    some = every.sort("row", nulls_last=True, maintain_order=True).head(MOST_CHANGES)
    placed = some.join(keys, on="row", how="left", maintain_order="left")
    names = {column.name: column.official for column in kind.columns}
    for one in placed.iter_rows(named=True):
        about = ", ".join(f"{names[name]} {one[name]}" for name in kind.key if one[name] is not None)
        about = about or "a record that cannot be read"
        yield _addition(one) if one["column"] == ADDED else f"{about}, {_change(one)}"
    if every.height > MOST_CHANGES:
        yield f"… and {every.height - MOST_CHANGES} more changes"


def _addition(one: dict[str, object]) -> str:
    """A record that is answered as `template` does: because the run lacks it, or because it could not be read."""
    before, after = one["before"], one["after"]
    return f"added {after}" if before is None else f"emptied {shown(str(before))}: {after}"


def _change(one: dict[str, object]) -> str:
    before, after = one["before"], one["after"]
    if one["column"] == PLACE:
        return f"record {before} → record {after}"
    where = str(one["column"]) if one["span"] is None else f"span {one['span']}"
    if after is None:
        return f"{where}: {before} left out"
    return f"{where}: {_text(after)}" if before is None else f"{where}: {_text(before)} → {_text(after)}"


def _text(value: object) -> str:
    """Offsets as they are; any other text in quotes."""
    text = str(value)
    return text if text.startswith("[") and text.endswith(")") else shown(text)
