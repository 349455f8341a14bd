"""A judged run and a judged gold -> the two tables that a scorer takes, or nothing where they cannot be scored.

Labels go to the scorer as they are written, so an unknown label is a wrong answer and not a missing one; all else goes
by its reading. What cannot be read stops the scoring. Whatever does is among the findings already, so nothing is
reported here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from sharedtask.converters.spans import read_spans
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.lenient_kind import requiring
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.tasks import TASKS
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.reading import text
from sharedtask.schemas.rule import Severity
from sharedtask.schemas.rules.run import ROW_INDEX_INSTEAD_OF_ID
from sharedtask.schemas.spans import PLACE


@dataclass(frozen=True, slots=True)
class Answers:
    """Keys and labels of the gold, keys and answers of the run.

    `by_position` says that the run's keys were put in by position.
    """

    gold: pl.DataFrame
    run: pl.DataFrame
    by_position: bool = False


def gold_kinds() -> list[Kind]:
    """What a gold may be: the references of the runs that can be scored, of which only keys and labels are required."""
    return [
        requiring(check.reference, {*check.reference.key, *scorer.labels})
        for task in TASKS
        for check in task.run_kinds
        for scorer in [one for one in task.scorers if one.kind == check.run.name][:1]
    ]


def read_answers(
    judge: RunJudge, scorer: Scorer, *, allow_missing: bool, labels: pl.DataFrame | None = None
) -> Answers | None:
    """What the scorer takes, None where there is something that it has no rule for.

    Unread cells and records, repeated, unknown or missing keys. `allow_missing` lets missing keys pass. `labels` are
    those of the gold, if they have been read before.
    """
    run, gold = judge.run, judge.reference
    if run is None or gold is None:
        return None
    key = list(run.opened.kind.key)
    labels = readable(gold, [*key, *scorer.labels]) if labels is None else labels
    answers = readable(run, [column.name for column in run.opened.kind.columns])
    if labels is None or answers is None:
        return None
    by_position = any(
        tally.rule is ROW_INDEX_INSTEAD_OF_ID and tally.severity is not Severity.ERROR for tally in judge.ids
    )
    if by_position:
        answers = answers.with_columns(labels.select(key))
    if answers.select(key).equals(labels.select(key)):
        return Answers(labels, answers, by_position)
    missing_pass = allow_missing or scorer.defines_missing
    if (
        (not scorer.defines_repeated and answers.select(key).is_duplicated().any())
        or (not scorer.defines_unknown and answers.join(labels, on=key, how="anti").height)
        or (not missing_pass and labels.join(answers, on=key, how="anti").height)
    ):
        return None
    return Answers(labels, answers, by_position)


def readable(judged: Judged, names: Sequence[str]) -> pl.DataFrame | None:
    """These columns of a judged file, None where one is not there or anything in them could not be read."""
    if judged.rows > judged.height or not judged.has(names):
        return None
    table = _answers(judged, names)
    return table if all(is_whole(column) for column in table) else None


def unread_cells(judged: Judged, names: Sequence[str]) -> dict[str, int]:
    """How many cells of each of these columns could not be read, by their names in the file; columns without any left out.

    Of columns that are not there nothing is said.
    """
    there = [name for name in names if judged.has([name])]
    official = judged.opened.table.names
    counts = {official.get(column.name, column.name): _count_unread(column) for column in _answers(judged, there)}
    return {name: count for name, count in counts.items() if count}


def _answers(judged: Judged, names: Sequence[str]) -> pl.DataFrame:
    """These columns of a judged file, which are there, as a scorer takes them."""
    there, kind = judged.frame.collect_schema().names(), judged.opened.kind
    as_read = judged.page_form is not None  # What is WHAT
    columns = [pl.col(name) if as_read else _as_written(kind, kind.column(name), there) for name in names]
    return judged.frame.select(columns).collect(engine="streaming")


def _as_written(kind: Kind, column: Column, there: Sequence[str]) -> pl.Expr:
    """A column by its reading, but labels of a closed set as the file has them, where it is text."""
    raw = pl.col(column.raw)
    if column.raw in there and kind.spans is not None and column.name == kind.spans.name:
        fields = tuple(_plain(field) for field in kind.spans.columns if field.name in PLACE)
        read = read_spans(raw, replace(kind.spans, columns=fields))
    else:
        read = _plain(column).reading.parse(raw) if column.raw in there and _is_label(column) else pl.col(column.name)
    return read.alias(column.name)


def _is_label(column: Column) -> bool:
    return isinstance(column.reading.dtype, pl.Enum)


def _plain(column: Column) -> Column:
    return replace(column, reading=text()) if _is_label(column) else column


def is_whole(values: pl.Series) -> bool:
    """Whether every value is there.

    No null, no empty text, no number that is not finite, no span without its place or its label.
    """
    if values.null_count() or (values.dtype.is_float() and not values.is_finite().all()):
        return False
    if values.dtype == pl.String:
        return not (values == "").any()
    if not isinstance(values.dtype, pl.List) or not isinstance(values.dtype.inner, pl.Struct):
        return True
    spans = values.explode(keep_nulls=False, empty_as_null=False).struct.unnest()
    return not any(spans.select(PLACE).null_count().row(0))


def _count_unread(values: pl.Series) -> int:
    """How many values are not there, in the sense of `is_whole`."""
    value = pl.col(values.name)
    odd = value.is_null()
    if values.dtype.is_float():
        odd |= ~value.is_finite()
    elif values.dtype == pl.String:
        odd |= value == ""
    elif isinstance(values.dtype, pl.List) and isinstance(values.dtype.inner, pl.Struct):
        lacks = pl.any_horizontal(pl.element().struct.field(name).is_null() for name in PLACE)
        odd |= value.list.eval(lacks).list.any()
    return int(values.to_frame().select(odd.sum()).item())
