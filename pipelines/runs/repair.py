"""A run repaired as a file: what is written, what was changed in it, and what is left.

What is left is found in the run with everything that it says about its answers, also what the upload form leaves out: a
text that contradicts its offsets is an error whether it is uploaded or not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.repair import Repair, summed
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.change_lines import change_lines
from sharedtask.pipelines.runs.repair_values import SAFE_ONLY, Wishes, breaks, repaired_values
from sharedtask.pipelines.runs.repaired_cells import (
    cell_changes,
    form_notes,
    of_cells,
    texts_written,
    with_contradicted,
)
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.upload import write_upload
from sharedtask.schemas import spans
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Role, Tally
from sharedtask.schemas.rules.fmt_columns import (
    DUPLICATE_COLUMN,
    EXTRA_COLUMN,
    INDEX_COLUMN,
    MISSING_COLUMN,
    UNKNOWN_JSON_KEY,
)
from sharedtask.schemas.rules.fmt_files import SPACE_AFTER_DELIMITER
from sharedtask.schemas.rules.run import ROW_INDEX_INSTEAD_OF_ID, TEXT_DIFFERS

LEFT_OUT = (EXTRA_COLUMN, INDEX_COLUMN, UNKNOWN_JSON_KEY)  # what they name is in no upload
EVIDENCE = (spans.SPAN_TEXT, spans.RELIABILITY)  # fields of a span that no upload has


@dataclass(frozen=True, slots=True)
class RepairedRun:
    """A run before and after its repairs.

    `path` is what is uploaded, None where no repair makes an upload of the run; `evidence` is the same with all that the
    run says. `after` says what is wrong with that, under the path of what is uploaded. `changes` are those of all cells,
    `keys` has `row` and the keys of the records as they are written, `rows` counts those that cannot be read, too.
    """

    before: Report
    kind: Kind | None = None
    path: Path | None = None
    evidence: Path | None = None
    after: Report | None = None
    repairs: tuple[Repair, ...] = ()
    changes: tuple[pl.DataFrame, ...] = ()
    keys: pl.DataFrame = field(default_factory=pl.DataFrame)
    rows: int = 0

    def lines(self) -> Iterator[str]:
        """What was changed, a line a place."""
        return iter(()) if self.kind is None else change_lines(self.changes, self.keys, self.kind)


@dataclass(frozen=True, slots=True)
class Repairing:
    """Repairs runs for one reference, in `folder`; `out` is the path that reports show for what is written.

    `references` are the kinds among which that of the reference is found, those of all files by default.
    """

    against: str
    folder: Path
    ending: str
    out: str
    limits: Limits
    wishes: Wishes = SAFE_ONLY
    references: Sequence[Kind] | None = None

    def repaired(self, run: str, kind: str | None = None) -> RepairedRun:
        """The run with its repairs; once more where its ids show only then which texts its records are about."""
        first = self._once(run, kind, "first", None)
        if first.kind is None or first.after is None or first.after.ok or first.evidence is None:
            return first
        if not breaks(first.before, ROW_INDEX_INSTEAD_OF_ID):
            return first
        last = self._once(str(first.evidence), first.kind.name, "last", self.out)
        if last.after is None:
            return first
        carried = [one for one in first.after.tallies if one.rule is TEXT_DIFFERS]
        last.after.tallies += carried
        last.after.inputs, last.after.notes = first.before.inputs, first.after.notes
        return replace(
            last,
            before=first.before,
            repairs=summed([*first.repairs, *last.repairs]),
            changes=(*first.changes, *last.changes),
        )

    def _once(self, run: str, kind: str | None, name: str, shown: str | None) -> RepairedRun:
        """Judge a run, which is shown under the path `shown`, write its repaired form, and judge that."""
        path, evidence = (self.folder / f"{name}{one}{self.ending}" for one in ("", "-evidence"))
        before = Report("fix", max_findings=self.limits.findings)
        with Inputs(before, self.limits) as inputs:
            judge = RunJudge(self.references)
            sniffed = inputs.sniff(run, "run", shown=shown)
            judge.refer_to(inputs, self.against, kind)
            judge.check(inputs, sniffed, kind)
            how = judge.run_kind
            if judge.run is None or judge.reference is None or how is None or _is_beyond(judge.run):
                return RepairedRun(before)
            if self.wishes.place != "none":
                _refuse_to_place(judge.run, self.against)
            done = repaired_values(judge.run, judge.reference, how, before, self.wishes)
            if done.unread.height and not _can_stand_among_records(judge.run):
                return RepairedRun(before)
            written = texts_written(done.mended, how.official, judge.run)
            if how.evidence is not None and _has_evidence(done.mended.frame, how.run):
                texts = texts_written(done.mended, how.evidence, judge.run)
                write_upload(texts.lazy(), evidence, self.ending, how, done.unread)
                written = with_contradicted(written, texts, done.mended.frame, how.run)
            else:
                evidence = path
            write_upload(written.lazy(), path, self.ending, how, done.unread)
            given = judge.run
            of_values = of_cells(done.mended, written, given)
            changes = (done.mended.changes, cell_changes(done.mended, written, given))
            notes = form_notes(done.mended, written, given)
            after = self._after(evidence, judge, how.run, before)
        repairs = summed([*_of_structure(before, after, given), *done.mended.repairs, *of_values])
        left = [one if one.role is Role.REFERENCE else one.as_left() for one in after.tallies]
        after.tallies = [*left, *_carried(before, after, repairs, self.out)]
        after.add([one.moved_to(self.out) for one in done.mended.found], Role.RUN)
        after.notes = notes
        keys = done.mended.frame.select("row", *how.run.key)
        rows = keys.height + done.unread.height
        return RepairedRun(before, how.run, path, evidence, after, repairs, changes, keys, rows)

    def _after(self, path: Path, judge: RunJudge, kind: Kind, before: Report) -> Report:
        """What is wrong with what was written, found by the judge of the run and so by the same reference.

        Its inputs are those that were read, and what was found in the reference stays.
        """
        after = Report("fix", before.inputs, max_findings=self.limits.findings)
        with Inputs(after, self.limits) as inputs:
            judge.check(inputs, inputs.sniff(str(path), "run", shown=self.out, listed=False), kind.name)
        after.tallies += [one for one in before.tallies if one.role is Role.REFERENCE]
        return after


def _refuse_to_place(run: Judged, against: str) -> None:
    """Raise UnusableError where texts of spans have no place: in a run without spans, for a reference without texts."""
    kind = run.opened.kind
    if kind.spans is None:
        raise UnusableError(f"{run.opened.source.path}: is a {kind.name}, which has no spans to place")
    if not run.has((spans.TEXT,)):
        raise UnusableError(f"{against}: has no texts in which spans can be placed; expected the file with texts")


def _is_beyond(run: Judged) -> bool:
    """Whether no repair makes an upload of a run without a choice that is its author's.

    A run of which no record can be read has no columns, and none is reported as missing.
    """
    return not run.has(run.opened.kind.key) or any(
        tally.rule in (MISSING_COLUMN, DUPLICATE_COLUMN) or (tally.rule is EXTRA_COLUMN and not tally.fixable)
        for tally in run.opened.table.tallies
    )


def _can_stand_among_records(run: Judged) -> bool:
    """Whether the text of a record that cannot be read can be written as it is: only from one CSV to another."""
    form = run.opened.table.form
    return form.get("container") == "csv" and form.get("delimiter") == ","


def _has_evidence(frame: pl.DataFrame, kind: Kind) -> bool:
    """Whether some span says more than the upload form has."""
    if kind.spans is None or kind.spans.name not in frame.columns:
        return False
    fields = pl.col(kind.spans.name).explode().struct
    return bool(frame.select(pl.any_horizontal(fields.field(name).is_not_null().any() for name in EVIDENCE)).item())


def _of_structure(before: Report, after: Report, run: Judged) -> list[Repair]:
    """The repairs that lie in the form that was written: findings about the file, its columns or its bytes that are gone."""
    elsewhere = {rule for judgement in run.judgements for rule in judgement.checks.rules} - {SPACE_AFTER_DELIMITER}
    left = {one.rule: one.count for one in after.rules()}
    return [
        Repair(
            tally.rule, tally.count - left.get(tally.rule, 0), how="left out" if tally.rule in LEFT_OUT else "repaired"
        )
        for tally in before.counted
        if tally.role is Role.RUN and (tally.fixable or tally.rule in LEFT_OUT)
        if tally.rule not in elsewhere and not _is_of_ids_or_spans(tally)
        if tally.count > left.get(tally.rule, 0)
    ]


def _is_of_ids_or_spans(tally: Tally) -> bool:
    """Whether a finding is about ids, or the cause of others; what is done about these is counted where it is done."""
    return tally.rule.code.startswith("RUN4") or any("explains" in sample.details for sample in tally.samples)


def _carried(before: Report, after: Report, repaired: Sequence[Repair], path: str) -> list[Tally]:
    """What was found in the form of the run, was not repaired, and does not show in what was written: it stays."""
    gone = {one.rule for one in repaired} | {one.rule for one in after.rules()}
    of_form = [one for one in before.counted if one.rule.code.startswith(("FMT0", "FMT1")) or one.rule is TEXT_DIFFERS]
    lost = [one for one in of_form if one.role is Role.RUN and not one.fixable and one.rule not in gone]
    return [one.moved_to(path) for one in lost]
