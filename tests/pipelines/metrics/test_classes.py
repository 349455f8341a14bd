"""Macro measures over the union of classes, against scikit-learn."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from sharedtask.pipelines.metrics.classes import macro, per_class

answers = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcde")), min_size=1, max_size=25)


def table(rows: list[tuple[str, str | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"gold": pl.String, "run": pl.String}, orient="row")


@given(answers)
def test_macro_equals_scikit_learn(rows: list[tuple[str, str]]) -> None:
    gold, run = ([row[side] for row in rows] for side in (0, 1))
    precision, recall, f1, _ = precision_recall_fscore_support(gold, run, average="macro", zero_division=0)
    assert macro(table(list(rows))).row(0, named=True) == {
        "f1_macro": pytest.approx(f1, abs=1e-12),
        "accuracy": pytest.approx(accuracy_score(gold, run), abs=1e-12),
        "precision_macro": pytest.approx(precision, abs=1e-12),
        "recall_macro": pytest.approx(recall, abs=1e-12),
    }


@given(answers)
def test_each_class_equals_scikit_learn(rows: list[tuple[str, str]]) -> None:
    gold, run = ([row[side] for row in rows] for side in (0, 1))
    found = per_class(table(list(rows)))
    labels = sorted({*gold, *run})
    assert found["label"].to_list() == labels
    measures = precision_recall_fscore_support(gold, run, labels=labels, zero_division=0)
    for name, values in zip(("precision", "recall", "f1", "support"), measures, strict=True):
        assert found[name].fill_null(0).to_list() == pytest.approx(values.tolist(), abs=1e-12), name
    assert found["precision"].is_null().to_list() == [label not in run for label in labels]
    assert found["recall"].is_null().to_list() == [label not in gold for label in labels]


@given(st.lists(answers, min_size=1, max_size=4))
def test_groups_are_scored_on_their_own(groups: list[list[tuple[str, str]]]) -> None:
    together = pl.concat([table(list(rows)).with_columns(resample=pl.lit(i)) for i, rows in enumerate(groups)])
    assert (
        macro(together.reverse(), by=["resample"])
        .drop("resample")
        .equals(pl.concat([macro(table(list(rows))) for rows in groups]))
    )


def test_no_answer_is_an_answer_of_no_class() -> None:
    found = macro(table([("a", "a"), ("b", None)]))
    assert found["f1_macro"].item() == 0.5  # a: 1, b: 0, and no third class
    assert found["accuracy"].item() == 0.5
    assert macro(table([("a", None)]))["f1_macro"].item() == 0.0


def test_no_items() -> None:
    assert set(macro(table([])).row(0)) == {None}
    assert per_class(table([])).is_empty()
