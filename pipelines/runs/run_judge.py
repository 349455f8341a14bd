"""A run judged, and checked against its reference."""

from collections.abc import Iterable, Sequence

import polars as pl

from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.header import is_value
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.which_kind import has_all_columns, kind_among, unknown_kind
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.inputs.lenient_kind import only_checked
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.ids_against_reference import id_tallies
from sharedtask.pipelines.runs.reference import judge_reference
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.texts import text_tallies
from sharedtask.pipelines.runs.upload import upload_advice, upload_form
from sharedtask.pipelines.tasks import all_kinds, run_kinds
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Role, Tally

FIRST_RECORDS = 20  # of a run, in which an answer is looked for


class RunJudge:
    """Judges runs against one reference.

    First `refer_to` it, then `check` the runs, or `hold` those that have been judged.

    `references` are the kinds among which the kind of the reference is found: those of all files, if it is not said
    otherwise. `run` is the last run that was judged, `ids` what was wrong with its ids. With `advise`, a run without an
    error is told what its upload still needs.
    """

    def __init__(self, references: Iterable[Kind] | None = None, *, advise: bool = False) -> None:
        self.references = list(all_kinds() if references is None else references)
        self.advise = advise
        self.run_kind: RunKind | None = None
        self.reference: Judged | None = None
        self.run: Judged | None = None
        self.ids: list[Tally] = []

    def refer_to(self, inputs: Inputs, path: str | Sniffed, kind: str | None = None) -> None:
        """Judge the reference: its structure, its keys, and what runs are compared with. `kind` is that of the runs.

        Raises UnusableError where there is no such reference.
        """
        sniffed = path if isinstance(path, Sniffed) else inputs.sniff(path, "reference")
        found = kind_among(sniffed, self.references)
        if found is None:
            refuse_as_reference(sniffed, self.references)
            inputs.open(sniffed, "reference", self.references)  # says why
            return
        self.run_kind = run_kind_for(sniffed, found, kind)
        how = self.run_kind
        self.reference = judge_reference(inputs, sniffed, found, self.reads(how), how.distinct)

    def reads(self, how: RunKind) -> Sequence[str]:
        """The columns of the reference, beside its key, that are read cell by cell for a kind of run.

        The rules on all others are not judged.
        """
        return how.reads

    def check(self, inputs: Inputs, path: str | Sniffed, kind: str | None = None, also: Sequence[str] = ()) -> None:
        """Judge a run, and check it against the reference. `kind` says what it is, where its columns leave a choice."""
        sniffed = path if isinstance(path, Sniffed) else inputs.sniff(path, "run")
        self.run, self.ids = None, []
        how = self.run_kind
        if how is None:
            return
        if kind is None:
            refuse_another_kind(sniffed, how.run)
        opened = inputs.open(sniffed, "run", [how.run], kind=how.run.name)
        if opened is None or self.reference is None:
            return
        others = [other for path in also if (other := self._other(inputs, path)) is not None]
        run = inputs.judge_opened(sniffed, opened, "run", enrich=self.enrich, revise=how.revise, keep=True)
        self.hold(inputs.report, run, others)

    def check_against(
        self, inputs: Inputs, run: str, against: str, kind: str | None = None, also: Sequence[str] = ()
    ) -> None:
        """Judge the reference, then the run, which is the first of the files in the report."""
        sniffed = inputs.sniff(run, "run")
        self.refer_to(inputs, against, kind)
        self.check(inputs, sniffed, kind, also)

    def enrich(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """The frame of a run with what its rules need of the reference."""
        if self.run_kind is None or self.reference is None:
            return frame
        return self.run_kind.enrich(frame, self.reference.frame)

    def hold(self, report: Report, run: Judged, also: Sequence[Judged] = ()) -> None:
        """Check a judged run against the reference; both must be there.

        What was found in the run alone is in the report already.
        """
        how, reference, limit = self.run_kind, self.reference, run.opened.limits.findings
        assert how is not None  # noqa: S101 - a run is judged only where there is something to check it against
        assert reference is not None  # noqa: S101
        self.run, self.ids = run, []
        report.add(upload_form(run), Role.RUN)
        if run.height and run.has(how.run.key):
            self.ids = id_tallies(run, reference, also, limit)
            found = [
                *self.ids,
                *how.compare(run, reference, limit),
                *text_tallies(run, reference, how.reference.columns, limit),
            ]
            report.add(found, Role.RUN)
        if self.advise and report.ok:
            report.add(upload_advice(run), Role.RUN)

    def _other(self, inputs: Inputs, path: str) -> Judged | None:
        """Another split, to which the ids of the run may belong; only its keys are read."""
        found = kind_among(sniffed := inputs.sniff(path, "also"), self.references)
        if found is None:
            raise UnusableError(f"{path}: {unknown_kind(sniffed, self.references)}; expected another split")
        return inputs.judge(sniffed, "also", [only_checked(found, found.key)], only_structure=True)


def run_kind_for(sniffed: Sniffed, reference: Kind, wanted: str | None) -> RunKind:
    """How runs are checked against a reference; `wanted` is the kind of run.

    Raises UnusableError where there is no such check.
    """
    path = sniffed.source.path
    fitting = [one for one in run_kinds() if one.reference.name == reference.name]
    if not fitting:
        known = ", ".join(sorted({one.reference.name for one in run_kinds()}))
        raise UnusableError(f"{path}: is a {reference.name} file; expected one of {known}")
    chosen = next((one for one in fitting if one.run.name == wanted), fitting[0])
    if wanted is not None and chosen.run.name != wanted:
        raise UnusableError(f"{path}: is a {reference.name} file, which is not the reference of a {wanted}")
    return chosen


def refuse_as_reference(sniffed: Sniffed, references: Iterable[Kind]) -> None:
    """Raise UnusableError where a file is plainly of a kind that is not a reference."""
    looks = kind_among(sniffed, all_kinds())
    if looks is not None:
        known = ", ".join(sorted(one.name for one in references))
        raise UnusableError(f"{sniffed.source.path}: is a {looks.name} file; expected one of {known}")


def refuse_another_kind(run: Sniffed, kind: Kind) -> None:
    """Raise UnusableError where a run is plainly a file of another kind."""
    looks = kind_among(run, all_kinds(), runs_first=True)
    if looks is None or looks.name == kind.name or _may_be_answers(run, kind):
        return
    if not kind_among(run, [kind]) or (has_all_columns(run, looks) and not has_all_columns(run, kind)):
        raise UnusableError(f"{run.source.path}: is a {looks.name} file, not a {kind.name}")


def _may_be_answers(run: Sniffed, kind: Kind) -> bool:
    """Whether a file may be a run without header under a header of any names.

    As wide, or wider by an index, and with a number last.
    """
    header, *records = run.source.head.decode("utf-8", "ignore").split("\n")[:FIRST_RECORDS]
    layout = Layout(header.encode())
    ends_with_numbers = any(is_value(record.rpartition(layout.delimiter)[2].strip()) for record in records)
    return not kind.header and len(layout.cells) - len(kind.official) in (0, 1) and ends_with_numbers
