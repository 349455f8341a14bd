"""The ReINTEL scorer: area under the ROC curve over the posts of the gold."""

import math

import polars as pl

from sharedtask.pipelines.metrics.join import answers, unanswered_note
from sharedtask.pipelines.metrics.ranking import OneClassError, pair_counts, resampled_auc
from sharedtask.pipelines.metrics.remarks import perfect
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.score_results import Score
from sharedtask.schemas.reintel.rules import SINGLE_CLASS

KIND = "reintel/run"
UNANSWERED = 0.5  # what a post without an answer counts as, where the caller lets it pass
FAR = 3  # standard deviations of the AUC of answers by chance; ties only make it smaller


def score(gold: pl.DataFrame, run: pl.DataFrame) -> Score:
    """ROC-AUC of `run` (`id`, `probability` Float64) against `gold` (`id`, `label` Int8, 1 = unreliable = positive).

    `per_item` has `id`, `label`, `probability` and `rank` (1 = the highest probability; tied posts share the mean of
    their ranks), in the order of the gold. Raises `ranking.OneClassError` if the gold has one class only or no rows,
    `ranking.NotRankableError` on a probability that is not finite, `rows.UndefinedRowsError` on repeated or unknown
    ids.
    """
    joined = answers(gold.select("id", "label"), run.select("id", "probability"), ["id"])
    probability = pl.when("answered").then("probability").otherwise(UNANSWERED)
    items = joined.select("id", "label", probability.alias("probability"))
    pairs = pair_counts(items["label"], items["probability"])
    return Score(
        kind=KIND,
        scorer="roc-auc",
        scores={"roc_auc": pairs.auc},
        counts={"positive": pairs.positive, "negative": pairs.negative, "tied_pairs": pairs.tied},
        per_label={},
        notes=unanswered_note(joined, f"probability {UNANSWERED}"),
        per_item=items.with_columns(rank=pl.col("probability").rank("average", descending=True)),
    )


def _units(per_item: pl.DataFrame) -> pl.DataFrame:
    return per_item.select("id", "label", score="probability")


def _remarks(score: Score) -> tuple[str, ...]:
    """What an AUC of 1, of 0 or far below 0.5 may be a sign of."""
    auc, positive, negative = score.scores["roc_auc"], score.counts["positive"], score.counts["negative"]
    if auc == 1:
        return (perfect(score.scores),)
    spread = math.sqrt((positive + negative + 1) / (12 * positive * negative))
    if auc is None or (auc > 0 and auc >= 0.5 - FAR * spread):
        return ()
    found = "0: no unreliable post has" if auc == 0 else f"{auc:.5f}: hardly an unreliable post has"
    return (
        f"The AUC is {found} a higher probability than a reliable one. The probabilities may be those of the other "
        f"class (inverted); 1 - p gives an AUC of {1 - auc:.5f}.",
    )


SCORERS = (
    Scorer(
        name="roc-auc",
        kind=KIND,
        title="ROC-AUC",
        source="ReINTEL paper (arXiv 2012.08895) section 5.4, scikit-learn's roc_auc_score, as in participants' code",
        definition="Pairs of an unreliable and a reliable post in which the unreliable one has the higher probability, "
        "ties counted as one half, over all such pairs.",
        departures=(
            "Equation (3) of the paper, as printed, has the wrong sign; it is not followed.",
            "A gold of one class is an error here; scikit-learn returned nan or raised, depending on its version.",
            "Ids are joined; the organisers' scorer seems to have gone by row position.",
        ),
        headline="roc_auc",
        labels=("label",),
        defines_missing=False,
        defines_unknown=False,
        defines_repeated=False,
        score=score,
        keys=("id",),
        units=_units,
        statistic=resampled_auc,
        remarks=_remarks,
        refuses=((OneClassError, SINGLE_CLASS),),
    ),
)
