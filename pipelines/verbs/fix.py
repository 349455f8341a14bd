"""The verb `fix`: the safe repairs of a run, each named with the number of places that it touched."""

import difflib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.report import Report
from sharedtask.pipelines.results.fix_result import FixResult, Repair
from sharedtask.pipelines.runs import flares_offsets as offsets
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.pipelines.verbs.check import check
from sharedtask.schemas.engine.masks import span_view
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rules.fmt_columns import DUPLICATE_COLUMN, MISSING_COLUMN
from sharedtask.schemas.rules.run import ORDER_DIFFERS, ROW_INDEX_INSTEAD_OF_ID

LONGEST_DIFF = 2000  # lines


def fix(
    run: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    diff: bool = False,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> FixResult:
    """Apply the safe repairs to a run and write it in the official upload form to `out` (.csv or .zip).

    Never in place, and never with a value that the run does not hold: a cell that cannot be read is written as it was, and what cannot be
    repaired stays reported. Nothing is written of a run that lacks a column, has one twice, or has JSON records that cannot be read.
    `diff` adds the changed lines. Raises UnusableError like `check`, and where `out` is the run or has another ending.
    """
    target = Path(out)
    ending = container_of(target)
    if target.exists() and str(run) != "-" and target.resolve() in (Path(run).resolve(), Path(against).resolve()):
        raise UnusableError(f"{out}: is the run itself or its reference; write the repaired run to another file")
    with ExitStack() as files:
        checking = RunJudge(files, max_findings, max_bytes)
        before = checking.check(str(run), str(against), kind, [])
        if checking.run is None or checking.reference is None or checking.run_kind is None or _is_beyond(checking.run):
            return FixResult(before, (), None)
        broken = {rule.name for rule, _, _ in before.rules()}
        frame = _repaired(checking.run, checking.reference, broken)
        columns = _as_written(frame, checking.run_kind.official(frame.lazy()).collect(), checking.run_kind.run)
        unread = checking.run.intake.table.unread.collect()["record"]
        with whole_file(target) as temporary:
            write_upload(columns.lazy(), temporary, ending, checking.run_kind, unread)
        given = checking.run.intake.source.local.read_text("utf-8-sig", "replace") if diff else ""
    name = checking.run_kind.run.name
    after = check(target, against, kind=name, max_findings=max_findings, max_bytes=max_bytes)
    fixed = FixResult(before, _repairs(before, after), after)
    if ROW_INDEX_INSTEAD_OF_ID.name in broken and not after.ok:
        # The ids tell now which text a record is about, and with it what else is wrong.
        with tempfile.TemporaryDirectory(prefix="sharedtask-") as folder:
            first = shutil.copy(target, folder)
            again = fix(first, against, out, kind=name, max_findings=max_findings, max_bytes=max_bytes)
        fixed = FixResult(before, (*fixed.repairs, *again.repairs), again.after)
    changes = tuple(_diff(given, target, str(run))) if diff and ending == ".csv" else ()
    return replace(fixed, diff=changes)


def _is_beyond(run: Judged) -> bool:
    """Whether no repair makes an upload of a run without a choice that is its author's."""
    table = run.intake.table
    columns = any(tally.rule in (MISSING_COLUMN, DUPLICATE_COLUMN) for tally in table.tallies)
    return columns or (table.unread_rows > 0 and table.form.get("container") != "csv")


def _repaired(run: Judged, reference: Judged, broken: set[str]) -> pl.DataFrame:
    """The canonical run with every safe repair; its raw columns stay beside it."""
    kind = run.intake.kind
    frame = run.frame.collect(engine="streaming")
    for judgement in run.judgements:
        for each in judgement.checks.row:
            fails = each.fails.fill_null(value=False)
            frame = frame.with_columns(
                pl.when(fails).then(value).otherwise(pl.col(name)).alias(name) for name, value in each.repair.items()
            )
    if kind.spans and kind.spans.name in frame.columns:
        frame = frame.with_columns(_mended_spans(run, kind).alias(kind.spans.name))
    theirs = reference.frame.select("row", *kind.key).collect(engine="streaming")
    if ROW_INDEX_INSTEAD_OF_ID.name in broken:
        return frame.with_columns(theirs[name] for name in kind.key)
    if ORDER_DIFFERS.name in broken:
        place = theirs.select(pl.col("row").alias("place"), *kind.key)
        frame = (
            frame.join(place, on=kind.key, how="left", maintain_order="left")
            .sort("place", nulls_last=True, maintain_order=True)
            .drop("place")
        )
    return frame


def _mended_spans(run: Judged, kind: Kind) -> pl.Series:
    """The lists of spans with the offsets that were meant, no white space at their edges, in order and each once."""
    assert kind.spans is not None  # noqa: S101 - the caller has looked
    name = kind.spans.name
    view = span_view(run.frame, kind).collect(engine="streaming")
    found = offsets.diagnose(view)
    if found is not None and (found.by_text or not found.mixed):
        view = offsets.apply(view, found)
    view = _trimmed(view)
    # A label that is not known is kept as it was written; only its offsets were judged here.
    raw = [pl.col("raw.label")] if "raw.label" in view.columns else []
    view = view.with_columns(label=pl.coalesce(pl.col("label").cast(pl.String), *raw))
    once = view.unique(["row", "start", "end", "label"], keep="first", maintain_order=True).sort(
        "row", "start", maintain_order=True, nulls_last=True
    )
    fields = [column.name for column in kind.spans.columns]
    lists = once.group_by("row", maintain_order=True).agg(spans=pl.struct(fields))
    rows = run.frame.select("row", given=pl.col(name).is_not_null()).collect(engine="streaming")
    joined = rows.join(lists, on="row", how="left", maintain_order="left")
    empty = pl.lit([], joined.schema["spans"])
    return joined.select(
        pl.when(pl.col("spans").is_null() & pl.col("given")).then(empty).otherwise("spans").alias(name)
    )[name]


def _trimmed(view: pl.DataFrame) -> pl.DataFrame:
    """Spans without white space at their edges; a span of nothing else stays as it is."""
    text, start, size = pl.col("text"), pl.col("start"), pl.col("end") - pl.col("start")
    inside = (start >= 0) & (size > 0) & (pl.col("end") <= text.str.len_chars())
    content = pl.when(inside).then(text.str.slice(start.fill_null(0).clip(0), size.fill_null(0).clip(0)))
    lead = (content.str.len_chars() - content.str.strip_chars_start().str.len_chars()).cast(pl.Int64)
    trail = (content.str.len_chars() - content.str.strip_chars_end().str.len_chars()).cast(pl.Int64)
    trim = (content.str.strip_chars() != "").fill_null(value=False)
    return view.with_columns(
        start=pl.when(trim).then(start + lead).otherwise(start),
        end=pl.when(trim).then(pl.col("end") - trail).otherwise("end"),
    )


def _as_written(frame: pl.DataFrame, official: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """The official columns, with the raw text of each cell from which no value could be read."""
    columns = []
    for column, name in zip(kind.columns, official.columns, strict=True):
        written = official[name].cast(pl.String)
        is_spans = kind.spans is not None and column.name == kind.spans.name
        raw = next(
            (frame[one] for one in (("cell", "spans.text") if is_spans else (column.raw,)) if one in frame.columns),
            None,
        )
        if raw is None or raw.dtype != pl.String:
            columns.append(written.alias(name))
            continue
        unread = frame[column.name].is_null()
        if is_spans:
            fields = pl.element().struct.field("start").is_null() | pl.element().struct.field("end").is_null()
            unread = unread | frame.select(pl.col(column.name).list.eval(fields).list.any())[column.name].fill_null(
                value=False
            )
        columns.append(pl.select(pl.when(unread).then(raw).otherwise(written)).to_series().alias(name))
    return pl.DataFrame(columns)


def _repairs(before: Report, after: Report) -> tuple[Repair, ...]:
    left = {rule.name for rule, _, _ in after.rules()}
    counts: dict[str, Repair] = {}
    for tally in before.tallies:
        if tally.rule.fixable and tally.rule.name not in left:
            affected = sum(int(str(sample.details.get("affected", 0))) for sample in tally.samples)
            so_far = counts[tally.rule.name].count if tally.rule.name in counts else 0
            counts[tally.rule.name] = Repair(tally.rule, so_far + max(affected, tally.count))
    return tuple(counts.values())


def _diff(given: str, target: Path, name: str) -> Iterator[str]:
    written = target.read_text("utf-8").splitlines()
    lines = difflib.unified_diff(given.splitlines(), written, name, str(target), lineterm="", n=0)
    for number, line in enumerate(lines):
        if number >= LONGEST_DIFF:
            yield f"… more than {LONGEST_DIFF} lines differ"
            return
        yield line
