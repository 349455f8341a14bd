"""A run judged, and checked against its reference."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

import polars as pl

from sharedtask.converters.csv.read import Layout
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.opening import Intake, has_all_columns, kind_of, take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.pipelines.inputs.judge import Judged, Revised, judge_intake
from sharedtask.pipelines.report import Input, Report
from sharedtask.pipelines.runs.ids import id_tallies
from sharedtask.pipelines.runs.run_kind import ReviseRun, RunKind
from sharedtask.pipelines.runs.texts import text_tallies
from sharedtask.pipelines.tasks import all_kinds, run_kinds
from sharedtask.schemas.engine.masks import Judgement
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Severity, Tally, tally_one
from sharedtask.schemas.rules.fmt_values import BAD_VALUE, NULL_VALUE, SPREADSHEET_NUMBER
from sharedtask.schemas.rules.run import NOT_UPLOAD_FORM

UPLOADS = {"csv", "zip"}
FIRST_RECORDS = 20  # of a run, in which an answer is looked for
VALUE_RULES = {BAD_VALUE, NULL_VALUE, SPREADSHEET_NUMBER}


class RunJudge:
    """One check with its open files; `run` and `reference` are there once they have been judged, `ids` is what was wrong with the ids.

    `verb` is the one that asks. `references` are the kinds among which the kind of the reference is found: those of all files, if it is
    not said otherwise.
    """

    def __init__(
        self,
        files: ExitStack,
        max_findings: int,
        max_bytes: int,
        *,
        verb: str = "check",
        references: Sequence[Kind] | None = None,
    ) -> None:
        self.files, self.max_findings, self.max_bytes = files, max_findings, max_bytes
        self.report = Report(verb, max_findings=max_findings)
        self.references = list(all_kinds()) if references is None else references
        self.run: Judged | None = None
        self.reference: Judged | None = None
        self.run_kind: RunKind | None = None
        self.ids: list[Tally] = []

    def check(self, run: str, against: str, kind: str | None, also: Sequence[str]) -> Report:
        """Judge the reference, the run, and the run against the reference."""
        run_source = self.files.enter_context(open_source(run))
        given = self._take(against)
        if isinstance(given, Intake):
            self.run_kind = run_kind_for(given, kind)
            if not kind:
                refuse_another_kind(run_source, self.run_kind.run)
            self._judge_reference(given)
        self._check_run(run_source, also)
        self._list_run(run_source)
        self._list_reference(given)
        self._list_also(given, also)
        return self.report

    def refer_to(self, source: Source) -> None:
        """Judge a reference for the runs that are to come."""
        given = self._take_source(source)
        if isinstance(given, Intake):
            self.run_kind = run_kind_for(given, None)
            self._judge_reference(given)
        self._list_reference(given)

    def check_another(self, source: Source, kind: str | None) -> None:
        """Judge one more run against the reference; it takes the place of the one before, and the report goes on."""
        self.run, self.ids = None, []
        if self.run_kind is not None and not kind:
            refuse_another_kind(source, self.run_kind.run)
        self._check_run(source, ())
        self._list_run(source)

    def _judge_reference(self, given: Intake) -> None:
        self.reference = judge_intake(given, limit=max(self.max_findings, 1), max_bytes=self.max_bytes, keep=True)
        self.report.add(self.reference.tallies)
        if not is_sound(self.reference):
            self.reference = None

    def _take(self, path: str) -> Intake | Source:
        return self._take_source(self.files.enter_context(open_source(path)))

    def _take_source(self, source: Source) -> Intake | Source:
        taken = take_in(source, self.references, None, limit=self.max_findings)
        if isinstance(taken, list):
            self.report.add(taken)
            return source
        return taken

    def _check_run(self, source: Source, also: Sequence[str]) -> None:
        if self.run_kind is None:
            return
        kind = self.run_kind.run
        taken = take_in(source, [kind], kind.name, limit=self.max_findings)
        if isinstance(taken, list):
            self.report.add(tally for tally in taken)
            return
        if self.reference is None:
            return
        reference = self.reference.frame
        enrich = self.run_kind.enrich
        taken.enrich = lambda frame: enrich(frame, reference)
        look = self.run_kind.revise
        revise = partial(_revised, look, kind, source.path) if look else None
        self.hold(
            judge_intake(taken, limit=self.max_findings, max_bytes=self.max_bytes, revise=revise, keep=True), also
        )

    def hold(self, run: Judged, also: Sequence[str] = ()) -> None:
        """Take what was found in a judged run, and hold it against the reference; both must be there."""
        check, reference = self.run_kind, self.reference
        assert check is not None  # noqa: S101 - a run is judged only where it can be held against something
        assert reference is not None  # noqa: S101
        self.run, self.ids = run, []
        self.report.add(run.tallies)
        self.report.add(_upload_form(run))
        there = set(run.frame.collect_schema().names())
        if run.height and set(check.run.key) <= there:
            others = [self._other(path) for path in also]
            self.ids = id_tallies(run, reference, others, self.max_findings)
            self.report.add(self.ids)
            self.report.add(check.compare(run, reference, self.max_findings))
            self.report.add(text_tallies(run, reference, self.max_findings))

    def _other(self, path: str) -> Judged:
        taken = self._take(path)
        if not isinstance(taken, Intake):
            raise UnusableError(f"{path}: holds nothing")
        return judge_intake(taken, limit=0, max_bytes=self.max_bytes)

    def _list_run(self, run: Source) -> None:
        kind = self.run_kind.run.name if self.run_kind else None
        self.report.inputs.append(
            Input("run", run.path, kind, run.sha256, run.size, self.run.rows if self.run else None)
        )

    def _list_reference(self, given: Intake | Source) -> None:
        source = given.source if isinstance(given, Intake) else given
        rows = self.reference.rows if self.reference else None
        self.report.inputs.append(Input("reference", source.path, _kind_name(given), source.sha256, source.size, rows))

    def _list_also(self, given: Intake | Source, also: Sequence[str]) -> None:
        for path in also:
            with open_source(path) as other:
                self.report.inputs.append(Input("also", path, _kind_name(given), other.sha256, other.size, None))


def _kind_name(given: Intake | Source) -> str | None:
    return given.kind.name if isinstance(given, Intake) else None


def _revised(look: ReviseRun, kind: Kind, path: str, frame: pl.LazyFrame, judgement: Judgement) -> Revised:
    return look(frame, judgement, kind, path)


def run_kind_for(reference: Intake, wanted: str | None) -> RunKind:
    """How runs are checked against a reference; `wanted` is the kind of run. Raises UnusableError where there is no such check."""
    fitting = [one for one in run_kinds() if one.reference.name == reference.kind.name]
    if not fitting:
        known = ", ".join(sorted({one.reference.name for one in run_kinds()}))
        raise UnusableError(f"{reference.source.path}: is a {reference.kind.name} file; a reference is one of {known}")
    chosen = next((one for one in fitting if one.run.name == wanted), fitting[0])
    if wanted is not None and chosen.run.name != wanted:
        raise UnusableError(f"{reference.source.path}: is a {reference.kind.name} file, no reference of a {wanted}")
    return chosen


def refuse_another_kind(run: Source, kind: Kind) -> None:
    """Raise UnusableError where a run is plainly a file of another kind."""
    looks = kind_of(run, all_kinds(), runs_first=True)
    if looks is None or looks.name == kind.name or _may_be_answers(run, kind):
        return
    if not kind_of(run, [kind]) or (has_all_columns(run, looks) and not has_all_columns(run, kind)):
        raise UnusableError(f"{run.path}: is a {looks.name} file, not a {kind.name}")


def _may_be_answers(run: Source, kind: Kind) -> bool:
    """Whether a file may be a run without header under a header of any names: as wide, or wider by an index, and with a decimal number last."""
    header, *records = run.head.decode("utf-8", "ignore").split("\n")[:FIRST_RECORDS]
    width = len(Layout(header.encode()).cells)
    ends_with_decimals = any("." in record.rpartition(",")[2] for record in records)
    return not kind.header and width - len(kind.official) in (0, 1) and ends_with_decimals


def is_sound(reference: Judged) -> bool:
    """Whether a run can be judged against a reference: no error of structure, and every key there once.

    A tally is of one column, so any sample of it tells which.
    """
    keys = {reference.intake.table.names.get(name, name) for name in reference.intake.kind.key}
    for tally in reference.tallies:
        if tally.severity is Severity.ERROR and tally.rule.code.startswith("FMT"):
            value_only = tally.rule in VALUE_RULES and all(sample.column not in keys for sample in tally.samples)
            if not value_only:
                return False
    return True


def _upload_form(run: Judged) -> list[Tally]:
    """Whether the run is in the container that its task takes."""
    container = str(run.intake.table.form.get("container"))
    if container in UPLOADS:
        return []
    names = {"jsonl": "JSON Lines", "json": "JSON", "parquet": "Parquet", "xlsx": "a spreadsheet"}
    kind: Kind = run.intake.kind
    message = f"the run is {names.get(container, container)}; the upload wants a CSV file"
    return [
        tally_one(
            NOT_UPLOAD_FORM, kind.name, message, file=run.intake.source.path, expected="CSV", hint=NOT_UPLOAD_FORM.hint
        )
    ]
