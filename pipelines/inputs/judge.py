"""Judge one input by the rules of its kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from sharedtask.converters.encoding.byte_facts import classes_lacking, line_of
from sharedtask.converters.opening import Intake
from sharedtask.pipelines.inputs.findings import tallies_of
from sharedtask.schemas.engine.masks import PLACE, Judgement, across_rows, mask_frame, mask_plans
from sharedtask.schemas.engine.select import Checks, checks_for
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally, tally_one
from sharedtask.schemas.rules.fmt_files import CRLF_LINE_ENDS, EMPTY_FILE, NOT_UTF8, NUL_BYTE
from sharedtask.schemas.rules.run import EMPTY_RUN

TEXT_FORMS = ("csv", "json", "jsonl")


@dataclass(slots=True)
class Judged:
    """An input with its verdict.

    `frame` is what was judged, `height` its records; `rows` counts those that could not be read, too. `beside_ran` says that the plans
    run beside the verdict came to their end. `kept` has `file`, `row` and the short columns, where these were to be kept in memory.
    """

    intake: Intake
    frame: pl.LazyFrame
    height: int
    rows: int
    judgements: list[Judgement]
    tallies: list[Tally]
    beside_ran: bool = False
    kept: pl.DataFrame | None = None

    def columns(self, names: Sequence[str]) -> pl.LazyFrame:
        """These columns of the frame: from memory if they were kept, so that the source is not read again."""
        kept = self.kept
        return (
            self.frame.select(names) if kept is None or not {*names} <= {*kept.columns} else kept.lazy().select(names)
        )


@dataclass(frozen=True, slots=True)
class Revised:
    """A judgement from which symptoms have been taken, and the findings of the causes that explain them."""

    judgement: Judgement
    causes: list[Tally]


Revise = Callable[[pl.LazyFrame, Judgement], Revised]


def judge_intake(
    intake: Intake,
    *,
    limit: int,
    max_bytes: int = MAX_FIELD_BYTES,
    beside: Sequence[pl.LazyFrame] = (),
    keys: Callable[[], pl.LazyFrame] | None = None,
    revise: Revise | None = None,
    keep: bool = False,
) -> Judged:
    """Judge an input in one pass, together with the plans of `beside` (a sink of the same frame).

    Where the fast reader gives up, or its nulls show a short record, the file is read again by the explainer; `beside` is not run
    again then. `revise` looks for causes behind what was found. `keys` gives, after that pass, a frame from which the rules across rows
    read their columns faster than from the source. `keep` keeps the columns that are no text and no list of spans in memory.
    """
    try:
        judged = _run(intake, limit, max_bytes, beside, keys, revise, keep)
    except pl.exceptions.PolarsError as error:
        if not intake.retry(str(error)):
            raise
        return judge_intake(intake, limit=limit, max_bytes=max_bytes, revise=revise, keep=keep)
    if judged is None:
        return judge_intake(intake, limit=limit, max_bytes=max_bytes, revise=revise, keep=keep)
    return judged


def _run(
    intake: Intake,
    limit: int,
    max_bytes: int,
    beside: Sequence[pl.LazyFrame],
    keys: Callable[[], pl.LazyFrame] | None,
    revise: Revise | None,
    keep: bool,
) -> Judged | None:
    frame, kind, table = intake.frame(), intake.kind, intake.table
    columns = frame.collect_schema().names()
    is_csv = table.form.get("container") == "csv"
    lacks = classes_lacking(intake.source.head) if is_csv else frozenset()  # until more has been seen
    checks = checks_for(kind, columns, given=not table.typed, max_bytes=max_bytes, lacks=lacks)
    last = pl.col("last").null_count() if "last" in columns else pl.lit(0, pl.UInt32).alias("last")
    short = [frame.select(*PLACE, *_short_columns(kind, columns))] if keep else []
    totals, rows, spans, *others = pl.collect_all(
        [frame.select(pl.len(), last), *mask_plans(frame, kind, checks), *short, *beside], engine="streaming"
    )
    kept = others[0] if keep else None
    height, nulls = (int(number) for number in totals.row(0))
    if intake.mend_returns() or (table.suspect(height, nulls) and intake.explain()):
        return None
    seen = keys() if keys is not None else frame
    if kept is not None and all({*check.columns} <= {*kept.columns} for check in checks.table):
        seen = kept.lazy()
    unread = partial(table.unread_keys, kind.key) if table.unread_rows else None
    judgement = Judgement(checks, rows, spans, across_rows(seen, kind, checks, unread))
    revised = revise(frame, judgement) if revise else Revised(judgement, [])
    judgement, judgements = revised.judgement, [revised.judgement]
    tallies = [
        *intake.tallies,
        *revised.causes,
        *table.tallies,
        *_name_tallies(intake, columns),
        *tallies_of(intake, frame, judgement, limit),
    ]
    if table.form.get("container") in TEXT_FORMS:
        tallies += _line_ends(intake)
    if is_csv:
        there = lacks - intake.source.facts.lacks
        rare = Checks(tuple(check for check in checks_for(kind, columns).row if check.needs in there), (), ())
        if rare.row:
            judgements.append(_judge_rare(frame, kind, rare))
            tallies += tallies_of(intake, frame, judgements[-1], limit)
    if table.form.get("container") in TEXT_FORMS:
        tallies += _nul_bytes(intake, tallies)
    records = height + table.unread_rows
    if not records:
        tallies.append(_nothing(intake))
    return Judged(intake, frame, height, records, judgements, tallies, bool(beside), kept)


def _short_columns(kind: Kind, columns: Sequence[str]) -> list[str]:
    """The columns of a kind that are neither text nor lists of spans."""
    spans = kind.spans.name if kind.spans is not None else None
    there = [column for column in kind.columns if column.name in columns and column.name != spans]
    return [column.name for column in there if column.reading.dtype != pl.String]


def _nothing(intake: Intake) -> Tally:
    rule = EMPTY_RUN if intake.kind.is_run else EMPTY_FILE
    return tally_one(rule, intake.kind.name, "the file has a header and no record", file=intake.source.path)


def _name_tallies(intake: Intake, columns: Sequence[str]) -> list[Tally]:
    """What the name of the file promises and its columns do not keep."""
    kind, source = intake.kind, intake.source
    faults = kind.name_faults(source.name, columns) if kind.name_faults else []
    return [
        tally_one(rule, kind.name, message, file=source.path, line=1, column=column, hint=rule.hint)
        for rule, column, message in faults
    ]


def _line_ends(intake: Intake) -> list[Tally]:
    facts = intake.source.facts
    if not facts.crlf:
        return []
    message = "the lines end with CRLF" if facts.crlf == facts.lf else f"{facts.crlf} of {facts.lf} lines end with CRLF"
    return [tally_one(CRLF_LINE_ENDS, intake.kind.name, message, file=intake.source.path)]


def _nul_bytes(intake: Intake, told: Sequence[Tally]) -> list[Tally]:
    """NUL where no rule of a column finds it: in a header, in a column more, in the syntax of JSON. Wide encodings are full of it."""
    if not intake.source.facts.nul or any(tally.rule in (NUL_BYTE, NOT_UTF8) for tally in told):
        return []
    line = line_of(intake.source.local, b"\0")
    return [tally_one(NUL_BYTE, intake.kind.name, "a NUL stands here", file=intake.source.path, line=line)]


def _judge_rare(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> Judgement:
    """The rules that look for bytes which hardly any file has, in a pass of their own once these have been seen."""
    masks = mask_frame(frame, checks.row).collect(engine="streaming")
    spans = masks.clear().with_columns(span=pl.lit(None, pl.UInt32))
    return Judgement(checks, masks, spans, across_rows(frame, kind, checks))
