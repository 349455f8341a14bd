"""How every input of a job is processed.

The kinds among which it is looked for, the judged reference, the scorer, and the settings whose change makes everything be done again.
"""

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import orjson
import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.storage import resolve
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.paths import bare_name
from sharedtask.pipelines.jobs.job import AGAINST, Job
from sharedtask.pipelines.jobs.outcome import Outcome, found_in
from sharedtask.pipelines.jobs.resume import JOURNAL
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.report import Report, tool_version
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.score_inputs import gold_kinds, readable
from sharedtask.pipelines.runs.score_run import ScoreJudge, refuse_unknown
from sharedtask.pipelines.tasks import TASKS
from sharedtask.schemas.describe import schema_sha256
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Role
from sharedtask.schemas.split_names import split_of

LONGEST_NAME = 180  # bytes of an input's own name in that of its output; a system takes 255
LIMITS = Limits(findings=20)  # of each input
HELD_BYTES = 1 << 26  # of a reference that is kept in memory, since every run is checked against it


@dataclass(slots=True)
class Plan:
    """How the inputs of a job are worked. The reference is opened at once and judged when the first input needs it.

    `settings` is a hash of all that outcomes depend on beside the bytes of their inputs.
    """

    job: Job
    inputs: Inputs
    kinds: list[Kind]
    reference: Sniffed | None = None
    settings: str = ""
    _judge: RunJudge | None = None
    _gold: pl.DataFrame | None = field(default=None, repr=False)

    @classmethod
    def of(cls, job: Job, files: ExitStack) -> "Plan":
        """The plan of a job; `files` closes what it opens. Raises UnusableError where the reference cannot be read."""
        refuse_unknown(job.scorer, 0)
        kinds = [kind for task in TASKS if job.task in ("auto", task.name) for kind in task.kinds]
        plan = cls(job, files.enter_context(Inputs(Report("job", max_findings=LIMITS.findings), LIMITS)), kinds)
        if job.reference is not None and set(AGAINST) & set(job.steps):
            path = resolve(job.reference, job.base)
            plan.reference = plan.inputs.sniff(path, "reference", shown=job.reference)
        plan.settings = plan._hash_of_settings()
        return plan

    def _hash_of_settings(self) -> str:
        """A hash of everything beside an input's own bytes that what is written for it depends on."""
        job = self.job
        settings = {
            "version": tool_version(),
            "steps": job.steps,
            "task": job.task,
            "scorer": job.scorer,
            "on_error": job.on_error,
            "table": job.table,
            "reference": [job.reference, self.reference.source.sha256] if self.reference else None,
            "schemas": {kind.name: schema_sha256(kind) for kind in self.kinds},
        }
        return hashlib.sha256(orjson.dumps(settings, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]

    @property
    def name(self) -> str:
        """What identifies this job among others that write to the same output."""
        return hashlib.sha256(orjson.dumps([self.settings, sorted(self.job.inputs)])).hexdigest()[:16]

    @property
    def judge(self) -> RunJudge | None:
        """What checks runs against the reference, None for a job without.

        Raises UnusableError where nothing can be checked against it.
        """
        if self._judge is None and self.reference is not None:
            path = self.reference.source.path
            judge = self._new_judge()
            judge.refer_to(self.inputs, self.reference)
            if judge.reference is None:
                first = next(iter(self.inputs.report.findings()), None)
                why = f": {first.rule.code} {first.rule.name}, {first.finding.message}" if first else ""
                raise UnusableError(f"{path}: nothing can be checked against this reference{why}; correct it first")
            if self.reference.source.size <= HELD_BYTES:
                judge.reference.frame = judge.reference.frame.collect(engine="streaming").lazy()
            self._judge = judge
            if "score" in self.job.steps and self.gold is None:
                labels = " and ".join(self.scorer.labels) if self.scorer else "labels"
                raise UnusableError(f"{path}: has no {labels} that can be read, so nothing can be scored against it")
        return self._judge

    def _new_judge(self) -> RunJudge:
        """What checks or scores runs, for the tasks of the job."""
        judge = ScoreJudge(self.job.scorer) if "score" in self.job.steps else RunJudge()
        only_scored = "check" not in self.job.steps
        tasks = {kind.task for kind in self.kinds}
        judge.references = [kind for kind in (gold_kinds() if only_scored else self.kinds) if kind.task in tasks]
        return judge

    @property
    def run(self) -> RunKind | None:
        """The kind of run that answers the reference, None for a job without."""
        return self.judge.run_kind if self.judge is not None else None

    def enrich(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """A canonical frame with what the rules of a run need of the reference; as it is in a job without."""
        return frame if self.judge is None else self.judge.enrich(frame)

    @property
    def scorer(self) -> Scorer | None:
        """The scorer of the job, None where nothing is scored.

        Raises UnusableError where it is for another kind of run.
        """
        return self.judge.scorer if isinstance(self.judge, ScoreJudge) else None

    @property
    def gold(self) -> pl.DataFrame | None:
        """Keys and labels of the reference, None where it has no labels that can be read."""
        if self._gold is None and self.judge is not None and self.judge.reference and self.scorer:
            key = self.judge.reference.opened.kind.key
            self._gold = readable(self.judge.reference, [*key, *self.scorer.labels])
        return self._gold

    def of_reference(self) -> Outcome | None:
        """What was found in the reference, None for a job without."""
        if self.reference is None or self.judge is None or self.judge.reference is None:
            return None
        judged, source = self.judge.reference, self.reference.source
        report = Report("job", max_findings=LIMITS.findings)
        report.add(judged.tallies, Role.REFERENCE, stops=True)
        kind = judged.opened.kind.name
        found = found_in(report, kind)
        return Outcome(source.path, source.sha256, source.size, kind, judged.rows, **found)  # type: ignore[arg-type]

    @property
    def data(self) -> str:
        """The folder of converted files: where they stay, or where they wait until they go into a Delta table."""
        return "data" if self.job.table == "none" else f"{JOURNAL}/{self.name}/data"

    def place(self, path: str, kind: Kind) -> str:
        """Where what is written for an input goes, below `data` or `quarantine`.

        By task, kind and split, under a name of its own.

        The name depends on the path alone, so that another job does not write beside what an earlier one has written.
        """
        answers = self.run.run.name if self.run else None
        named = self.reference.source.path if self.reference and kind.name == answers else path
        split = split_of(PurePosixPath(named).name) or "unknown"
        own = hashlib.sha256(path.encode()).hexdigest()[:8]
        what = kind.name.partition("/")[2]
        name = bare_name(path).encode()[:LONGEST_NAME].decode(errors="ignore")
        return f"task={kind.task}/kind={what}/split={split}/{name}-{own}.parquet"
