"""ReINTEL baselines: one probability for all posts, and chance.

Both have an AUC of one half, the first of them exactly.
"""

import polars as pl

from sharedtask.pipelines.baselines.recipe import Baseline
from sharedtask.pipelines.samples.text import Dice

KIND = "reintel/run"
_STEPS = 10_000  # probabilities have four decimals, as the teams wrote them


def _prior(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """The share of unreliable posts in train, for every post."""
    share = int(train["label"].sum()) / max(train.height, 1)
    return reference.select("id", probability=pl.lit(round(share, 6)))


def _random(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """Any probability from 0 to 1 as often as any other."""
    drawn = Dice(seed).below("probability", _STEPS + 1) / _STEPS
    return reference.select("row", "id").select("id", probability=drawn)


BASELINES = (
    Baseline("prior", KIND, "the share of unreliable posts in train, for every post", ("label",), _prior),
    Baseline("random", KIND, "a probability drawn evenly from 0 to 1", (), _random),
)
