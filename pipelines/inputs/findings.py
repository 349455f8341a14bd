"""Where findings are: the records behind row numbers, and findings put into words, values and places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import polars as pl

from sharedtask.converters.opening import Intake
from sharedtask.schemas.engine.masks import Judgement, counts, failing
from sharedtask.schemas.kind import Check, Kind, View
from sharedtask.schemas.rule import Finding, Rule, Tally

LONGEST_VALUE = 120  # characters of a value that a finding shows
ROWS_SHOWN = 20  # of the records that a finding counts in


@dataclass(frozen=True, slots=True)
class Record:
    """One record of an input: `row` of its frame, its `number` among all records of the file from 1, its physical `line`, its key by the
    file's own names, and all columns of its frame.
    """

    row: int
    number: int
    line: int | None
    key: dict[str, object]
    values: dict[str, object]


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

    def _tally(self, check: Check, places: pl.DataFrame, count: int, records: dict[int, Record]) -> Tally:
        severity = check.severity or check.rule.severity_for(self.intake.kind.name)
        shown = [self._violation(check, place, records[place["row"]]) for place in places.iter_rows(named=True)]
        if check.once and not shown:
            return Tally(check.rule, severity, 1, ())
        if check.once:
            first = shown[0]
            details = {"affected": count}
            one = Finding(
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

    def _violation(self, check: Check, place: dict[str, int], record: Record) -> Finding:
        kind, table = self.intake.kind, self.intake.table
        span = place.get("span")
        nested = kind.spans is not None and check.view is View.SPAN
        name = kind.spans.name if nested and kind.spans else check.column
        column = table.names.get(name, name)
        details: dict[str, object] = {}
        if check.view is View.SPAN:
            details, value = _span_details(kind, record.values, span, check.column)
        else:
            value = _value_of(kind, check.column, record.values)
        told = record.values.get(check.told_by) if check.told_by else None
        is_place = check.view is View.SPAN and isinstance(value, str) and value.startswith("[")
        shown = str(value) if is_place else _shown(value)
        text = str(told) if told else check.message.format(column=column, value=shown, wanted=check.wanted)
        return Finding(
            check.rule,
            check.severity or check.rule.severity_for(kind.name),
            text,
            self.intake.source.path,
            line=record.line,
            row=record.number,
            column=column,
            key=record.key,
            value=clipped(value),
            expected=check.wanted or None,
            span=span,
            details=details,
        )


def _value_of(kind: Kind, column: str, record: dict[str, object]) -> object:
    raw = record.get(f"raw.{column}", record.get(column))
    return record.get("cell", raw) if kind.spans is not None and column == kind.spans.name else raw


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


def records_of(intake: Intake, frame: pl.LazyFrame, rows: Sequence[int]) -> dict[int, Record]:
    """The records of these row numbers (from 0)."""
    if not rows:
        return {}
    kind, names = intake.kind, intake.table.names
    taken = frame.head(max(rows) + 1).filter(pl.col("row").is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
    lines = dict(zip(rows, intake.table.lines(rows), strict=True))
    numbers = dict(zip(rows, intake.table.numbers(rows), strict=True))
    records = {}
    for values in taken.collect(engine="streaming").iter_rows(named=True):
        key = {
            names.get(name, name): values[name] if values[name] is not None else values.get(f"raw.{name}")
            for name in kind.key
            if name in values
        }
        row = values["row"]
        records[row] = Record(row, numbers[row], lines[row], key, values)
    return records


def row_tally(
    intake: Intake,
    frame: pl.LazyFrame,
    rule: Rule,
    rows: pl.Series,
    limit: int,
    *,
    column: str,
    message: Callable[[Record], str],
    value: Callable[[Record], object] | None = None,
    expected: Callable[[Record], object] | None = None,
) -> list[Tally]:
    """One finding for each of these rows, the first `limit` of them with their place; no tally where there are none.

    `column` is the name to show; `message`, `value` and `expected` are asked for the records that are shown.
    """
    if not len(rows):
        return []
    severity = rule.severity_for(intake.kind.name)
    samples = [
        Finding(
            rule,
            severity,
            message(record),
            intake.source.path,
            line=record.line,
            row=record.number,
            column=column,
            key=record.key,
            value=clipped(value(record)) if value else None,
            expected=str(clipped(expected(record))) if expected else None,
            hint=rule.hint,
        )
        for _, record in sorted(records_of(intake, frame, rows.head(limit).to_list()).items())
    ]
    return [Tally(rule, severity, len(rows), tuple(samples))]


def _across(intake: Intake, frame: pl.LazyFrame, judgement: Judgement, name: str, limit: int) -> Tally:
    """The findings of one rule across rows."""
    found = judgement.across.filter(pl.col("rule") == name)
    rule = next(rule for check in judgement.checks.table for rule in check.rules if rule.name == name)
    shown = found.head(limit).with_columns(pl.col("rows").list.sort().list.head(ROWS_SHOWN))
    records = records_of(intake, frame, sorted(set(shown["row"])))
    severity = rule.severity_for(intake.kind.name)
    violations = [_across_violation(intake, rule, one, records[one["row"]]) for one in shown.iter_rows(named=True)]
    return Tally(rule, severity, int(found["times"].sum()), tuple(violations))


def _across_violation(intake: Intake, rule: Rule, one: dict[str, object], record: Record) -> Finding:
    kind, names = intake.kind, intake.table.names
    span = cast("int | None", one["span"])
    column = str(one["column"])
    details: dict[str, object] = {}
    if span is not None:
        details, _ = _span_details(kind, record.values, span, column)
    if kind.spans and column not in names:
        column = kind.spans.name
    rows = cast("list[int]", one["rows"])
    if len(rows) > 1:
        details["rows"] = intake.table.numbers(rows)
    about = cast("list[str] | None", one["about"])
    key = record.key if about is None else {names.get(name, name): record.key[names.get(name, name)] for name in about}
    placed = about is None or bool(about)
    return Finding(
        rule,
        rule.severity_for(kind.name),
        str(one["message"]),
        intake.source.path,
        line=record.line if placed else None,
        row=record.number if placed else None,
        column=names.get(column, column),
        key=key or None,
        span=span,
        details=details,
    )


def _shown(value: object) -> str:
    return "empty" if value is None else repr(clipped(value))


def clipped(value: object) -> object:
    """A value as a finding shows it: text is cut at a readable length, structures are told as text."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + "…"
    if value is None or isinstance(value, bool | int | float | dict):
        return value
    return clipped(str(value))
