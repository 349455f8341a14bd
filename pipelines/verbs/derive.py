"""The verb `derive`: a file that others of its task determine, made by the published rule."""

from contextlib import ExitStack
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import file_sha256, whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.export_format import write_format
from sharedtask.converters.opening import Intake, kind_of, take_in
from sharedtask.converters.source import open_source
from sharedtask.pipelines.derivations.derivation import Derivation, Derived, Given
from sharedtask.pipelines.inputs.canonical_output import OnError, bad_records, set_aside
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.inputs.paths import bare_name
from sharedtask.pipelines.report import Input, Output, Report
from sharedtask.pipelines.tasks import all_kinds, derivations
from sharedtask.pipelines.verbs.export import chosen
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind


def derive(
    name: str,
    file: str | Path,
    out: str | Path,
    *,
    on_error: OnError = "stop",
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
    **beside: str | Path | None,
) -> Report:
    """Make the file that `name` says from `file`, in the official form that the ending of `out` names.

    `subtask2` takes FLARES subtask 1 apart. `labels` lets the annotations of ReINTEL vote, with `ground_truth` and `recheck` as files that
    can decide what the vote does not. With an error in any file nothing is written; with `on_error="quarantine"` the rest is, and the
    records that have no part in it go raw and whole to `quarantine/<name>.parquet` beside `out`. Raises UnusableError where a file
    cannot be read or is of another kind.
    """
    how = _named(name)
    if unknown := sorted({*beside} - {*how.beside}):
        raise UnusableError(f"derive {name} knows no {', '.join(unknown)}")
    target = Path(out)
    release = chosen(how.result.name, target, None)
    report = Report("derive", outputs=[], max_findings=max_findings)
    with ExitStack() as files:
        reading = _Reading(files, report, max_bytes)
        source = reading.judged(str(file), how.source, "data")
        others = {
            option: reading.judged(str(path), how.beside[option], option.replace("_", "-"))
            for option, path in beside.items()
            if path is not None
        }
        if source is None:
            return report
        usable = {option: _usable(one) for option, one in others.items() if one is not None}
        made = how.make(Given(source, bad_records(source), usable, max_findings))
        report.add(made.tallies)
        report.measures, report.notes = made.measures, made.notes
        if report.ok or on_error == "quarantine":
            with whole_file(target) as temporary:
                write_format(release, made.table, [temporary], None)
            _list_output(report, target, how, made, source)
            if made.bad.height or source.rows > source.height:
                set_aside(source, made.bad, target.parent / "quarantine" / f"{bare_name(str(target))}.parquet")
    return report


def _named(name: str) -> Derivation:
    every = {one.name: one for one in derivations()}
    if name not in every:
        raise UnusableError(f"nothing that can be derived is called {name!r}; there are {', '.join(every)}")
    return every[name]


class _Reading:
    """Opens and judges the files of one call, and adds what was found to the report."""

    def __init__(self, files: ExitStack, report: Report, max_bytes: int) -> None:
        self.files, self.report, self.max_bytes = files, report, max_bytes

    def judged(self, path: str, kind: Kind, role: str) -> Judged | None:
        """A judged file of this kind, None where there is nothing in it. Raises UnusableError where it is one of another kind."""
        report, source = self.report, self.files.enter_context(open_source(path))
        looks = kind_of(source, all_kinds())
        if looks is not None and looks.name != kind.name and not kind_of(source, [kind]):
            raise UnusableError(f"{path}: is a {looks.name} file, and a {kind.name} file is wanted")
        taken = take_in(source, [kind], kind.name, limit=report.max_findings, max_bytes=self.max_bytes)
        judged = (
            judge_intake(taken, limit=report.max_findings, max_bytes=self.max_bytes)
            if isinstance(taken, Intake)
            else None
        )
        report.add(judged.tallies if judged else taken if isinstance(taken, list) else [])
        report.inputs.append(Input(role, path, kind.name, source.sha256, source.size, judged.rows if judged else 0))
        return judged


def _usable(judged: Judged) -> pl.LazyFrame:
    return judged.frame.join(bad_records(judged).lazy(), on="row", how="anti", maintain_order="left")


def _list_output(report: Report, target: Path, how: Derivation, made: Derived, source: Judged) -> None:
    rows = int(made.table.select(pl.len()).collect(engine="streaming").item())
    if report.outputs is not None:
        report.outputs.append(
            Output(str(target), how.result.name, rows, file_sha256(target), source.intake.source.path)
        )
