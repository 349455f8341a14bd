"""The texts that a run carries, which no official form has, against those of its reference."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import polars as pl

from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.schemas.column_names import fold
from sharedtask.schemas.kind import Column
from sharedtask.schemas.messages import excerpt, first_difference
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.run import TEXT_DIFFERS


def text_tallies(run: Judged, reference: Judged, columns: Sequence[Column], limit: int) -> list[Tally]:
    """Records whose own text is not that of the reference, whose kind has these columns.

    The key columns are those of the run's kind, as in `id_tallies`.
    """
    there = reference.frame.collect_schema().names()
    prose = [column for column in columns if column.prose and column.name in there]
    return [tally for column in prose for tally in _differing(run, reference, column, limit)]


def _differing(run: Judged, reference: Judged, column: Column, limit: int) -> list[Tally]:
    key, named = list(run.opened.kind.key), _given(run, column)
    if named is None:
        return []
    name, given = named
    ids = run.columns(["row", *key]).drop_nulls(key)
    theirs = reference.frame.select(*key, theirs=column.name).unique(key, keep="first")
    both = given.join(ids, on="row", how="inner", maintain_order="left").join(
        theirs, on=key, how="inner", maintain_order="left"
    )
    differs = both.filter(pl.col("own") != pl.col("theirs")).select("row", "own", "theirs").collect(engine="streaming")
    texts = {row: (own, wanted) for row, own, wanted in differs.head(limit).iter_rows()}
    return row_tally(
        run.opened,
        run.frame,
        TEXT_DIFFERS,
        differs["row"],
        limit,
        column=name,
        arguments=lambda record: {
            **_difference(*texts[record.row]),
            "reference": reference.opened.source.path,
        },
    )


def _difference(own: str, theirs: str) -> dict[str, Any]:
    """Two texts around the place where they begin to differ; in escapes where they look alike."""
    at = first_difference(own, theirs)
    value, expected = excerpt(own, at), excerpt(theirs, at)
    if unicodedata.normalize("NFKC", value).split() == unicodedata.normalize("NFKC", expected).split():
        value, expected = ascii(value)[1:-1], ascii(expected)[1:-1]
    return {"value": value, "expected": expected, "index": at, "details": {"index": at}}


def _given(run: Judged, column: Column) -> tuple[str, pl.LazyFrame] | None:
    """What the run calls this text, and its texts (`row`, `own`); None where it has none."""
    given, spellings = run.opened.table.as_given, (column.official, *column.aliases)
    if given is None:
        return None
    names = given.collect_schema().names()
    if run.opened.table.form.get("container") in ("json", "jsonl"):  # a record a row
        found = pl.coalesce(pl.col("record").str.json_path_match(f'$["{name}"]') for name in spellings)
        return column.official, given.select("row", own=found)
    own = next((name for name in names if fold(name) in map(fold, spellings)), None)
    return None if own is None else (own, given.select("row", own=own))
