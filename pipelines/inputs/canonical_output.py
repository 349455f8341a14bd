"""One judged input -> one canonical table, and its bad records aside.

Most files are clean, so the table is written while the file is judged, under a temporary name, and thrown away if an error turns up. A
file whose first records are bad already is judged alone.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import polars as pl

from sharedtask.converters.atomic import file_sha256, sink, sync, whole_file
from sharedtask.converters.opening import Intake
from sharedtask.converters.source_form import form_of
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.report import tool_version
from sharedtask.schemas.describe import schema_sha256
from sharedtask.schemas.engine.masks import counts, mask_plans, records_with_errors
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Check, Kind
from sharedtask.schemas.rule import Severity
from sharedtask.schemas.rules.fmt_columns import DUPLICATE_COLUMN, MISSING_COLUMN

Form = Literal["parquet", "csv", "jsonl", "ipc"]
OnError = Literal["stop", "quarantine"]
Mended = Callable[[], Mapping[str, int]]
Digest = Callable[[], str]
PROBE_ROWS = 2000


@dataclass(frozen=True, slots=True)
class Settings:
    """How files are converted."""

    to: Form
    sort: bool
    on_error: OnError
    max_findings: int
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Written:
    """A table that was written: how many records it has, and the hash of its bytes."""

    rows: int
    sha256: str


def write_table(intake: Intake, target: Path, aside: Path, settings: Settings) -> tuple[Judged, Written | None]:
    """Judge an input and write its canonical table to `target`; the verdict, and what was written (None: no file).

    With `on_error="quarantine"` the records of a bad file that cannot be used go to `aside`.
    """
    with ThreadPoolExecutor(2) as pool, whole_file(target) as temporary:
        judged, digest = _judge_while_writing(intake, temporary, settings, partial(_settle, pool, temporary, target))
        failed = any(tally.severity is Severity.ERROR for tally in judged.tallies)
        rows: int | None = judged.height
        if failed or not judged.beside_ran:
            temporary.unlink(missing_ok=True)
            digest = None
        if failed and settings.on_error == "stop":
            return judged, None
        if failed:
            rows = _write_apart(judged, temporary, aside, settings)
        elif not judged.beside_ran:
            counted, mended = _counting_mended(judged.frame, intake.kind, _row_checks(judged))
            _sink(counted, mended, temporary, intake, settings).collect(engine="streaming")
        if rows is None:
            return judged, None
        return judged, Written(rows, digest() if digest else file_sha256(temporary))


def _settle(pool: ThreadPoolExecutor, temporary: Path, target: Path) -> Digest:
    """Sync and hash a table that has been written, beside whatever comes next; what is returned waits for both and gives the hash."""
    synced, digest = pool.submit(sync, temporary, target), pool.submit(file_sha256, temporary)

    def settled() -> str:
        synced.result()
        return digest.result()

    return settled


def _judge_while_writing(
    intake: Intake, temporary: Path, settings: Settings, settle: Callable[[], Digest]
) -> tuple[Judged, Digest | None]:
    """The verdict, and the hash of the table that was written meanwhile, which is settled while the rules across rows are judged."""
    if _starts_badly(intake):
        return judge_intake(intake, limit=settings.max_findings, max_bytes=settings.max_bytes), None
    frame = intake.frame()
    checks = checks_for(intake.kind, frame.collect_schema().names(), given=not intake.table.typed)
    counted, mended = _counting_mended(frame, intake.kind, checks.row)
    digests: list[Digest] = []

    def keys() -> pl.LazyFrame:
        digests.append(settle())
        return _placed(pl.scan_parquet(temporary, glob=False))

    judged = judge_intake(
        intake,
        limit=settings.max_findings,
        max_bytes=settings.max_bytes,
        beside=[_sink(counted, mended, temporary, intake, settings)],
        keys=keys if settings.to == "parquet" and not settings.sort else None,
    )
    return judged, digests[0] if digests else None


def _placed(written: pl.LazyFrame) -> pl.LazyFrame:
    return written.with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))


def _starts_badly(intake: Intake) -> bool:
    """Whether the header or one of the first records has an error, or there is no column, so that nothing will be written as it is."""
    kind = intake.kind
    try:
        if any(tally.severity is Severity.ERROR for tally in (*intake.tallies, *intake.table.tallies)):
            return True
        frame = intake.beginning()
        names = frame.collect_schema().names()
        if not {column.name for column in kind.columns} & set(names):
            return True
        checks = checks_for(kind, names, given=not intake.table.typed)
        rows, spans = pl.collect_all(mask_plans(frame.head(PROBE_ROWS), kind, checks), engine="streaming")
    except pl.exceptions.PolarsError:
        return True
    found = [
        *zip(checks.row, counts(rows, checks.row), strict=True),
        *zip(checks.span, counts(spans, checks.span), strict=True),
    ]
    return any(count and check.rule.severity_for(kind.name) is Severity.ERROR for check, count in found)


def _table_of(frame: pl.LazyFrame, kind: Kind, settings: Settings) -> pl.LazyFrame:
    """The canonical columns that a frame has, in the order of the kind."""
    there = frame.collect_schema().names()
    table = frame.select(column.name for column in kind.columns if column.name in there)
    return table.sort(kind.key) if settings.sort else table


def _sink(
    frame: pl.LazyFrame, mended: Mended, path: Path, intake: Intake, settings: Settings, records: int | None = None
) -> pl.LazyFrame:
    """The plan that writes the canonical table of a frame; `records` is how many the source has, if these are not all."""

    def told(rows: int) -> dict[str, str]:
        return metadata(intake, rows, mended(), by_key=settings.sort, records=records)

    return sink(_table_of(frame, intake.kind, settings), path, settings.to, told)


def _counting_mended(frame: pl.LazyFrame, kind: Kind, checks: Sequence[Check]) -> tuple[pl.LazyFrame, Mended]:
    """The frame, and how many cells among those that have run through it a reading or a repair has mended, by rule.

    Of these the canonical table does not keep the spelling. They are counted in the pass that writes the table, since a Parquet file is
    told so when the last row has been written.
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


