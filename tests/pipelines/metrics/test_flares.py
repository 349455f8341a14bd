"""FLARES: the given scorer cases, the rows that each scorer looks at, real gold with known faults, and subtask 2."""

import ast
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from sharedtask.pipelines.metrics import flares
from sharedtask.pipelines.metrics.flares_spans import confusion
from sharedtask.pipelines.metrics.join import UndefinedRowsError
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.score_results import Score

SHARED = Path(__file__).parents[4] / "shared"  # beside the repository; absent in a plain checkout
TRAIN = SHARED / "data" / "flares" / "5w1h_subtarea_1_train.json"
SPAN_LIST = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String}))
SPAN_SCORERS = {scorer.name: scorer for scorer in flares.SCORERS if scorer.kind == "flares/subtask1-run"}
CLASSES = next(scorer for scorer in flares.SCORERS if scorer.kind == "flares/subtask2-run")

Span = tuple[int, int, str]
Rows = list[tuple[int, list[Span]]]


def given_cases(name: str) -> list[dict[str, Any]]:
    """Cases lent by the organisers of this project; none where they are not there, so that the test is skipped."""
    file = SHARED / "cases" / name
    cases: list[dict[str, Any]] = json.loads(file.read_text("utf-8")) if file.exists() else []
    return cases


def table(rows: Rows) -> pl.DataFrame:
    lists = [[{"start": start, "end": end, "label": label} for start, end, label in spans] for _, spans in rows]
    return pl.DataFrame({"id": [key for key, _ in rows], "spans": lists}, schema={"id": pl.Int64, "spans": SPAN_LIST})


def scored(scorer: str, gold: Rows, run: Rows) -> Score:
    return SPAN_SCORERS[scorer].score(table(gold), table(run))


def five(score: Score) -> tuple[int, ...]:
    names = ("correct", "incorrect", "partial", "missing", "spurious")
    assert tuple(score.counts) == names
    return tuple(score.counts.values())


GOLD: Rows = [(1, [(0, 5, "WHAT")]), (2, [(0, 5, "WHO"), (6, 9, "WHAT")]), (3, [(0, 5, "WHEN")])]


@pytest.mark.parametrize("case", given_cases("flares_scorer_cases.json"), ids=lambda case: case["name"])
def test_given_span_cases(case: dict[str, Any]) -> None:
    gold: Rows = [(1, [(start, end, label) for start, end, label in case["gold"]])]
    run: Rows = [(1, [(start, end, label) for start, end, label in case["pred"]])]
    expected = tuple(case["expected"].values())
    per_label = {label: list(row.values()) for label, row in case["per_label"].items()}
    for name in ("official", "official-verbatim"):
        score = scored(name, gold, run)
        assert five(score) == expected
        assert {label: list(row.values())[:5] for label, row in score.per_label.items()} == per_label
        for measure, value in case["scores"].items():
            wanted = value if value is not None or name == "official-verbatim" else 0.0
            assert score.scores[measure] == (None if wanted is None else pytest.approx(wanted, abs=1e-9)), measure
    assert five(scored("ehealthkd-2020", gold, run)) == tuple(case["ehealthkd_score_py"].values())


READ_BY_ACCIDENT = ("expression_is_executed", "id_as_text_S1", "unquoted_tags")  # refused before anything is scored


def rows_of(text: str) -> Rows:
    records = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    keys = ("Tag_Start", "Tag_End", "5W1H_Label")
    read = [(int(record["Id"]), ast.literal_eval(record["Tags"])) for record in records]
    return [(key, [tuple(tag[name] for name in keys) for tag in tags]) for key, tags in read]


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in given_cases("flares_scorer_row_cases.json")
        if "expected" in case and case["name"] not in READ_BY_ACCIDENT
    ],
    ids=lambda case: case["name"],
)
def test_given_row_cases(case: dict[str, Any]) -> None:
    score = scored("official-verbatim", rows_of(case["gold_csv"]), rows_of(case["submission_csv"]))
    assert five(score) == tuple(case["expected"].values())
    assert score.scores["f1"] == (None if case["f1"] is None else pytest.approx(case["f1"], abs=1e-6))


