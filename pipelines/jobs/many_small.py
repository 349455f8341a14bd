"""Many small files of one kind as one query.

A file of some hundred records costs far more to open, plan and judge by itself than its records do. So those whose
bytes need no explaining are put one below the other under one header, and judged, compared with the reference and
scored as one frame in which `file` identifies them. A file with findings is reported from its own part of the frame;
only one whose form is in question is left to be processed alone.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.header import fit, is_data, read_header
from sharedtask.converters.opening import Opened
from sharedtask.converters.raw_table import LineFinder, Table
from sharedtask.converters.source import known_source
from sharedtask.converters.storage import Folder, resolve
from sharedtask.converters.which_kind import fits_one_kind
from sharedtask.pipelines.inputs.findings import tallies_of
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.judge import Judged, revision
from sharedtask.pipelines.inputs.judge_batch import read_batch
from sharedtask.pipelines.jobs.one_input import Work
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.jobs.plan import LIMITS, Plan
from sharedtask.pipelines.jobs.small_files import HEAD, Part, Plain, Small, groups_of, readable_parts
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.run_judge import RunJudge, refuse_another_kind
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.engine.judge import judge
from sharedtask.schemas.engine.masks import Judgement
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.spans import CELL


def work_together(files: Sequence[Small], plan: Plan, folder: Folder, scratch: Path) -> list[Outcome]:
    """Take small files through the steps of a job that converts nothing.

    What is not among the outcomes is for `work_alone`.
    """
    if "convert" in plan.job.steps:
        return []
    outcomes: list[Outcome] = []
    for group in groups_of(files):
        with Inputs(Report("job"), LIMITS) as inputs:
            opened = _representative(inputs, group[0], plan)
            if opened is not None:
                alike = [one for one in group if _reads_alike(one, group[0], opened.kind)]
                for part in readable_parts(alike, opened.kind, opened.source.path):
                    outcomes += _Together(part, opened, plan, folder, scratch).outcomes()
    return outcomes


def _representative(inputs: Inputs, first: Plain, plan: Plan) -> Opened | None:
    """The first file of a group as it would be worked alone.

    None where its header or name has something to say, or nothing can be done with it.
    """
    if not fits_one_kind(first.layout.cells, all_kinds()):
        return None
    sniffed = inputs.sniff(resolve(first.file.path, plan.job.base), "data", shown=first.file.path)
    run = plan.run.run if plan.run is not None else None
    try:
        if run is not None:
            refuse_another_kind(sniffed, run)
        opened = inputs.open(sniffed, "data", plan.kinds if run is None else [run], kind=run.name if run else None)
    except UnusableError:
        return None
    if opened is None or opened.container != "csv" or opened.findings or opened.table.tallies:
        return None
    return opened


def _reads_alike(one: Plain, first: Plain, kind: Kind) -> bool:
    """Whether a file of a group would be read by itself as the first one is: the group may have no header to say so."""
    if not is_data(one.layout.cells):
        return True
    own, other = (read_header(plain.layout.cells, kind, "", rest=plain.layout.rest) for plain in (one, first))
    return (
        fits_one_kind(one.layout.cells, all_kinds()) and fit(one.layout.cells, kind) >= 0 and own.names == other.names
    )


class _Together:
    """Files of a group on their way.

    `odd` are those whose form is in question; `noted` those in which something was found.
    """

    def __init__(self, part: Part, opened: Opened, plan: Plan, folder: Folder, scratch: Path) -> None:
        self.part, self.files, self.opened, self.kind = part, part.files, opened, opened.kind
        self.plan, self.folder, self.scratch = plan, folder, scratch
        self.frame = read_batch(part.raw, self.kind, plan.enrich)
        self.firsts = [0]
        for one in self.files:
            self.firsts.append(self.firsts[-1] + one.records)
        self.checks = checks_for(self.kind, self.frame.columns, lacks=("nul", "c0"))
        self.odd: set[int] = set()
        self.noted: set[int] = set()

    def outcomes(self) -> Iterator[Outcome]:
        judgement = judge(self.frame.lazy(), self.kind, self.checks)
        self._find_odd()
        for found in (judgement.rows, judgement.spans, judgement.across):
            self.noted.update(found["file"].unique())
        if self.plan.judge is not None:
            self._compare(self.plan.judge, judgement)
        scores = self._scores()
        of_file = _by_file(judgement)
        for number in range(len(self.files)):
            if number in self.odd:
                continue
            yield (
                self._found(number, of_file(number))
                if number in self.noted
                else self._clean(number, scores.get(number))
            )

    def _find_odd(self) -> None:
        """Files with short records, with names that promise other columns, or whose lines and records differ."""
        spaced = [pl.col("spaced")] if "spaced" in self.frame.columns else []
        short = self.frame.filter(pl.any_horizontal(pl.col("last").is_null(), "no_record", *spaced))
        self.odd.update(short["file"].unique())
        faults, names = self.kind.name_faults, self.frame.columns
        for number, one in enumerate(self.files):
            if one.records == 0 or one.folded or (faults is not None and faults(one.file.name, names)):
                self.odd.add(number)
        if len(self.part.header.columns) < len(self.part.header.names):
            self.odd.update(range(len(self.files)))

    def _clean(self, number: int, scores: dict[str, float | None] | None) -> Outcome:
        one, scorer = self.files[number], self.plan.scorer
        return Outcome(
            one.file.path,
            one.file.sha256,
            len(one.file.data),
            self.kind.name,
            one.records,
            scorer=scorer.name if scorer else None,
            scores=scores,
        )

    def _found(self, number: int, judgement: Judgement) -> Outcome:
        """What was found in one file, from its own part of the frame."""
        one, frame = self.files[number], self._frame_of(number)
        source = known_source(
            one.file.path,
            Path(resolve(one.file.path, self.plan.job.base)),
            one.file.data[:HEAD],
            len(one.file.data),
            one.facts,
        )
        table = Table(
            frame.lazy(),
            self.opened.table.names,
            lines=_lines_from(one.first_line),
            form=self.opened.table.form,
            as_given=self._as_given(frame),
        )
        opened = Opened(source, self.kind, "csv", LIMITS, [], table)
        lazy, revise = frame.lazy(), self.plan.run.revise if self.plan.run else None
        revised = revision(lazy, judgement, self.kind, source.path, revise)
        tallies = [*revised.causes, *tallies_of(opened, lazy, revised.judgement, LIMITS.findings, revised.meant)]
        judged = Judged(opened, lazy, frame.height, frame.height, [revised.judgement], tallies, revised=revised)
        report = Report("job", max_findings=LIMITS.findings)
        work = Work(source, self.plan, self.folder, self.scratch, report)
        return work.as_judged(self.plan.judge, judged) if self.plan.judge else work.as_found(judged)

    def _frame_of(self, number: int) -> pl.DataFrame:
        """The records of one file, as it would have them by itself."""
        frame = self.frame.slice(self.firsts[number], self.files[number].records)
        return frame.with_columns(file=pl.lit(0, pl.UInt32))

    def _as_given(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """The columns of a file by its own names, as text."""
        header, spans = self.part.header, self.kind.spans
        cells = {spans.name: CELL} if spans is not None and CELL in frame.columns else {}
        columns = sorted(header.columns.items())
        return frame.lazy().select(
            "row", *(pl.col(cells.get(name, RAW + name)).alias(header.names[at]) for at, name in columns)
        )

    def _compare(self, runs: RunJudge, judgement: Judgement) -> None:
        """Files whose keys are not those of the reference in its order, or about which their task has a finding."""
        reference, how = runs.reference, runs.run_kind
        assert reference is not None  # noqa: S101 - a plan gives no check without one
        assert how is not None  # noqa: S101
        keys = reference.frame.select(self.kind.key).collect(engine="streaming")
        self.noted.update(self._in_another_order(keys))
        whole = Judged(self.opened, self.frame.lazy(), self.frame.height, self.frame.height, [judgement], [])
        if how.compare(whole, reference, 0):
            self.noted.update(range(len(self.files)))
        if how.revise is None:
            return
        none = Judgement(self.checks, judgement.rows.clear(), judgement.spans.clear(), judgement.across.clear())
        for number in set(range(len(self.files))) - self.odd - self.noted:
            frame = self.frame.slice(self.firsts[number], self.files[number].records)
            if how.revise(frame.lazy(), none, self.kind, self.files[number].file.path).causes:
                self.noted.add(number)

    def _in_another_order(self, keys: pl.DataFrame) -> set[int]:
        """The files whose keys differ from these at some row, or are fewer or more."""
        other = {number for number, one in enumerate(self.files) if one.records != keys.height}
        if not keys.height:
            return other
        wanted = keys.select(pl.all().gather(self.frame["row"].clip(upper_bound=keys.height - 1)))
        same = [self.frame[name].eq_missing(wanted[name]) for name in self.kind.key]
        differs = self.frame.select("file", same=pl.all_horizontal(*same)).filter(~pl.col("same"))
        return other | set(differs["file"].unique())

    def _scores(self) -> dict[int, dict[str, float | None]]:
        """The scores of the files in which nothing was found, by number.

        None where they cannot be scored in this way.

        One call of the scorer scores them all: as one run on as many copies of the gold, with keys that identify the
        copies.
        """
        scorer, gold = self.plan.scorer, self.plan.gold
        if scorer is None:
            return {}
        sound = [number for number in range(len(self.files)) if number not in self.odd | self.noted]
        if gold is None or not sound:
            self.noted.update(sound)
            return {}
        number, *others = self.kind.key
        runs = self.frame.filter(pl.col("file").is_in(pl.Series(sound, dtype=pl.UInt32).implode()))
        copy = runs["file"].cast(pl.Int64) * gold.height + runs["row"]
        golds = gold.select(pl.all().gather(runs["row"])).with_columns(copy.alias(number))
        columns = [column.name for column in self.kind.columns if column.name not in (number, *others)]
        answers = runs.select(copy.alias(number), *others, *columns)
        try:
            items = scorer.units(scorer.score(golds, answers).per_item)
        except tuple(reason for reason, _ in scorer.refuses):
            items = pl.DataFrame(schema={number: pl.Int64})
        numbered = items.with_columns(resample=pl.col(number) // gold.height)
        table = scorer.statistic(numbered) if numbered.height else pl.DataFrame()
        if table.height != len(sound):
            self.noted.update(sound)
            return {}
        return dict(zip(sound, table.to_dicts(), strict=True))


def _by_file(judgement: Judgement) -> Callable[[int], Judgement]:
    """What was found in each file, by number, as it would be in a file by itself."""
    frames = (judgement.rows, judgement.spans, judgement.across)
    parts = [frame.partition_by("file", as_dict=True) for frame in frames]

    def of(number: int) -> Judgement:
        rows, spans, across = (part.get((number,), frame.clear()) for part, frame in zip(parts, frames, strict=True))
        return Judgement(judgement.checks, rows, spans, across)

    return of


def _lines_from(first: int) -> LineFinder:
    """The lines of records that take one each, the first of them on line `first`."""
    return lambda rows: [first + row for row in rows]
