"""A judged run scored by one of the scorers of its kind, or a refusal among the findings."""

from dataclasses import replace

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.score_results import Score
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.score_inputs import Answers
from sharedtask.pipelines.tasks import all_scorers
from sharedtask.schemas.rule import tally_one

BY_POSITION = "The ids of the run are row numbers: its answers are taken by position, as the organisers' scorer seems to have done."


def refuse_unknown(name: str | None, bootstrap: int) -> None:
    """Raise UnusableError where no task has a scorer of this name, or there cannot be so many resamples."""
    if bootstrap < 0:
        raise UnusableError(f"a bootstrap takes 1 resample or more, or 0 for none, not {bootstrap}")
    names = dict.fromkeys(one.name for one in all_scorers())
    if name is not None and name not in names:
        raise UnusableError(f"no scorer is called {name!r}; the scorers are {', '.join(names)}")


def chosen_scorer(checking: RunJudge, name: str | None) -> Scorer | None:
    """The scorer of this name for the kind of the run, or the default; None where the kind of the run is not known.

    Raises UnusableError where the scorer is for another kind of run.
    """
    if checking.run_kind is None:
        return None
    kind = checking.run_kind.run.name
    fitting = [one for one in all_scorers() if one.kind == kind]
    chosen = next((one for one in fitting if name in (None, one.name)), None)
    if chosen is None:
        known = ", ".join(one.name for one in fitting)
        raise UnusableError(f"the scorer {name} is not for {kind}; the scorers of {kind} are {known}")
    return chosen


def score_answers(checking: RunJudge, scorer: Scorer, answers: Answers) -> Score | None:
    """The score, or None with a finding in the report where nothing can be scored against such a gold."""
    reasons = dict(scorer.refuses)
    try:
        found = scorer.score(answers.gold, answers.run)
    except tuple(reasons) as error:
        gold = checking.reference
        rule = next(rule for reason, rule in reasons.items() if isinstance(error, reason))
        if gold is None:
            raise
        intake = gold.intake
        name = intake.table.names.get(scorer.labels[0], scorer.labels[0])
        tally = tally_one(rule, intake.kind.name, str(error), file=intake.source.path, column=name, hint=rule.hint)
        checking.report.add([tally])
        return None
    return replace(found, notes=(BY_POSITION, *found.notes)) if answers.by_position else found
