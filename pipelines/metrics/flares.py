"""The FLARES scorers: spans of subtask 1 in three published ways (`flares_spans`), reliability classes of subtask 2."""

from functools import partial

import polars as pl

from sharedtask.pipelines.metrics import flares_spans
from sharedtask.pipelines.metrics.classes import macro, per_class
from sharedtask.pipelines.metrics.join import answers, unanswered_note
from sharedtask.pipelines.metrics.remarks import folded, misspelt, perfect
from sharedtask.pipelines.metrics.scorer import Scorer, by_label, first_row, named, undefined_ratios
from sharedtask.pipelines.results.score_results import Score

CLASSES_KIND = "flares/subtask2-run"


def score_classes(gold: pl.DataFrame, run: pl.DataFrame) -> Score:
    """Macro F1, accuracy, macro precision and recall of `run` against `gold` (`id`, `reliability` String, taken as
    given).

    `per_item` has `id`, `gold`, `run` (null where there is no answer) and `correct`, in the order of the gold. Without
    rows all scores are None. Raises `rows.UndefinedRowsError` on repeated or unknown ids.
    """
    reliability = pl.col("reliability").cast(pl.String)
    joined = answers(gold.select("id", gold=reliability), run.select("id", run=reliability), ["id"])
    items = joined.select("id", "gold", "run", correct=(pl.col("gold") == pl.col("run")).fill_null(False))
    per_label = by_label(per_class(items))
    foreign = [label for label, row in per_label.items() if not row["support"]]
    notes = [*unanswered_note(joined, "an answer of no class"), *undefined_ratios(per_label)]
    if foreign:
        notes.append(
            f"Predicted, but not in the gold: {named([*map(repr, foreign)])}. Each is a class of its own with F1 0."
        )
    if not items.height:
        notes.append("The gold has no rows: all scores are undefined.")
    return Score(
        kind=CLASSES_KIND,
        scorer="official",
        scores=first_row(macro(items)),
        counts={
            "rows": items.height,
            "correct": int(items["correct"].sum()),
            "unanswered": int((~joined["answered"]).sum()),
        },
        per_label=per_label,
        notes=tuple(notes),
        per_item=items,
    )


def _class_units(per_item: pl.DataFrame) -> pl.DataFrame:
    return per_item.select("id", "gold", "run")


def _class_statistic(resampled: pl.DataFrame) -> pl.DataFrame:
    return macro(resampled, by=["resample"]).drop("resample")


def _class_remarks(score: Score) -> tuple[str, ...]:
    """What a macro F1 of 0 or 1 may be a sign of, and labels that are wrong for their spelling."""
    gold, run = pl.col("gold"), pl.col("run")
    notes = misspelt(score.per_item.filter(gold != run, folded(gold) == folded(run)))
    rows, correct = score.counts["rows"], score.counts["correct"]
    if rows and not correct:
        return ("The macro F1 is 0: no row has the class of the gold.", *notes)
    if correct == rows and sum(bool(row["support"]) for row in score.per_label.values()) > 1:
        return (perfect(score.scores),)
    return notes


def _span_scorer(
    name: str, title: str, source: str, definition: str, departures: tuple[str, ...], *, missing: bool, any_rows: bool
) -> Scorer:
    return Scorer(
        name=name,
        kind=flares_spans.KIND,
        title=title,
        source=source,
        definition=definition,
        departures=departures,
        headline="f1",
        labels=("spans",),
        defines_missing=missing,
        defines_unknown=any_rows,
        defines_repeated=any_rows,
        score=partial(flares_spans.score, scorer=name),
        keys=("id",),
        units=flares_spans.units,
        statistic=partial(flares_spans.statistic, scorer=name),
        remarks=flares_spans.remarks,
        takes_other_forms=not any_rows,
    )


_SCRIPT = "rsepulveda911112/Flares-dataset evaluate_subtask_1.py and its Kaggle template"
SCORERS = (
    _span_scorer(
        "official",
        "FLARES matching over all gold rows",
        _SCRIPT,
        "Correct, then Partial (closed ends, same label, shortest first), then Incorrect (same span, other label), the "
        "rest Missing and Spurious; P = (C + P/2) / (C+I+P+S), R = (C + P/2) / (C+I+P+M), F1 harmonic, "
        "accuracy = (C + P/2) / (C+I+P+M+S), over all spans.",
        (
            "An unanswered gold row counts as Missing; the script skips it.",
            "0/0 is 0; the script prints nan (overall) or 1 (per label). Per label it is null here.",
            "An unknown label is a wrong answer; the script stops with a KeyError unless its span equals a gold span.",
        ),
        missing=True,
        any_rows=False,
    ),
    _span_scorer(
        "official-verbatim",
        "FLARES script, rows and 0/0 included",
        _SCRIPT,
        "As official, over the rows of the run: unanswered gold rows are skipped, unknown ids ignored, repeated ids "
        "scored again; 0/0 overall is null where the script prints nan.",
        (
            "Three right rows out of 1,585 score 1.0.",
            "A run in the form of the competition page is refused, and so is one whose cells of tags Python's eval does not "
            "read; there the script stops with an error.",
            "Per label 0/0 is null; the script prints 1.",
            "An unknown label is a wrong answer; the script stops with a KeyError unless its span equals a gold span.",
        ),
        missing=True,
        any_rows=True,
    ),
    _span_scorer(
        "ehealthkd-2020",
        "eHealth-KD 2020 script",
        "ehealthkd/corpora scripts/score.py (Piad-Morffis et al. 2020), subtask A",
        "Correct, then Incorrect, then Partial (half-open ends, first gold span of the label), walking the "
        "predictions in the order given; P, R and F1 as FLARES; unanswered rows are Missing; 0/0 is 0.",
        (
            "Rows are joined by id, not aligned by text.",
            "Predictions in a row without gold spans count as nothing, as in the script.",
            "Where the script stops with an AssertionError (several labels on one gold span) the span is Incorrect.",
            "Accuracy is FLARES' addition; the script has none.",
        ),
        missing=True,
        any_rows=False,
    ),
    Scorer(
        name="official",
        kind=CLASSES_KIND,
        title="macro F1 over the reliability classes",
        source="rsepulveda911112/Flares-dataset evaluate_subtask_2.py, with scikit-learn",
        definition="Macro F1, accuracy, macro precision and recall; means over all classes of gold and run. "
        "A misspelt class is one more class with F1 0; 0/0 counts as 0.",
        departures=("Ids are joined; the script refuses a run whose ids are in another order.",),
        headline="f1_macro",
        labels=("reliability",),
        defines_missing=False,
        defines_unknown=False,
        defines_repeated=False,
        score=score_classes,
        keys=("id",),
        units=_class_units,
        statistic=_class_statistic,
        remarks=_class_remarks,
    ),
)
