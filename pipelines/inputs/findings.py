"""From the rows of a judgement to findings.

The records behind row numbers, with their places, keys, values and facts.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import polars as pl

from sharedtask.converters.opening import Opened
from sharedtask.schemas import spans
from sharedtask.schemas.engine.masks import Judgement, counts, failing
from sharedtask.schemas.kind import RAW, Check, Kind, View
from sharedtask.schemas.messages import clipped, excerpt, shown
from sharedtask.schemas.rule import At, Finding, Rule, Severity, Tally, finding

ROWS_SHOWN = 20  # of the records that a finding counts in
CONTEXT = 20  # characters of a text on each side of a span
LONGEST_SPAN = 80  # characters of a span in its context


@dataclass(frozen=True, slots=True)
class Record:
    """One record of an input.

    `row` of its frame, its `number` among all records of the file from 1, its physical `line`, its key by the file's
    own names, and all columns of its frame.
    """

    row: int
    number: int
    line: int | None
    key: dict[str, object]
    values: dict[str, object]


def tallies_of(
    opened: Opened, frame: pl.LazyFrame, judgement: Judgement, limit: int, meant: pl.DataFrame | None = None
) -> list[Tally]:
    """The tallies of a judgement: exact counts, and the first `limit` findings of each check with place, key and value.

    `meant` has the spans (`row`, `span`, `start`, `end`) that belong elsewhere than the file says: they are shown where
    they belong.
    """
    samples = _Samples(opened, frame, meant)
    for masks, checks in ((judgement.rows, judgement.checks.row), (judgement.spans, judgement.checks.span)):
        for bit, (check, count) in enumerate(zip(checks, counts(masks, checks), strict=True)):
            if count:
                samples.want(check, failing(masks, bit).head(limit), count)
    tallies = samples.tallies()
    for name in judgement.across["rule"].unique(maintain_order=True):
        tallies.append(_across(opened, frame, judgement, name, limit, meant))
    return tallies


class _Samples:
    """Gathers the places of which something must be shown, and fetches them all with one query."""

    def __init__(self, opened: Opened, frame: pl.LazyFrame, meant: pl.DataFrame | None) -> None:
        self.opened, self.frame, self.meant = opened, frame, meant
        self.belongs: dict[tuple[int, int | None], tuple[int, int]] = {}
        self.wanted: list[tuple[Check, pl.DataFrame, int]] = []

    def want(self, check: Check, places: pl.DataFrame, count: int) -> None:
        self.wanted.append((check, places, count))

    def tallies(self) -> list[Tally]:
        if not self.wanted:
            return []
        rows = sorted({row for _, places, _ in self.wanted for row in places["row"]})
        records = records_of(self.opened, self.frame, rows)
        self.belongs = _places_meant(self.meant, rows)
        return [self._tally(check, places, count, records) for check, places, count in self.wanted]

    def _tally(self, check: Check, places: pl.DataFrame, count: int, records: dict[int, Record]) -> Tally:
        severity = check.severity or check.rule.severity_for(self.opened.kind)
        column = _column(self.opened, check)
        if check.once:
            first = [
                self._once(check, severity, records[place["row"]], count)
                for place in places.head(1).iter_rows(named=True)
            ]
            return Tally.counted(check.rule, severity, 1, first, column=column, fixable=check.fixable)
        some = [self._finding(check, severity, place, records[place["row"]]) for place in places.iter_rows(named=True)]
        return Tally.counted(check.rule, severity, count, some, column=column, fixable=check.fixable)

    def _once(self, check: Check, severity: Severity, record: Record, count: int) -> Finding:
        """The one finding for all rows that fail, at the first of them."""
        column = _column(self.opened, check)
        at = At(self.opened.source.path, record.line, record.number, column)
        return finding(
            check.rule,
            at,
            severity=severity,
            which=check.which,
            expected=check.expected or None,
            fixable=check.fixable,
            details={"affected": count},
            subject=column,
            **{"records": count, **check.shows},
        )

    def _finding(self, check: Check, severity: Severity, place: dict[str, int], record: Record) -> Finding:
        kind, span = self.opened.kind, place.get(spans.SPAN)
        column = _column(self.opened, check)
        facts: dict[str, Any] = {"subject": column}
        details: dict[str, object] = {}
        if check.view is View.SPAN:
            seen = SpanSeen.of(kind, record.values, span)
            value = seen.value_of(check.column)
            meant = self.belongs.get((record.row, span))
            details = seen.details(meant)
            facts = {"subject": _subject(self.opened, check.column, span), **seen.facts(meant)}
        else:
            value = _value_of(kind, check.column, record.values)
        extra = record.values.get(check.facts) if check.facts else None
        facts |= json.loads(str(extra)) if extra else {}
        facts |= check.shows
        which = facts.pop("which", check.which)
        if check.looks and isinstance(value, str):
            looked = check.looks(value)
            facts, details = {**facts, **looked}, {**details, "index": looked["index"]}
            value = excerpt(value, looked["index"])
        at = At(self.opened.source.path, record.line, record.number, column, record.key, span)
        return finding(
            check.rule,
            at,
            severity=severity,
            which=which,
            value=value if check.looks else clipped(value),
            expected=check.expected or None,
            fixable=check.fixable,
            details=details,
            **facts,
        )


def _column(opened: Opened, check: Check) -> str:
    """The column of the file that a check is about; that of the list for a field of its spans."""
    kind, names = opened.kind, opened.table.names
    name = kind.spans.name if kind.spans is not None and check.view is View.SPAN else check.column
    return names.get(name, name)


def _subject(opened: Opened, field: str, span: int | None) -> str:
    """What a message about a field is about: the column, or the field of one span of a list."""
    kind, names = opened.kind, opened.table.names
    if kind.spans is None or span is None or field == kind.spans.name:
        return names.get(field, field)
    official = next(column.official for column in kind.spans.columns if column.name == field)
    return f"{official} of span {span}"


def _value_of(kind: Kind, column: str, record: dict[str, object]) -> object:
    raw = record.get(RAW + column, record.get(column))
    return record.get(spans.CELL, raw) if kind.spans is not None and column == kind.spans.name else raw


@dataclass(frozen=True, slots=True)
class SpanSeen:
    """One span as findings show it.

    Its canonical `fields`, the `raw` ones, the `text` of its record, and its index in the list if any.
    """

    fields: Mapping[str, object]
    raw: Mapping[str, object]
    text: object
    index: int | None
    official: Mapping[str, str]

    @classmethod
    def of(cls, kind: Kind, record: dict[str, object], index: int | None) -> "SpanSeen":
        """The span with this index in a record's list, or the record itself where each record is one span."""
        text = record.get(spans.TEXT)
        if kind.spans is None or index is None:
            raw = {name.removeprefix(RAW): value for name, value in record.items() if name.startswith(RAW)}
            official = {column.name: column.official for column in kind.columns}
            return cls(record, raw, text, None, official)
        fields = cast("list[dict[str, object]]", record[kind.spans.name])[index]
        listed = record.get(RAW + kind.spans.name)
        raw = cast("list[dict[str, object]]", listed)[index] if isinstance(listed, list) else fields
        return cls(fields, raw, text, index, {column.name: column.official for column in kind.spans.columns})

    def value_of(self, field: str) -> object:
        """What to show as the value.

        The place for a rule about start or end, the raw field for others, all of it for one about the list.
        """
        if field in (spans.START, spans.END) and self._is_plain():
            return f"[{self.fields[spans.START]}, {self.fields[spans.END]})"
        if field in self.raw:
            return self.raw[field]
        return {key: value for key, value in self.raw.items() if value is not None}

    def _is_plain(self) -> bool:
        """Whether both offsets are read as they are written."""
        return all(
            self.fields.get(name) is not None
            and (self.raw.get(name) is None or str(self.raw[name]) == str(self.fields[name]))
            for name in (spans.START, spans.END)
        )

    def details(self, meant: tuple[int, int] | None = None) -> dict[str, object]:
        """The span with its context, the span itself marked.

        Where it belongs, if that is `meant` to be another place.
        """
        start, end, label = (self.fields.get(name) for name in spans.PLACE)
        details: dict[str, object] = {"start": start, "end": end, "label": label}
        details |= {"meant": list(meant)} if meant else {}
        if (inside := self._inside(meant)) is not None and isinstance(self.text, str):
            first, last = inside
            before, after = self.text[max(first - CONTEXT, 0) : first], self.text[last : last + CONTEXT]
            details["context"] = f"{before}⟦{self.text[first:last][:LONGEST_SPAN]}⟧{after}"
        return details

    def facts(self, meant: tuple[int, int] | None = None) -> dict[str, Any]:
        """What the messages about spans show: the place, the text there (or at the place `meant`), and the missing keys."""
        start, end, label = (self.fields.get(name) for name in spans.PLACE)
        offsets = f"[{'?' if start is None else start}, {'?' if end is None else end})"
        inside = self._inside(meant)
        text = self.text if isinstance(self.text, str) else ""
        return {
            "span_place": f"the span {offsets}" if self.index is None else f"span {self.index}, {offsets},",
            "start": start,
            "end": end,
            "label": label,
            "text": shown(text[inside[0] : inside[1]]) if inside else "empty",
            "characters": len(text),
            "missing": [self.official[name] for name in spans.PLACE if self.raw.get(name) is None],
        }

    def _inside(self, meant: tuple[int, int] | None = None) -> tuple[int, int] | None:
        """The offsets, or those that are meant, as far as they lie within the text.

        None where one of them is not known.
        """
        start, end = meant or (self.fields.get(spans.START), self.fields.get(spans.END))
        if not (isinstance(self.text, str) and isinstance(start, int) and isinstance(end, int)):
            return None
        size = len(self.text)
        return max(min(start, size), 0), max(min(end, size), 0)


