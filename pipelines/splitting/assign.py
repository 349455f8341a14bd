"""The records of one judged file dealt out by a plan: which record goes to which part."""

from dataclasses import dataclass

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.samples.text import Dice
from sharedtask.pipelines.splitting.dealing import deal
from sharedtask.pipelines.splitting.folding import folded, says_enough
from sharedtask.pipelines.splitting.groups import strata, together
from sharedtask.pipelines.splitting.hashes import Subject
from sharedtask.pipelines.splitting.sizes import Plan
from sharedtask.schemas.kind import Column, Kind

MOST_STRATA = 100
_ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Dealt:
    """`parts` has `row` and `part`, a number from 0, of every record.

    `sizes` is what each part came to, in the unit of the plan.
    """

    parts: pl.DataFrame
    sizes: list[int]


def assign_parts(judged: Judged, subject: Subject, plan: Plan) -> Dealt:
    """Deal the records of a file out to the parts of a plan.

    Raises UnusableError where that cannot be done, naming the reason.
    """
    kind, path = subject.kind, judged.opened.source.path
    grouping = _grouping(kind, subject, plan)
    rows = _rows(judged, subject, plan, grouping)
    unit = together(rows["base"], rows["link"])
    rows = rows.with_columns(unit=unit)
    values = _stratum_values(judged, subject, plan)
    by_unit = rows.group_by("unit").agg(
        pl.col("order").min(),
        pl.col("row").min(),
        records=pl.len(),
        weight=pl.col("document").n_unique() if plan.by == "documents" else pl.col("weight").sum(),
    )
    units = by_unit.sort("order", "unit").with_columns(stratum=pl.lit(""), weight=pl.col("weight").cast(pl.Int64))
    if values is not None:
        of_unit = pl.DataFrame({"row": rows["row"], "unit": rows["unit"]}).join(values, on="row")
        units = units.with_columns(stratum=strata(of_unit.select("unit", "value"), units["unit"]))
        _refuse_strata(units, plan, path)
    targets = plan.targets(int(units["weight"].sum()))
    _refuse_large(judged, units, targets, plan, grouping)
    dealt = deal(units, targets)
    sizes = {part: int(weight) for part, weight in dealt.group_by("part").agg(pl.col("weight").sum()).iter_rows()}
    _refuse_empty(judged, units, set(dealt["part"]), targets, plan, grouping)
    parts = rows.select("row", "unit").join(dealt.select("unit", "part"), on="unit").select("row", "part").sort("row")
    return Dealt(parts, [sizes.get(at, 0) for at in range(len(targets))])


def named_column(kind: Kind, name: str) -> tuple[Column, bool]:
    """The column of this canonical or official name, and whether it is one of the spans.

    Raises UnusableError where there is none.
    """
    spans = kind.spans.columns if kind.spans else ()
    for columns, nested in ((kind.columns, False), (spans, True)):
        for column in columns:
            if name in (column.name, column.official):
                return column, nested
    known = ", ".join(column.official for column in (*kind.columns, *spans))
    raise UnusableError(f"{kind.name} has no column {name!r}; its columns are {known}")


def _grouping(kind: Kind, subject: Subject, plan: Plan) -> str | None:
    """The column whose values stay whole: the one that is asked for, or the documents where sizes go by these."""
    if plan.group_by:
        column, nested = named_column(kind, plan.group_by)
        if nested:
            raise UnusableError(f"{plan.group_by} describes spans; expected a column of the records to group by")
        return column.name
    return subject.group if plan.by == "documents" else None


def _rows(judged: Judged, subject: Subject, plan: Plan, grouping: str | None) -> pl.DataFrame:
    """`row, order, base, link, weight, document` of each record.

    Its place by chance, its group, the text that it shares, what it weighs.
    """
    kind, columns = subject.kind, judged.frame.collect_schema().names()
    if grouping and grouping not in columns:
        raise UnusableError(f"{judged.opened.source.path}: has no column {kind.column(grouping).official}")
    if plan.by == "spans" and (kind.spans is None or kind.spans.name not in columns):
        raise UnusableError(
            f"{judged.opened.source.path}: its records have no lists of spans; count the sizes by rows or documents"
        )
    words = folded(pl.col(subject.text)).fill_null("")
    spans = pl.col(kind.spans.name).list.len().fill_null(0) if plan.by == "spans" and kind.spans else pl.lit(1)
    group = pl.col(grouping).hash() if grouping else pl.lit(None, pl.UInt64)
    own = pl.lit(1 << 40, pl.UInt64) + pl.col("row")  # a number that no group has
    rows = judged.frame.select(
        "row",
        *kind.key,
        group=pl.when(pl.col(grouping).is_not_null()).then(group) if grouping else group,
        text=pl.when(says_enough(words)).then(words.hash()),
        weight=spans.cast(pl.Int64),
        owner=pl.col(subject.group).hash() if subject.group else pl.lit(None, pl.UInt64),
    ).collect(engine="streaming")
    mixed = pl.lit(0, pl.UInt64)
    for name in kind.key:
        mixed = mixed * _word(_ODD) + pl.col(name).cast(pl.Int64).reinterpret(signed=False)
    return (
        rows.with_columns(mixed=mixed)
        .with_columns(
            order=Dice(plan.seed, "mixed").bits("splits"),
            base=pl.coalesce(pl.col("group").rank("dense").cast(pl.UInt64), own),
            link=pl.when(not (plan.shared_texts and grouping is not None)).then("text"),
            document=pl.coalesce("owner", "text", own),
        )
        .select("row", "order", "base", "link", "weight", "document")
    )


