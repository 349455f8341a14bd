"""The verb `diff`: what changed between two releases of one kind of file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import polars.selectors as cs

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.pipelines.inputs.findings import Record, records_of
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.metrics.span_changes import span_changes
from sharedtask.pipelines.results.diff_result import DiffResult, Key, RowChange, SpanChange
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.schemas.kind import SpanColumn
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import Severity

REORDERED = "reordered"
NTH = "nth"  # which of the rows, or of the spans, that are alike
HASH = "hash."
SHOWN = 60  # characters of a text around the place where it differs
BEFORE = 20  # of them before that place


def diff(
    old: str | Path,
    new: str | Path,
    *,
    kind: str | None = None,
    max_items: int = 20,
    limits: Limits = USUAL_LIMITS,
) -> DiffResult:
    """Compare two files of one kind, in whatever form each is: rows added, removed and changed, by their keys.

    Of changed rows it says which columns differ, and of lists of spans what became of each span. Counts are exact;
    `max_items` bounds the rows that are listed of each sort. Files with the same bytes are equal. Raises UnusableError
    where a file cannot be read, the two are of different kinds, or they differ and a key column is missing.
    """
    report = Report("diff")
    with Inputs(report, replace(limits, findings=0)) as inputs:
        first, second = (_judged(inputs, str(path), role, kind) for path, role in ((old, "old"), (new, "new")))
        if first.opened.kind.name != second.opened.kind.name:
            kinds = [f"{one.opened.source.path} is a {one.opened.kind.name} file" for one in (first, second)]
            raise UnusableError(f"{' and '.join(kinds)}; expected two files of one kind")
        if first.opened.source.sha256 == second.opened.source.sha256:
            return _equal(first, second)
        return _Comparing(first, second, max_items).changes()


def _judged(inputs: Inputs, path: str, role: str, kind: str | None) -> Judged:
    judged = inputs.judge(path, role, kind=kind)
    if judged is None:
        raise UnusableError(f"{path}: has nothing to compare")
    return judged


def _equal(old: Judged, new: Judged) -> DiffResult:
    """The result for the same bytes twice. They are equal, also where a key column is missing."""
    inputs = _input(old, "old"), _input(new, "new")
    return DiffResult(
        old.opened.kind.name, inputs, added=0, removed=0, changed=0, unchanged=old.height, notes=_notes_of(old, new)
    )


class _Comparing:
    """Two judged files side by side.

    The rows of both by key, with a hash of each column, so that no value need be kept.
    """

    def __init__(self, old: Judged, new: Judged, limit: int) -> None:
        self.old, self.new, self.kind, self.limit = old, new, old.opened.kind, limit
        there = [set(one.frame.collect_schema().names()) for one in (old, new)]
        known = [column.name for column in self.kind.columns]
        self.key = list(self.kind.key)
        for judged, names in zip((old, new), there, strict=True):
            if missing := [self._official(name) for name in self.key if name not in names]:
                path, key = judged.opened.source.path, ", ".join(map(self._official, self.key))
                raise UnusableError(f"{path} has no column {', '.join(missing)}; rows are compared by {key}")
        self.columns = [name for name in known if name in there[0] & there[1] and name not in self.key]
        self.columns_gone, self.columns_come = (
            tuple(self._official(name) for name in known if name in one - other)
            for one, other in (there, reversed(there))
        )

    def _official(self, name: str) -> str:
        return self.kind.column(name).official

    def changes(self) -> DiffResult:
        old, new = self._hashed(self.old), self._hashed(self.new)
        on = [*self.key, NTH]
        differs = {name: pl.col(HASH + name) != pl.col(f"{HASH}{name}.new") for name in self.columns}
        joined = old.join(new, on=on, how="full", nulls_equal=True, suffix=".new")
        both = joined.select("row", "row.new", **differs).collect(engine="streaming").sort("row", nulls_last=True)
        pairs = both.drop_nulls(["row", "row.new"])
        removed, added = both.filter(pl.col("row.new").is_null()), both.filter(pl.col("row").is_null()).sort("row.new")
        changed = pairs.filter(pl.any_horizontal(pl.lit(value=False), *self.columns))
        spans, reordered = self._spans(changed)
        return DiffResult(
            self.kind.name,
            (_input(self.old, "old"), _input(self.new, "new")),
            added.height,
            removed.height,
            changed.height,
            pairs.height - changed.height,
            {self._official(name): count for name in self.columns if (count := int(changed[name].sum()))},
            self.columns_come,
            self.columns_gone,
            _counted(spans, reordered),
            self._out_of_order(pairs),
            self._keys(self.new, added["row.new"]),
            self._keys(self.old, removed["row"]),
            self._rows(changed, spans),
            _notes_of(self.old, self.new),
        )

    def _hashed(self, judged: Judged) -> pl.LazyFrame:
        """`row`, the key, `nth` and a hash of each other column; all that is kept of a file."""
        hashes = [pl.col(name).hash().alias(HASH + name) for name in self.columns]
        rows = judged.frame.select("row", *self.key, *hashes).collect(engine="streaming")
        # Every kind has a rule across rows that a repeated key breaks; it passes over empty keys.
        doubtful = any(judgement.across.height for judgement in judged.judgements) or sum(
            rows[self.key].null_count().row(0)
        )
        nth = pl.int_range(pl.len()).over(self.key) if doubtful else pl.lit(0, pl.Int64)
        return rows.lazy().with_columns(nth.alias(NTH))

    def _keys(self, judged: Judged, rows: pl.Series) -> tuple[Key, ...]:
        return tuple(self._key(one) for one in _records(judged, rows.head(self.limit).to_list()))

    def _key(self, record: Record) -> Key:
        return {self._official(name): record.values[name] for name in self.key}

    def _out_of_order(self, pairs: pl.DataFrame) -> Key | None:
        """The key of the first row that stands before one that it stood behind."""
        late = pairs.filter(pl.col("row.new") < pl.col("row.new").shift()).head(1)
        keys = self._keys(self.old, late["row"]) if self.limit else tuple({} for _ in late["row"])
        return keys[0] if keys else None

    def _rows(self, changed: pl.DataFrame, spans: pl.DataFrame) -> tuple[RowChange, ...]:
        shown = changed.head(self.limit)
        olds, news = _records(self.old, shown["row"].to_list()), _records(self.new, shown["row.new"].to_list())
        listed = self.kind.spans.name if self.kind.spans else None
        rows = []
        for old, new, differs in zip(olds, news, shown.iter_rows(named=True), strict=True):
            values = {
                self._official(name): _apart(old.values[name], new.values[name])
                for name in self.columns
                if differs[name] and name != listed
            }
            of_row = spans.filter(pl.col("row") == old.row).head(self.limit)
            changes = [SpanChange(one["change"], one["old"], one["new"]) for one in of_row.iter_rows(named=True)]
            if listed and differs.get(listed) and not changes:
                changes = [SpanChange(REORDERED, None, None)]
            rows.append(RowChange(self._key(old), values, tuple(changes)))
        return tuple(rows)

    def _spans(self, changed: pl.DataFrame) -> tuple[pl.DataFrame, int]:
        """What became of the spans of changed rows, and in how many rows only their order changed."""
        spans = self.kind.spans
        if spans is None or spans.name not in self.columns:
            return pl.DataFrame(schema={"row": pl.UInt32, "change": pl.String}), 0
        rows = changed.filter(spans.name)
        lists = [
            judged.frame.select("row", spans.name)
            .join(rows.lazy().select(row=own, pair="row"), on="row")
            .collect(engine="streaming")
            for judged, own in ((self.old, "row"), (self.new, "row.new"))
        ]
        found = span_changes(*(_exploded(one, spans) for one in lists)).rename({"pair": "row"})
        return found, rows.height - found["row"].n_unique()


def _records(judged: Judged, rows: Sequence[int]) -> list[Record]:
    found = records_of(judged.opened, judged.frame, rows)
    return [found[row] for row in rows]


def _input(judged: Judged, role: str) -> Input:
    source = judged.opened.source
    return Input(role, source.path, judged.opened.kind.name, source.sha256, source.size, judged.rows)


def _notes_of(old: Judged, new: Judged) -> tuple[str, ...]:
    return tuple(note for one in (old, new) for note in _notes(one))


def _notes(judged: Judged) -> list[str]:
    path = judged.opened.source.path
    errors = sum(tally.count for tally in judged.tallies if tally.severity is Severity.ERROR)
    unread = judged.rows - judged.height
    notes = [
        f"{path} has {plural(errors, 'error')}; run `validate` to list them; a cell that cannot be read counts as empty"
    ]
    return (notes if errors else []) + (
        [f"{plural(unread, 'record')} of {path} cannot be read and left out"] if unread else []
    )


def _apart(old: object, new: object) -> tuple[object, object]:
    """Two values as they are shown: long texts cut to the place where they part."""
    if not (isinstance(old, str) and isinstance(new, str)) or max(len(old), len(new)) <= 2 * SHOWN:
        return old, new
    shorter = min(len(old), len(new))
    at = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    first = max(at - BEFORE, 0)
    return tuple(  # type: ignore[return-value]
        ("…" if first else "") + text[first : first + SHOWN] + ("…" if first + SHOWN < len(text) else "")
        for text in (old, new)
    )


def _exploded(lists: pl.DataFrame, spans: SpanColumn) -> pl.DataFrame:
    """`pair`, the fields of each span, and the whole `span` as it is shown; Enums as text."""
    flat = lists.filter(pl.col(spans.name).list.len() > 0).explode(spans.name)
    values = flat.select("pair", pl.col(spans.name).struct.unnest()).with_columns(cs.enum().cast(pl.String))
    shown = pl.struct(pl.col(column.name).alias(column.official) for column in spans.columns)
    return values.with_columns(span=shown)


def _counted(spans: pl.DataFrame, reordered: int) -> dict[str, int]:
    counts = dict(spans.group_by("change").len().sort("change").iter_rows())
    return counts | ({REORDERED: reordered} if reordered else {})
