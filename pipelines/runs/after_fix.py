"""The score of a run after its safe repairs, where a repair could change what its errors are."""

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import AfterFix, NotScored
from sharedtask.pipelines.runs.repair import Repairing
from sharedtask.pipelines.runs.score_inputs import gold_kinds
from sharedtask.pipelines.runs.score_run import ScoreJudge
from sharedtask.schemas.rule import Role, Severity


def score_after_fix(
    run: str, against: str, report: Report, limits: Limits, *, scorer: str | None, allow_missing: bool, kind: str | None
) -> AfterFix | None:
    """What `score` would give for what `fix` makes of the run; `report` has what was found in it.

    None where no error of the run can be repaired, or nothing was changed.
    """
    if not any(
        tally.fixable and tally.role is Role.RUN and tally.severity is Severity.ERROR for tally in report.counted
    ):
        return None
    with scratch_folder() as folder:
        try:
            repairing = Repairing(against, folder, ".csv", run, limits, references=gold_kinds())
            done = repairing.repaired(run, kind)
            if done.path is None or done.kind is None or not done.repairs:
                return None
            with Inputs(Report("score", max_findings=0), limits) as inputs:
                judge = ScoreJudge(scorer, allow_missing=allow_missing)
                found = judge.score_against(inputs, str(done.path), against, done.kind.name)
        except UnusableError:  # of the repaired run; the run as it is has been judged
            return None
    if isinstance(found, NotScored):
        return AfterFix(done.repairs)
    return AfterFix(done.repairs, found.scores)
