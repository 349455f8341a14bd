"""Why a run is not scored, and what would make it scored: the reasons of a refusal as phrases.

What is wrong is among the findings; here is what of it stops the scoring.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import NotScored
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.score_inputs import unread_cells
from sharedtask.pipelines.tasks import all_scorers
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.messages import plural
from sharedtask.schemas.rule import Role, Rule, Severity, Tally
from sharedtask.schemas.rules.fmt_columns import MISSING_COLUMN
from sharedtask.schemas.rules.fmt_files import EMPTY_FILE
from sharedtask.schemas.rules.run import (
    DUPLICATE_ID,
    EMPTY_RUN,
    MISSING_ID,
    NO_COMMON_ID,
    ROW_INDEX_INSTEAD_OF_ID,
    UNKNOWN_ID,
)

FILL = "answer the missing ids, or use `--allow-missing` or `sharedtask fix --fill-missing`"
FIX_IDS = "answer each id of the gold once, and no other"
WITH_LABELS = "use a gold with labels"


class Cause(NamedTuple):
    """One thing that stops the scoring, and what to do about it."""

    reason: str
    remedy: str


def errors_of(found: Iterable[Tally]) -> list[Tally]:
    """The errors among what was found."""
    return [tally for tally in found if tally.severity is Severity.ERROR]


def by_rule(found: Iterable[Tally]) -> str:
    """How many findings of each rule there are, the most frequent first: `10 span-out-of-bounds, 2 unknown-label`."""
    counts = Counter[Rule]()
    for tally in found:
        counts[tally.rule] += tally.count
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].code))
    return ", ".join(f"{count} {rule.name}" for rule, count in ordered)


def why_not_scored(
    judge: RunJudge, scorer: Scorer | None, path: str, found: Sequence[Tally], report: Report, *, allow_missing: bool
) -> NotScored:
    """Why the run that was checked last is not scored; `path` is its path, `found` what was found in it.

    What is wrong with the gold comes first, since nothing else matters then.
    """
    causes = [*_of_gold(judge, scorer, report)]
    if not causes and judge.run is None:
        causes = [*_of_nothing(path, found)]
    elif not causes and judge.run is not None and scorer is not None:
        causes = [*_of_form(judge.run, scorer)] or [
            *_of_cells(judge.run, path, found),
            *_of_ids(judge, scorer, path, found, allow_missing=allow_missing),
        ]
    if not causes:
        causes = [Cause(f"{path} has {by_rule(errors_of(found)) or 'errors'}", "correct what `sharedtask check` lists")]
    reasons, remedies = (dict.fromkeys(parts) for parts in zip(*causes, strict=True))
    return NotScored("; ".join(reasons), "; ".join(remedies))


def _of_gold(judge: RunJudge, scorer: Scorer | None, report: Report) -> Iterator[Cause]:
    """What is wrong with the gold: nothing in it, no labels, labels of one class, or damage."""
    stops = [tally for tally in report.tallies if tally.role is Role.REFERENCE and tally.stops]
    path = next((one.path for one in report.inputs if one.role == Role.REFERENCE), "")
    gold, refused = judge.reference, [rule for _, rule in scorer.refuses] if scorer else []
    labels = list(scorer.labels) if scorer else []
    kind = judge.run_kind.reference if judge.run_kind else None
    if any(tally.rule is EMPTY_FILE for tally in stops):
        yield Cause(f"the gold {path} has no records", WITH_LABELS)
    elif gold is None and kind is not None and (names := _missing_labels(kind, labels, stops)):
        has = "has no labels" if len(names) == len(labels) else "lacks some labels"
        yield Cause(f"the gold {path} {has}; expected {_columns(names)}", WITH_LABELS)
    elif gold is not None and (unread := unread_cells(gold, labels)):
        if min(unread.values()) == gold.height:
            yield Cause(f"the gold {path} has no labels that can be read in {_columns([*unread])}", WITH_LABELS)
        else:
            labels_unread = plural(sum(unread.values()), "label")
            yield Cause(f"{labels_unread} of the gold {path} cannot be read{_listed(stops)}", "correct the gold")
    elif single := [tally for tally in stops if tally.rule in refused]:
        message = single[0].samples[0].message
        yield Cause(f"nothing can be ranked by the gold {path}: {message}", "use a gold with labels of both classes")
    elif stops:
        yield Cause(f"the gold {path} cannot be used: {by_rule(stops)}", "correct the gold")


def _missing_labels(kind: Kind, labels: Sequence[str], stops: Iterable[Tally]) -> list[str]:
    """The labels whose columns the gold does not have, by the names that it should have for them."""
    lacking = [tally for tally in stops if tally.rule is MISSING_COLUMN]
    absent = {name for tally in lacking for name in (tally.column, *(one.facts.get("column") for one in tally.samples))}
    known = [(column.official, column.name) for column in kind.columns if column.name in labels]
    return [next(name for name in names if name in absent) for names in known if not absent.isdisjoint(names)]


def _of_nothing(path: str, found: Sequence[Tally]) -> Iterator[Cause]:
    """What is wrong with a run in which there is nothing to find."""
    if any(tally.rule is EMPTY_FILE for tally in found):
        yield Cause(f"{path} is empty", "use a run with answers")
    elif errors := errors_of(found):
        yield Cause(f"{path} cannot be read: {by_rule(errors)}", "use a run that can be read")


def _of_form(run: Judged, scorer: Scorer) -> Iterator[Cause]:
    """A form that the scorer does not take."""
    kind = run.opened.kind
    if scorer.takes_other_forms or not (run.other_forms or kind.canonical):
        return
    form = "the canonical columns" if kind.canonical else f"a form that it cannot read ({_names(run.other_forms)})"
    if run.page_form:
        form = "the form of the competition page"
    others = [one.name for one in all_scorers() if one.kind == scorer.kind and one.takes_other_forms]
    yield Cause(
        f"the scorer {scorer.name} does not take a run in {form}",
        f"choose another scorer ({' or '.join(others)}), or convert the run with `sharedtask fix`",
    )


def _names(rules: Iterable[Rule]) -> str:
    return ", ".join(rule.name for rule in rules)


def _of_cells(run: Judged, path: str, found: Sequence[Tally]) -> Iterator[Cause]:
    """Columns that are not there, cells and records that cannot be read, no answers at all."""
    kind = run.opened.kind
    absent = [column for column in kind.columns if not run.has([column.name])]
    if absent:
        yield Cause(f"{path} does not have {_columns([column.official for column in absent])}", "add what is missing")
    for name, count in unread_cells(run, [column.name for column in kind.columns]).items():
        faults = [tally for tally in errors_of(found) if tally.column == name and tally.rule in _unread_rules(kind)]
        yield Cause(f"{plural(count, 'cell')} of {name} in {path} cannot be read{_listed(faults)}", _repair(faults))
    if records := run.rows - run.height:
        broken = run.opened.table.unread.select(pl.col("rules").explode(keep_nulls=False, empty_as_null=False).unique())
        names = broken.collect(engine="streaming").to_series().to_list()
        faults = [tally for tally in found if tally.rule.name in names]
        yield Cause(f"{plural(records, 'record')} of {path} cannot be read{_listed(faults)}", _repair(faults))


def _unread_rules(kind: Kind) -> set[Rule]:
    """The rules that say of a cell that it cannot be read; labels that are texts always can."""
    columns = [*kind.columns, *(kind.spans.columns if kind.spans else ())]
    numbers = [column for column in columns if not isinstance(column.reading.dtype, pl.Enum)]
    rules = {column.reading.empty for column in columns}
    rules |= {fault.rule for column in numbers for fault in column.reading.faults if not fault.mended}
    whole = [check for check in kind.checks if kind.spans is not None and check.column == kind.spans.name]
    return rules | {check.rule for check in whole if not check.mended}


def _listed(faults: Iterable[Tally]) -> str:
    names = dict.fromkeys(tally.rule.name for tally in faults)
    return f" ({', '.join(names)})" if names else ""


def _repair(faults: Iterable[Tally]) -> str:
    """What to do about what cannot be read."""
    if any(tally.fixable for tally in faults):
        return "repair it with `sharedtask fix`, and correct what that leaves"
    return "correct what `sharedtask check` lists, or have `sharedtask fix --unreadable-as-empty` answer it as empty"


def _columns(names: Sequence[str]) -> str:
    """Some columns in a sentence: `the columns is_relevant and sector_ids`."""
    return f"the column{'s' if len(names) > 1 else ''} {' and '.join(names)}"


def _of_ids(
    judge: RunJudge, scorer: Scorer, path: str, found: Sequence[Tally], *, allow_missing: bool
) -> Iterator[Cause]:
    """Ids that are repeated, unknown or missing, as far as the scorer has no rule for them."""
    counts = Counter[Rule]()
    for tally in found:
        counts[tally.rule] += tally.count
    gold = judge.reference.opened.source.path if judge.reference else "the gold"
    if counts[EMPTY_RUN]:
        yield Cause(f"{path} has no answers", FILL)
    if counts[ROW_INDEX_INSTEAD_OF_ID]:
        yield Cause(
            f"the ids of {path} are row numbers", "put in the ids of the gold, as `sharedtask fix` does by position"
        )
    for rule in (tally.rule for tally in judge.ids if tally.rule.name in ("no-common-id", "wrong-split")):
        few = "none" if rule is NO_COMMON_ID else "few"
        yield Cause(f"{few} of the ids of {path} are in {gold}", "use the gold of the split that the run answers")
    if counts[DUPLICATE_ID] and not scorer.defines_repeated:
        yield Cause(f"{_ids(counts[DUPLICATE_ID], f'of {path}')} repeated", FIX_IDS)
    if counts[UNKNOWN_ID] and not scorer.defines_unknown:
        yield Cause(f"{_ids(counts[UNKNOWN_ID], f'of {path}')} not in {gold}", FIX_IDS)
    if counts[MISSING_ID] and not (scorer.defines_missing or allow_missing):
        yield Cause(f"{_ids(counts[MISSING_ID], f'of {gold}')} missing from {path}", FILL)


def _ids(count: int, of: str) -> str:
    return f"{plural(count, 'id')} {of} {'is' if count == 1 else 'are'}"
