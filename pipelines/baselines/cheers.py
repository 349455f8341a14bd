"""CHEERS baselines, as the challenge's repository made them.

Source: create_random_baseline.py, and the majority run before it (facts/cheers.md 2.3).
"""

import polars as pl

from sharedtask.pipelines.baselines.recipe import Baseline
from sharedtask.pipelines.samples.text import Dice
from sharedtask.schemas.cheers.blocks import KEY
from sharedtask.schemas.cheers.vocabulary import LAST_SECTOR, NO_SECTOR

KIND = "cheers/run"
_NONE = pl.lit(NO_SECTOR, pl.Int8)


def _random(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """A sentence is relevant as often as in train.

    Its sector is drawn from all sector labels of train, a sentence with three giving three.

    Nothing is predicted relevant where train has no sector, since a relevant sentence needs one.
    """
    sectors = train["sector_ids"].explode(keep_nulls=False, empty_as_null=False).sort()
    known = sectors.filter(sectors.is_between(0, LAST_SECTOR))
    if known.is_empty():
        return _nothing(train, reference, seed)
    dice = Dice(seed)
    relevant = dice.below("relevant", train.height) < int(train["is_relevant"].sum())
    drawn = reference.select("row", *KEY, is_relevant=relevant)
    sector = pl.lit(known).gather(dice.below("sector", len(known)))
    return drawn.select(*KEY, "is_relevant", sector_id=pl.when("is_relevant").then(sector).otherwise(_NONE))


def _majority(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """The commoner class for every sentence; if that is relevant, with the commonest sector, the lowest of several."""
    sectors = train["sector_ids"].explode(keep_nulls=False, empty_as_null=False).rename("sector")
    known = sectors.filter(sectors.is_between(0, LAST_SECTOR))
    if known.is_empty() or 2 * int(train["is_relevant"].sum()) <= train.height:
        return _nothing(train, reference, seed)
    counted = known.value_counts().sort(["count", "sector"], descending=[True, False])
    sector = pl.lit(counted.item(0, "sector"), pl.Int8)
    return reference.select(*KEY, is_relevant=pl.lit(value=True), sector_id=sector)


def _nothing(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    return reference.select(*KEY, is_relevant=pl.lit(value=False), sector_id=_NONE)


_LABELS = ("is_relevant", "sector_ids")
BASELINES = (
    Baseline("random", KIND, "relevance and sectors drawn from the shares of train", _LABELS, _random),
    Baseline("majority", KIND, "the commoner relevance of train everywhere", _LABELS, _majority),
)
