"""The verbs `splits check` and `splits make`: what the splits of a data set have in common, and splits that have nothing in common."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.opening import Intake, take_in
from sharedtask.converters.source import Source, open_source
from sharedtask.pipelines.inputs.judge import Judged, judge_intake
from sharedtask.pipelines.inputs.paths import expand
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.report import Input, Report
from sharedtask.pipelines.runs.judge import is_sound
from sharedtask.pipelines.splitting.assign import deal_out, named_column
from sharedtask.pipelines.splitting.findings import Split, note, told
from sharedtask.pipelines.splitting.folding import FEWEST_CHARACTERS, FEWEST_WORDS
from sharedtask.pipelines.splitting.hashes import Subject, hashed, subject_of
from sharedtask.pipelines.splitting.leaks import leaks, short_texts
from sharedtask.pipelines.splitting.minhash import minhash, similar
from sharedtask.pipelines.splitting.plan import parse_plan
from sharedtask.pipelines.splitting.write_parts import MANIFEST, write_parts
from sharedtask.pipelines.tasks import all_kinds, labels_of
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.spl import SIMILAR_TEXT_LEAK, TEXT_LEAK


def splits_check(
    files: Sequence[str | Path],
    *,
    kind: str | None = None,
    group_by: str | None = None,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
    progress: Progress = no_progress,
) -> Report:
    """Tell what the splits of a data set have in common: ids, texts, similar texts, groups, and texts with two labels.

    Each finding is about one id, text or group in one file that a file before it has too, and gives both places. Texts are compared between
    all files, ids, labels and groups between files of one kind. Groups are the documents of sentences, or the values of `group_by`. Other
    faults of the files are not reported, but nothing is compared with a file whose structure is wrong. Similar texts are looked for
    if the extra `splits` is installed. Counts are exact, `max_findings` bounds the samples of each rule.

    Raises UnusableError where there are not two files, or one cannot be read or has no texts.
    """
    paths = [path for path in expand(files) if Path(path).name != MANIFEST]
    if len(paths) < 2:
        raise UnusableError("splits are compared with one another: give two files or more")
    report = Report("splits check", max_findings=max_findings)
    with ExitStack() as open_files:
        splits: list[Split] = []
        records: list[pl.DataFrame] = []
        for number, path in enumerate(paths):
            progress(path, number, len(paths))
            source = open_files.enter_context(open_source(path))
            taken = _take(source, kind, report, max_bytes)
            if taken is None:
                continue
            intake, subject = taken
            if group_by is not None:
                subject = replace(subject, group=_group(intake, group_by), lone=False)
            scratch = source.scratch / "records.arrow"
            plan = hashed(intake.frame(), subject, len(splits)).sink_ipc(scratch, maintain_order=True, lazy=True)
            judged = _judge(intake, report, max_bytes, [plan])
            if judged is not None:
                again = None if judged.beside_ran else hashed(judged.frame, subject, len(splits))
                records.append(pl.read_ipc(scratch) if again is None else again.collect(engine="streaming"))
                splits.append(Split(judged, subject))
        if len(splits) > 1:
            report.add(_between(splits, pl.concat(records), max_findings))
    return report


def splits_make(
    file: str | Path,
    out: str | Path,
    *,
    sizes: str,
    seed: int,
    kind: str | None = None,
    by: str = "rows",
    group_by: str | None = None,
    stratify: str | None = None,
    method: str | None = None,
    shared_texts: bool = False,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Report:
    """Deal the records of a file out to parts `out/<part><ending of the file>`, with `out/manifest.json` on how that was done.

    `sizes` are fractions that add up to 1, or numbers that add up to the file, such as `train=.7,dev=.1,test=.2`; they are in `by` rows,
    documents or spans. Records of one text (folded as in `splits_check`) and of one value of `group_by` stay together; with
    `shared_texts` one text may stand in several groups. `stratify` names a column whose values all parts get in proportion; a record or group
    with several values counts as the rarest of them. `method` is `random` or `stratified`, by the labels of the kind where no column is named.

    The records are written as they stand in the file, in its order. The same records and `seed` give the same parts, in whatever order they come.
    A file with an error of structure or keys is not split: the report has the findings. Raises UnusableError where the sizes do not add up,
    a group is larger than every part, a stratum has one member, or a file cannot be read or written.
    """
    plan = parse_plan(
        sizes, seed=seed, by=by, group_by=group_by, stratify=stratify, method=method, shared_texts=shared_texts
    )
    report = Report("splits make", outputs=[], max_findings=max_findings)
    with open_source(str(file)) as source:
        taken = _take(source, kind, report, max_bytes, keys=True)
        judged = _judge(taken[0], report, max_bytes, []) if taken else None
        if taken and judged:
            dealt = deal_out(judged, taken[1], plan)
            report.outputs = write_parts(judged, taken[1], plan, dealt, Path(out))
    return report


def _take(
    source: Source, kind: str | None, report: Report, max_bytes: int, *, keys: bool = False
) -> tuple[Intake, Subject] | None:
    """A file of a kind that has texts, with what of it is compared; `keys` are to be judged, too.

    Raises UnusableError for a file of another kind.
    """
    limit = report.max_findings
    taken = take_in(source, all_kinds(), kind, limit=limit, max_bytes=max_bytes)
    if isinstance(taken, list):
        report.add(taken)
        report.inputs.append(Input("data", source.path, kind, source.sha256, source.size, 0))
        return None
    subject = subject_of(taken.kind, list(all_kinds()), labels_of(taken.kind))
    if subject is None:
        raise UnusableError(f"{source.path}: is a {taken.kind.name} file, which has no texts; splits are made of data")
    bare = unjudged(taken.kind, {*taken.kind.key, subject.text}, keys=keys)
    again = take_in(source, [bare], bare.name, limit=limit, max_bytes=max_bytes)
    return (again, subject) if isinstance(again, Intake) else None


def unjudged(kind: Kind, needed: Collection[str], *, keys: bool = False) -> Kind:
    """The kind with these columns required and no value judged; whether its `keys` are right, only if that is asked for."""
    columns = tuple(replace(column, optional=column.name not in needed, prose=False) for column in kind.columns)
    return replace(kind, columns=columns, checks=(), table_checks=kind.table_checks if keys else (), name_faults=None)


def _judge(intake: Intake, report: Report, max_bytes: int, beside: list[pl.LazyFrame]) -> Judged | None:
    """A judged file; None, with the findings in the report, where its structure is wrong."""
    judged = judge_intake(intake, limit=report.max_findings, max_bytes=max_bytes, beside=beside)
    source = intake.source
    report.inputs.append(Input("data", source.path, intake.kind.name, source.sha256, source.size, judged.rows))
    if is_sound(judged):
        return judged
    report.add(judged.tallies)
    return None


def _group(intake: Intake, name: str) -> str:
    """The canonical name of the column of groups. Raises UnusableError where a file has none of this name."""
    column, nested = named_column(intake.kind, name)
    if nested or column.name not in intake.frame().collect_schema().names():
        raise UnusableError(f"{intake.source.path}: has no column {name} to group its records by")
    return column.name


def _between(splits: Sequence[Split], records: pl.DataFrame, limit: int) -> list[Tally]:
    """The findings of all SPL rules."""
    words = records.filter(pl.col("words").is_not_null()).select("words", "file", "row", "fold")
    texts = words.sort("file", "row").unique("fold", keep="first", maintain_order=True)
    hashes = records.drop("words")
    library = minhash()
    found = leaks(hashes)
    if library is not None:
        found |= {SIMILAR_TEXT_LEAK: similar(texts, library)}
    tallies = told(splits, found, limit)
    if library is None:
        message = "similar texts were not looked for: that takes the extra of pip install 'sharedtask[splits]'"
        tallies.append(note(splits[-1], SIMILAR_TEXT_LEAK, message, 0))
    short = short_texts(hashes)
    for at, split in enumerate(splits):
        if count := short.filter(pl.col("file") == at).height:
            message = (
                f"{count} short texts stand in an earlier file, too; with fewer than {FEWEST_WORDS} words and "
                f"{FEWEST_CHARACTERS} characters they are not taken for leaks"
            )
            tallies.append(note(split, TEXT_LEAK, message, count))
    return tallies