def test_an_unanswered_row_is_missing_skipped_or_missing() -> None:
    run = [GOLD[0], GOLD[2]]
    assert five(scored("official", GOLD, run)) == (2, 0, 0, 2, 0)
    assert five(scored("official-verbatim", GOLD, run)) == (2, 0, 0, 0, 0)
    assert five(scored("ehealthkd-2020", GOLD, run)) == (2, 0, 0, 2, 0)
    for name in SPAN_SCORERS:
        assert any(note.startswith("1 of 3 gold rows") for note in scored(name, GOLD, run).notes)
    assert not scored("official", GOLD, GOLD).notes


def test_a_row_without_gold_spans() -> None:
    gold: Rows = [*GOLD, (4, [])]
    run: Rows = [*GOLD, (4, [(0, 5, "WHAT"), (6, 9, "WHO")])]
    assert five(scored("official", gold, run)) == (4, 0, 0, 0, 2)
    skipped = scored("ehealthkd-2020", gold, run)
    assert five(skipped) == (4, 0, 0, 0, 0)
    assert any("2 predicted spans" in note for note in skipped.notes)


def test_unknown_and_repeated_rows_are_defined_by_the_verbatim_scorer_only() -> None:
    unknown, twice = [*GOLD, (99, [(0, 5, "WHAT")])], [*GOLD, GOLD[1]]
    assert five(scored("official-verbatim", GOLD, unknown)) == (4, 0, 0, 0, 0)
    assert five(scored("official-verbatim", GOLD, twice)) == (6, 0, 0, 0, 0)
    for run in (unknown, twice):
        assert len(scored("official-verbatim", GOLD, run).notes) == 1
        for name in ("official", "ehealthkd-2020"):
            with pytest.raises(UndefinedRowsError):
                scored(name, GOLD, run)


def test_the_same_document_twice_in_the_gold() -> None:
    gold: Rows = [*GOLD, (1, [(7, 9, "HOW")])]
    assert five(scored("official-verbatim", gold, GOLD)) == (4, 0, 0, 0, 0)  # the first row of an id, then stop
    with pytest.raises(UndefinedRowsError, match="gold"):
        scored("official", gold, GOLD)


@pytest.mark.parametrize("name", SPAN_SCORERS)
def test_empty_gold_and_empty_run(name: str) -> None:
    """An empty list is an answer; a run without rows is none, so the verbatim scorer has nothing to look at."""
    nothing: Rows = []
    lists: Rows = [(key, []) for key, _ in GOLD]
    verbatim = name == "official-verbatim"
    empty = None if verbatim else 0.0
    assert scored(name, nothing, nothing).scores == dict.fromkeys(("precision", "recall", "f1", "accuracy"), empty)
    assert five(scored(name, GOLD, nothing)) == (0, 0, 0, 0 if verbatim else 4, 0)
    assert scored(name, GOLD, nothing).scores["f1"] == empty
    silent = scored(name, GOLD, lists)
    assert five(silent) == (0, 0, 0, 4, 0)
    assert silent.scores == {"precision": empty, "recall": 0.0, "f1": empty, "accuracy": 0.0}
    assert any("0/0 in precision, f1" in note for note in silent.notes)


def test_ratios_of_a_label_that_are_0_by_0_are_null_and_noted() -> None:
    score = scored("official", [(1, [(0, 5, "WHAT"), (6, 9, "WHY")])], [(1, [(0, 5, "WHAT"), (20, 25, "HOW")])])
    assert score.per_label["WHAT"]["f1"] == 1.0
    assert (score.per_label["WHY"]["precision"], score.per_label["WHY"]["recall"]) == (None, 0.0)
    assert (score.per_label["HOW"]["precision"], score.per_label["HOW"]["recall"]) == (0.0, None)
    note = next(note for note in score.notes if "given as null" in note)
    assert all(name in note for name in ("precision of WHY", "recall of HOW", "f1 of WHY", "f1 of HOW"))
    assert "WHAT" not in note


def test_an_unknown_label_is_a_wrong_answer() -> None:
    """facts/flares.md 2: on a gold span it is Incorrect under the gold label; elsewhere the script stops."""
    on_gold = scored("official", [(1, [(0, 5, "WHAT")])], [(1, [(0, 5, "What")])])
    assert five(on_gold) == (0, 1, 0, 0, 0)
    assert list(on_gold.per_label) == ["WHAT"]
    assert confusion(on_gold.per_item).rows() == [("WHAT", "What", 1)]
    elsewhere = scored("official", [(1, [(0, 5, "WHAT")])], [(1, [(0, 4, "What")])])
    assert five(elsewhere) == (0, 0, 0, 1, 1)
    assert elsewhere.per_label["What"]["spurious"] == 1


