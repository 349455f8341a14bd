"""A run against the ids of its reference: missing, unknown, in another order, or of another split altogether.

Keys are joined, never paired by position. If both files have the same keys in the same order, which one streaming
comparison shows, nothing has to be joined. A cause replaces the symptoms that it explains. Ids that a run repeats are
found by `schemas/duplicate_keys.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sharedtask.pipelines.inputs.findings import records_of, row_tally
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.schemas.rule import At, Rule, Tally, finding, tally_one
from sharedtask.schemas.rules.run import (
    MISSING_ID,
    NO_COMMON_ID,
    ORDER_DIFFERS,
    ROW_INDEX_INSTEAD_OF_ID,
    UNKNOWN_ID,
    WRONG_SPLIT,
)

OTHER_SPLIT = 0.9  # the share of a run's ids that must be in another split for it to be named


@dataclass(frozen=True, slots=True)
class Side:
    """The keys of one file: `row` and the key columns, without records whose key could not be read."""

    judged: Judged
    keys: pl.DataFrame

    @classmethod
    def of(cls, judged: Judged, key: Sequence[str]) -> "Side":
        keys = judged.columns(["row", *key]).drop_nulls(list(key)).collect(engine="streaming")
        return cls(judged, keys)

    @property
    def path(self) -> str:
        return self.judged.opened.source.path


def id_tallies(run: Judged, reference: Judged, also: Sequence[Judged], limit: int) -> list[Tally]:
    """What is wrong with the ids of a run.

    The key columns are those of the run's kind; the reference has them under the same names.
    """
    key = run.opened.kind.key
    mine, theirs = Side.of(run, key), Side.of(reference, key)
    if not mine.keys.height or mine.keys.select(key).equals(theirs.keys.select(key)):
        return []
    cause = _cause(
        mine,
        theirs,
        [Side.of(other, key) for other in also if set(key) <= set(other.frame.collect_schema().names())],
        key,
    )
    if cause is not None:
        return [cause]
    return [*_missing(mine, theirs, key, limit), *_unknown(mine, theirs, key, limit), *_order(mine, theirs, key)]


def _cause(mine: Side, theirs: Side, others: Sequence[Side], key: Sequence[str]) -> Tally | None:
    """The one thing that explains why the ids do not fit, if there is one."""
    if len(key) == 1 and (first := _row_index(mine, theirs, key[0])) is not None:
        last = first + mine.keys.height - 1
        return _about_ids(ROW_INDEX_INSTEAD_OF_ID, mine, theirs, first=first, last=last)
    ids = mine.keys.select(key).unique()
    common = ids.join(theirs.keys.select(key), on=key, how="semi").height
    for other in others:
        there = ids.join(other.keys.select(key), on=key, how="semi").height
        if there > common and there >= OTHER_SPLIT * ids.height:
            return _about_ids(WRONG_SPLIT, mine, theirs, there=there, ids=ids.height, other=other.path, common=common)
    if common == 0 and theirs.keys.height:
        example = _named(theirs.keys.row(0, named=True), key)
        return _about_ids(NO_COMMON_ID, mine, theirs, f", such as {example}", ids=ids.height)
    return None


def _about_ids(rule: Rule, mine: Side, theirs: Side, example: str = "", **facts: Any) -> Tally:
    opened = mine.judged.opened
    at = At(mine.path, column=opened.table.names.get(opened.kind.key[0], opened.kind.key[0]))
    expected = f"the ids of {theirs.path}{example}"
    return tally_one(rule, at, kind=opened.kind, expected=expected, reference=theirs.path, **facts)


def _row_index(mine: Side, theirs: Side, name: str) -> int | None:
    """0 or 1 where the ids of a run count its rows from there and those of the reference do not."""
    ids = mine.keys[name]
    if mine.keys.height != theirs.keys.height or ids[0] not in (0, 1):
        return None
    counted = pl.int_range(ids[0], ids[0] + len(ids), eager=True)
    if not ids.equals(counted) or theirs.keys[name].sort().equals(counted):
        return None
    return int(ids[0])


def _missing(mine: Side, theirs: Side, key: Sequence[str], limit: int) -> list[Tally]:
    """Keys of the reference without a record in the run, less those of records that are there and cannot be read."""
    absent = theirs.keys.join(mine.keys.select(key), on=key, how="anti", maintain_order="left")
    unread = mine.judged.opened.table.unread_keys(key).collect(engine="streaming")
    absent = absent.join(unread, on=key, how="anti", maintain_order="left")
    unkeyed = mine.judged.height - mine.keys.height
    if absent.height <= unkeyed:
        return []
    opened = mine.judged.opened
    names = opened.table.names
    samples = [
        finding(
            MISSING_ID,
            At(
                mine.path,
                column=names.get(key[0], key[0]),
                key={names.get(name, name): one[name] for name in key},
            ),
            kind=opened.kind,
            expected=f"a record for each of the {theirs.keys.height} ids of {theirs.path}",
            reference=theirs.path,
            key=_named(one, key),
        )
        for one in absent.head(limit).iter_rows(named=True)
    ]
    return [Tally.counted(MISSING_ID, MISSING_ID.severity_for(opened.kind), absent.height, samples)]


def _unknown(mine: Side, theirs: Side, key: Sequence[str], limit: int) -> list[Tally]:
    """Keys of the run that are not in the reference, each once."""
    strange = mine.keys.join(theirs.keys.select(key), on=key, how="anti", maintain_order="left")
    strange = strange.unique(key, keep="first", maintain_order=True)
    opened = mine.judged.opened
    return row_tally(
        opened,
        mine.judged.frame,
        UNKNOWN_ID,
        strange["row"],
        limit,
        column=opened.table.names.get(key[0], key[0]),
        arguments=lambda record: {"key": _named(record.values, key), "reference": theirs.path},
    )


def _order(mine: Side, theirs: Side, key: Sequence[str]) -> list[Tally]:
    """Whether the ids that both have are in another order, and where it breaks first."""
    first = mine.keys.unique(key, keep="first", maintain_order=True)
    wanted = theirs.keys.select(pl.col("row").alias("place"), *key).unique(key, keep="first", maintain_order=True)
    placed = first.join(wanted, on=key, how="inner", maintain_order="left")
    broken = placed.filter(pl.col("place") < pl.col("place").shift())
    if not broken.height:
        return []
    opened = mine.judged.opened
    row = int(broken["row"][0])
    record = records_of(opened, mine.judged.frame, [row])[row]
    as_text = placed.select(pl.col(key[0]).cast(pl.String))[key[0]].is_sorted() and not placed[key[0]].is_sorted()
    column = opened.table.names.get(key[0], key[0])
    facts = {"key": _named(record.values, key), "reference": theirs.path}
    return [
        tally_one(
            ORDER_DIFFERS,
            At(mine.path, record.line, record.number, column, record.key),
            kind=opened.kind,
            which="text" if as_text else "",
            expected=f"the order of {theirs.path}",
            **facts,
        )
    ]


def _named(record: Mapping[str, object], key: Sequence[str]) -> str:
    """A key as a message shows it: `doc_id 7, sentence_id 0`."""
    return ", ".join(f"{name} {record[name]}" for name in key)
