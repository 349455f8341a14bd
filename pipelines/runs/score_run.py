"""A judged run scored by one of the scorers of its kind, or a refusal among the findings."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.sniff import Sniffed
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import NotScored, Score
from sharedtask.pipelines.runs.not_scored import by_rule, errors_of, why_not_scored
from sharedtask.pipelines.runs.run_judge import RunJudge
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.score_inputs import Answers, gold_kinds, read_answers, readable
from sharedtask.pipelines.runs.swapped import refuse_swapped
from sharedtask.pipelines.tasks import all_scorers
from sharedtask.schemas.messages import plural
from sharedtask.schemas.nearest import unknown
from sharedtask.schemas.rule import At, Role, Tally, tally_one

BY_POSITION = "The ids of the run are row numbers: its answers are taken by position, as the organisers' scorer seems to have done."


class ScoreJudge(RunJudge):
    """Judges runs against a gold and scores them.

    `scorer` is there once the gold is known, and with it the kind of run. `path` is that of the last run that was
    checked, `found` what was found in it.
    """

    def __init__(self, name: str | None, *, allow_missing: bool = False) -> None:
        super().__init__(gold_kinds())
        self.name, self.allow_missing = name, allow_missing
        self.gold: Sniffed | None = None
        self.path, self.found = "", list[Tally]()

    def reads(self, how: RunKind) -> Sequence[str]:
        """What runs are compared with, and the labels that they are scored against."""
        return [*how.reads, *scorer_for(how.run.name, self.name).labels]

    @property
    def scorer(self) -> Scorer | None:
        """The scorer of this name for the kind of the run, or the default; None where the kind of the run is not known.

        Raises UnusableError where the scorer is for another kind of run.
        """
        return None if self.run_kind is None else scorer_for(self.run_kind.run.name, self.name)

    def check(self, inputs: Inputs, path: str | Sniffed, kind: str | None = None, also: Sequence[str] = ()) -> None:
        """Judge a run as `RunJudge` does, and keep what was found in it."""
        before = len(inputs.report.tallies)
        super().check(inputs, path, kind, also)
        self.path = path.source.path if isinstance(path, Sniffed) else path
        self.found = inputs.report.tallies[before:]

    def score_against(self, inputs: Inputs, run: str, against: str, kind: str | None) -> Score | NotScored:
        """Judge the gold and the run, and score it, or say why it cannot be scored; its errors are in the report.

        Raises UnusableError where run and gold are plainly swapped, unless the `kind` of the run is said.
        """
        sniffed = inputs.sniff(run, "run")
        self.gold = inputs.sniff(against, "reference")
        if kind is None:
            refuse_swapped(sniffed, self.gold)
        self.refer_to(inputs, self.gold, kind)
        self.check(inputs, sniffed, kind)
        return self.score_last(inputs.report)

    def check_next(self, inputs: Inputs, run: str, kind: str | None) -> None:
        """Judge another run against the same gold. Raises as `score_against`."""
        sniffed = inputs.sniff(run, "run")
        if kind is None and self.gold is not None:
            refuse_swapped(sniffed, self.gold)
        self.check(inputs, sniffed, kind)

    def score_last(self, report: Report) -> Score | NotScored:
        """The score of the run that was checked last, with notes for its reader, or why there is none."""
        scorer, score = self.scorer, self.scored(report)
        if scorer is None or score is None:
            return why_not_scored(self, scorer, self.path, self.found, report, allow_missing=self.allow_missing)
        return replace(score, notes=(*_errors_beside(self.found), *score.notes, *scorer.remarks(score)))

    def scored(self, report: Report, labels: pl.DataFrame | None = None) -> Score | None:
        """The score of the run that was checked last. `labels` are those of the gold, if they have been read before."""
        scorer = self.scorer
        if scorer is None:
            return None
        if self.run is not None and not scorer.takes_other_forms:
            forms = self.run.other_forms
            for rule in forms:
                report.refuse(rule)
            if forms or self.run.opened.kind.canonical:
                return None
        answers = read_answers(self, scorer, allow_missing=self.allow_missing, labels=labels)
        if answers is not None:
            return score_answers(self, scorer, answers, report)
        gold = self.reference
        if gold is not None and readable(gold, scorer.labels) is None:
            names = gold.opened.table.names
            report.stop_at({names.get(label, label) for label in scorer.labels})
        return None


def _errors_beside(found: Sequence[Tally]) -> tuple[str, ...]:
    """The note on the errors of a run that was scored all the same; no note where it has none."""
    errors = errors_of(found)
    count = sum(one.count for one in errors)
    if not count:
        return ()
    return (f"The run has {plural(count, 'error')}: {by_rule(errors)}; run `sharedtask check`.",)


def refuse_unknown(name: str | None, bootstrap: int) -> None:
    """Raise UnusableError where no task has a scorer of this name, or there cannot be so many resamples."""
    if bootstrap < 0:
        raise UnusableError(f"bootstrap is {bootstrap}; expected 0 (none) or more")
    names = dict.fromkeys(one.name for one in all_scorers())
    if name is not None and name not in names:
        raise UnusableError(unknown("scorer", name, names))


def scorer_for(kind: str, name: str | None) -> Scorer:
    """The scorer of this name for a kind of run, or its default.

    Raises UnusableError where the scorer is for another kind of run.
    """
    fitting = [one for one in all_scorers() if one.kind == kind]
    chosen = next((one for one in fitting if name in (None, one.name)), None)
    if chosen is None:
        known = ", ".join(one.name for one in fitting)
        raise UnusableError(f"the scorer {name} is not for {kind}; the scorers of {kind} are {known}")
    return chosen


def score_answers(judge: RunJudge, scorer: Scorer, answers: Answers, report: Report) -> Score | None:
    """The score, or None with a finding in the report where nothing can be scored against such a gold."""
    reasons = dict(scorer.refuses)
    try:
        found = scorer.score(answers.gold, answers.run)
    except tuple(reasons) as error:
        gold = judge.reference
        rule = next(rule for reason, rule in reasons.items() if isinstance(error, reason))
        if gold is None:
            raise
        opened, label = gold.opened, scorer.labels[0]
        labels = answers.gold[label]
        at = At(opened.source.path, column=opened.table.names.get(label, label))
        tally = tally_one(rule, at, kind=opened.kind, value=labels[0], labels=len(labels))
        report.add([tally], Role.REFERENCE, stops=True)
        return None
    return replace(found, notes=(BY_POSITION, *found.notes)) if answers.by_position else found
