"""The verb `compare`: two runs against the same gold, their difference, and the items on which they differ."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.source import open_source
from sharedtask.pipelines.metrics import bootstrap as resampling
from sharedtask.pipelines.metrics.join import differing
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.score_results import CompareResult, Difference, Score
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.score_inputs import gold_kinds, read_answers
from sharedtask.pipelines.runs.score_run import chosen_scorer, refuse_unknown, score_answers
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def compare(
    run_a: str | Path,
    run_b: str | Path,
    against: str | Path,
    *,
    scorer: str | None = None,
    kind: str | None = None,
    allow_missing: bool = False,
    bootstrap: int = 0,
    seed: int = 0,
    max_items: int = 20,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> CompareResult:
    """Score two runs against one gold and set them side by side: A minus B in each score, and the items that differ.

    With `bootstrap` resamples, drawn from `seed`, each difference has a paired interval and a p-value. `max_items` bounds the items that are
    listed; they are counted in full. The other arguments, and what is refused, are those of `score`: the result is a refusal where
    either run cannot be scored. Raises UnusableError as `score` does.
    """
    refuse_unknown(scorer, bootstrap)
    with ExitStack() as files:
        checking = RunJudge(files, max_findings, max_bytes, verb="compare", references=gold_kinds())
        checking.check(str(run_a), str(against), kind, ())
        chosen = chosen_scorer(checking, scorer)
        first = _scored(checking, chosen, allow_missing=allow_missing)
        checking.check_another(files.enter_context(open_source(str(run_b))), kind)
        second = _scored(checking, chosen, allow_missing=allow_missing) if first else None
        report = checking.report
    if chosen is None or first is None or second is None:
        return CompareResult(report)
    units_a, units_b = (chosen.units(one.per_item) for one in (first, second))
    differences = {name: _difference(value, second.scores[name]) for name, value in first.scores.items()}
    if bootstrap:
        drawn = resampling.compare(units_a, units_b, chosen.keys, chosen.statistic, n=bootstrap, seed=seed)
        differences = {
            name: replace(drawn[name], a=one.a, b=one.b, difference=one.difference) for name, one in differences.items()
        }
    items = pl.concat([units_a.select(chosen.keys), units_b.select(chosen.keys)]).n_unique()
    unlike = differing(units_a, units_b, chosen.keys)
    return CompareResult(
        report, (first, second), chosen.title, differences, unlike.head(max_items), items, unlike.height
    )


def _scored(checking: RunJudge, scorer: Scorer | None, *, allow_missing: bool) -> Score | None:
    if scorer is None:
        return None
    answers = read_answers(checking, scorer, allow_missing=allow_missing)
    return score_answers(checking, scorer, answers) if answers else None


def _difference(a: float | None, b: float | None) -> Difference:
    return Difference(a, b, None if a is None or b is None else a - b)
