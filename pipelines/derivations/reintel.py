"""ReINTEL: the label of an item from the votes of three annotators, by the table of the paper (2.2; facts/reintel.md 4)."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import polars as pl

from sharedtask.pipelines.derivations.derivation import Derivation, Derived, Given
from sharedtask.pipelines.places import Record, row_tally
from sharedtask.schemas.reintel.annotations import HIGHEST_SCORE
from sharedtask.schemas.reintel.kinds import ANNOTATIONS, LABELS, RECHECK
from sharedtask.schemas.reintel.labels import NEWS, OPINION
from sharedtask.schemas.reintel.rules import LABEL_UNDETERMINED
from sharedtask.schemas.rule import Tally

CLASSES = ("opinion", "unreliable", "unreliable", "neutral", "reliable", "reliable")
"""What each score from 0 to 5 is merged into before the vote: 1, 2 and 4 are two votes for unreliable."""

NOBODY = "nobody"
REMOVED = -1  # no label, and none is wanted

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
    .then(pl.lit("neutral votes win, and no ground truth decides"))
    .when(_truth == 0)
    .then(pl.lit("they are of three classes, and the ground truth 0 asks for a re-check"))
    .otherwise(pl.lit("they are of three classes, and no ground truth decides"))
)


def _labels(given: Given) -> Derived:
    """The label of each item in the order of the annotations; an item with a record that cannot be used has none."""
    votes = given.source.frame.select("row", "id", "annotator_id", "score").collect(engine="streaming")
    spoilt = votes.join(given.bad, on="row").group_by("id").agg(pl.col("rules").explode().unique().sort())
    sound = votes.join(spoilt, on="id", how="anti", maintain_order="left")
    items = _outcomes(sound, given)
    label = pl.col("outcome")
    open_items = items.filter(label.is_null())
    undetermined = open_items.select("id", rules=pl.lit([LABEL_UNDETERMINED.name]))
    aside = votes.select("row", "id").join(pl.concat([spoilt, undetermined]), on="id", maintain_order="left")
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
    """`row` (its first), `id`, `score` (all of them), what decides, and the `outcome` of each item."""
    merged = pl.col("score").replace_strict(range(HIGHEST_SCORE + 1), CLASSES, return_dtype=pl.String)
    majority = pl.col("class").mode().first()
    items = (
        votes.with_columns(merged.alias("class"))
        .group_by("id", maintain_order=True)
        .agg(
            pl.col("row").min(),
            "score",
            vote=pl.when(pl.col("class").n_unique() < pl.len()).then(majority).otherwise(pl.lit(NOBODY)),
        )
    )
    for name, column in (("ground_truth", "label"), ("recheck", "recheck")):
        said = given.beside.get(name)
        told = said.select("id", column).collect(engine="streaming") if said is not None else None
        if told is None:
            told = pl.DataFrame(schema={"id": pl.Int64, column: pl.String if column == "recheck" else pl.Int8})
        items = items.join(told, on="id", how="left", maintain_order="left")
    return items.with_columns(outcome=OUTCOME, why=_WHY)


def _tallies(given: Given, items: pl.DataFrame) -> list[Tally]:
    """The items without a label, each once and by its id alone."""
    items = items.sort("row")
    shown = {row: (scores, why) for row, scores, why in items.select("row", "score", "why").head(given.limit).iter_rows()}

    def message(record: Record) -> str:
        scores, why = shown[record.row]
        return f"the scores {', '.join(map(str, scores))} give no label: {why}"

    intake = given.source.intake
    column = intake.table.names.get("score", "score")
    found = row_tally(
        intake, given.source.frame, LABEL_UNDETERMINED, items["row"], given.limit, column=column, message=message
    )
    item = intake.table.names.get("id", "id")
    return [
        replace(tally, samples=tuple(replace(one, key={item: (one.key or {})[item]}) for one in tally.samples))
        for tally in found
    ]


def _agreement(votes: pl.DataFrame) -> tuple[dict[str, float | int | None], str]:
    """Krippendorff's alpha, nominal: of the merged classes, which are voted on, and of the scores as they were given."""
    if find_spec("krippendorff") is None:
        return {}, "Krippendorff's alpha needs an extra: pip install 'sharedtask[agreement]'"
    scores = [votes_for.alias(str(score)) for score, votes_for in enumerate(_counted())]
    table = votes.group_by("id", maintain_order=True).agg(scores).drop("id").to_numpy()
    merged = [table[:, [at for at, name in enumerate(CLASSES) if name == one]].sum(axis=1) for one in dict.fromkeys(CLASSES)]
    import_module("numpy")
    return {"alpha_classes": _alpha(merged), "alpha_scores": _alpha(table)}, "alpha is Krippendorff's, nominal"


DERIVATIONS = (
    Derivation("labels", ANNOTATIONS, LABELS, _labels, {"ground_truth": LABELS, "recheck": RECHECK}),
)
