"""The verb `validate`: judge files by the rules of their kinds."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from sharedtask.converters.source import Source, UnusableError, open_source
from sharedtask.pipelines.intake import take_in
from sharedtask.pipelines.judging import judge_intake
from sharedtask.pipelines.report import Input, Report
from sharedtask.schemas.text_checks import MAX_FIELD_BYTES

IGNORED_FOLDERS = {"__MACOSX"}


def validate(
    files: Sequence[str | Path], *, kind: str | None = None, max_findings: int = 20, max_bytes: int = MAX_FIELD_BYTES
) -> Report:
    """Judge each file by the rules of its kind, which is found from its columns unless `kind` names it.

    A folder stands for every data file in it. Counts are exact; `max_findings` bounds the samples of each rule, `max_bytes` the size of a
    field. Raises UnusableError where a file cannot be read at all or its kind cannot be told.
    """
    report = Report("validate", max_findings=max_findings)
    for path in expand(files):
        with open_source(path) as source:
            validate_source(source, report, kind, max_bytes)
    return report


def validate_source(source: Source, report: Report, kind: str | None, max_bytes: int) -> None:
    """Judge one open source and add what was found to the report."""
    taken = take_in(source, kind, limit=report.max_findings)
    if isinstance(taken, list):
        report.add(taken)
        report.inputs.append(Input("data", source.path, kind, source.sha256, source.size, 0))
        return
    judged = judge_intake(taken, limit=report.max_findings, max_bytes=max_bytes)
    report.add(judged.tallies)
    report.inputs.append(Input("data", source.path, taken.kind.name, source.sha256, source.size, judged.rows))


def expand(files: Iterable[str | Path]) -> list[str]:
    """The files that were named, and those in the folders that were named, in order; hidden ones and what a Mac adds are left out.

    Raises UnusableError where a folder holds no file.
    """
    found: list[str] = []
    for name in files:
        path = Path(name)
        if not path.is_dir():
            found.append(str(name))
            continue
        inside = sorted(one for one in path.rglob("*") if one.is_file() and not _ignored(one.relative_to(path)))
        if not inside:
            raise UnusableError(f"{name}: the folder holds no data file")
        found += map(str, inside)
    return found


def _ignored(path: Path) -> bool:
    return any(part in IGNORED_FOLDERS or part.startswith(".") for part in path.parts)
