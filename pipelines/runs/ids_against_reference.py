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
from sharedtask.pipelines.runs.row_numbers import RowNumbers, counts_up, row_numbers
from sharedtask.schemas.rule import At, Rule, Severity, Tally, finding, tally_one
from sharedtask.schemas.rules.run import (
    MISSING_ID,
    NO_COMMON_ID,
    ORDER_DIFFERS,
    ROW_INDEX_INSTEAD_OF_ID,
    UNKNOWN_ID,
    WRONG_SPLIT,
)

OTHER_SPLIT = 0.9  # the share of ids that a run and another split must have in common for it to be named
WELL_BELOW = 0.8  # the share that the run and its reference must not have in common then
HARDLY_ANY = 0.5  # the share of the ids that the reference must not have, where the run answers a part of the split


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


def keys_by_row_number(run: Judged, reference: Judged) -> pl.Series | None:
    """For each record of a run whose ids are row numbers, the key of the record of the reference that is meant.

    Null for a record whose id could not be read. None where the ids are no row numbers, or do not say which record they
    mean.
    """
    key = run.opened.kind.key
    if len(key) > 1 or not run.has(key):
        return None
    mine, theirs = Side.of(run, key).keys[key[0]], Side.of(reference, key).keys[key[0]]
    numbers = row_numbers(mine, theirs)
    if numbers is None or numbers.start is None:
        return None
    ids = run.columns(key).collect(engine="streaming")[key[0]]
    return theirs.gather(ids - numbers.start)


def _cause(mine: Side, theirs: Side, others: Sequence[Side], key: Sequence[str]) -> Tally | None:
    """The one thing that explains why the ids do not fit, if there is one."""
    numbers = row_numbers(mine.keys[key[0]], theirs.keys[key[0]]) if len(key) == 1 else None
    if numbers is not None and numbers.in_place:
        return _about_row_numbers(numbers, mine, theirs)
    ids = mine.keys.select(key).unique()
    expected = _Share.of(ids, theirs, key)
    shares = [_Share.of(ids, other, key) for other in others]
    best = max(shares, key=lambda share: (share.least, share.of_ids), default=None)
    if best is not None and best.is_rather_than(expected):
        return _about_ids(
            WRONG_SPLIT,
            mine,
            theirs,
            ids=ids.height,
            other=best.side.path,
            there=best.common,
            others=best.keys,
            common=expected.common,
            records=expected.keys,
        )
    if numbers is not None:
        as_long = next((other for other in others if other.keys.height == mine.keys.height), None)
        if numbers.gaps or as_long is None:
            return _about_row_numbers(numbers, mine, theirs)
        return _about_ids(
            WRONG_SPLIT,
            mine,
            theirs,
            which="rows",
            first=numbers.first,
            last=numbers.last,
            other=as_long.path,
            records=theirs.keys.height,
        )
    if expected.common == 0 and theirs.keys.height:
        example = _named(theirs.keys.row(0, named=True), key)
        return _about_ids(NO_COMMON_ID, mine, theirs, example=f", such as {example}", ids=ids.height)
    return None


@dataclass(frozen=True, slots=True)
class _Share:
    """How many of the `ids` of a run and of the `keys` of a split are `common` to both."""

    side: Side
    ids: int
    keys: int
    common: int

    @classmethod
    def of(cls, ids: pl.DataFrame, side: Side, key: Sequence[str]) -> "_Share":
        keys = side.keys.select(key).unique()
        return cls(side, ids.height, keys.height, ids.join(keys, on=key, how="semi").height)

    @property
    def of_ids(self) -> float:
        return self.common / self.ids

    @property
    def least(self) -> float:
        """The share of the run's ids in the split or of the split's keys in the run, whichever is smaller."""
        return self.common / max(self.ids, self.keys, 1)

    def is_rather_than(self, expected: "_Share") -> bool:
        """Whether the ids are those of this split.

        Either both cover one another, which the reference does not, or this split has the ids, and the reference hardly
        any: a run may answer a part of it.
        """
        if self.of_ids < OTHER_SPLIT:
            return False
        return (self.least >= OTHER_SPLIT and expected.least < WELL_BELOW) or expected.of_ids < HARDLY_ANY


def _about_ids(rule: Rule, mine: Side, theirs: Side, *, example: str = "", **facts: Any) -> Tally:
    opened = mine.judged.opened
    at = At(mine.path, column=opened.table.names.get(opened.kind.key[0], opened.kind.key[0]))
    expected = f"the ids of {theirs.path}{example}"
    return tally_one(rule, at, kind=opened.kind, expected=expected, reference=theirs.path, **facts)


def _about_row_numbers(numbers: RowNumbers, mine: Side, theirs: Side) -> Tally:
    """The finding on ids that are row numbers: only those in place can be scored as they are, by position."""
    which = "" if numbers.in_place else "number" if not numbers.gaps else "unclear" if numbers.start is None else "gaps"
    return _about_ids(
        ROW_INDEX_INSTEAD_OF_ID,
        mine,
        theirs,
        which=which,
        severity=None if numbers.in_place else Severity.ERROR,
        fixable=numbers.start is not None,
        first=numbers.first,
        last=numbers.last,
        ids=mine.keys.height,
        records=theirs.keys.height,
    )


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
    ids = placed[key[0]]
    as_text = ids.cast(pl.String).is_sorted() and not ids.is_sorted()
    which = "text" if as_text else "counted" if len(key) == 1 and counts_up(ids) else ""
    column = opened.table.names.get(key[0], key[0])
    facts = {"key": _named(record.values, key), "reference": theirs.path}
    return [
        tally_one(
            ORDER_DIFFERS,
            At(mine.path, record.line, record.number, column, record.key),
            kind=opened.kind,
            which=which,
            expected=f"the order of {theirs.path}",
            **facts,
        )
    ]


def _named(record: Mapping[str, object], key: Sequence[str]) -> str:
    """A key as a message shows it: `doc_id 7, sentence_id 0`."""
    return ", ".join(f"{name} {record[name]}" for name in key)
