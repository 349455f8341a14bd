"""FLARES baselines.

Spans of subtask 1 without looking at the words, reliability of subtask 2 without looking at the text.
"""

import polars as pl

from sharedtask.pipelines.baselines.recipe import Baseline, commonest
from sharedtask.pipelines.samples.text import Dice
from sharedtask.schemas.flares.kinds import SPAN_TYPE

_SPANS, _CLASSES = "flares/subtask1-run", "flares/subtask2-run"


def _empty(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """No span anywhere."""
    return reference.select("id", spans=pl.lit([], SPAN_TYPE))


def _lead(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """The first words of each text as one span of the commonest label of train.

    It has as many words as the middle one of the spans that train has of that label. A text without a word has no span.
    """
    spans = train.explode("spans").drop_nulls().unnest("spans")
    label = commonest(spans["label"])
    if label is None:
        return _empty(train, reference, seed)
    of_text = pl.col("text").str.slice(pl.col("start"), pl.col("end") - pl.col("start"))
    lengths = spans.filter(pl.col("label").cast(pl.String) == label, pl.col("end") > pl.col("start")).select(
        of_text.str.count_matches(r"\S+")
    )
    middle = lengths.to_series().quantile(0.5, "higher") or 1
    words = max(1, int(middle))
    text = pl.col("text").fill_null("")
    start = text.str.extract(r"^(\s*)", 1).str.len_chars().cast(pl.Int64)
    first = text.str.extract(rf"^\s*(\S+(?:\s+\S+){{0,{words - 1}}})", 1)
    span = pl.struct(start=start, end=start + first.str.len_chars().cast(pl.Int64), label=pl.lit(label))
    none = pl.lit([], pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String})))
    return reference.select("id", spans=pl.when(first.is_not_null()).then(pl.concat_list(span)).otherwise(none))


def _majority(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """The commonest reliability of train everywhere."""
    return reference.select("id", reliability=pl.lit(commonest(train["reliability"])))


def _random(train: pl.DataFrame, reference: pl.LazyFrame, seed: int) -> pl.LazyFrame:
    """Each reliability as often as in train."""
    labels = train["reliability"].cast(pl.String).sort()
    drawn = pl.lit(labels).gather(Dice(seed).below("reliability", max(len(labels), 1)))
    return reference.select("row", "id").select("id", reliability=drawn)


BASELINES = (
    Baseline("empty", _SPANS, "no span anywhere", (), _empty),
    Baseline(
        "lead", _SPANS, "the first words of each text under the commonest label of train", ("text", "spans"), _lead
    ),
    Baseline("majority", _CLASSES, "the commonest reliability of train everywhere", ("reliability",), _majority),
    Baseline("random", _CLASSES, "reliability drawn from the shares of train", ("reliability",), _random),
)
