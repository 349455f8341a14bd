"""Scores of FLARES subtask 1, in three published ways.

All of them count spans as correct, incorrect, partial, missing and spurious (`spans.match`), sum the counts over all
rows and take each ratio once from the sums. The scorers differ in the matching, in the rows that they look at, and in
what they make of 0/0.
"""

from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.metrics.join import answers, unanswered_note
from sharedtask.pipelines.metrics.remarks import folded, misspelt, perfect
from sharedtask.pipelines.metrics.scorer import by_label, first_row, harmonic_mean, ratio, undefined_ratios
from sharedtask.pipelines.metrics.span_matching import OUTCOMES, match
from sharedtask.pipelines.results.score_results import Score

KIND = "flares/subtask1-run"

_FOUND = pl.col("correct") + 0.5 * pl.col("partial")
_BOTH = pl.col("correct") + pl.col("incorrect") + pl.col("partial")
_PRECISION = ratio(_FOUND, _BOTH + pl.col("spurious"))
_RECALL = ratio(_FOUND, _BOTH + pl.col("missing"))
_RATIOS = (
    _PRECISION.alias("precision"),
    _RECALL.alias("recall"),
    harmonic_mean(_PRECISION, _RECALL).alias("f1"),
    ratio(_FOUND, _BOTH + pl.col("missing") + pl.col("spurious")).alias("accuracy"),
)


@dataclass(frozen=True, slots=True)
class _Pairing:
    """Gold and predicted span lists brought together: one row an `item`, with `id`, `spans`, `spans_run`; what to say
    about the rows.
    """

    items: pl.DataFrame
    notes: tuple[str, ...] = ()


def _every_gold_row(gold: pl.DataFrame, run: pl.DataFrame) -> _Pairing:
    """The gold decides: each of its rows once, an unanswered one without predicted spans."""
    joined = answers(gold.select("id", "spans"), run.select("id", "spans"), ["id"])
    return _Pairing(joined.with_row_index("item"), unanswered_note(joined, "Missing in full"))


def _gold_rows_with_spans(gold: pl.DataFrame, run: pl.DataFrame) -> _Pairing:
    """As eHealth-KD's script: a row without gold spans is passed over, so that its predictions are not Spurious."""
    pairing = _every_gold_row(gold, run)
    with_spans = pl.col("spans").list.len().fill_null(0) > 0
    passed = pairing.items.filter(~with_spans)["spans_run"].list.len().sum()
    note = (f"{passed} predicted spans are in rows without gold spans and count as nothing.",) if passed else ()
    return _Pairing(pairing.items.filter(with_spans), (*pairing.notes, *note))


def _every_run_row(gold: pl.DataFrame, run: pl.DataFrame) -> _Pairing:
    """As the FLARES script: each row of the run, again if its id is repeated, with the first gold row of its id."""
    first = gold.select("id", "spans").unique("id", keep="first", maintain_order=True)
    items = run.select("id", spans_run="spans").join(first, on="id", how="inner", maintain_order="left")
    skipped = gold.height - gold.join(run, on="id", how="semi").height
    ignored = run.height - items.height
    repeated = items.height - items["id"].n_unique()
    notes = (
        (skipped, f"{skipped} of {gold.height} gold rows are not in the run and are skipped, as the script does."),
        (
            ignored,
            f"{ignored} rows of the run have an id that the gold does not know and are ignored, as the script does.",
        ),
        (repeated, f"{repeated} rows of the run repeat an id and are scored again, as the script does."),
    )
    return _Pairing(items.with_row_index("item"), tuple(note for count, note in notes if count))


VERBATIM = "official-verbatim"
_PAIRINGS = {
    "official": (_every_gold_row, "official"),
    VERBATIM: (_every_run_row, "official"),
    "ehealthkd-2020": (_gold_rows_with_spans, "ehealthkd-2020"),
}


def score(gold: pl.DataFrame, run: pl.DataFrame, *, scorer: str) -> Score:
    """Scores of the spans of `run` (`id`, `spans`) against those of `gold` (`id`, `spans`); see `flares.SCORERS` for
    the three ways.

    `spans` is a list of structs with at least `start`, `end` and `label` (no nulls inside; a null list is an empty
    one). `per_item` has a row for each span that was looked at: `id`, `how` (see `spans.OUTCOMES`), and `span` (index
    in the row's list), `start`, `end`, `label` of the gold span (prefix `gold_`, null where spurious) and of the
    predicted one (prefix `run_`, null where missing). A row without spans on either side stands there once with `how`
    null. Raises `rows.UndefinedRowsError` on repeated or unknown ids; `official-verbatim` has a rule for both.
    """
    pair, matching = _PAIRINGS[scorer]
    pairing = pair(gold, run)
    items = pairing.items
    gold_spans, run_spans = _flat(items, "spans"), _flat(items, "spans_run")
    matches = match(gold_spans, run_spans, matching)
    item = pl.coalesce(gold_spans["item"].gather(matches["gold"]), run_spans["item"].gather(matches["run"]))
    columns = ("span", "start", "end", "label")
    per_span = matches.select(
        item.alias("item"),
        "how",
        *(gold_spans[name].gather(matches["gold"]).alias(f"gold_{name}") for name in columns),
        *(run_spans[name].gather(matches["run"]).alias(f"run_{name}") for name in columns),
    )
    per_item = (
        items.select("item", "id").join(per_span, on="item", how="left", maintain_order="left_right").drop("item")
    )
    sums = units(per_item).select(pl.col(OUTCOMES).sum())
    scores = first_row(sums.select(_RATIOS))
    label = pl.coalesce("gold_label", "run_label").alias("label")
    per_label = by_label(per_item.drop_nulls("how").group_by(label).agg(_outcome_counts()).with_columns(_RATIOS))
    undefined = [name for name, value in scores.items() if value is None]
    if scorer != VERBATIM:
        scores = {name: value or 0.0 for name, value in scores.items()}
    return Score(
        kind=KIND,
        scorer=scorer,
        scores=scores,
        counts={name: int(sums[name].item()) for name in OUTCOMES},
        per_label=per_label,
        notes=(
            *pairing.notes,
            *_zero_notes(scorer, undefined),
            *_label_notes(scorer, per_label),
            *_assertion_note(per_item),
        ),
        per_item=per_item,
    )


