"""Published figures are context: where a score would stand, and never a claim about the hidden test."""

import polars as pl
import pytest

from sharedtask.pipelines.metrics.published import PUBLISHED, context
from sharedtask.pipelines.results.score_results import Score


def score(name: str, value: float | None) -> Score:
    return Score("", "", {name: value}, {}, {}, (), pl.DataFrame())


@pytest.mark.parametrize(
    ("kind", "name", "value", "above", "below"),
    [
        ("reintel/run", "roc_auc", 0.99, "Kurtosis, 0.9521", None),
        ("reintel/run", "roc_auc", 0.9450, "Toyo-Aime, 0.9449", "uit_kt, 0.9452"),
        ("reintel/run", "roc_auc", 0.5, None, "NLP_BK, 0.936"),
        ("flares/subtask1-run", "f1", 0.6, "FLAN-T5-XXL, 0.543", "Mistral-7B, 8 bit, 0.6108"),
        ("flares/subtask2-run", "f1_macro", 0.3, "Mistral-7B (4th), 0.2906", "Mistral-7B (4th), 0.3059"),
    ],
)
def test_where_a_score_would_stand(kind: str, name: str, value: float, above: str | None, below: str | None) -> None:
    place, warning, *_ = context(kind, score(name, value))
    assert ("above" in place) == (above is not None)
    assert ("below" in place) == (below is not None)
    assert all(f"{word} {figure}" in place for word, figure in (("above", above), ("below", below)) if figure)
    assert "would stand" in place
    assert "not a result on the hidden test" in warning


def test_cheers_has_no_results_but_a_warning() -> None:
    lines = " ".join(context("cheers/run", score("HumImpact", 0.3)))
    assert all(figure in lines for figure in ("49.92", "44.57", "47.24", "not a target"))
    assert "would stand" not in lines


def test_undefined_score_and_unknown_kind() -> None:
    assert not any("would stand" in line for line in context("reintel/run", score("roc_auc", None)))
    assert context("toy/run", score("f1", 0.5)) == []


def test_all_figures_are_fractions_with_a_source() -> None:
    figures = [figure for published in PUBLISHED.values() for figure in published.figures]
    assert len(figures) > 10
    assert all(0 < figure.value < 1 and figure.system and figure.data and figure.source for figure in figures)
