"""The canonical frame of a run with its safe repairs: values, ids, records that are missing, and their order."""

from dataclasses import dataclass, replace

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.ids_against_reference import keys_by_row_number
from sharedtask.pipelines.runs.mended import CHANGES, GIVEN_RECORD, PLACE, Mended, no_changes
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.schemas.engine.masks import failing
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.catalogue import find
from sharedtask.schemas.rules.run import (
    MISSING_ID,
    NO_COMMON_ID,
    ORDER_DIFFERS,
    ROW_INDEX_INSTEAD_OF_ID,
    WRONG_SPLIT,
)

AT = "repair.at"  # the place of a record among the others
NOT_THE_RUN_OF_THIS = (NO_COMMON_ID, WRONG_SPLIT)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asks for beyond the safe repairs: answers as `template` has them.

    `fill_missing` for the ids that the run lacks, `unreadable_as_empty` for answers and records that cannot be read. With
    `place` spans are put where their text is: by their order (`exact`) or by their offset (`nearest`).
    """

    fill_missing: bool = False
    unreadable_as_empty: bool = False
    place: str = "none"


SAFE_ONLY = Wishes()


@dataclass(frozen=True, slots=True)
class Repaired:
    """A run with its repairs, its records in the order in which they are written.

    `unread` are the records that cannot be read: `after` is how many of the others go before one, `record` its text.
    """

    mended: Mended
    unread: pl.DataFrame


def repaired_values(run: Judged, reference: Judged, how: RunKind, before: Report, wishes: Wishes) -> Repaired:
    """The canonical run with every safe repair, and those that were asked for; its raw columns stay beside it."""
    frame = run.frame.collect(engine="streaming")
    # Row numbers say which texts the records are about only once they are ids.
    place = "none" if breaks(before, ROW_INDEX_INSTEAD_OF_ID) else wishes.place
    mended = how.mend(_by_rules(frame, run), run, place)
    mended = replace(mended, frame=mended.frame.with_columns(pl.col("row").cast(pl.Float64).alias(AT)))
    unread = _unread(run)
    kind, keys = run.opened.kind, _keys(reference, run.opened.kind)
    if breaks(before, ROW_INDEX_INSTEAD_OF_ID):
        mended = _by_row_number(mended, keys_by_row_number(run, reference), kind)
    elif not any(breaks(before, rule) for rule in NOT_THE_RUN_OF_THIS):
        empty = how.empty(reference.frame).collect(engine="streaming")
        if wishes.unreadable_as_empty:
            mended, unread = _answered(mended, unread, empty, run)
        if wishes.fill_missing:
            mended = _filled(mended, unread, empty, kind)
    return _in_order(mended, unread, keys, kind, sort=wishes.fill_missing or breaks(before, ORDER_DIFFERS))


def breaks(report: Report, rule: Rule) -> bool:
    """Whether a finding of the report is one of this rule."""
    return any(one.rule is rule for one in report.rules())


def _by_rules(frame: pl.DataFrame, run: Judged) -> pl.DataFrame:
    """The repairs that rules on single records bring with them."""
    for judgement in run.judgements:
        for each in judgement.checks.row:
            fails = each.fails.fill_null(value=False)
            frame = frame.with_columns(
                pl.when(fails).then(value).otherwise(pl.col(name)).alias(name) for name, value in each.repair.items()
            )
    return frame


def _keys(reference: Judged, kind: Kind) -> pl.DataFrame:
    """The keys of the reference, and the `place` of each."""
    keys = reference.columns(["row", *kind.key]).drop_nulls(list(kind.key)).unique(list(kind.key), keep="first")
    return keys.rename({"row": "place"}).sort("place").collect(engine="streaming")


def _unread(run: Judged) -> pl.DataFrame:
    """The records that cannot be read: their text, keys as far as there are any, rules, and place among the others."""
    key, table = list(run.opened.kind.key), run.opened.table
    if not table.unread_rows:
        numbers = {name: pl.Int64() for name in key}
        return pl.DataFrame(schema={"record": pl.String(), **numbers, "rules": pl.List(pl.String), AT: pl.Float64()})
    unread = table.unread_with_keys(key).collect(engine="streaming").with_row_index("number")
    lines = pl.Series(table.lines(range(run.height)), dtype=pl.Int64).drop_nulls()
    before = pl.Series(lines.search_sorted(unread["line"].cast(pl.Int64).fill_null(0)), dtype=pl.Float64)
    # Behind the record before it, and in front of the next; those side by side in their order.
    return unread.with_columns(before - 0.75 + unread["number"] / (unread.height + 1) / 2).rename({"": AT})


def _by_row_number(mended: Mended, ids: pl.Series | None, kind: Kind) -> Mended:
    """The ids of the reference in the place of row numbers; as it is where these do not say which records they mean."""
    if ids is None:
        return mended
    frame = mended.frame.with_columns(pl.coalesce(ids, pl.col(kind.key[0])).alias(kind.key[0]))
    repair = Repair(ROW_INDEX_INSTEAD_OF_ID, len(ids) - ids.null_count(), "record")
    return replace(mended, frame=frame, repairs=[repair, *mended.repairs])


def _answered(mended: Mended, unread: pl.DataFrame, empty: pl.DataFrame, run: Judged) -> tuple[Mended, pl.DataFrame]:
    """Answers that cannot be read as `template` has them, and so the records of which only the key can be made out."""
    kind, frame = run.opened.kind, mended.frame
    key = list(kind.key)
    answers = [column.name for column in kind.columns if column.name not in key and column.name in frame.columns]
    required = [name for name in answers if not kind.column(name).nullable]
    lost = frame.select(bad=pl.any_horizontal(pl.col(required).is_null())).to_series()
    lost |= frame["row"].is_in(mended.as_given.implode())
    known = frame.select(key).join(empty.with_columns(there=True), on=key, how="left", maintain_order="left")
    lost &= known["there"].fill_null(value=False)
    rows = frame.filter(lost).select("row")
    frame = frame.with_columns(
        pl.when(lost).then(known[name].cast(frame.schema[name])).otherwise(pl.col(name)).alias(name) for name in answers
    )
    repairs = _why_lost(run, rows)
    there = unread.join(empty, on=key, how="inner", maintain_order="left", nulls_equal=False)
    there = there.unique(key, keep="first", maintain_order=True).join(frame.select(key), on=key, how="anti")
    if there.height:
        repairs += [
            Repair(find(name), count, "record", "emptied")
            for name, count in there["rules"].explode().value_counts().rows()
        ]
        there = there.sort(AT).rename({"record": GIVEN_RECORD})
        types = {name: frame.schema[name] for name in (*key, *answers)}
        added = there.select(*types, AT, GIVEN_RECORD).cast(types)  # type: ignore[arg-type]
        frame = pl.concat([frame, added], how="diagonal").sort(AT, maintain_order=True)
        unread = unread.join(there.select("number"), on="number", how="anti", maintain_order="left")
    as_given = mended.as_given.filter(~mended.as_given.is_in(rows["row"].implode()))
    changed = replace(mended, frame=frame, repairs=[*mended.repairs, *repairs], as_given=as_given, emptied=rows["row"])
    return changed, unread


def _why_lost(run: Judged, rows: pl.DataFrame) -> list[Repair]:
    """For which rules answers of these records could not be read: the first that each record breaks."""
    left, repairs = rows, list[Repair]()
    for judgement in run.judgements:
        parts = ((judgement.rows, judgement.checks.row), (judgement.spans, judgement.checks.span))
        for masks, checks in parts:
            for bit, check in enumerate(checks):
                if check.mended or check.repair or check.column in run.opened.kind.key:
                    continue
                broken = failing(masks, bit).select("row")
                repairs.append(Repair(check.rule, left.join(broken, on="row", how="semi").height, "record", "emptied"))
                left = left.join(broken, on="row", how="anti")
    return repairs


def _filled(mended: Mended, unread: pl.DataFrame, empty: pl.DataFrame, kind: Kind) -> Mended:
    """The ids that the run lacks, answered as `template` does."""
    key, frame = list(kind.key), mended.frame
    lacking = empty.join(frame.select(key), on=key, how="anti", maintain_order="left")
    if unread.height:
        lacking = lacking.join(unread.select(key), on=key, how="anti", maintain_order="left")
    added = lacking.cast({name: frame.schema[name] for name in lacking.columns if name in frame.columns})
    frame = pl.concat([frame, added], how="diagonal")
    return replace(
        mended, frame=frame, repairs=[*mended.repairs, Repair(MISSING_ID, lacking.height, "record", "added")]
    )


def _in_order(mended: Mended, unread: pl.DataFrame, keys: pl.DataFrame, kind: Kind, *, sort: bool) -> Repaired:
    """The records in the order of the reference if that is asked for, those that cannot be read among them.

    One of which no key of the reference can be made out stays behind its neighbour.
    """
    key = list(kind.key)
    known = mended.frame.with_row_index("known").select("known", *key, AT)
    every = pl.concat([known, unread.select(*key, AT, "record")], how="diagonal").sort(AT, nulls_last=True)
    moved = no_changes()
    if sort:
        placed = every.join(keys, on=key, how="left", maintain_order="left")
        neighbour = pl.when(pl.col("record").is_not_null()).then(pl.col("place").forward_fill())
        placed = placed.with_columns(pl.coalesce("place", neighbour)).sort(
            "place", nulls_last=True, maintain_order=True
        )
        moved = _moved(placed.drop_nulls(AT), mended.frame["row"])
        every = placed
    frame = mended.frame[every["known"].drop_nulls()].drop(AT)
    before = pl.col("known").is_not_null().cum_sum().cast(pl.Int64)
    between = every.with_columns(after=before).drop_nulls("record").select("after", "record")
    repairs = [*mended.repairs, Repair(ORDER_DIFFERS, moved.height, "record")]
    changes = pl.concat([mended.changes, moved])
    return Repaired(replace(mended, frame=frame, repairs=repairs, changes=changes), between)


def _moved(given: pl.DataFrame, rows: pl.Series) -> pl.DataFrame:
    """The changes of the records of the run that are at another place among those than they were.

    `given` has their number in the frame (`known`, null for one that cannot be read) and their place before.
    """
    rank = given[AT].rank("ordinal").cast(pl.UInt32)
    places = given.select("known", before=rank, after=pl.int_range(1, pl.len() + 1))
    moved = places.filter(pl.col("before") != pl.col("after"))
    return moved.select(
        rows.gather(moved["known"]).alias("row"), column=pl.lit(PLACE), span=None, before="before", after="after"
    ).cast(CHANGES)  # type: ignore[arg-type]
