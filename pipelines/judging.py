"""Judge one input by the rules of its kind, and put what was found into words and places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import polars as pl

from sharedtask.pipelines.intake import Intake
from sharedtask.schemas.engine import (
    Checks,
    Judgement,
    across_rows,
    checks_for,
    counts,
    failing,
    mask_frame,
    mask_plans,
)
from sharedtask.schemas.file_rules import CRLF_LINE_ENDS, EMPTY_FILE
from sharedtask.schemas.kind import Check, Kind, View
from sharedtask.schemas.rule import Rule, Tally, Violation, tally_one
from sharedtask.schemas.run_rules import EMPTY_RUN
from sharedtask.schemas.text_checks import MAX_FIELD_BYTES

TEXT_FORMS = ("csv", "json", "jsonl")
LONGEST_VALUE = 120  # characters of a value that a finding shows


@dataclass(slots=True)
class Judged:
    """An input with its verdict.

    `frame` is what was judged, `height` its records; `rows` counts those that could not be read, too. `beside_ran` says that the plans
    run beside the verdict came to their end.
    """

    intake: Intake
    frame: pl.LazyFrame
    height: int
    rows: int
    judgements: list[Judgement]
    tallies: list[Tally]
    beside_ran: bool = False


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
) -> Judged:
    """Judge an input in one pass, together with the plans of `beside` (a sink of the same frame).

    Where the fast reader gives up, or its nulls show a short record, the file is read again by the explainer; `beside` is not run
    again then. `revise` looks for causes behind what was found. `keys` gives, after that pass, a frame from which the rules across rows read their columns faster than from the source.
    """
    try:
        judged = _run(intake, limit, max_bytes, beside, keys, revise)
    except pl.exceptions.PolarsError:
        if not intake.retry():
            raise
        return judge_intake(intake, limit=limit, max_bytes=max_bytes, revise=revise)
    if judged is None:
        intake.explain()
        return judge_intake(intake, limit=limit, max_bytes=max_bytes, revise=revise)
    return judged


def _run(
    intake: Intake,
    limit: int,
    max_bytes: int,
    beside: Sequence[pl.LazyFrame],
    keys: Callable[[], pl.LazyFrame] | None,
    revise: Revise | None,
) -> Judged | None:
    frame, kind, table = intake.frame(), intake.kind, intake.table
    columns = frame.collect_schema().names()
    is_csv = table.form.get("container") == "csv"
    lacks = frozenset({"nul", "c0"}) if is_csv else frozenset()
    checks = checks_for(kind, columns, given=not table.typed, max_bytes=max_bytes, lacks=lacks)
    last = pl.col("last").null_count() if "last" in columns else pl.lit(0, pl.UInt32).alias("last")
    totals, rows, spans, *_ = pl.collect_all(
        [frame.select(pl.len(), last), *mask_plans(frame, kind, checks), *beside], engine="streaming"
    )
    height, nulls = (int(number) for number in totals.row(0))
    if table.suspect(height, nulls):
        return None
    judgement = Judgement(checks, rows, spans, across_rows(frame if keys is None else keys(), kind, checks))
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
    unread = int(table.unread.select(pl.len()).collect().item())
    if height + unread == 0:
        tallies.append(_nothing(intake))
    return Judged(intake, frame, height, height + unread, judgements, tallies, bool(beside))


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


def _judge_rare(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> Judgement:
    """The rules that look for bytes which hardly any file has, in a pass of their own once these have been seen."""
    masks = mask_frame(frame, checks.row).collect(engine="streaming")
    spans = masks.clear().with_columns(span=pl.lit(None, pl.UInt32))
    return Judgement(checks, masks, spans, across_rows(frame, kind, checks))


def tallies_of(intake: Intake, frame: pl.LazyFrame, judgement: Judgement, limit: int) -> list[Tally]:
    """The tallies of a judgement: exact counts, and the first `limit` findings of each check with place, key and value."""
    found = _Samples(intake, frame, limit)
    for masks, checks in ((judgement.rows, judgement.checks.row), (judgement.spans, judgement.checks.span)):
        for bit, (check, count) in enumerate(zip(checks, counts(masks, checks), strict=True)):
            if count:
                found.want(check, failing(masks, bit).head(limit), count)
    tallies = found.tallies()
    for name in judgement.across["rule"].unique(maintain_order=True):
        tallies.append(_across(intake, frame, judgement, name, limit))
    return tallies


class _Samples:
    """Gathers the places of which something must be shown, and fetches them all with one query a view."""

    def __init__(self, intake: Intake, frame: pl.LazyFrame, limit: int) -> None:
        self.intake, self.frame, self.limit = intake, frame, limit
        self.wanted: list[tuple[Check, pl.DataFrame, int]] = []

    def want(self, check: Check, places: pl.DataFrame, count: int) -> None:
        self.wanted.append((check, places, count))

    def tallies(self) -> list[Tally]:
        if not self.wanted:
            return []
        rows = sorted({row for _, places, _ in self.wanted for row in places["row"]})
        records = records_of(self.intake, self.frame, rows)
        return [self._tally(check, places, count, records) for check, places, count in self.wanted]

    def _tally(self, check: Check, places: pl.DataFrame, count: int, records: dict[int, dict[str, object]]) -> Tally:
        severity = check.severity or check.rule.severity_for(self.intake.kind.name)
        shown = [self._violation(check, place, records[place["row"]]) for place in places.iter_rows(named=True)]
        if check.once:
            first = shown[0]
            details = {"affected": count}
            one = Violation(
                check.rule,
                severity,
                first.message,
                first.file,
                column=first.column,
                expected=first.expected,
                details=details,
                line=first.line,
                row=first.row,
            )
            return Tally(check.rule, severity, 1, (one,))
        return Tally(check.rule, severity, count, tuple(shown))

    def _violation(self, check: Check, place: dict[str, int], record: dict[str, object]) -> Violation:
        kind, table = self.intake.kind, self.intake.table
        span = place.get("span")
        nested = kind.spans is not None and check.view is View.SPAN
        name = kind.spans.name if nested and kind.spans else check.column
        column = table.names.get(name, name)
        details: dict[str, object] = {}
        if check.view is View.SPAN:
            details, value = _span_details(kind, record, span, check.column)
        else:
            value = _value_of(check.column, record)
        message = str(record["tags.bad"]) if check.column == "spans" and record.get("tags.bad") else check.message
        text = (
            message
            if message != check.message
            else message.format(column=column, value=_shown(value), wanted=check.wanted)
        )
        return Violation(
            check.rule,
            check.severity or check.rule.severity_for(kind.name),
            text,
            self.intake.source.path,
            line=cast("int | None", record["line"]),
            row=place["row"] + 1,
            column=column,
            key=cast("dict[str, object]", record["key"]),
            value=_clipped(value),
            expected=check.wanted or None,
            span=span,
            details=details,
        )


def _value_of(column: str, record: dict[str, object]) -> object:
    raw = record.get(f"raw.{column}", record.get(column))
    return record.get("cell", raw) if isinstance(raw, list) else raw


def _span_details(
    kind: Kind, record: dict[str, object], span: int | None, column: str
) -> tuple[dict[str, object], object]:
    """A span with its context, the span itself marked; and what to show as its value."""
    fields: dict[str, object] = record
    raw: dict[str, object] = {
        name.removeprefix("raw."): value for name, value in record.items() if name.startswith("raw.")
    }
    if kind.spans and span is not None:
        fields = cast("list[dict[str, object]]", record[kind.spans.name])[span]
        listed = record.get(f"raw.{kind.spans.name}")
        raw = cast("list[dict[str, object]]", listed)[span] if isinstance(listed, list) else fields
    start, end, text = fields.get("start"), fields.get("end"), record.get("text")
    details = {"start": start, "end": end, "label": fields.get("label")}
    if isinstance(text, str) and isinstance(start, int) and isinstance(end, int):
        first, last = max(min(start, len(text)), 0), max(min(end, len(text)), 0)
        details["context"] = f"{text[max(first - 20, 0) : first]}⟦{text[first:last][:80]}⟧{text[last : last + 20]}"
    if column in ("start", "end") and not _unreadable(fields, raw):
        return details, f"[{start}, {end})"
    return details, raw.get(column) if column != "spans" else {
        key: value for key, value in raw.items() if value is not None
    }


def _unreadable(fields: dict[str, object], raw: dict[str, object]) -> bool:
    return any(
        fields.get(name) is None or (raw.get(name) is not None and str(raw[name]) != str(fields[name]))
        for name in ("start", "end")
    )


def records_of(intake: Intake, frame: pl.LazyFrame, rows: Sequence[int]) -> dict[int, dict[str, object]]:
    """The records of these row numbers (from 0) with all columns, their physical `line`, and their `key` by the file's own names."""
    if not rows:
        return {}
    kind, table = intake.kind, intake.table
    taken = frame.head(max(rows) + 1).filter(pl.col("row").is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
    lines = dict(zip(rows, table.lines(rows), strict=True))
    records = {}
    for record in taken.collect(engine="streaming").iter_rows(named=True):
        record["line"] = lines[record["row"]]
        record["key"] = {
            table.names.get(name, name): record[name] if record[name] is not None else record.get(f"raw.{name}")
            for name in kind.key
            if name in record
        }
        records[record["row"]] = record
    return records


def _across(intake: Intake, frame: pl.LazyFrame, judgement: Judgement, name: str, limit: int) -> Tally:
    """The findings of one rule across rows."""
    found = judgement.across.filter(pl.col("rule") == name)
    rule = next(rule for check in judgement.checks.table for rule in check.rules if rule.name == name)
    shown = found.head(limit)
    records = records_of(intake, frame, sorted(set(shown["row"])))
    severity = rule.severity_for(intake.kind.name)
    violations = [_across_violation(intake, rule, one, records[one["row"]]) for one in shown.iter_rows(named=True)]
    return Tally(rule, severity, int(found["times"].sum()), tuple(violations))


def _across_violation(intake: Intake, rule: Rule, one: dict[str, object], record: dict[str, object]) -> Violation:
    kind, names = intake.kind, intake.table.names
    span = cast("int | None", one["span"])
    column = str(one["column"])
    details: dict[str, object] = {}
    if span is not None:
        details, _ = _span_details(kind, record, span, column)
    if kind.spans and column not in names:
        column = kind.spans.name
    rows = cast("list[int]", one["rows"])
    if len(rows) > 1:
        details["rows"] = [row + 1 for row in sorted(rows)[:20]]
    key = cast("dict[str, object]", record["key"])
    if rule.name in KEY_OF:
        wanted = [names.get(name, name) for name in KEY_OF[rule.name]]
        key = {name: key[name] for name in wanted}
    placed = rule.name not in KEY_OF or key
    return Violation(
        rule,
        rule.severity_for(kind.name),
        str(one["message"]),
        intake.source.path,
        line=cast("int | None", record["line"]) if placed else None,
        row=cast("int", one["row"]) + 1 if placed else None,
        column=names.get(column, column),
        key=key or None,
        span=span,
        details=details,
    )


# What a finding across rows is about, where it is not a record: the part of the key that it shares, or the whole file.
KEY_OF: dict[str, tuple[str, ...]] = {
    "sentence-gap": ("doc_id",),
    "split-document": ("doc_id",),
    "annotation-count": ("id",),
    "hard-labels": (),
    "constant-probability": (),
}


def _shown(value: object) -> str:
    return "empty" if value is None else repr(_clipped(value))


def _clipped(value: object) -> object:
    """A value as a finding shows it: text is cut at a readable length, structures are told as text."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + "…"
    if value is None or isinstance(value, bool | int | float | dict):
        return value
    return _clipped(str(value))