def test_per_item_says_which_span_was_matched_by_which() -> None:
    gold: Rows = [(7, [(0, 5, "WHAT"), (6, 10, "WHO"), (11, 15, "WHEN"), (16, 20, "WHERE")]), (8, [])]
    run: Rows = [(8, []), (7, [(30, 35, "HOW"), (11, 15, "WHY"), (6, 9, "WHO"), (0, 5, "WHAT")])]
    items = scored("official", gold, run).per_item
    assert items.select("id", pl.col("how").cast(pl.String), "gold_span", "run_span").rows() == [
        (7, "correct", 0, 3),
        (7, "partial", 1, 2),
        (7, "incorrect", 2, 1),
        (7, "missing", 3, None),
        (7, "spurious", None, 0),
        (8, None, None, None),
    ]
    assert items.row(1, named=True) | {"how": ""} == {
        "id": 7, "how": "", "gold_span": 1, "gold_start": 6, "gold_end": 10, "gold_label": "WHO",
        "run_span": 2, "run_start": 6, "run_end": 9, "run_label": "WHO",
    }  # fmt: skip


def test_where_the_script_asserts_the_span_is_incorrect_and_noted() -> None:
    score = scored("ehealthkd-2020", [(1, [(0, 5, "WHAT"), (0, 5, "WHO")])], [(1, [(0, 5, "WHO"), (0, 5, "WHAT")])])
    assert five(score) == (1, 1, 0, 0, 0)
    assert any("script stops" in note for note in score.notes)


span = st.tuples(st.integers(0, 15), st.integers(0, 15), st.sampled_from(["WHAT", "WHO"]))
some_rows = st.lists(st.lists(span, max_size=4), min_size=1, max_size=5)


@pytest.mark.parametrize("name", SPAN_SCORERS)
@given(golds=some_rows, runs=some_rows, seed=st.integers(0, 99))
def test_order_of_rows_changes_nothing(name: str, golds: list[list[Span]], runs: list[list[Span]], seed: int) -> None:
    gold, run = table(list(enumerate(golds))), table(list(enumerate(runs[: len(golds)])))
    one, other = (
        SPAN_SCORERS[name].score(*tables)
        for tables in ((gold, run), (gold.sample(fraction=1, shuffle=True, seed=seed), run.reverse()))
    )
    assert (one.scores, one.counts, one.per_label) == (other.scores, other.counts, other.per_label)


@pytest.mark.parametrize("scorer", flares.SCORERS, ids=lambda scorer: f"{scorer.kind} {scorer.name}")
def test_the_statistic_of_the_units_is_the_score(scorer: Scorer) -> None:
    if scorer is CLASSES:
        score = classes("abcab", "abbax")
    else:
        score = scored(
            scorer.name, GOLD, [(1, [(0, 4, "WHAT")]), (2, [(0, 5, "WHY"), (6, 9, "WHAT"), (20, 25, "HOW")])]
        )
    units = scorer.units(score.per_item)
    assert units.select(scorer.keys).is_unique().all()
    assert scorer.statistic(units.with_columns(resample=0)).row(0, named=True) == score.scores


# --- real gold, fed back with one systematic fault: facts/flares.md 3.9, measured with the organisers' script ---------


def byte_offsets(text: str, start: int, end: int) -> tuple[int, int]:
    return len(text[:start].encode()), len(text[:end].encode())


def first_place(text: str, start: int, end: int) -> tuple[int, int]:
    place = text.find(text[start:end])
    return place, place + end - start


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    cut = len(text) - len(text.lstrip())
    return start - cut, end - cut


FAULTS: dict[str, tuple[Callable[[str, int, int], tuple[int, int]], float]] = {
    "none": (lambda text, start, end: (start, end), 1.0),
    "inclusive ends": (lambda text, start, end: (start, end - 1), 0.5),
    "all one too high": (lambda text, start, end: (start + 1, end + 1), 0.5),
    "UTF-8 byte offsets": (byte_offsets, 0.60074),
    "first occurrence": (first_place, 0.99423),
    "stripped text": (stripped, 0.99971),
}


def train() -> list[tuple[int, str, list[Span]]]:
    if not TRAIN.exists():
        pytest.skip("the FLARES train file is not beside this repository")
    records = [json.loads(line) for line in TRAIN.read_text("utf-8").splitlines()]
    keys = ("Tag_Start", "Tag_End", "5W1H_Label")
    return [(row["Id"], row["Text"], [tuple(tag[key] for key in keys) for tag in row["Tags"]]) for row in records]


