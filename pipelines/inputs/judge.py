"""Judge one input by the rules of its kind."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import polars as pl

from sharedtask.converters.columnar.source import BROKEN, CONTAINERS, damaged
from sharedtask.converters.encoding.byte_facts import classes_lacking
from sharedtask.converters.native_traces import without_traces
from sharedtask.converters.opening import Opened, read_again
from sharedtask.pipelines.inputs.byte_findings import line_ends, nul_bytes
from sharedtask.pipelines.inputs.findings import tallies_of
from sharedtask.pipelines.inputs.page_form import in_page_form
from sharedtask.pipelines.tasks import reviser_of
from sharedtask.schemas.engine.across_rows import across_rows
from sharedtask.schemas.engine.masks import PLACE, Judgement, mask_frame, mask_plans
from sharedtask.schemas.engine.select import Checks, checks_for
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import At, Rule, Severity, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import EMPTY_FILE
from sharedtask.schemas.rules.fmt_values import BAD_VALUE, NULL_VALUE, SPREADSHEET_NUMBER
from sharedtask.schemas.rules.run import EMPTY_RUN
from sharedtask.schemas.spans import SPAN

NOT_OF_THE_FILE = (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaError)  # a plan that asks for the wrong thing
NEWLINE = "newline"  # the class of bytes that only fields of several lines hold
TEXT_FORMS = ("csv", "json", "jsonl")
VALUE_RULES = {BAD_VALUE, NULL_VALUE, SPREADSHEET_NUMBER}


@dataclass(slots=True)
class Judged:
    """An input with its verdict.

    `frame` is what was judged, `height` its records; `rows` counts those that could not be read, too. `beside_ran` says
    that the plans run beside the verdict came to their end. `kept` has `file`, `row` and the short columns, where these
    were to be kept in memory, `distinct` the different values of the columns of which these were asked for. `revised`
    says which causes were found behind the findings, if any.
    """

    opened: Opened
    frame: pl.LazyFrame
    height: int
    rows: int
    judgements: list[Judgement]
    tallies: list[Tally]
    beside_ran: bool = False
    kept: pl.DataFrame | None = None
    distinct: Mapping[str, pl.Series] = field(default_factory=dict)
    revised: "Revised | None" = None

    @property
    def as_meant(self) -> pl.LazyFrame:
        """The frame with the values that were meant where a cause was found: what is written or made from the input."""
        return self.frame if self.revised is None or self.revised.as_meant is None else self.revised.as_meant

    def moved(self, bad: pl.DataFrame) -> dict[str, int]:
        """How many spans `as_meant` has elsewhere than the file, by the rule of the cause; `bad` are records left out."""
        if self.revised is None or self.revised.as_meant is None or self.revised.meant is None:
            return {}
        count = self.revised.meant.join(bad, on="row", how="anti").height
        return {cause.rule.name: count for cause in self.revised.causes if count}

    def columns(self, names: Sequence[str]) -> pl.LazyFrame:
        """These columns of the frame: from memory if they were kept, so that the source is not read again."""
        kept = self.kept
        return (
            self.frame.select(names) if kept is None or not {*names} <= {*kept.columns} else kept.lazy().select(names)
        )

    def has(self, names: Collection[str]) -> bool:
        """Whether the frame has all of these columns."""
        return {*names} <= {*self.frame.collect_schema()}

    @property
    def page_form(self) -> Rule | None:
        """The rule on the form of the competition page, where the input has that form."""
        form = self.opened.kind.page_form
        return form.rule if form is not None and any(tally.rule is form.rule for tally in self.tallies) else None

    @property
    def other_forms(self) -> list[Rule]:
        """The rules on forms that the official reader refuses, where the input has such a form and was read all the same."""
        spans = self.opened.kind.spans
        form = spans.other_forms if spans is not None else None
        mended = [tally.rule for tally in self.tallies if tally.rule is form and tally.fixable]
        return [*filter(None, [self.page_form]), *mended]

    @property
    def is_complete(self) -> bool:
        """Whether every column is there that a file of this kind must have."""
        return self.has([column.name for column in self.opened.kind.columns if not column.optional])


@dataclass(frozen=True, slots=True)
class Revised:
    """A judgement from which symptoms have been taken, and the findings of the causes that explain them.

    `meant` has `row`, `span`, and `start` and `end` as they were meant, of the spans that a cause moves. `as_meant` is
    the frame with these spans there, where the input can be written so.
    """

    judgement: Judgement
    causes: list[Tally]
    meant: pl.DataFrame | None = None
    as_meant: pl.LazyFrame | None = None


class Reviser(Protocol):
    """Replaces symptoms in a judgement by the causes that explain them; `path` is that of the file."""

    def __call__(self, frame: pl.LazyFrame, judgement: Judgement, kind: Kind, path: str) -> Revised: ...


Enrich = Callable[[pl.LazyFrame], pl.LazyFrame]


def judge_input(
    opened: Opened,
    *,
    beside: Sequence[pl.LazyFrame] = (),
    keys: Callable[[], pl.LazyFrame] | None = None,
    enrich: Enrich | None = None,
    revise: Reviser | None = None,
    keep: bool = False,
    distinct: Sequence[str] = (),
) -> Judged:
    """Judge an input in one pass, together with the plans of `beside` (a sink of the same frame).

    Where the reader gives up, or its numbers show that some record was not whole, the file is read another way;
    `beside` is not run again then. `enrich` adds to the frame what the rules of the kind need of another file, `revise`
    looks for causes behind what was found (for a data file the task says how). `keys` gives, after that pass, a frame
    from which the rules across rows read their columns faster than from the source. `keep` keeps the columns that are
    neither text nor lists of spans in memory, and the different values of the columns of `distinct` are collected.
    """
    try:
        with without_traces() if opened.container in CONTAINERS else nullcontext():
            judged = _judged(opened, beside, keys, enrich, revise, keep, distinct)
    except BROKEN as error:
        again = read_again(opened, str(error))
        if again is None and opened.container in CONTAINERS and not isinstance(error, NOT_OF_THE_FILE):
            raise damaged(opened.source, opened.container) from None
        if again is None:
            raise
        return judge_input(again, enrich=enrich, revise=revise, keep=keep, distinct=distinct)
    if isinstance(judged, Opened):
        return judge_input(judged, enrich=enrich, revise=revise, keep=keep, distinct=distinct)
    return judged


def _judged(
    opened: Opened,
    beside: Sequence[pl.LazyFrame],
    keys: Callable[[], pl.LazyFrame] | None,
    enrich: Enrich | None,
    revise: Reviser | None,
    keep: bool,
    distinct: Sequence[str],
) -> Judged | Opened:
    """The verdict, or the input read another way where this one has shown that it misreads records."""
    kind, table, limits = opened.kind, opened.table, opened.limits
    frame = enrich(opened.frame()) if enrich else opened.frame()
    columns = frame.collect_schema().names()
    is_csv = table.form.get("container") == "csv"
    # Until more has been seen; whether fields hold newlines, the numbers of lines and records say.
    lacks = classes_lacking(opened.source.head) | {NEWLINE} if is_csv else frozenset[str]()
    checks = checks_for(kind, columns, max_bytes=limits.field_bytes, lacks=lacks)
    last = pl.col("last").null_count() if "last" in columns else pl.lit(0, pl.UInt32).alias("last")
    every = [pl.col("has_empty", "no_record").any()] if "has_empty" in columns else []  # so that all fields are read
    short = [frame.select(*PLACE, *_short_columns(kind, columns))] if keep else []
    few = [frame.select(name).unique() for name in distinct]
    totals, rows, spans, *others = pl.collect_all(
        [frame.select(pl.len(), last, *every), *mask_plans(frame, kind, checks), *few, *short, *beside],
        engine="streaming",
    )
    values = {name: found.to_series() for name, found in zip(distinct, others, strict=False)}
    kept = others[len(few)] if keep else None
    height, nulls = (int(number) for number in totals.row(0)[:2])
    is_short = table.suspect(height, nulls) or bool(every and totals["no_record"].item())
    again = read_again(opened, None, is_short=is_short)
    if again is not None:
        return again
    seen = keys() if keys is not None else frame
    if kept is not None and all({*check.columns} <= {*kept.columns} for check in checks.table):
        seen = kept.lazy()
    unread = partial(table.unread_keys, kind.key) if table.unread_rows else None
    judgement = Judgement(checks, rows, spans, across_rows(seen, kind, checks, unread))
    revised = revision(frame, judgement, kind, opened.source.path, revise)
    judgement, judgements = revised.judgement, [revised.judgement]
    tallies = [
        *opened.findings,
        *revised.causes,
        *table.tallies,
        *_name_tallies(opened, columns),
        *tallies_of(opened, frame, judgement, limits.findings, revised.meant),
    ]
    tallies = in_page_form(opened, frame, tallies)
    is_text = table.form.get("container") in TEXT_FORMS
    tallies += line_ends(opened) if is_text else []
    if is_csv:
        there = (lacks - opened.source.facts.lacks) - {NEWLINE}
        lines = opened.source.facts.lf - bool(table.form.get("header"))
        there |= {NEWLINE} if lines > height + table.unread_rows else set()
        rare = Checks(tuple(check for check in checks_for(kind, columns).row if check.needs in there), (), ())
        if rare.row:
            judgements.append(_judge_rare(frame, kind, rare))
            tallies += tallies_of(opened, frame, judgements[-1], limits.findings)
    tallies += nul_bytes(opened, tallies) if is_text else []
    records = height + table.unread_rows
    if not records:
        tallies.append(_nothing(opened))
    return Judged(opened, frame, height, records, judgements, tallies, bool(beside), kept, values, revised)


def revision(
    frame: pl.LazyFrame, judgement: Judgement, kind: Kind, path: str, revise: Reviser | None = None
) -> Revised:
    """A judgement with the causes behind what was found: by `revise`, or by what the task knows of its data files.

    Without `revise` nothing is looked for in a file whose records and spans have no findings.
    """
    if revise is None and (judgement.spans.height or judgement.rows.height):
        revise = reviser_of(kind)
    return Revised(judgement, []) if revise is None else revise(frame, judgement, kind, path)


def moved_notes(path: str, moved: Mapping[str, int]) -> list[str]:
    """The note that spans were written elsewhere than their file says; none where they were not."""
    return [
        f"{path}: {plural(count, SPAN)} written with the offsets that were meant ({rule})"
        for rule, count in moved.items()
    ]


def stopping(judged: Judged) -> list[Tally]:
    """The errors of structure and of keys: with them, nothing can be checked against a file or made from it."""
    keys = {judged.opened.table.names.get(name, name) for name in judged.opened.kind.key}

    def stops(tally: Tally) -> bool:
        if tally.severity is not Severity.ERROR or not tally.rule.code.startswith("FMT"):
            return False
        return tally.rule not in VALUE_RULES or tally.column in keys

    return [tally for tally in judged.tallies if stops(tally)]


def _short_columns(kind: Kind, columns: Sequence[str]) -> list[str]:
    """The columns of a kind that are neither text nor lists of spans."""
    spans = kind.spans.name if kind.spans is not None else None
    there = [column for column in kind.columns if column.name in columns and column.name != spans]
    return [column.name for column in there if column.reading.dtype != pl.String]


def _nothing(opened: Opened) -> Tally:
    rule = EMPTY_RUN if opened.kind.is_run else EMPTY_FILE
    which = "header" if opened.table.form.get("header") else "records"
    return tally_one(rule, At(opened.source.path), kind=opened.kind, which=which)


def _name_tallies(opened: Opened, columns: Sequence[str]) -> list[Tally]:
    """What the name of the file promises and its columns do not keep."""
    kind, source = opened.kind, opened.source
    faults = kind.name_faults(source.name, columns) if kind.name_faults else []
    return [
        tally_one(
            fault.rule,
            At(source.path, 1, column=fault.column),
            kind=kind,
            which=fault.which,
            split=fault.split,
        )
        for fault in faults
    ]


def _judge_rare(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> Judgement:
    """The rules that look for bytes which hardly any file has, in a pass of their own once these have been seen."""
    masks = mask_frame(frame, checks.row).collect(engine="streaming")
    spans = masks.clear().with_columns(pl.lit(None, pl.UInt32).alias(SPAN))
    return Judgement(checks, masks, spans, across_rows(frame, kind, checks))
