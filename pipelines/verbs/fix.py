"""The verb `fix`: the safe repairs of a run, each named with the number of places that it touched."""

import difflib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.fix_result import FixResult, Repair
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.schemas import spans
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rules.fmt_columns import DUPLICATE_COLUMN, EXTRA_COLUMN, MISSING_COLUMN
from sharedtask.schemas.rules.run import ORDER_DIFFERS, ROW_INDEX_INSTEAD_OF_ID

LONGEST_DIFF = 2000  # lines


def fix(
    run: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    diff: bool = False,
    limits: Limits = USUAL_LIMITS,
) -> FixResult:
    """Apply the safe repairs to a run and write it in the official upload form to `out` (.csv or .zip).

    Never in place, and never with a value that the run does not hold: a cell that cannot be read is written as it was,
    and what cannot be repaired stays reported. Nothing is written of a run that lacks a column, has one twice, or has
    JSON records that cannot be read. `diff` adds the changed lines. Raises UnusableError like `check`, and where `out`
    is the run or has another ending.
    """
    target = Outputs([run, against]).file(out)
    ending = container_of(target.path)
    with tempfile.TemporaryDirectory(prefix="sharedtask-") as folder:
        repairing = _Repairing(str(against), ending, target.path, limits)
        first = repairing.repaired(str(run), Path(folder, f"first{ending}"), kind, None)
        if first.path is None or first.after is None:
            return FixResult(first.before, (), None)
        last = first
        if _breaks(first.before, ROW_INDEX_INSTEAD_OF_ID.name) and not first.after.ok:
            # The ids show now which text a record is about, and with it what else is wrong.
            last = repairing.repaired(str(first.path), Path(folder, f"last{ending}"), first.kind, target.path)
        repairs = first.repairs if last is first else (*first.repairs, *last.repairs)
        path = last.path or first.path
        with target.open() as temporary:
            shutil.copyfile(path, temporary)
        changes = tuple(_diff(first.given, path, str(run), target.path)) if diff and ending == ".csv" else ()
    return FixResult(first.before, repairs, last.after or first.after, changes)


@dataclass(frozen=True, slots=True)
class _Repaired:
    """A run before and after its repairs.

    The reports, and the file that was written (None where no repair makes an upload of the run).
    """

    before: Report
    kind: str | None = None
    path: Path | None = None
    after: Report | None = None
    repairs: tuple[Repair, ...] = ()
    given: str = ""


@dataclass(frozen=True, slots=True)
class _Repairing:
    """Repairs runs for one reference; `out` is the path that reports show for what was written."""

    against: str
    ending: str
    out: str
    limits: Limits

    def repaired(self, run: str, path: Path, kind: str | None, shown: str | None) -> _Repaired:
        """Judge a run, which is shown under the path `shown`, write its repaired form to `path`, and judge that."""
        before = Report("check", max_findings=self.limits.findings)
        with Inputs(before, self.limits) as inputs:
            judge = RunJudge()
            sniffed = inputs.sniff(run, "run", shown=shown)
            judge.refer_to(inputs, self.against, kind)
            judge.check(inputs, sniffed, kind)
            how = judge.run_kind
            if judge.run is None or judge.reference is None or how is None or _is_beyond(judge.run):
                return _Repaired(before)
            frame = _repaired(judge.run, judge.reference, how, before)
            columns = _as_written(frame, how.official(frame.lazy()).collect(), how.run)
            unread = judge.run.opened.table.unread.collect()["record"]
            write_upload(columns.lazy(), path, self.ending, how, unread)
            text = judge.run.opened.source.local.read_text("utf-8-sig", "replace")
        after = Report("check", max_findings=self.limits.findings)
        with Inputs(after, self.limits) as inputs:
            judge = RunJudge()
            sniffed = inputs.sniff(str(path), "run", shown=self.out)
            judge.refer_to(inputs, self.against, how.run.name)
            judge.check(inputs, sniffed, how.run.name)
        return _Repaired(before, how.run.name, path, after, _repairs(before, after), text)


def _breaks(report: Report, rule: str) -> bool:
    return any(one.rule.name == rule for one in report.rules())


def _is_beyond(run: Judged) -> bool:
    """Whether no repair makes an upload of a run without a choice that is its author's."""
    table = run.opened.table
    columns = any(
        tally.rule in (MISSING_COLUMN, DUPLICATE_COLUMN) or (tally.rule is EXTRA_COLUMN and not tally.fixable)
        for tally in table.tallies
    )
    return columns or (table.unread_rows > 0 and table.form.get("container") != "csv")


def _repaired(run: Judged, reference: Judged, how: RunKind, before: Report) -> pl.DataFrame:
    """The canonical run with every safe repair; its raw columns stay beside it."""
    kind = run.opened.kind
    frame = run.frame.collect(engine="streaming")
    for judgement in run.judgements:
        for each in judgement.checks.row:
            fails = each.fails.fill_null(value=False)
            frame = frame.with_columns(
                pl.when(fails).then(value).otherwise(pl.col(name)).alias(name) for name, value in each.repair.items()
            )
    frame = how.mend(frame, run)
    theirs = reference.frame.select("row", *kind.key).collect(engine="streaming")
    if _breaks(before, ROW_INDEX_INSTEAD_OF_ID.name):
        return frame.with_columns(theirs[name] for name in kind.key)
    if _breaks(before, ORDER_DIFFERS.name):
        place = theirs.select(pl.col("row").alias("place"), *kind.key)
        frame = (
            frame.join(place, on=kind.key, how="left", maintain_order="left")
            .sort("place", nulls_last=True, maintain_order=True)
            .drop("place")
        )
    return frame


def _as_written(frame: pl.DataFrame, official: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """The official columns, with the raw text of each cell from which no value could be read."""
    columns = []
    for column, name in zip(kind.columns, official.columns, strict=True):
        written = official[name].cast(pl.String)
        is_spans = kind.spans is not None and column.name == kind.spans.name
        raw = frame.get_column(spans.CELL if is_spans else column.raw, default=None)
        if raw is None or raw.dtype != pl.String:
            columns.append(written.alias(name))
            continue
        unread = frame[column.name].is_null()
        if is_spans:
            field = pl.element().struct.field
            broken = field(spans.START).is_null() | field(spans.END).is_null()
            unread = (
                unread
                | frame.select(pl.col(column.name).list.eval(broken).list.any().fill_null(value=False)).to_series()
            )
        columns.append(pl.select(pl.when(unread).then(raw).otherwise(written)).to_series().alias(name))
    return pl.DataFrame(columns)


def _repairs(before: Report, after: Report) -> tuple[Repair, ...]:
    left = {one.rule.name for one in after.rules()}
    counts: dict[str, Repair] = {}
    for tally in before.counted:
        if tally.fixable and tally.rule.name not in left:
            affected = sum(int(str(sample.details.get("affected", 0))) for sample in tally.samples)
            so_far = counts[tally.rule.name].count if tally.rule.name in counts else 0
            counts[tally.rule.name] = Repair(tally.rule, so_far + max(affected, tally.count))
    return tuple(counts.values())


def _diff(text: str, written: Path, name: str, target: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        text.splitlines(), written.read_text("utf-8").splitlines(), name, target, lineterm="", n=0
    )
    for number, line in enumerate(lines):
        if number >= LONGEST_DIFF:
            yield f"… more than {LONGEST_DIFF} lines differ"
            return
        yield line
