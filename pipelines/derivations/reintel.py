"""The ReINTEL label of an item from three votes, by the table of the paper (2.2; facts/reintel.md 4)."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from sharedtask.pipelines.derivations.derivation import Derivation, Derived, Given
from sharedtask.pipelines.inputs.findings import row_tally
from sharedtask.schemas.reintel.annotations import HIGHEST_SCORE
from sharedtask.schemas.reintel.kinds import ANNOTATIONS, LABELS, RECHECK
from sharedtask.schemas.reintel.labels import NEWS, OPINION
from sharedtask.schemas.reintel.rules import LABEL_UNDETERMINED
from sharedtask.schemas.rule import Finding, Tally

MERGED = {"opinion": [0], "unreliable": [1, 2], "neutral": [3], "reliable": [4, 5]}
"""The classes of the vote and the scores that are merged into each: 1, 2 and 4 are two votes for unreliable."""

MAJORITY = 2
REMOVED = -1  # no label, and none is needed

_vote, _truth, _recheck = pl.col("vote"), pl.col("label"), pl.col("recheck")
# The nine rows of the table; what they leave null is undetermined. A ground truth never overrules a vote for or against.
OUTCOME = (
    pl.when(_vote == "unreliable")
    .then(1)
    .when(_vote == "reliable")
    .then(0)
    .when(_vote == "opinion")
    .then(REMOVED)
    .when(_vote == "neutral")
    .then(_truth)
    .when(_truth == 1)
    .then(1)
    .when((_truth == 0) & (_recheck == NEWS))
    .then(0)
    .when((_truth == 0) & (_recheck == OPINION))
    .then(REMOVED)
    .cast(pl.Int8)
)
_WHY = (
    pl.when(_vote == "neutral")
    .then(pl.lit("neutral"))
    .when(_truth == 0)
    .then(pl.lit("recheck"))
    .otherwise(pl.lit("classes"))
)


def _labels(given: Given) -> Derived:
    """The label of each item in the order of the annotations; an item with a record that cannot be used has none."""
    votes = given.source.frame.select("row", "id", "annotator_id", "score").collect(engine="streaming")
    spoilt = votes.join(given.bad, on="row").group_by("id").agg(pl.col("rules").explode().unique().sort())
    sound = votes.join(spoilt, on="id", how="anti", nulls_equal=True, maintain_order="left")
    items = _outcomes(sound, given)
    label = pl.col("outcome")
    open_items = items.filter(label.is_null())
    undetermined = open_items.select("id", rules=pl.lit([LABEL_UNDETERMINED.name]))
    aside = votes.select("row", "id").join(
        pl.concat([spoilt, undetermined]), on="id", nulls_equal=True, maintain_order="left"
    )
    alpha, note = _agreement(sound)
    return Derived(
        items.lazy().filter(label != REMOVED).select("id", label=label),
        aside.select("row", "rules"),
        _tallies(given, open_items),
        {
            "items": votes["id"].n_unique(),
            "unreliable": items.filter(label == 1).height,
            "reliable": items.filter(label == 0).height,
            "removed": items.filter(label == REMOVED).height,
            "undetermined": open_items.height,
            **alpha,
        },
        [note],
    )


def _outcomes(votes: pl.DataFrame, given: Given) -> pl.DataFrame:
    """Of each item its first `row`, `id`, all `score`, what decides, the `outcome`, and `why` there is none.

    A key of the rule's messages.
    """
    score = pl.col("score")
    counted = {name: score.is_in(scores).sum() for name, scores in MERGED.items()}
    items = votes.group_by("id", maintain_order=True).agg(pl.col("row").min(), score, **counted)
    items = items.with_columns(
        vote=pl.coalesce(pl.when(pl.col(name) >= MAJORITY).then(pl.lit(name)) for name in MERGED)
    )
    for name, kind in BESIDE.items():
        column = kind.columns[-1]
        if name in given.beside:
            said = given.beside[name].select("id", column.name).collect(engine="streaming")
            items = items.join(said, on="id", how="left", maintain_order="left")
        else:
            items = items.with_columns(pl.lit(None, column.reading.dtype).alias(column.name))
    return items.with_columns(outcome=OUTCOME, why=_WHY)


def _tallies(given: Given, items: pl.DataFrame) -> list[Tally]:
    """The items without a label, each once and by its id alone."""
    items = items.sort("row")
    shown = items.select("row", "score", "why").head(given.limit)
    facts = {row: {"which": why, "scores": scores} for row, scores, why in shown.iter_rows()}
    opened = given.source.opened
    column = opened.table.names.get("score", "score")
    found = row_tally(
        opened,
        given.source.frame,
        LABEL_UNDETERMINED,
        items["row"],
        given.limit,
        column=column,
        arguments=lambda record: facts[record.row],
    )
    item = opened.table.names.get("id", "id")

    def by_item(one: Finding) -> Finding:
        return replace(one, at=replace(one.at, key={item: (one.at.key or {})[item]}))

    return [replace(tally, samples=tuple(map(by_item, tally.samples))) for tally in found]


def _agreement(votes: pl.DataFrame) -> tuple[dict[str, float | int | None], str]:
    """Krippendorff's alpha of the merged classes, which are voted on, and of the scores as they were given."""
    if find_spec("krippendorff") is None:
        return {}, "Krippendorff's alpha needs an extra: pip install 'sharedtask[agreement]'"
    score = pl.col("score")
    ways = {"alpha_classes": list(MERGED.values()), "alpha_scores": [[one] for one in range(HIGHEST_SCORE + 1)]}
    found: dict[str, float | int | None] = {}
    for name, values in ways.items():
        counted = [score.is_in(scores).sum().alias(str(place)) for place, scores in enumerate(values)]
        counts = votes.group_by("id").agg(counted).drop("id")
        given = [column.name for column in counts if column.sum()]
        found[name] = _alpha(counts.select(given).to_numpy()) if len(given) > 1 else None
    return found, "alpha is Krippendorff's, nominal: of the merged classes, which are voted on, and of the scores"


def _alpha(counts: Any) -> float:
    """Alpha from a row an item with the number of votes for each value; of one value alone there is none."""
    alpha: float = import_module("krippendorff").alpha(value_counts=counts, level_of_measurement="nominal")
    return float(alpha)


BESIDE = {"ground_truth": LABELS, "recheck": RECHECK}
DERIVATIONS = (Derivation("labels", ANNOTATIONS, LABELS, _labels, BESIDE),)
