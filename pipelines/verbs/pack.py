"""The verb `pack`: a run in the archive that its task takes."""

from contextlib import ExitStack
from pathlib import Path

from sharedtask.converters.atomic import whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.report import Report
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def pack(
    run: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Report:
    """Write a run as the archive that its task takes, if `check` finds no error in it; the report of that check.

    Raises UnusableError where `out` is no .zip.
    """
    target = Path(out)
    if container_of(target) != ".zip":
        raise UnusableError(f"{out}: an upload is packed into a .zip")
    with ExitStack() as files:
        checking = RunJudge(files, max_findings, max_bytes)
        report = checking.check(str(run), str(against), kind, [])
        report.verb = "pack"
        if report.ok and checking.run is not None and checking.run_kind is not None:
            with whole_file(target) as temporary:
                write_upload(checking.run_kind.official(checking.run.frame), temporary, ".zip", checking.run_kind)
    return report
