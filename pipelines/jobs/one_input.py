"""One input through the steps of a job, by itself."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError, UnwritableError
from sharedtask.converters.opening import Intake, take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.converters.storage import Folder, Found, resolve
from sharedtask.pipelines.inputs.canonical_output import Settings, write_quarantine, write_table
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.jobs.outcome import Outcome, Written, found_in
from sharedtask.pipelines.jobs.plan import MAX_FINDINGS, Plan
from sharedtask.pipelines.report import Report
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.score_inputs import read_answers
from sharedtask.pipelines.runs.score_run import score_answers
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Severity

DISK_FULL = "No space left on device"  # as the system says it, inside whatever a library says around it


def work_alone(found: Found, plan: Plan, folder: Folder, scratch: Path) -> Outcome:
    """Take one input through the steps. An input that nothing can be done with is an outcome, too, which says why.

    Raises UnwritableError where the output cannot be written: this is not the fault of the input.
    """
    try:
        with open_source(resolve(found.path, plan.job.base)) as opened:
            return _worked(replace(opened, path=found.path), plan, folder, scratch)
    except UnwritableError:
        raise
    except UnusableError as error:
        return Outcome(found.path, "", found.bytes, status="unread", error=str(error))
    except (OSError, pl.exceptions.PolarsError) as error:
        if DISK_FULL in str(error):
            raise UnwritableError(f"{folder.path}: cannot be written: no space left on device") from None
        return _failed(found, error)
    except Exception as error:  # one input must not take a thousand others with it
        return _failed(found, error)


def _failed(found: Found, error: Exception) -> Outcome:
    told = " ".join(str(error).split())[:500]
    why = f"{found.path}: internal error, please report it: {type(error).__name__}: {told}"
    return Outcome(found.path, "", found.bytes, status="unread", error=why)


def _worked(source: Source, plan: Plan, folder: Folder, scratch: Path) -> Outcome:
    work = Work(source, plan, folder, scratch)
    checking = plan.checking
    only_runs = not {"validate", "convert"} & set(plan.job.steps)
    if checking is not None and (only_runs or _is_run(source, checking, plan)):
        return work.as_run(checking)
    return work.as_data()


def _is_run(source: Source, checking: RunJudge, plan: Plan) -> bool:
    taken = take_in(source, plan.kinds, None, runs_first=True)
    return isinstance(taken, Intake) and checking.run_kind is not None and taken.kind.name == checking.run_kind.run.name


class Work:
    """The steps on one open source, and what comes of them."""

    def __init__(self, source: Source, plan: Plan, folder: Folder, scratch: Path) -> None:
        self.source, self.plan, self.folder, self.scratch = source, plan, folder, scratch
        self.report = Report("job", max_findings=MAX_FINDINGS)
        self.written: list[Written] = []
        self.converts = "convert" in plan.job.steps

    def as_run(self, checking: RunJudge) -> Outcome:
        """Check and score a run."""
        checking.report = self.report
        checking.check_another(self.source, None)
        return self._held(checking)

    def as_judged(self, checking: RunJudge, run: Judged) -> Outcome:
        """Check and score a run that has been judged."""
        checking.report = self.report
        checking.hold(run)
        return self._held(checking)

    def _held(self, checking: RunJudge) -> Outcome:
        kind = checking.run_kind.run if checking.run_kind else None
        scorer, scores = self.plan.scorer, None
        if scorer is not None:
            answers = read_answers(checking, scorer, allow_missing=False, labels=self.plan.gold)
            found = score_answers(checking, scorer, answers) if answers else None
            scores = dict(found.scores) if found else None
        if kind is not None and self.converts:
            self._convert([kind], kind.name)
        elif checking.run is not None:
            self._set_aside(checking.run)
        rows = checking.run.rows if checking.run else None
        return self._outcome(kind, rows, scorer.name if scorer else None, scores)

    def as_found(self, judged: Judged) -> Outcome:
        """Tell what was found in a judged file of any kind."""
        self.report.add(judged.tallies)
        self._set_aside(judged)
        return self._outcome(judged.intake.kind, judged.rows)

    def as_data(self) -> Outcome:
        """Validate or convert a file of any kind."""
        if self.converts:
            kind, judged = self._convert(self.plan.kinds, None)
            if judged is not None:
                self.report.add(judged.tallies)
            return self._outcome(kind, judged.rows if judged else None)
        taken = take_in(self.source, self.plan.kinds, None, limit=MAX_FINDINGS)
        if isinstance(taken, list):
            self.report.add(taken)
            return self._outcome(None, None)
        return self.as_found(judge_intake(taken, limit=MAX_FINDINGS))

    def _convert(self, kinds: Sequence[Kind], name: str | None) -> tuple[Kind | None, Judged | None]:
        """Write the canonical table and the quarantine of an input. A file in which there is nothing to find has neither."""
        taken = take_in(self.source, kinds, name, limit=MAX_FINDINGS)
        if isinstance(taken, list):
            if name is None:  # of a run the check has told it already
                self.report.add(taken)
            return None, None
        place = self.plan.place(self.source.path, taken.kind)
        target, aside = self.scratch / "table.parquet", self.scratch / "aside.parquet"
        settings = Settings(
            to="parquet",
            sort=False,
            on_error=self.plan.job.on_error,
            max_findings=MAX_FINDINGS,
            max_bytes=MAX_FIELD_BYTES,
        )
        judged, table = write_table(taken, target, aside, settings)
        if table is not None:
            self._put(f"{self.plan.data}/{place}", target, taken.kind, table.rows, table.sha256)
        if aside.exists():
            self._put_aside(place, aside, taken.kind)
        return taken.kind, judged

    def _set_aside(self, judged: Judged) -> None:
        """Write the records that cannot be used to the quarantine, if the job has one."""
        aside = self.scratch / "aside.parquet"
        clean = judged.rows == judged.height and all(one.severity is not Severity.ERROR for one in judged.tallies)
        if not clean and self.plan.job.on_error == "quarantine" and write_quarantine(judged, aside):
            kind = judged.intake.kind
            self._put_aside(self.plan.place(self.source.path, kind), aside, kind)

    def _put_aside(self, place: str, aside: Path, kind: Kind) -> None:
        rows = int(pl.scan_parquet(aside, glob=False).select(pl.len()).collect().item())
        self._put(f"quarantine/{place}", aside, kind, rows, file_sha256(aside), quarantine=True)

    def _put(self, name: str, local: Path, kind: Kind, rows: int, sha256: str, *, quarantine: bool = False) -> None:
        try:
            self.folder.put(name, local)
        except UnusableError as error:
            raise UnwritableError(str(error)) from None
        self.written.append(Written(name, kind.name, rows, sha256, quarantine))

    def _outcome(
        self,
        kind: Kind | None,
        rows: int | None,
        scorer: str | None = None,
        scores: dict[str, float | None] | None = None,
    ) -> Outcome:
        source, name = self.source, kind.name if kind else None
        found = found_in(self.report, name)
        return Outcome(
            source.path,
            source.sha256,
            source.size,
            name,
            rows,
            outputs=self.written,
            scorer=scorer,
            scores=scores,
            **found,  # type: ignore[arg-type]
        )
