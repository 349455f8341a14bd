"""The raw annotations of ReINTEL: three votes an item, as the paper describes them (section 2.2).

No such file was ever published.
"""

import polars as pl

from sharedtask.schemas.kind import Check, Column, Kind, TableCheck, property_says
from sharedtask.schemas.reading import Fault, Reading, integer, text, unread
from sharedtask.schemas.reintel.rules import ANNOTATION_COUNT, ANNOTATION_SCORE
from sharedtask.schemas.table_checks import found

ANNOTATIONS_AN_ITEM = 3
HIGHEST_SCORE = 5
_EXPECTED = f"a whole number from 0 to {HIGHEST_SCORE}"


def _score(raw: pl.Expr) -> pl.Expr:
    number = raw.cast(pl.Int8, strict=False)
    return pl.when(number.is_between(0, HIGHEST_SCORE)).then(number)


def _not_three_people(votes: pl.LazyFrame) -> pl.LazyFrame:
    """One finding an item that has not three annotations by different people; an empty annotator is one of his own."""
    items = (
        votes.drop_nulls("id")
        .group_by("file", "id")
        .agg(row=pl.col("row").min(), rows="row", people=pl.col("annotator_id").n_unique())
    )
    votes_cast = pl.col("rows").list.len()
    wrong = items.filter((pl.col("people") != ANNOTATIONS_AN_ITEM) | (votes_cast != ANNOTATIONS_AN_ITEM))
    return found(
        wrong, ANNOTATION_COUNT, "annotator_id", about=("id",), id="id", annotations=votes_cast, people="people"
    )


SCORE = Reading(pl.Int8(), _score, (Fault(ANNOTATION_SCORE, unread, _EXPECTED),), _EXPECTED)

ANNOTATIONS = Kind(
    name="reintel/annotations",
    title="ReINTEL annotations",
    description="One vote of one annotator on one item a row. A high score means reliable, whereas the label 1 means unreliable.",
    source="VLSP 2020 ReINTEL, paper section 2.2: 23 annotators, 10,007 items, three annotations each",
    columns=(
        Column("id", "id", integer(), "The item."),
        Column("annotator_id", "annotator_id", text(), "Who gave the score."),
        Column(
            "score",
            "score",
            SCORE,
            "0 no category (an opinion), 1 unreliable, 2 slightly unreliable, 3 neutral, 4 slightly reliable, 5 reliable.",
        ),
    ),
    key=("id", "annotator_id"),
    checks=(
        Check(
            ANNOTATION_SCORE,
            "score",
            ~pl.col("score").is_between(0, HIGHEST_SCORE),
            _EXPECTED,
            typed=True,
            says=property_says("score", {"minimum": 0, "maximum": HIGHEST_SCORE}),
        ),
    ),
    table_checks=(TableCheck((ANNOTATION_COUNT,), ("id", "annotator_id"), _not_three_people),),
)
