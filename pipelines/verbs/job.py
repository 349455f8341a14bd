"""The verb `job`: a job file over as many inputs as there are."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

from sharedtask.converters.errors import StoppedError, UnusableError
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.converters.storage import Found, open_folder
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.jobs.commit import Ending, commit, commit_delta
from sharedtask.pipelines.jobs.delta import refuse_without_delta
from sharedtask.pipelines.jobs.inputs import inputs_of, parts_of, read_small, sha256_of
from sharedtask.pipelines.jobs.job import Job, read_job
from sharedtask.pipelines.jobs.lock import alone_in
from sharedtask.pipelines.jobs.log import Log, no_log
from sharedtask.pipelines.jobs.many_small import work_together
from sharedtask.pipelines.jobs.one_input import work_alone
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.jobs.plan import Plan
from sharedtask.pipelines.jobs.result import JobResult
from sharedtask.pipelines.jobs.resume import read_state
from sharedtask.pipelines.jobs.small_files import MOST_BYTES, Small
from sharedtask.schemas.messages import plural

PART_SECONDS = 1.0  # after which what has been done goes into the journal
LARGE = 1 << 24  # bytes; before an input that takes as long as this, what has been done goes there, too
REFERENCE = ("path", "sha256", "bytes", "kind", "rows", "counts", "rules")  # what the manifest says of it


def run_job(
    job: str | Path | Job,
    *,
    table: Literal["none", "delta"] | None = None,
    max_errors: int | None = None,
    log: Log = no_log,
    progress: Progress = no_progress,
) -> JobResult:
    """Do a job: take its inputs through its steps, and write data, quarantine, tables, manifest and `_SUCCESS`.

    `job` is a job file or a `Job`; `table` stands for its own. An input that was worked before, under the same settings
    and by the same version, is not processed again; an interrupted job resumes where it stopped. An input that cannot
    be read is reported in the manifest and does not stop the others. With `max_errors`, more inputs with errors than
    this stop the job. Raises UnusableError where the job file is wrong, a glob matches nothing, the reference is of no
    use, the output cannot be written, or another job has written it meanwhile; StoppedError where the job stopped as
    configured. What was done until then is kept for the next time.
    """
    wanted = job if isinstance(job, Job) else read_job(Path(job))
    if table is not None:
        wanted = replace(wanted, table=table)
    with ExitStack() as stack:
        return _JobRun(wanted, stack, max_errors, log, progress).result()


def refuse_another_table(manifest: Mapping[str, object], job: Job) -> None:
    """Raise UnusableError where the output holds what was written in the other form."""
    before = manifest.get("job")
    table = before.get("table", job.table) if isinstance(before, dict) else job.table
    if table != job.table:
        raise UnusableError(f"{job.output}: holds the output of a job with table = {table!r}; name another output")


class _JobRun:
    """One job on its way."""

    def __init__(self, job: Job, stack: ExitStack, max_errors: int | None, log: Log, progress: Progress) -> None:
        self.job, self.log, self.progress, self.max_errors = job, log, progress, max_errors
        self.found = inputs_of(job)
        self.folder = open_folder(job.output, job.base)
        if job.table == "none":
            stack.enter_context(alone_in(self.folder))
        else:
            refuse_without_delta()
        self.scratch = stack.enter_context(scratch_folder())
        self.plan = Plan.of(job, stack)
        self.state = read_state(self.folder, self.plan.settings, self.plan.name)
        refuse_another_table(self.state.manifest, job)
        self.reference = self.plan.of_reference()
        self.outcomes: dict[str, Outcome] = {}
        self.worked = self.bad = 0
        self.fresh: list[Outcome] = []
        self.kept_at = time.monotonic()

    def result(self) -> JobResult:
        job = self.job
        self.log("info", "start", inputs=len(self.found), steps=job.steps, output=job.output)
        try:
            for part in parts_of(self.found):
                self._work(part)
        except BaseException:
            self._keep()
            raise
        ordered = tuple(self.outcomes[one.path] for one in self.found)
        result = JobResult(job, ordered, self.worked, self.reference)
        write = commit if job.table == "none" else commit_delta
        write(self.state, self._ending(result), self.scratch)
        self.log("info", "end", ok=result.ok, worked=self.worked, status=result.by_status())
        return result

    def _work(self, part: Sequence[Found]) -> None:
        """Take some inputs through the steps: what is known from before is not worked again."""
        small = {one.path: one for one in read_small(part, self.job.base)} if part[0].bytes <= MOST_BYTES else {}
        new = [one for one in part if not self._known(one, small.get(one.path))]
        together = {
            one.path: one
            for one in work_together(
                [small[one.path] for one in new if one.path in small], self.plan, self.folder, self.scratch
            )
        }
        for outcome in together.values():
            self._take(outcome)
        for one in new:
            if one.path not in together:
                if one.bytes > LARGE:
                    self._keep()
                self._take(work_alone(one, self.plan, self.folder, self.scratch))

    def _known(self, one: Found, small: Small | None) -> bool:
        """Whether an input was worked before; if so, what became of it is taken over."""
        if small is None and not self.state.knows(one.path):
            return False
        digest = small.sha256 if small else sha256_of(one.path, self.job.base)
        before = self.state.done(one.path, digest) if digest else None
        if before is not None:
            self._note(before)
        return before is not None

    def _take(self, outcome: Outcome) -> None:
        """Note what became of an input that was worked now, and keep it in the journal from time to time."""
        self.worked += 1
        outcome = replace(outcome, settings=self.plan.settings)
        self.fresh.append(outcome)
        self._note(outcome)
        if time.monotonic() - self.kept_at > PART_SECONDS:
            self._keep()

    def _note(self, outcome: Outcome) -> None:
        self.progress(outcome.path, len(self.outcomes), len(self.found))
        self.outcomes[outcome.path] = outcome
        first = next((one for one in outcome.findings if one["severity"] == "error"), None)
        why = outcome.error or (f"{first['code']} {first['name']}: {first['message']}" if first else None)
        level = "info" if outcome.status == "ok" else "error"
        failure = {"error": why} if why else {}
        self.log(
            level,
            "input",
            file=outcome.path,
            status=outcome.status,
            rows=outcome.rows,
            counts=outcome.counts,
            **failure,
        )
        if outcome.status == "ok":
            return
        self.bad += 1
        if self.job.on_error == "stop":
            raise StoppedError(f"{outcome.path}: stopped here (on_error is stop): {why}")
        if self.max_errors is not None and self.bad > self.max_errors:
            raise StoppedError(
                f"{outcome.path}: stopped here, {plural(self.bad, 'input')} with errors (limit: {self.max_errors}): {why}"
            )

    def _keep(self) -> None:
        self.state.keep(self.fresh)
        self.fresh, self.kept_at = [], time.monotonic()

    def _ending(self, result: JobResult) -> Ending:
        job, scorer, reference = self.job, self.plan.scorer, self.reference
        said = {name: value for name, value in asdict(job).items() if name != "base"}

        def says(outcomes: Sequence[Outcome]) -> dict[str, object]:
            result = JobResult(job, tuple(outcomes), 0)
            known = {name: getattr(reference, name) for name in REFERENCE} if reference else None
            return {"ok": result.ok, "job": said, "reference": known, "status": result.by_status()}

        return Ending(result.outcomes, says, {scorer.kind: scorer.headline} if scorer else {}, reference)