def confusion(per_item: pl.DataFrame) -> pl.DataFrame:
    """Which labels were taken for which, over the incorrect spans of a span score: `gold_label`, `run_label`, `count`,
    sorted.
    """
    incorrect = per_item.filter(pl.col("how") == "incorrect")
    labels = ("gold_label", "run_label")
    return incorrect.group_by(labels).agg(pl.len().alias("count")).sort(labels)


def _flat(items: pl.DataFrame, spans: str) -> pl.DataFrame:
    """One row a span: `item`, `span` (its index in the list), `start`, `end`, `label` (String), in the order given."""
    some = items.select("item", pl.col(spans).alias("value")).filter(pl.col("value").list.len() > 0)
    flat = some.with_columns(span=pl.int_ranges(pl.col("value").list.len())).explode("value", "span")
    start, end, label = (pl.col("value").struct.field(name) for name in ("start", "end", "label"))
    return flat.select("item", "span", start.cast(pl.Int64), end.cast(pl.Int64), label.cast(pl.String))


def _outcome_counts() -> list[pl.Expr]:
    return [(pl.col("how") == outcome).sum().cast(pl.Int64).alias(outcome) for outcome in OUTCOMES]


def units(per_item: pl.DataFrame) -> pl.DataFrame:
    """One row a document: `id` and its five counts."""
    return per_item.group_by("id", maintain_order=True).agg(_outcome_counts())


def statistic(resampled: pl.DataFrame, *, scorer: str) -> pl.DataFrame:
    """The four scores of each resample of `units`, ordered by `resample`; 0/0 as the scorer has it."""
    sums = resampled.group_by("resample").agg(pl.col(OUTCOMES).sum()).sort("resample")
    ratios = sums.select(_RATIOS)
    return ratios if scorer == VERBATIM else ratios.fill_null(0.0)


def remarks(score: Score) -> tuple[str, ...]:
    """What an F1 of 0 or 1 may be a sign of, and labels that are wrong for their spelling."""
    correct, incorrect, partial, missing, spurious = (score.counts[name] for name in OUTCOMES)
    if not correct + incorrect + partial + missing:
        return ("There is no gold span to find, so the scores say nothing about the run.",)
    if not correct + incorrect + partial + spurious:
        return ("The run has no spans, so none of the gold is found.",)
    if score.scores["f1"] == 1:
        return (perfect(score.scores),)
    notes = misspelt(_misspelt_labels(score.per_item))
    if correct + partial:
        return notes
    why = (
        f"gold spans in the place of a predicted one, with another label: {incorrect}"
        if incorrect
        else "the offsets or the ids may be those of another file"
    )
    return (f"No predicted span is right, not even in part; {why}.", *notes)


def _misspelt_labels(per_item: pl.DataFrame) -> pl.DataFrame:
    """The labels of the run that no gold span has, but for case or white space: `gold` and `run`.

    Where a gold span has the same place, the label is compared with that one.
    """
    pairs = per_item.select(gold="gold_label", run="run_label").drop_nulls("run")
    labels = per_item.select(gold="gold_label").drop_nulls().unique(maintain_order=True)
    spellings = labels.select("gold", key=folded(pl.col("gold"))).unique("key", keep="first", maintain_order=True)
    alone = pairs.filter(pl.col("gold").is_null()).select("run", key=folded(pl.col("run")))
    unlike = alone.join(labels, left_on="run", right_on="gold", how="anti").join(spellings, on="key")
    beside = pairs.filter(pl.col("gold") != pl.col("run"), folded(pl.col("gold")) == folded(pl.col("run")))
    return pl.concat([beside.select("gold", "run"), unlike.select("gold", "run")])


def _zero_notes(scorer: str, undefined: list[str]) -> tuple[str, ...]:
    if not undefined:
        return ()
    names = ", ".join(undefined)
    if scorer == VERBATIM:
        return (f"0/0 in {names}: the script prints nan, given as null.",)
    return (f"0/0 in {names}, given as 0.",)


def _label_notes(scorer: str, per_label: dict[str, dict[str, float | int | None]]) -> tuple[str, ...]:
    notes = undefined_ratios(per_label)
    prints_one = ("For these the organisers' script prints 1, for a label that is all wrong too.",)
    return (*notes, *prints_one) if notes and scorer != "ehealthkd-2020" else notes


def _assertion_note(per_item: pl.DataFrame) -> tuple[str, ...]:
    """Only eHealth-KD's matching can leave equal labels for Incorrect."""
    stops = per_item.filter((pl.col("how") == "incorrect") & (pl.col("gold_label") == pl.col("run_label"))).height
    if not stops:
        return ()
    return (
        f"{stops} spans are Incorrect with the right label (several labels on one gold span): the script stops there.",
    )
