"""Answers are brought to gold rows by key, and rows without a rule are refused."""

import polars as pl
import pytest

from sharedtask.pipelines.metrics.join import UndefinedRowsError, answers, differing, unanswered_note

GOLD = pl.DataFrame({"doc": [2, 1, 1], "part": [0, 1, 0], "label": ["a", "b", "c"]})


def test_gold_order_decides_and_positions_do_not() -> None:
    run = pl.DataFrame({"part": [0, 1], "doc": [1, 1], "label": ["C", "B"]})
    joined = answers(GOLD, run, ["doc", "part"])
    assert joined.select("label", "label_run", "answered").rows() == [
        ("a", None, False),
        ("b", "B", True),
        ("c", "C", True),
    ]
    assert unanswered_note(joined, "wrong") == ("1 of 3 gold rows are not in the run and count as wrong.",)
    assert unanswered_note(answers(GOLD, GOLD, ["doc", "part"]), "wrong") == ()


def test_a_null_answer_is_an_answer() -> None:
    run = GOLD.with_columns(label=pl.lit(None, dtype=pl.String))
    assert answers(GOLD, run, ["doc", "part"])["answered"].all()


@pytest.mark.parametrize(
    ("gold", "run", "message"),
    [
        (GOLD, pl.concat([GOLD, GOLD.head(2)]), "2 rows of the run repeat"),
        (pl.concat([GOLD, GOLD.head(1)]), GOLD, "1 rows of the gold repeat"),
        (GOLD.head(1), GOLD, "2 rows of the run have a key"),
    ],
)
def test_rows_without_a_rule(gold: pl.DataFrame, run: pl.DataFrame, message: str) -> None:
    with pytest.raises(UndefinedRowsError, match=message):
        answers(gold, run, ["doc", "part"])
    assert issubclass(UndefinedRowsError, ValueError)


def test_items_on_which_two_runs_differ() -> None:
    a = pl.DataFrame({"id": [3, 1, 2], "hit": [1, 0, 1], "term": [0.5, None, 1.0]})
    b = pl.DataFrame({"id": [1, 3, 4], "hit": [0, 1, 1], "term": [None, 0.25, 1.0]})
    found = differing(a, b, ["id"])
    assert found.columns == ["id", "hit_a", "hit_b", "term_a", "term_b"]
    assert found.rows() == [(2, 1, None, 1.0, None), (3, 1, 1, 0.5, 0.25), (4, None, 1, None, 1.0)]
    assert differing(a, a.reverse(), ["id"]).is_empty()
