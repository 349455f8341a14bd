"""The CHEERS scorers: relevance F1, sector accuracy and HumImpact, in the two readings of the page and in two published
revisions.

The scorers differ only in which sentences enter the sector accuracy and what each of them is worth. Y is the set of
gold sectors of a sentence, z the predicted one; only sentences predicted relevant are looked at.
"""

from dataclasses import dataclass
from functools import partial

import polars as pl

from sharedtask.pipelines.metrics.join import answers, unanswered_note
from sharedtask.pipelines.metrics.remarks import perfect
from sharedtask.pipelines.metrics.scorer import Scorer, first_row, ratio
from sharedtask.pipelines.results.score_results import Score
from sharedtask.schemas.cheers.blocks import KEY

KIND = "cheers/run"
OUTCOMES = ("tp", "fp", "fn", "tn")

_SECTORS = pl.col("sector_ids").list.n_unique().fill_null(0).cast(pl.Int64)  # |Y|
_HIT = pl.col("sector_ids").list.contains(pl.col("sector_id")).fill_null(False)  # z in Y
_JACCARD = pl.when(_HIT).then(1.0 / _SECTORS).otherwise(0.0)  # |Y n {z}| / |Y u {z}|


@dataclass(frozen=True, slots=True)
class _SectorRule:
    """Which sentences predicted relevant are scored (`counted`, Boolean), and the value of each (`term`, Float64)."""

    counted: pl.Expr
    term: pl.Expr


_RULES = {
    "documented": _SectorRule(_SECTORS > 0, _JACCARD),
    "documented-strict": _SectorRule((_SECTORS > 0) | ~pl.col("gold_relevant"), _JACCARD),
    "legacy-2021-03": _SectorRule(_SECTORS > 0, 1.0 / (_SECTORS + 1)),
    "revised-2021-05": _SectorRule(pl.lit(True), _JACCARD),
}


def score(gold: pl.DataFrame, run: pl.DataFrame, *, scorer: str) -> Score:
    """Scores of `run` (`is_relevant` Boolean, `sector_id` Int8) against `gold` (`is_relevant`, `sector_ids`
    List[Int8]), by `KEY`.

    `per_item` has the keys, `gold_relevant`, `run_relevant`, `outcome` (tp, fp, fn, tn), `sector_ids`, `sector_id`,
    `scored` (Boolean: enters the sector accuracy) and `term` (Float64: its value there, null where not scored), in the
    order of the gold. A null list of gold sectors is an empty one; a sentence without an answer is not relevant.
    Without rows the relevance F1 and HumImpact are None. Raises `rows.UndefinedRowsError` on repeated or unknown keys.
    """
    joined = answers(gold.select(*KEY, "is_relevant", "sector_ids"), run.select(*KEY, "is_relevant", "sector_id"), KEY)
    notes = [*unanswered_note(joined, "not relevant")]
    rule = _RULES[scorer]
    items = joined.select(
        *KEY,
        pl.col("is_relevant").alias("gold_relevant"),
        pl.col("is_relevant_run").fill_null(False).alias("run_relevant"),
        "sector_ids",
        "sector_id",
    )
    items = items.with_columns(
        outcome=pl.when("run_relevant")
        .then(pl.when("gold_relevant").then(pl.lit("tp")).otherwise(pl.lit("fp")))
        .otherwise(pl.when("gold_relevant").then(pl.lit("fn")).otherwise(pl.lit("tn")))
        .cast(pl.Enum(OUTCOMES)),
        scored=pl.col("run_relevant") & rule.counted,
    ).with_columns(term=pl.when("scored").then(rule.term))
    units = _units(items)
    sums = _sums(units.with_columns(resample=0)) if items.height else units.sum()
    counts = {name: int(sums[name].item()) for name in ("scored", *OUTCOMES)}
    skipped = counts["tp"] + counts["fp"] - counts["scored"]
    if not counts["scored"]:
        notes.append(
            f"None of {skipped} sentences predicted relevant is scored: the sector accuracy is 0/0, given as 0."
        )
    if not items.height:
        notes.append("The gold has no rows: the relevance F1 and HumImpact are undefined.")
    return Score(
        kind=KIND,
        scorer=scorer,
        scores=first_row(_scores(sums)),
        counts={"scored": counts.pop("scored"), "skipped": skipped, **counts},
        per_label=_per_class(counts),
        notes=tuple(notes),
        per_item=items,
    )


def _units(per_item: pl.DataFrame) -> pl.DataFrame:
    """The keys and one number for each thing that is summed: `tp`, `fp`, `fn`, `tn`, `scored` (0 or 1) and `term`."""
    return per_item.select(
        *KEY,
        *((pl.col("outcome") == outcome).cast(pl.UInt32).alias(outcome) for outcome in OUTCOMES),
        pl.col("scored").cast(pl.UInt32),
        pl.col("term").fill_null(0.0),
    )


