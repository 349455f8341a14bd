"""One judged input -> one canonical table, and its bad records to the quarantine.

Most files are clean, so the table is written while the file is judged, under a temporary name, and thrown away if an
error turns up. A file whose first records are bad already is judged alone.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl

from sharedtask.converters.atomic import file_sha256, sync
from sharedtask.converters.canonical_sink import Sink, sink
from sharedtask.converters.canonical_table import canonical_table
from sharedtask.converters.opening import Opened
from sharedtask.converters.outputs import Target
from sharedtask.pipelines.inputs.judge import Judged, judge_input
from sharedtask.pipelines.inputs.provenance import metadata
from sharedtask.pipelines.inputs.quarantine import bad_records, write_quarantine
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.engine.masks import counts, mask_plans
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Check, Kind
from sharedtask.schemas.rule import Severity

Form = Literal["parquet", "csv", "jsonl", "ipc"]
OnError = Literal["stop", "quarantine"]
Mended = Callable[[], Mapping[str, int]]
Digest = Callable[[], str]
PROBE_ROWS = 2000


@dataclass(frozen=True, slots=True)
class Settings:
    """How files are converted; with `all_columns` those that a file lacks are there, full of nulls.

    With a list `escaped` the formulas in a CSV are escaped, and it has how many there are in the table written last.
    """

    to: Form = "parquet"
    sort: bool = False
    on_error: OnError = "stop"
    all_columns: bool = False
    escaped: list[int] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A table that was written: how many records it has, and the hash of its bytes.

    `moved` counts the spans that it has elsewhere than the source, by the rule of the cause.
    """

    rows: int
    sha256: str
    moved: Mapping[str, int] = field(default_factory=dict)


def note_escaped(report: Report, cells: Sequence[int]) -> None:
    """Add to the number of cells that were escaped for spreadsheets."""
    report.measures["escaped_cells"] = int(report.measures.get("escaped_cells") or 0) + sum(cells)


def write_table(
    opened: Opened, target: Target, aside: Target | None, settings: Settings
) -> tuple[Judged, Written | None]:
    """Judge an input and write its canonical table to `target`; the verdict, and what was written (None: no file).

    With `on_error="quarantine"` the records of a bad file that cannot be used go to `aside`, which must be given then.
    """
    with ThreadPoolExecutor(2) as pool, target.open() as temporary:
        judged, digest = _judge_while_writing(opened, temporary, settings, partial(_settle, pool, temporary, target))
        failed = any(tally.severity is Severity.ERROR for tally in judged.tallies)
        rows, moved = judged.height, dict[str, int]()
        if failed or not judged.beside_ran:
            temporary.unlink(missing_ok=True)
            digest = None
        if failed and (settings.on_error == "stop" or aside is None):
            return judged, None
        if failed and aside is not None:
            bad = bad_records(judged)
            moved = judged.moved(bad)
            usable = _write_apart(judged, bad, moved, temporary, aside, settings)
            if usable is None:
                return judged, None
            rows = usable
        elif not judged.beside_ran:
            counted, mended = _counting_mended(judged.frame, opened.kind, _row_checks(judged))
            _sink(counted, mended, temporary, opened, settings).run()
        return judged, Written(rows, digest() if digest else file_sha256(temporary), moved)


def _settle(pool: ThreadPoolExecutor, temporary: Path, target: Target) -> Digest:
    """Sync and hash a table that has been written, beside whatever comes next.

    What is returned waits for both and gives the hash.
    """
    synced, digest = pool.submit(sync, temporary, Path(target.path)), pool.submit(file_sha256, temporary)

    def settled() -> str:
        synced.result()
        return digest.result()

    return settled


def _judge_while_writing(
    opened: Opened, temporary: Path, settings: Settings, settle: Callable[[], Digest]
) -> tuple[Judged, Digest | None]:
    """The verdict, and the hash of the table that was written meanwhile."""
    if _starts_badly(opened):
        return judge_input(opened), None
    frame = opened.frame()
    checks = checks_for(opened.kind, frame.collect_schema().names())
    counted, mended = _counting_mended(frame, opened.kind, checks.row)
    digests: list[Digest] = []

    def keys() -> pl.LazyFrame:
        digests.append(settle())
        return _placed(pl.scan_parquet(temporary, glob=False))

    table = _sink(counted, mended, temporary, opened, settings)
    judged = judge_input(
        opened,
        beside=[table.plan],
        keys=keys if settings.to == "parquet" and not settings.sort else None,
    )
    if judged.beside_ran:
        table.finish()
    return judged, digests[0] if digests else None


def _placed(written: pl.LazyFrame) -> pl.LazyFrame:
    return written.with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))


