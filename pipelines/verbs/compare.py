"""The verb `compare`: two runs against the same gold, their difference, and the items on which they differ."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.metrics import bootstrap as resampling
from sharedtask.pipelines.metrics.join import differing
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.results.score_results import CompareResult, Difference, NotScored, Score
from sharedtask.pipelines.runs.score_run import ScoreJudge, refuse_unknown, scorer_for


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
    limits: Limits = USUAL_LIMITS,
) -> CompareResult:
    """Score two runs against one gold and compare them: A minus B in each score, and the items that differ.

    With `bootstrap` resamples, drawn from `seed`, each difference has a paired interval and a p-value. `max_items`
    bounds the items that are listed; they are counted in full. The other arguments, and what is refused, are those of
    `score`: the result is a refusal where either run cannot be scored. Raises UnusableError as `score` does.
    """
    refuse_unknown(scorer, bootstrap)
    report = Report("compare", max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        judge = ScoreJudge(scorer, allow_missing=allow_missing)
        first = judge.score_against(inputs, str(run_a), str(against), kind)
        judge.check_next(inputs, str(run_b), kind)
        second = judge.score_last(report) if isinstance(first, Score) else first
    if isinstance(first, NotScored) or isinstance(second, NotScored):
        return CompareResult(report, not_scored=second if isinstance(second, NotScored) else None)
    chosen = scorer_for(first.kind, scorer)
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


def _difference(a: float | None, b: float | None) -> Difference:
    return Difference(a, b, None if a is None or b is None else a - b)
