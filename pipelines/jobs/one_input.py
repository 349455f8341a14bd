"""One input through the steps of a job, by itself."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError, UnwritableError
from sharedtask.converters.outputs import Outputs
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.source import Source
from sharedtask.converters.storage import Folder, Found, resolve
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.inputs.canonical_output import Settings, write_table
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.quarantine import quarantine
from sharedtask.pipelines.jobs.outcome import Outcome, Written, found_in
from sharedtask.pipelines.jobs.plan import LIMITS, Plan
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.score_run import ScoreJudge
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Role, Severity

DISK_FULL = "No space left on device"  # as the system says it, inside whatever a library says around it


def work_alone(found: Found, plan: Plan, folder: Folder, scratch: Path) -> Outcome:
    """Take one input through the steps. An input that nothing can be done with is an outcome, too, which says why.

    Raises UnwritableError where the output cannot be written: this is not the fault of the input.
    """
    try:
        with Inputs(Report("job", max_findings=LIMITS.findings), LIMITS) as inputs:
            sniffed = inputs.sniff(resolve(found.path, plan.job.base), "data", shown=found.path)
            return _worked(inputs, sniffed, plan, folder, scratch)
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
    text = " ".join(str(error).split())[:500]
    why = f"{found.path}: internal error, please report it: {type(error).__name__}: {text}"
    return Outcome(found.path, "", found.bytes, status="unread", error=why)


def _worked(inputs: Inputs, sniffed: Sniffed, plan: Plan, folder: Folder, scratch: Path) -> Outcome:
    work = Work(sniffed.source, plan, folder, scratch, inputs.report)
    judge, run = plan.judge, plan.run
    only_runs = not {"validate", "convert"} & set(plan.job.steps)
    looks = kind_among(sniffed, plan.kinds, runs_first=True)
    if judge is not None and (only_runs or (run is not None and looks is not None and looks.name == run.run.name)):
        return work.as_run(inputs, sniffed, judge)
    return work.as_data(inputs, sniffed)


class Work:
    """The steps on one open source, and what comes of them."""

    def __init__(self, source: Source, plan: Plan, folder: Folder, scratch: Path, report: Report) -> None:
        self.source, self.plan, self.folder, self.scratch, self.report = source, plan, folder, scratch, report
        self.written: list[Written] = []
        self.converts = "convert" in plan.job.steps

    def as_run(self, inputs: Inputs, sniffed: Sniffed, judge: RunJudge) -> Outcome:
        """Check and score a run."""
        judge.check(inputs, sniffed)
        kind = judge.run_kind.run if judge.run_kind else None
        if kind is not None and self.converts and sniffed.container:
            scored = self._scored(judge)
            self._convert(inputs, sniffed, [kind], kind.name)
            return self._checked(judge, scored)
        if judge.run is not None:
            self._set_aside(judge.run)
        return self._checked(judge, self._scored(judge))

    def as_judged(self, judge: RunJudge, run: Judged) -> Outcome:
        """Check and score a run that has been judged."""
        self.report.add(run.tallies, Role.RUN)
        judge.hold(self.report, run)
        self._set_aside(run)
        return self._checked(judge, self._scored(judge))

    def _scored(self, judge: RunJudge) -> dict[str, float | None] | None:
        """The scores of the run that was checked last; None where it was refused, or nothing is scored."""
        found = judge.scored(self.report, self.plan.gold) if isinstance(judge, ScoreJudge) else None
        return dict(found.scores) if found else None

    def _checked(self, judge: RunJudge, scores: dict[str, float | None] | None) -> Outcome:
        kind, scorer = judge.run_kind.run if judge.run_kind else None, self.plan.scorer
        return self._outcome(kind, judge.run.rows if judge.run else None, scorer.name if scorer else None, scores)

    def as_found(self, judged: Judged) -> Outcome:
        """Report what was found in a judged file of any kind."""
        self.report.add(judged.tallies)
        self._set_aside(judged)
        return self._outcome(judged.opened.kind, judged.rows)

    def as_data(self, inputs: Inputs, sniffed: Sniffed) -> Outcome:
        """Validate or convert a file of any kind."""
        if self.converts:
            judged = self._convert(inputs, sniffed, self.plan.kinds, None)
            if judged is not None:
                self.report.add(judged.tallies)
        else:
            judged = inputs.judge(sniffed, "data", self.plan.kinds)
            if judged is not None:
                self._set_aside(judged)
        return self._outcome(judged.opened.kind if judged else None, judged.rows if judged else None)

    def _convert(self, inputs: Inputs, sniffed: Sniffed, kinds: Sequence[Kind], name: str | None) -> Judged | None:
        """Write the canonical table and the quarantine of an input.

        A file in which there is nothing to find has neither.
        """
        opened = inputs.open(sniffed, "data", kinds, kind=name)
        if opened is None:
            return None
        place = self.plan.place(self.source.path, opened.kind)
        outputs, aside = Outputs(), self.scratch / "aside.parquet"
        target = self.scratch / "table.parquet"
        settings = Settings(on_error=self.plan.job.on_error, all_columns=True)
        judged, table = write_table(opened, outputs.file(target), outputs.file(aside), settings)
        if table is not None:
            self._put(f"{self.plan.data}/{place}", target, opened.kind, table.rows, table.sha256)
        if aside.exists():
            self._put_aside(place, aside, opened.kind)
        return judged

    def _set_aside(self, judged: Judged) -> None:
        """Write the records that cannot be used to the quarantine, if the job has one."""
        aside = self.scratch / "aside.parquet"
        clean = judged.rows == judged.height and all(one.severity is not Severity.ERROR for one in judged.tallies)
        if not clean and self.plan.job.on_error == "quarantine" and quarantine(judged, Outputs().file(aside)):
            kind = judged.opened.kind
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