def _sums(units: pl.DataFrame) -> pl.DataFrame:
    """The units summed up, one row a `resample` in their order.

    Equal terms are counted, and added up from the smallest, so that the order of the rows cannot change the last digit.
    """
    numbers = units.group_by("resample").agg(pl.col(*OUTCOMES, "scored").sum()).sort("resample")
    terms = units.group_by("resample", "term").len().sort("resample", "term")
    added = terms.group_by("resample", maintain_order=True).agg((pl.col("term") * pl.col("len")).sum().alias("term"))
    return numbers.join(added, on="resample", how="left", maintain_order="left")


def _scores(sums: pl.DataFrame) -> pl.DataFrame:
    """The three scores from summed counts, row by row.

    Macro F1 is the mean over the classes that gold or run have, as in scikit-learn, so a class that neither has is left
    out.
    """
    tp, fp, fn, tn = (pl.col(name).cast(pl.Int64) for name in OUTCOMES)
    f1 = pl.mean_horizontal(ratio(2 * tp, 2 * tp + fp + fn), ratio(2 * tn, 2 * tn + fp + fn))
    accuracy = ratio(pl.col("term"), pl.col("scored")).fill_null(0.0)
    return sums.select(
        f1.alias("relevance_f1_score_macro"),
        accuracy.alias("sectorids_accuracy"),
        (0.5 * f1 + 0.5 * accuracy).alias("HumImpact"),
    )


def _statistic(resampled: pl.DataFrame) -> pl.DataFrame:
    return _scores(_sums(resampled))


def _per_class(counts: dict[str, int]) -> dict[str, dict[str, float | int | None]]:
    """Precision, recall and F1 of both relevance classes; None where they are 0/0."""
    table = {}
    for label, hit, wrong, lost in (("relevant", "tp", "fp", "fn"), ("not relevant", "tn", "fn", "fp")):
        correct, predicted, support = counts[hit], counts[hit] + counts[wrong], counts[hit] + counts[lost]
        table[label] = {
            "support": support,
            "predicted": predicted,
            "correct": correct,
            "precision": correct / predicted if predicted else None,
            "recall": correct / support if support else None,
            "f1": 2 * correct / (predicted + support) if predicted + support else None,
        }
    return table


def _remarks(score: Score) -> tuple[str, ...]:
    """What a relevance F1 of 0 or 1 may be a sign of.

    A gold of one class says nothing about a copy or an exchange, and the sector accuracy alone hardly anything.
    """
    tp, fp, fn, tn = (score.counts[name] for name in OUTCOMES)
    two_classes = bool(tp + fn and fp + tn)
    if fp + fn and not tp + tn:
        exchanged = " 0 and 1 may be exchanged: with 1 for 0 and 0 for 1, all are right." if two_classes else ""
        return (f"The relevance F1 is 0: no sentence has the is_relevant of the gold.{exchanged}",)
    if two_classes and not fp + fn:
        return (perfect(name for name, value in score.scores.items() if value == 1),)
    return ()


def _scorer(name: str, title: str, source: str, accuracy: str, departures: tuple[str, ...]) -> Scorer:
    return Scorer(
        name=name,
        kind=KIND,
        title=title,
        source=source,
        definition="HumImpact = F1 / 2 + accuracy / 2. F1 is the macro F1 of is_relevant, accuracy the mean over the "
        f"sentences predicted relevant of {accuracy}",
        departures=departures,
        headline="HumImpact",
        labels=("is_relevant", "sector_ids"),
        defines_missing=False,
        defines_unknown=False,
        defines_repeated=False,
        score=partial(score, scorer=name),
        keys=KEY,
        units=_units,
        statistic=_statistic,
        remarks=_remarks,
    )


SCORERS = (
    _scorer(
        "documented",
        "CHEERS page, reading A",
        "the challenge page's formula and worked example, with note 2 of its earlier revision 65ae6a0",
        "1/|Y| where the predicted sector is in Y, else 0; sentences without gold sectors are left out.",
        ("No published revision of the evaluator computes this.", "The page can also be read as documented-strict."),
    ),
    _scorer(
        "documented-strict",
        "CHEERS page, reading B",
        "the challenge page, to the letter",
        "1/|Y| where the predicted sector is in Y, else 0; only relevant sentences without gold sectors are left out.",
        ("No published revision of the evaluator computes this.", "Sentences wrongly predicted relevant count as 0."),
    ),
    _scorer(
        "legacy-2021-03",
        "evaluator of March 2021 (ignores predicted sectors)",
        "the-deep/CHEERS-challenge Round_1 evaluator, commits f62702d to 749544c",
        "1/(|Y|+1) whatever was predicted; sentences without gold sectors are left out.",
        (
            "The predicted sector is never used: a perfect single-label run gets 0.5, and so does a wrong one.",
            "The 44.57 % of the published sample output is this constant of the labels, not a target.",
            "Where nothing is scored it can divide by zero; 0 is given here, as later revisions do in part.",
        ),
    ),
    _scorer(
        "revised-2021-05",
        "evaluator of May 2021, repaired",
        "the-deep/CHEERS-challenge Round_1 evaluator, commit 5463f73, reading its set(z) as {z}",
        "1/|Y| where the predicted sector is in Y, else 0; none is left out.",
        (
            "The commit itself stops with a TypeError on every run that predicts a relevant sentence.",
            "Relevant sentences without gold sectors count as 0, although the page ignores them.",
        ),
    ),
)