def records_of(opened: Opened, frame: pl.LazyFrame, rows: Sequence[int]) -> dict[int, Record]:
    """The records of these row numbers (from 0)."""
    if not rows:
        return {}
    kind, names = opened.kind, opened.table.names
    some = frame.head(max(rows) + 1).filter(pl.col("row").is_in(pl.Series(rows, dtype=pl.UInt32).implode()))
    lines = dict(zip(rows, opened.table.lines(rows), strict=True))
    numbers = dict(zip(rows, opened.table.numbers(rows), strict=True))
    records = {}
    for values in some.collect(engine="streaming").iter_rows(named=True):
        key = {
            names.get(name, name): values[name] if values[name] is not None else values.get(RAW + name)
            for name in kind.key
            if name in values
        }
        row = values["row"]
        records[row] = Record(row, numbers[row], lines[row], key, values)
    return records


def row_tally(
    opened: Opened,
    frame: pl.LazyFrame,
    rule: Rule,
    rows: pl.Series,
    limit: int,
    *,
    column: str,
    arguments: Callable[[Record], dict[str, Any]],
) -> list[Tally]:
    """One finding for each of these rows, the first `limit` of them with their place; no tally where there are none.

    `column` is the name to show; `arguments` gives the other arguments of `finding` for the records that are shown.
    """
    if not len(rows):
        return []
    severity = rule.severity_for(opened.kind)
    samples = [
        finding(
            rule,
            At(opened.source.path, record.line, record.number, column, record.key),
            severity=severity,
            **arguments(record),
        )
        for _, record in sorted(records_of(opened, frame, rows.head(limit).to_list()).items())
    ]
    return [Tally.counted(rule, severity, len(rows), samples, column=column)]