def _write_apart(judged: Judged, temporary: Path, aside: Path, settings: Settings) -> int | None:
    """The usable records to the table, the others raw and whole to the quarantine; how many are usable (None: no column, so no table)."""
    bad = bad_records(judged)
    good = judged.frame.join(bad.lazy(), on="row", how="anti", maintain_order="left")
    counted, mended = _counting_mended(good, judged.intake.kind, _row_checks(judged))
    if not _table_of(judged.frame, judged.intake.kind, settings).collect_schema().names():
        set_aside(judged, bad, aside)
        return None
    usable = judged.height - bad.height
    records = judged.rows if judged.rows > usable else None
    plan = _sink(repaired(counted, judged), mended, temporary, judged.intake, settings, records)
    plan.collect(engine="streaming")
    set_aside(judged, bad, aside)
    return usable


def _row_checks(judged: Judged) -> list[Check]:
    return [check for judgement in judged.judgements for check in judgement.checks.row]


def write_quarantine(judged: Judged, aside: Path) -> int:
    """Write the records that cannot be used, raw and whole with their rule names, if there are any; how many there are."""
    bad = bad_records(judged)
    count = bad.height + judged.rows - judged.height
    if count:
        set_aside(judged, bad, aside)
    return count


def set_aside(judged: Judged, bad: pl.DataFrame, aside: Path) -> None:
    table = judged.intake.table
    rows = (
        pl.LazyFrame()
        if table.as_given is None
        else table.as_given.join(bad.lazy(), on="row", how="inner", maintain_order="left").drop("row")
    )
    with whole_file(aside) as part:
        kept = pl.concat([rows, table.unread], how="diagonal")
        sink(kept, part, "parquet", lambda rows: metadata(judged.intake, rows)).collect(engine="streaming")


def bad_records(judged: Judged) -> pl.DataFrame:
    """`row` and `rules` of the records that cannot be used; all of them where a column is missing."""
    parts = [records_with_errors(judgement, judged.intake.kind) for judgement in judged.judgements]
    for tally in judged.intake.table.tallies:
        if tally.rule in (MISSING_COLUMN, DUPLICATE_COLUMN):
            parts.append(judged.frame.select("row", rule=pl.lit(tally.rule.name)).collect(engine="streaming"))
    return pl.concat(parts).group_by("row").agg(rules=pl.col("rule").unique().sort()).sort("row")


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


def metadata(
    intake: Intake,
    rows: int,
    mended: Mapping[str, int] = MappingProxyType({}),
    *,
    by_key: bool = False,
    records: int | None = None,
) -> dict[str, str]:
    """What a canonical Parquet file says about itself; the last to be asked for, since the hash is made while the rows are written.

    `mended` counts the cells that were mended, `by_key` says that the rows are sorted, `records` is how many the source has if these are
    not all of them.
    """
    source = intake.source
    found = {tally.rule.name: tally.count for tally in (*intake.tallies, *intake.table.tallies)}
    form = form_of(source, intake.table.form, {**found, **mended}, by_key=by_key, records=records)
    return {
        "sharedtask.kind": intake.kind.name,
        "sharedtask.schema_version": str(intake.kind.version),
        "sharedtask.schema_sha256": schema_sha256(intake.kind),
        "sharedtask.source_name": source.name,
        "sharedtask.source_sha256": source.sha256,
        "sharedtask.source_bytes": str(source.size),
        "sharedtask.source_form": form.as_json(),
        "sharedtask.rows": str(rows),
        "sharedtask.tool_version": tool_version(),
    }
