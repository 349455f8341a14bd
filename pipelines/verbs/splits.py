"""The verbs `splits check` and `splits make`.

What the splits of a data set have in common, and splits that have nothing in common.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.opening import Opened
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.lenient_kind import unchecked
from sharedtask.pipelines.inputs.paths import expand
from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.splitting.assign import assign_parts, named_column
from sharedtask.pipelines.splitting.findings import Split, leak_tallies, note
from sharedtask.pipelines.splitting.folding import FEWEST_CHARACTERS, FEWEST_WORDS
from sharedtask.pipelines.splitting.hashes import Subject, hashed, subject_of
from sharedtask.pipelines.splitting.leaks import leaks, short_texts
from sharedtask.pipelines.splitting.similar_texts import minhash, similar
from sharedtask.pipelines.splitting.sizes import parse_plan
from sharedtask.pipelines.splitting.write_parts import MANIFEST, part_targets, write_parts
from sharedtask.pipelines.tasks import all_kinds, labels_of
from sharedtask.schemas.rule import Tally
from sharedtask.schemas.rules.spl import SIMILAR_TEXT_LEAK, TEXT_LEAK


def splits_check(
    files: Sequence[str | Path],
    *,
    kind: str | None = None,
    group_by: str | None = None,
    limits: Limits = USUAL_LIMITS,
    progress: Progress = no_progress,
) -> Report:
    """Find what the splits of a data set have in common: ids, texts, similar texts, groups, and texts with two labels.

    Each finding is about one id, text or group in one file that a file before it has too, and gives both places. Texts
    are compared between all files, ids, labels and groups between files of one kind. Groups are the documents of
    sentences, or the values of `group_by`. Other faults of the files are not reported, but nothing is compared with a
    file whose structure is wrong. Similar texts are looked for if the extra `splits` is installed. Counts are exact,
    `max_findings` bounds the samples of each rule.

    Raises UnusableError where there are not two files, or one cannot be read or has no texts.
    """
    paths = [path for path in expand(files).paths if Path(path).name != MANIFEST]
    if len(paths) < 2:
        raise UnusableError("one file has no splits to compare; expected two files or more")
    report = Report("splits check", max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        splits: list[Split] = []
        records: list[pl.DataFrame] = []
        for number, path in enumerate(paths):
            progress(path, number, len(paths))
            found = _open(inputs, path, kind)
            if found is None:
                continue
            sniffed, opened, subject = found
            if group_by is not None:
                subject = replace(subject, group=_group(opened, group_by), lone=False)
            if not _has_all(opened, subject):
                inputs.judge_opened(sniffed, opened, "data")
                continue
            scratch = opened.source.scratch / "records.arrow"
            plan = hashed(opened.frame(), subject, len(splits)).sink_ipc(scratch, maintain_order=True, lazy=True)
            judged = inputs.judge_structure(sniffed, opened, "data", beside=[plan])
            if judged is not None:
                again = None if judged.beside_ran else hashed(judged.frame, subject, len(splits))
                records.append(pl.read_ipc(scratch) if again is None else again.collect(engine="streaming"))
                splits.append(Split(judged, subject))
        if len(splits) > 1:
            report.add(_between(splits, pl.concat(records), limits.findings))
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
    limits: Limits = USUAL_LIMITS,
) -> Report:
    """Split the records of a file into parts `out/<part><ending of the file>`, described in `out/manifest.json`.

    `sizes` are fractions that add up to 1, or numbers that add up to the file, such as `train=.7,dev=.1,test=.2`; they
    are in `by` rows, documents or spans. Records of one text (folded as in `splits_check`) and of one value of
    `group_by` stay together; with `shared_texts` one text may be in several groups. `stratify` names a column whose
    values all parts get in proportion; a record or group with several values counts as the rarest of them. `method` is
    `random` or `stratified`, by the labels of the kind where no column is named.

    The records are written unchanged, in the order of the file. The same records and `seed` give the same parts, in
    whatever order they come. A file with an error of structure or keys is not split: the report has the findings.
    Raises UnusableError where the sizes do not add up, a group is larger than every part, a stratum has one member, or
    a file cannot be read or written.
    """
    plan = parse_plan(
        sizes, seed=seed, by=by, group_by=group_by, stratify=stratify, method=method, shared_texts=shared_texts
    )
    report = Report("splits make", outputs=[], max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        found = _open(inputs, file, kind, keys=True)
        if found is None:
            return report
        sniffed, opened, subject = found
        judged = inputs.judge_structure(sniffed, opened, "data")
        if judged is not None:
            targets = part_targets(judged, plan, out)
            report.outputs = write_parts(judged, subject, plan, assign_parts(judged, subject, plan), targets)
            report.written += [target.path for target in targets]
    return report


def _open(
    inputs: Inputs, path: str | Path, kind: str | None, *, keys: bool = False
) -> tuple[Sniffed, Opened, Subject] | None:
    """A file of a kind that has texts, with what of it is compared; `keys` are to be checked, too.

    Raises UnusableError for a file of another kind.
    """
    sniffed, known = inputs.sniff(path, "data"), list(all_kinds())
    found = next((one for one in known if one.name == kind), None) or kind_among(sniffed, known)
    if found is None or (kind is not None and found.name != kind):
        inputs.open(sniffed, "data", known, kind=kind)  # reports its findings, or that the kind cannot be detected
        return None
    subject = subject_of(found, known, labels_of(found))
    if subject is None:
        raise UnusableError(f"{path}: is a {found.name} file, which has no texts; splits are made from data files")
    bare = unchecked(found, {*found.key, subject.text}, keys=keys)
    opened = inputs.open(sniffed, "data", [bare], kind=bare.name)
    return None if opened is None else (sniffed, opened, subject)


def _has_all(opened: Opened, subject: Subject) -> bool:
    """Whether the columns are there by which records are compared."""
    columns = {*opened.frame().collect_schema()}
    return {*subject.kind.key, subject.text} <= columns and (subject.group is None or subject.group in columns)


def _group(opened: Opened, name: str) -> str:
    """The canonical name of the column of groups. Raises UnusableError where a file has none of this name."""
    column, nested = named_column(opened.kind, name)
    if nested or column.name not in opened.frame().collect_schema().names():
        raise UnusableError(f"{opened.source.path}: has no column {name} to group its records by")
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
    tallies = leak_tallies(splits, found, limit)
    if library is None:
        tallies.append(note(splits[-1], SIMILAR_TEXT_LEAK, which="skipped"))
    short = short_texts(hashes)
    for at, split in enumerate(splits):
        if count := short.filter(pl.col("file") == at).height:
            facts = {"texts": count, "words": FEWEST_WORDS, "characters": FEWEST_CHARACTERS}
            tallies.append(note(split, TEXT_LEAK, which="short", affected=count, **facts))
    return tallies
