"""The core as a pure function of one batch of records: no file, no place in a text, no report.

This is what an engine with more batches than one machine holds calls: each batch by itself, anywhere and in any order,
and what the rules across rows need of all of them merged, in any order too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from sharedtask.converters.canonical_table import canonical
from sharedtask.converters.raw_table import Table
from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.engine.across_rows import found_across, key_columns
from sharedtask.schemas.engine.judge import judge
from sharedtask.schemas.engine.masks import PLACE, Judgement, failing
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Check, Kind, TableCheck
from sharedtask.schemas.spans import SPAN
from sharedtask.schemas.table_checks import NOTHING_FOUND

if TYPE_CHECKING:
    import pyarrow as pa

Enrich = Callable[[pl.LazyFrame], pl.LazyFrame]

VIOLATIONS = {
    "file": pl.UInt32(),
    "row": pl.UInt32(),  # the record from 0
    SPAN: pl.UInt32(),  # the span in its list, null for a violation of the record
    "rule": pl.String(),
    "severity": pl.String(),
    "column": pl.String(),  # canonical name
}


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the rules across rows need of the records that have been seen.

    For each check its place and columns, a row a record or span.
    """

    checks: tuple[TableCheck, ...]
    parts: tuple[pl.DataFrame, ...]

    def merge(self, other: "Sketch") -> "Sketch":
        """The sketch of the records of both. Associative; the order of the parts does not change what is found."""
        both = zip(self.parts, other.parts, strict=True)
        return Sketch(self.checks, tuple(pl.concat([mine, theirs]) for mine, theirs in both))

    def findings(self) -> pl.DataFrame:
        """What the rules across rows find in these records: the columns of `table_checks.FOUND`, by file and row."""
        if not self.checks:
            return NOTHING_FOUND
        return found_across(self.checks, [part.sort(PLACE, maintain_order=True).lazy() for part in self.parts])


@dataclass(frozen=True, slots=True)
class Batch:
    """A judged batch: `table` has `file`, `row` and the canonical columns, `violations` the columns of `VIOLATIONS`."""

    table: pl.DataFrame
    violations: pl.DataFrame
    sketch: Sketch


def judge_batch(
    records: "pa.RecordBatch | pa.Table | pl.DataFrame",
    kind: Kind | str,
    *,
    file: int = 0,
    first_row: int = 0,
    enrich: Enrich | None = None,
) -> Batch:
    """Read and judge one batch of records of a kind, which may be named (`cheers/sentences`).

    Its columns are `raw.<canonical name>`, as many of them as the file has, and are read as text. `file` is the number
    of the file that they are from, `first_row` the number of the first of them in it, both counted from 0; a batch that
    has columns `file` and `row` of its own keeps these. `enrich` adds what the rules of a run need of its reference.
    What a cell cannot be read as is a violation and a null, never an exception. Raises UnusableError where there is no
    such kind, and ValueError where the batch has none of its columns or one that it does not have.
    """
    raw = records if isinstance(records, pl.DataFrame) else pl.DataFrame(pl.from_arrow(records))
    kind = kind_named(kind) if isinstance(kind, str) else kind
    wanted = [column.raw for column in kind.official]
    given = [name for name in raw.columns if name not in PLACE]
    if not given or not set(given) <= set(wanted):
        raise ValueError(f"the columns are {', '.join(given) or 'none'}; expected {', '.join(wanted)} ({kind.name})")
    raw = raw.with_columns(pl.col(name).cast(pl.String) for name in given if not raw[name].dtype.is_nested())
    if not set(PLACE) <= set(raw.columns):
        raw = raw.with_row_index("row", first_row).with_columns(file=pl.lit(file, pl.UInt32))
    frame = read_batch(raw, kind, enrich).lazy()
    columns = frame.collect_schema().names()
    checks = checks_for(kind, columns)
    judgement = judge(frame, kind, checks)
    sketch = Sketch(checks.table, tuple(pl.collect_all(key_columns(frame, kind, checks.table), engine="streaming")))
    canonical_names = [column.name for column in kind.columns if column.name in columns]
    return Batch(frame.select(*PLACE, *canonical_names).collect(), violations(judgement, kind), sketch)


def read_batch(raw: pl.DataFrame, kind: Kind, enrich: Enrich | None = None) -> pl.DataFrame:
    """The canonical columns of a batch beside its raw ones (`file`, `row`, `raw.…`), and what `enrich` adds to them."""
    frame = canonical(Table(raw.lazy(), {}), kind)
    return (enrich(frame) if enrich else frame).collect(engine="streaming")


def violations(judgement: Judgement, kind: Kind) -> pl.DataFrame:
    """The violations of a judgement by record and span, a row each: the columns of `VIOLATIONS`.

    Those across rows are not among them.
    """
    views = (
        (judgement.rows.with_columns(span=pl.lit(None, pl.UInt32)), judgement.checks.row),
        (judgement.spans, judgement.checks.span),
    )
    parts = [_of_check(masks, bit, check, kind) for masks, checks in views for bit, check in enumerate(checks)]
    return pl.concat([pl.DataFrame(schema=VIOLATIONS), *parts]).sort("file", "row", SPAN, maintain_order=True)


def _of_check(masks: pl.DataFrame, bit: int, check: Check, kind: Kind) -> pl.DataFrame:
    severity = str(check.severity or check.rule.severity_for(kind))
    named = {"rule": check.rule.name, "severity": severity, "column": check.column}
    return failing(masks, bit).select(*PLACE, SPAN, **{name: pl.lit(value) for name, value in named.items()})
