"""The verbs `template` (a valid run that predicts nothing) and `pack` (the upload container)."""

from contextlib import ExitStack
from pathlib import Path

from sharedtask.converters.source import UnusableError, open_source
from sharedtask.converters.write import whole_file
from sharedtask.pipelines.check import Checking
from sharedtask.pipelines.checks.run_check import RunCheck
from sharedtask.pipelines.intake import Intake, take_in
from sharedtask.pipelines.report import Report
from sharedtask.pipelines.tasks import all_kinds, run_checks
from sharedtask.pipelines.upload import container_of, write_upload
from sharedtask.schemas.text_checks import MAX_FIELD_BYTES


def template(against: str | Path, out: str | Path) -> RunCheck:
    """Write a valid run that predicts nothing, with the ids of the reference in its order. Raises UnusableError where that cannot be."""
    target = Path(out)
    ending = container_of(target)
    with open_source(str(against)) as source:
        taken = take_in(source, all_kinds(), None)
        if not isinstance(taken, Intake):
            raise UnusableError(f"{against}: holds nothing to make a run for")
        how = next((one for one in run_checks() if one.reference.name == taken.kind.name), None)
        if how is None:
            raise UnusableError(f"{against}: is a {taken.kind.name} file, for which there are no runs")
        with whole_file(target) as temporary:
            once = how.empty(taken.frame()).unique(how.run.key, keep="first", maintain_order=True)
            write_upload(how.official(once), temporary, ending, how)
    return how


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
        checking = Checking(files, max_findings, max_bytes)
        report = checking.check(str(run), str(against), kind, [])
        report.verb = "pack"
        if report.ok and checking.run is not None and checking.run_check is not None:
            with whole_file(target) as temporary:
                write_upload(checking.run_check.official(checking.run.frame), temporary, ".zip", checking.run_check)
    return report
