"""Many small files of one kind as one query.

A file of some hundred records costs far more to open, plan and judge by itself than its records do. So those whose bytes need no explaining
are read whole, put one below the other under one header, and judged, compared with the reference and scored as one frame in which `file`
tells them apart. Only what is without any finding is finished here; whatever has something to say is worked alone, with its places and words.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import polars as pl

from sharedtask.converters.canonical import canonical
from sharedtask.converters.columns import is_data, read_header
from sharedtask.converters.delimited import Layout, read_bodies
from sharedtask.converters.encoding import UTF8_BOM_BYTES
from sharedtask.converters.source import COMPRESSIONS, NOT_DELIMITED, STRAY_QUOTE, UnusableError, open_source
from sharedtask.converters.storage import resolve
from sharedtask.converters.table import Table
from sharedtask.pipelines.check import Checking, refuse_another_kind
from sharedtask.pipelines.intake import Intake, take_in
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.jobs.plan import Plan
from sharedtask.pipelines.judging import Judged
from sharedtask.schemas.engine import Judgement, checks_for, judge

MOST_BYTES = 1 << 20  # of a file that is read with others
_HEAD = 1 << 16  # bytes that are looked at for the header
_ODD = re.compile(rb"[\x00-\x08\x0b\r\x0e-\x1f]")  # what rules look for, or what ends a line in another way
_NOT_TEXT = (UTF8_BOM_BYTES, *NOT_DELIMITED, *COMPRESSIONS.values())


@dataclass(frozen=True, slots=True)
class Small:
    """A small file that has been read: its path in the job, its bytes and their hash."""

    path: str
    data: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class _Plain:
    """A small file of plain delimited text, cut into header and body; `records` is how many the body has, `alike` what its group shares."""

    file: Small
    layout: Layout
    body: bytes
    records: int
    alike: tuple[object, ...]


def work_together(files: Sequence[Small], plan: Plan) -> list[Outcome]:
    """Take small files through the steps of a job that writes no data. What is not among the outcomes is for `work_alone`."""
    if "convert" in plan.job.steps:
        return []
    groups: dict[tuple[object, ...], list[_Plain]] = {}
    for file in files:
        plain = _plain(file)
        if plain is not None:
            groups.setdefault(plain.alike, []).append(plain)
    return [outcome for group in groups.values() if len(group) > 1 for outcome in _worked(group, plan)]


def _plain(file: Small) -> _Plain | None:
    """The parts of a file about whose bytes there is nothing to say; None where there may be."""
    data = file.data
    if not data.endswith(b"\n") or data.startswith(_NOT_TEXT) or _ODD.search(data) or not _is_utf8(data):
        return None
    if b'"' in data and STRAY_QUOTE.search(data):
        return None
    layout = Layout(data[:_HEAD])
    if any("\n" in cell for cell in layout.cells):
        return None
    body, alike = data, tuple[object, ...]((len(layout.cells),))
    if not is_data(layout.cells):
        body, alike = data[data.index(b"\n") + 1 :], tuple(layout.cells)
    unquoted = body.split(b'"')[::2] if b'"' in body else (body,)
    records = sum(part.count(b"\n") for part in unquoted)
    return _Plain(file, layout, body, records, (layout.delimiter, layout.spaces, *alike))


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _worked(group: Sequence[_Plain], plan: Plan) -> Iterator[Outcome]:
    """The outcomes of those files of a group in which nothing is found."""
    with ExitStack() as opened:
        taken = _representative(group[0], plan, opened)
        if taken is None:
            return
        for part in _readable_parts(group, taken):
            yield from _Together(part, taken, plan).outcomes()


def _representative(first: _Plain, plan: Plan, opened: ExitStack) -> Intake | None:
    """The first file of a group as it would be worked alone; None where its header or name has something to say, or nothing can be done with it."""
    source = opened.enter_context(open_source(resolve(first.file.path, plan.job.base)))
    source = replace(source, path=first.file.path)
    run = plan.checking.run_check.run if plan.checking is not None and plan.checking.run_check else None
    try:
        if run is not None:
            refuse_another_kind(source, run)
        taken = take_in(source, plan.kinds if run is None else [run], run.name if run else None)
    except UnusableError:
        return None
    if isinstance(taken, list) or taken.container != "csv" or taken.tallies or taken.table.tallies:
        return None
    return taken


@dataclass(frozen=True, slots=True)
class _Part:
    """Files of a group with their records as one frame: raw columns, `file` (the index in `files`), `row` and `last`."""

    files: Sequence[_Plain]
    raw: pl.DataFrame


def _readable_parts(group: Sequence[_Plain], taken: Intake) -> Iterator[_Part]:
    """The group as frames. Where the reader refuses some record, or counts others than the lines do, the halves are tried, down to no file."""
    raw = _read(group, taken)
    if raw is not None:
        yield _Part(group, raw)
    elif len(group) > 1:
        middle = len(group) // 2
        yield from _readable_parts(group[:middle], taken)
        yield from _readable_parts(group[middle:], taken)


def _read(group: Sequence[_Plain], taken: Intake) -> pl.DataFrame | None:
    layout, kind = group[0].layout, taken.kind
    header = read_header(layout.cells, kind, taken.source.path, layout.delimiter)
    try:
        raw = read_bodies(b"".join(one.body for one in group), kind, layout, header).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return None
    sizes = pl.DataFrame({"size": [one.records for one in group]}, schema={"size": pl.UInt32})
    if raw.height != sizes["size"].sum():
        return None
    firsts = sizes.select(
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("file"), first=pl.col("size").cum_sum() - pl.col("size")
    )
    places = firsts.select(pl.all().repeat_by(sizes["size"]).explode())
    return raw.with_columns(file=places["file"], row=(raw["row"] - places["first"]).cast(pl.UInt32))


class _Together:
    """Files of a group on their way: `suspects` are those that must be worked alone."""

    def __init__(self, part: _Part, taken: Intake, plan: Plan) -> None:
        self.files, self.taken, self.plan, self.kind = part.files, taken, plan, taken.kind
        frame = canonical(Table(part.raw.lazy(), {}), self.kind)
        if plan.checking is not None and plan.checking.run_check is not None and plan.checking.reference is not None:
            frame = plan.checking.run_check.enrich(frame, plan.checking.reference.frame)
        self.frame = frame.collect(engine="streaming")
        self.suspects: set[int] = set()

    def outcomes(self) -> Iterator[Outcome]:
        checks = checks_for(self.kind, self.frame.columns, lacks=("nul", "c0"))
        judgement = judge(self.frame.lazy(), self.kind, checks)
        for found in (judgement.rows, judgement.spans, judgement.across, self.frame.filter(pl.col("last").is_null())):
            self.suspects.update(found["file"].unique())
        self.suspects.update(number for number, one in enumerate(self.files) if one.records == 0 or self._misnamed(one))
        if self.plan.checking is not None:
            self._compare(self.plan.checking, judgement)
        scores = self._scores()
        scorer = self.plan.scorer
        for number, one in enumerate(self.files):
            if number in self.suspects:
                continue
            yield Outcome(
                one.file.path,
                one.file.sha256,
                len(one.file.data),
                self.kind.name,
                one.records,
                scorer=scorer.name if scorer else None,
                scores=scores.get(number),
            )

    def _misnamed(self, one: _Plain) -> bool:
        names = self.frame.columns
        return self.kind.name_faults is not None and bool(
            self.kind.name_faults(one.file.path.rpartition("/")[2], names)
        )

    def _compare(self, checking: Checking, judgement: Judgement) -> None:
        """Suspect the files whose keys are not those of the reference in their order, or of which its task has something to say."""
        reference, check = checking.reference, checking.run_check
        assert reference is not None  # noqa: S101 - a plan gives no check without one
        assert check is not None  # noqa: S101
        keys = reference.frame.select(self.kind.key).collect(engine="streaming")
        self.suspects.update(self._in_another_order(keys))
        whole = Judged(self.taken, self.frame.lazy(), self.frame.height, self.frame.height, [judgement], [])
        if check.compare(whole, reference, 0):
            self.suspects.update(range(len(self.files)))
        if check.revise is None:
            return
        for number, frame in self._apart():
            none = Judgement(
                judgement.checks, judgement.rows.clear(), judgement.spans.clear(), judgement.across.clear()
            )
            if check.revise(frame.lazy(), none, self.kind, self.files[number].file.path).causes:
                self.suspects.add(number)

    def _in_another_order(self, keys: pl.DataFrame) -> set[int]:
        """The files whose keys differ from these at some row, or are fewer or more."""
        sizes = [one.records for one in self.files]
        other = {number for number, size in enumerate(sizes) if size != keys.height}
        if not keys.height:
            return other
        wanted = keys.select(pl.all().gather(self.frame["row"].clip(upper_bound=keys.height - 1)))
        same = [self.frame[name].eq_missing(wanted[name]) for name in self.kind.key]
        differs = self.frame.select("file", same=pl.all_horizontal(*same)).filter(~pl.col("same"))
        return other | set(differs["file"].unique())

    def _apart(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The frame of each file that is no suspect."""
        first = 0
        for number, one in enumerate(self.files):
            if number not in self.suspects:
                yield number, self.frame.slice(first, one.records)
            first += one.records

    def _scores(self) -> dict[int, dict[str, float | None]]:
        """The scores of the files that are no suspects, by number. Where they cannot be scored so, all become suspects.

        One call of the scorer scores them all: as one run on as many copies of the gold, with keys that tell the copies apart.
        """
        scorer, gold = self.plan.scorer, self.plan.gold
        if scorer is None:
            return {}
        sound = [number for number in range(len(self.files)) if number not in self.suspects]
        if gold is None or not sound:
            self.suspects.update(sound)
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
            self.suspects.update(sound)
            return {}
        return dict(zip(sound, table.to_dicts(), strict=True))