def _places_meant(meant: pl.DataFrame | None, rows: Sequence[int]) -> dict[tuple[int, int | None], tuple[int, int]]:
    """The start and end at which spans of these rows belong, by row and span, where it is another place than the file says."""
    if meant is None:
        return {}
    shown = meant.filter(pl.col("row").is_in(rows)).drop_nulls([spans.START, spans.END])
    return {(row, span): (start, end) for row, span, start, end in shown.rows()}


def _across(
    opened: Opened, frame: pl.LazyFrame, judgement: Judgement, name: str, limit: int, meant: pl.DataFrame | None
) -> Tally:
    """The findings of one rule across rows."""
    found = judgement.across.filter(pl.col("rule") == name)
    rule = next(rule for check in judgement.checks.table for rule in check.rules if rule.name == name)
    places = found.head(limit).with_columns(pl.col("rows").list.sort().list.head(ROWS_SHOWN))
    rows = sorted(set(places["row"]))
    records, belongs = records_of(opened, frame, rows), _places_meant(meant, rows)
    samples = [
        _across_finding(opened, rule, one, records[one["row"]], belongs.get((one["row"], one[spans.SPAN])))
        for one in places.iter_rows(named=True)
    ]
    return Tally.counted(rule, rule.severity_for(opened.kind), int(found["times"].sum()), samples)


def _across_finding(
    opened: Opened, rule: Rule, one: dict[str, Any], record: Record, meant: tuple[int, int] | None
) -> Finding:
    kind, names, span = opened.kind, opened.table.names, one[spans.SPAN]
    column = str(one["column"])
    details: dict[str, object] = {}
    facts: dict[str, Any] = {}
    if span is not None:
        seen = SpanSeen.of(kind, record.values, span)
        details, facts = seen.details(meant), seen.facts(meant)
    if kind.spans and column not in names:
        column = kind.spans.name
    if len(one["rows"]) > 1:
        details["rows"] = opened.table.numbers(one["rows"])
    about = one["about"]
    key = record.key if about is None else {names.get(name, name): record.key[names.get(name, name)] for name in about}
    placed = about is None or bool(about)
    at = At(
        opened.source.path,
        record.line if placed else None,
        record.number if placed else None,
        names.get(column, column),
        key or None,
        span,
    )
    merged = {**facts, **json.loads(one["facts"])}
    return finding(rule, at, kind=kind, which=one["which"], details=details, **merged)