@pytest.mark.parametrize("fault", FAULTS)
def test_real_gold_with_one_systematic_fault(fault: str) -> None:
    change, f1 = FAULTS[fault]
    rows = train()
    gold: Rows = [(key, spans) for key, _, spans in rows]
    run: Rows = [
        (key, [(*change(text, start, end), label) for start, end, label in spans]) for key, text, spans in rows
    ]
    assert scored("official", gold, run).scores["f1"] == pytest.approx(f1, abs=5e-6)


def test_real_gold_against_the_whole_text_once_per_label() -> None:
    rows = train()
    spam: Rows = [
        (key, [(0, len(text), label) for label in ("WHAT", "WHEN", "WHERE", "WHO", "WHY", "HOW")])
        for key, text, _ in rows
    ]
    score = scored("official", [(key, spans) for key, _, spans in rows], spam)
    assert score.scores["f1"] == pytest.approx(0.25851, abs=5e-6)


# --- subtask 2 --------------------------------------------------------------------------------------------------------


def classes(gold: str, run: str) -> Score:
    """One letter a row; a space is no answer."""
    as_table = [pl.DataFrame({"id": range(len(text)), "reliability": list(text)}) for text in (gold, run)]
    return CLASSES.score(as_table[0], as_table[1].filter(pl.col("reliability") != " "))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcx")), min_size=1, max_size=12))
def test_subtask_2_equals_scikit_learn(rows: list[tuple[str, str]]) -> None:
    gold, run = ("".join(side) for side in zip(*rows, strict=True))
    score = classes(gold, run)
    assert score.scores["f1_macro"] == pytest.approx(f1_score(list(gold), list(run), average="macro"), abs=1e-12)
    assert score.scores["accuracy"] == pytest.approx(accuracy_score(list(gold), list(run)), abs=1e-12)


def test_subtask_2_floor_on_train() -> None:
    """facts/flares.md 4: confiable everywhere, on the counts of 1.6, has accuracy 0.68719 and macro F1 0.27153."""
    gold = "c" * 4765 + "s" * 1276 + "n" * 893
    score = classes(gold, "c" * len(gold))
    assert score.scores["accuracy"] == pytest.approx(0.68719, abs=5e-6)
    assert score.scores["f1_macro"] == pytest.approx(0.27153, abs=5e-6)
    assert score.per_label["s"]["precision"] is None
    assert any("precision of n, precision of s" in note for note in score.notes)


def test_subtask_2_a_misspelt_class_is_one_more_class() -> None:
    """facts/flares.md 4: on four rows one slip lowers F1 from 1.0 to 0.50 to 0.67."""
    assert classes("aabc", "aabc").scores["f1_macro"] == 1.0
    slip = classes("aabc", "aAbc")
    assert slip.scores["f1_macro"] == pytest.approx((2 / 3 + 0 + 1 + 1) / 4)
    assert any("'A'" in note for note in slip.notes)


def test_subtask_2_partial_empty_and_unanswered() -> None:
    partial = classes("aab", "a b")
    assert partial.counts == {"rows": 3, "correct": 2, "unanswered": 1}
    assert partial.scores["accuracy"] == pytest.approx(2 / 3)
    assert partial.scores["f1_macro"] == pytest.approx((2 / 3 + 1) / 2)  # no class is added by the missing answer
    assert classes("aab", "   ").scores == dict.fromkeys(
        ("f1_macro", "accuracy", "precision_macro", "recall_macro"), 0.0
    )
    nothing = pl.DataFrame(schema={"id": pl.Int64, "reliability": pl.String})
    empty = CLASSES.score(nothing, nothing)
    assert set(empty.scores.values()) == {None}
    assert empty.notes


def test_subtask_2_same_row_twice_and_unknown_row() -> None:
    gold = pl.DataFrame({"id": [1, 2], "reliability": ["a", "b"]})
    for run in ([1, 2, 2], [1, 2, 3]):
        with pytest.raises(UndefinedRowsError):
            CLASSES.score(gold, pl.DataFrame({"id": run, "reliability": ["a", "b", "b"]}))
    with pytest.raises(UndefinedRowsError, match="gold"):
        CLASSES.score(pl.concat([gold, gold]), gold)
