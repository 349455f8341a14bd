"""The verb `pack`: a run in the archive that its task takes."""

from pathlib import Path

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.upload import container_of, write_upload


def pack(
    run: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    limits: Limits = USUAL_LIMITS,
) -> Report:
    """Write a run as the archive that its task takes, if `check` finds no error in it; the report of that check.

    Raises UnusableError where `out` is not a .zip.
    """
    target = Outputs([run, against]).file(out)
    if container_of(target.path) != ".zip":
        raise UnusableError(f"{out}: the name of an upload ends in .zip")
    report = Report("pack", max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        judge = RunJudge()
        judge.check_against(inputs, str(run), str(against), kind)
        if report.ok and judge.run is not None and judge.run_kind is not None:
            with target.open() as temporary:
                write_upload(judge.run_kind.official(judge.run.frame), temporary, ".zip", judge.run_kind)
            report.written.append(target.path)
    return report