def _starts_badly(opened: Opened) -> bool:
    """Whether the header or one of the first records has an error, or no column is known."""
    kind = opened.kind
    try:
        if any(tally.severity is Severity.ERROR for tally in (*opened.findings, *opened.table.tallies)):
            return True
        frame = opened.beginning()
        names = frame.collect_schema().names()
        if not {column.name for column in kind.columns} & set(names):
            return True
        checks = checks_for(kind, names)
        rows, spans = pl.collect_all(mask_plans(frame.head(PROBE_ROWS), kind, checks), engine="streaming")
    except pl.exceptions.PolarsError:
        return True
    found = [
        *zip(checks.row, counts(rows, checks.row), strict=True),
        *zip(checks.span, counts(spans, checks.span), strict=True),
    ]
    return any(count and check.rule.severity_for(kind) is Severity.ERROR for check, count in found)


def _sink(
    frame: pl.LazyFrame, mended: Mended, path: Path, opened: Opened, settings: Settings, records: int | None = None
) -> Sink:
    """What writes the canonical table of a frame. `records` is how many the source has, if these are not all."""

    def says(rows: int) -> dict[str, str]:
        return metadata(opened, rows, mended(), by_key=settings.sort, records=records)

    if settings.escaped is not None:
        settings.escaped.clear()
    table = canonical_table(frame, opened.kind, by_key=settings.sort, whole=settings.all_columns)
    return sink(table, path, settings.to, says, header=opened.kind.header, escaped=settings.escaped)


def _counting_mended(frame: pl.LazyFrame, kind: Kind, checks: Sequence[Check]) -> tuple[pl.LazyFrame, Mended]:
    """The frame, and how many cells among those that have run through it a reading or a repair has mended, by rule.

    Of these the canonical table does not keep the spelling. They are counted in the pass that writes the table, since a
    Parquet file is given that number when the last row has been written.
    """
    flags = [(check.rule.name, check.fails.fill_null(False)) for check in checks if check.mended or check.repair]
    if not flags:
        return frame, dict
    batches: list[list[int]] = []

    def count(batch: pl.Series) -> pl.Series:
        value, *marks = batch.struct.unnest().get_columns()
        batches.append([int(mark.sum()) for mark in marks])  # a query of its own costs more than these sums
        return value

    def mended() -> Mapping[str, int]:
        total = Counter[str]()
        for (rule, _), numbers in zip(flags, zip(*batches, strict=True), strict=False):
            total[rule] += sum(numbers)
        return +total

    schema = frame.collect_schema()
    first = next(column.name for column in kind.columns if column.name in schema)
    marks = [fails.alias(str(number)) for number, (_, fails) in enumerate(flags)]
    value = pl.struct(pl.col(first).alias("value"), *marks)
    counted = value.map_batches(count, return_dtype=schema[first], is_elementwise=True)
    return frame.with_columns(counted.alias(first)), mended


def _write_apart(
    judged: Judged, bad: pl.DataFrame, moved: Mapping[str, int], temporary: Path, aside: Target, settings: Settings
) -> int | None:
    """The usable records as they were meant to the table, the others, unchanged, to the quarantine.

    How many are usable (None: there is no column or no usable record, so no table).
    """
    good = judged.as_meant.join(bad.lazy(), on="row", how="anti", maintain_order="left")
    counted, mended = _counting_mended(good, judged.opened.kind, _row_checks(judged))
    if not canonical_table(judged.frame, judged.opened.kind).collect_schema().names():
        write_quarantine(judged, bad, aside)
        return None
    usable = judged.height - bad.height
    if not usable and judged.rows:
        write_quarantine(judged, bad, aside)
        return None
    records = judged.rows if judged.rows > usable else None
    plan = repaired(counted, judged)
    _sink(plan, lambda: {**mended(), **moved}, temporary, judged.opened, settings, records).run()
    write_quarantine(judged, bad, aside)
    return usable


def _row_checks(judged: Judged) -> list[Check]:
    return [check for judgement in judged.judgements for check in judgement.checks.row]


def repaired(frame: pl.LazyFrame, judged: Judged) -> pl.LazyFrame:
    """The records with what the rules of a kind repair safely."""
    for judgement in judged.judgements:
        for check in judgement.checks.row:
            fails = check.fails.fill_null(False)
            frame = frame.with_columns(
                pl.when(fails).then(value).otherwise(pl.col(name)).alias(name) for name, value in check.repair.items()
            )
        found = set(judgement.across["rule"])
        for table_check in judgement.checks.table:
            if found & {rule.name for rule in table_check.rules}:
                frame = frame.with_columns(value.alias(name) for name, value in table_check.repair.items())
    return frame