def _word(value: int) -> pl.Expr:
    return pl.lit(value, pl.UInt64)


def _stratum_values(judged: Judged, subject: Subject, plan: Plan) -> pl.DataFrame | None:
    """`row, value`: the values of each record by which it is stratified, as text; None for a plan without strata."""
    if plan.method == "random":
        return None
    kind, path = subject.kind, judged.opened.source.path
    name = plan.stratify or next(iter(subject.labels), None)
    if name is None:
        raise UnusableError(f"{path}: a {kind.name} file has no labels to stratify by; name a column with --stratify")
    column, nested = named_column(kind, name)
    place = kind.spans.name if nested and kind.spans else column.name
    if place not in judged.frame.collect_schema().names():
        raise UnusableError(f"{path}: has no column {column.official} to stratify by")
    value = pl.col(place)
    if isinstance(column.reading.dtype, pl.List) or nested:
        if kind.spans and place == kind.spans.name:
            value = value.list.eval(pl.element().struct.field(column.name if nested else "label"))
        values = judged.frame.select("row", value=value).explode("value", empty_as_null=True)
    else:
        values = judged.frame.select("row", value=value)
    found = values.with_columns(pl.col("value").cast(pl.String)).collect(engine="streaming")
    if found["value"].n_unique() > MOST_STRATA:
        raise UnusableError(
            f"{path}: {column.official} has more than {MOST_STRATA} different values; expected fewer strata"
        )
    return found


def _refuse_strata(units: pl.DataFrame, plan: Plan, path: str) -> None:
    for value, count in units.group_by("stratum").len().sort("stratum").iter_rows():
        if count < 2:
            what = "record" if int(units.filter(pl.col("stratum") == value)["records"].item()) == 1 else "group"
            column = plan.stratify or "its labels"
            raise UnusableError(
                f"{path}: the stratum {value} of {column} has one {what}, which cannot be in {len(plan.parts)} parts"
            )


def _refuse_large(judged: Judged, units: pl.DataFrame, targets: list[int], plan: Plan, grouping: str | None) -> None:
    largest = units.sort("weight", "order", descending=[True, False]).row(0, named=True)
    if largest["weight"] > max(targets):
        name = plan.names[targets.index(max(targets))]
        raise UnusableError(
            f"{_unit_named(judged, largest, grouping, plan)} is larger than the largest part, {name} with {max(targets)}"
        )


def _refuse_empty(
    judged: Judged, units: pl.DataFrame, filled: set[int], targets: list[int], plan: Plan, grouping: str | None
) -> None:
    for at, target in enumerate(targets):
        if at not in filled and target == 0:
            raise UnusableError(
                f"{judged.opened.source.path}: {sum(targets)} {plan.by} are too few; the part {plan.names[at]} would get none"
            )
        if at not in filled:
            smallest = units.sort("weight", "order").row(0, named=True)
            raise UnusableError(
                f"the part {plan.names[at]}, {target} {plan.by}, stays empty: "
                f"{_unit_named(judged, smallest, grouping, plan)} is the smallest unit"
            )


def _unit_named(judged: Judged, unit: dict[str, int], grouping: str | None, plan: Plan) -> str:
    """What is dealt as one, by its group, or by the key of its first record."""
    names = [grouping] if grouping else list(judged.opened.kind.key)
    record = judged.frame.filter(pl.col("row") == unit["row"]).select(names).collect(engine="streaming").row(0)
    shown = ", ".join(
        f"{judged.opened.table.names.get(name, name)} {str(value)[:60]}"
        for name, value in zip(names, record, strict=True)
    )
    what = "the group" if grouping else "the text"
    return f"{judged.opened.source.path}: {what} of {shown} ({unit['weight']} {plan.by})"
