"""What verbs hand back beside reports, as data: scores with their intervals, two runs side by side, repairs.

No text is made here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from sharedtask.pipelines.results.plain import plain
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.results.report import Report

LEVEL = 0.95  # of the intervals
MOST_LABELS = 100  # in the plain data; a run may invent any number of labels


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """The result of one scorer on one run; tables and texts only, nothing about files.

    `kind` is the kind of the run. `scores` are fractions, None where the scorer leaves a value undefined (a note says
    why). `counts` are whole numbers over all items. `per_label` has the counts and ratios of each label, ratios None
    where they are 0/0. `per_item` has a row for each thing that was judged (span pair, sentence, post); its columns are
    named by the scorer's module.
    """

    kind: str
    scorer: str
    scores: dict[str, float | None]
    counts: dict[str, int]
    per_label: dict[str, dict[str, float | int | None]]
    notes: tuple[str, ...]
    per_item: pl.DataFrame

    def __repr__(self) -> str:
        return f"<Score of a {self.kind} by {self.scorer}: {_in_short(self.scores)}>"

    def commonest(self, most: int) -> dict[str, dict[str, float | int | None]]:
        """`per_label`, cut down to the `most` labels with the highest counts where there are more."""
        if len(self.per_label) <= most:
            return self.per_label
        sums = {label: sum(n for n in row.values() if isinstance(n, int)) for label, row in self.per_label.items()}
        kept = set(sorted(sums, key=lambda label: -sums[label])[:most])
        return {label: row for label, row in self.per_label.items() if label in kept}


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval of one score; None where no resample had a defined value, of which `undefined` had none."""

    low: float | None
    high: float | None
    resamples: int
    undefined: int

    def to_dict(self) -> dict[str, object]:
        return {"low": self.low, "high": self.high, "resamples": self.resamples, "undefined": self.undefined}


@dataclass(frozen=True, slots=True)
class Difference:
    """Run A minus run B in one score: the values, the difference with its paired interval, and a two-sided p-value.

    None where a value is undefined, or where nothing was resampled; `undefined` resamples had no difference and are
    left out of the interval and of the p-value.
    """

    a: float | None
    b: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    resamples: int = 0
    undefined: int = 0

    def to_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"a": self.a, "b": self.b, "difference": self.difference}
        if self.resamples:
            data |= {"low": self.low, "high": self.high, "p_value": self.p_value}
            data |= {"resamples": self.resamples, "undefined": self.undefined}
        return data


@dataclass(frozen=True, slots=True)
class NotScored:
    """Why a run was not scored, and what would make it scored: two phrases without a full stop."""

    reason: str
    would_score: str

    def __str__(self) -> str:
        return f"not scored: {self.reason}; to score it, {self.would_score}"

    def to_dict(self) -> dict[str, object]:
        return {"reason": plain(self.reason), "would_score": plain(self.would_score)}


@dataclass(frozen=True, slots=True)
class AfterFix:
    """What `score` would give for what `fix` makes of the run: the repairs, and the scores, None where it would refuse."""

    repairs: tuple[Repair, ...]
    scores: Mapping[str, float | None] | None = None

    def to_dict(self) -> dict[str, object]:
        scores = None if self.scores is None else dict(self.scores)
        return {"scores": scores, "repairs": [one.to_dict() for one in self.repairs]}


@dataclass(frozen=True, slots=True, repr=False)
class ScoreResult:
    """What `score` comes to: a score, or a refusal, where `score` is None and `not_scored` says why.

    `report` has the files that were read and what was found in them; beside a score it changes nothing, and of a
    refusal it has the errors. `title` says in words what the scorer is. `intervals` are there if they were asked for, by
    the names of the scores. `context` are lines on published figures. `after_fix` is there where an error of the run can be repaired.
    """

    report: Report
    score: Score | None = None
    title: str = ""
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    context: tuple[str, ...] = ()
    not_scored: NotScored | None = None
    after_fix: AfterFix | None = None

    def __repr__(self) -> str:
        return f"<ScoreResult: {self.score or 'refused'}, {self.report}>"

    @property
    def ok(self) -> bool:
        """Whether there is a score."""
        return self.score is not None

    def to_dict(self) -> dict[str, object]:
        """The score as plain data, or the report of the refusal; `version` is the tool's."""
        report, score = self.report.to_dict(), self.score
        if score is None:
            return {**_refusal(report, self.not_scored), **self._after_fix()}
        data = {
            **_head(report, score.kind, score.scorer),
            "scores": score.scores,
            "counts": score.counts,
            "per_label": score.commonest(MOST_LABELS),
            "notes": list(score.notes),
        }
        if self.intervals:
            data["intervals"] = {name: {**one.to_dict(), "level": LEVEL} for name, one in self.intervals.items()}
        return {**data, **self._after_fix(), "context": list(self.context), **_found(report)}

    def _after_fix(self) -> dict[str, object]:
        return {} if self.after_fix is None else {"after_fix": self.after_fix.to_dict()}


@dataclass(frozen=True, slots=True, repr=False)
class CompareResult:
    """Two runs scored against the same gold, or a refusal, where `scores` is None and `not_scored` says why.

    `differences` are those of the scores, A minus B. `differing` has the items on which the runs differ, or the first
    of its `items_differing`: the keys, then each value with `_a` and with `_b`.
    """

    report: Report
    scores: tuple[Score, Score] | None = None
    title: str = ""
    differences: Mapping[str, Difference] = field(default_factory=dict)
    differing: pl.DataFrame = field(default_factory=pl.DataFrame)
    items: int = 0
    items_differing: int = 0
    not_scored: NotScored | None = None

    def __repr__(self) -> str:
        if self.scores is None:
            return f"<CompareResult: refused, {self.report}>"
        a, b = (_in_short(score.scores) for score in self.scores)
        return f"<CompareResult: a {a}; b {b}; {self.items_differing} of {self.items} items differ>"

    @property
    def ok(self) -> bool:
        """Whether both runs have a score."""
        return self.scores is not None

    def to_dict(self) -> dict[str, object]:
        """The comparison as plain data, or the report of the refusal; `version` is the tool's."""
        report = self.report.to_dict()
        if self.scores is None:
            return _refusal(report, self.not_scored)
        both = dict(zip("ab", self.scores, strict=True))
        return {
            **_head(report, self.scores[0].kind, self.scores[0].scorer),
            "scores": {name: {**one.to_dict()} for name, one in self.differences.items()},
            "counts": {name: score.counts for name, score in both.items()},
            "notes": {name: list(score.notes) for name, score in both.items()},
            "items": self.items,
            "items_differing": self.items_differing,
            "differing": self.differing.to_dicts(),
            **_found(report),
        }


def _in_short(scores: Mapping[str, float | None]) -> str:
    return ", ".join(
        f"{name} {'undefined' if value is None else format(value, '.4f')}" for name, value in scores.items()
    )


def _refusal(report: dict[str, object], why: NotScored | None) -> dict[str, object]:
    """The report of a refusal with its reason."""
    return report if why is None else {**report, "not_scored": why.to_dict()}


def _head(report: Mapping[str, object], kind: str, scorer: str) -> dict[str, object]:
    return {
        **{name: report[name] for name in ("tool", "version", "schema_version", "verb")},
        "task": kind.partition("/")[0],
        "kind": kind,
        "scorer": scorer,
    }


def _found(report: Mapping[str, object]) -> dict[str, object]:
    return {name: report[name] for name in ("inputs", "rules", "findings")}
