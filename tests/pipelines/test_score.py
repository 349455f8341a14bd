"""The verb `score`: what a gold may be, what is refused, and what is only shown."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.score_results import ScoreResult
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.score import score

SHARED = Path(__file__).parents[3] / "shared"  # beside the repository; absent in a plain checkout
ROW_CASES = SHARED / "cases" / "flares_scorer_row_cases.json"
READ_BY_ACCIDENT = {"expression_is_executed", "id_as_text_S1", "unquoted_tags"}

Put = Callable[[str, str], Path]


def row_cases() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(ROW_CASES.read_text("utf-8")) if ROW_CASES.exists() else []
    return cases


def tag(start: object, end: object, label: str) -> str:
    return f"{{'Tag_Start': {start!r}, 'Tag_End': {end!r}, '5W1H_Label': {label!r}}}"


def spans_run(rows: dict[object, list[str]]) -> str:
    return "Id,Tags\n" + "".join(f'{key},"[{", ".join(tags)}]"\n' for key, tags in rows.items())


GOLD = spans_run({7: [tag(0, 5, "WHAT"), tag(8, 9, "WHO")], 3: [tag(0, 4, "WHEN")]})
TEXTS = {7: "Cerró el puente", 3: "Ayer no hubo"}
GOLD_LINES = "".join(
    json.dumps(
        {
            "Id": key,
            "Text": TEXTS[key],
            "Tags": [
                {"Tag_Start": start, "Tag_End": end, "5W1H_Label": label, "Reliability_Label": "confiable"}
                for start, end, label in tags
            ],
        }
    )
    + "\n"
    for key, tags in {7: [(0, 5, "WHAT"), (8, 9, "WHO")], 3: [(0, 4, "WHEN")]}.items()
)
CLASSES = "Id,Reliability_Label\n1,confiable\n2,semiconfiable\n3,no confiable\n4,confiable\n"
SENTENCES = 'doc_id,sentence_id,is_relevant,sector_ids\n50,0,1,[4]\n50,1,0,[]\n50,2,1,"[2, 4]"\n51,0,0,[]\n'
RELEVANCE_RUN = "doc_id,sentence_id,is_relevant,sector_id\n50,0,1,4\n50,1,0,-1\n50,2,1,2\n51,0,0,-1\n"
LABELS = "id,label\n901,0\n902,1\n903,0\n904,1\n"
RESULTS = "901,0.1\n902,0.8\n903,0.6\n904,0.4\n"


def rules(result: ScoreResult) -> dict[str, str]:
    return {one.rule.name: str(one.severity) for one in result.report.rules()}


def counts(result: ScoreResult) -> dict[str, int]:
    assert result.score is not None, result.report.rules()
    return result.score.counts


def test_cells_with_one_reading_are_scored_as_what_they_say_but_not_by_the_script(put: Put) -> None:
    """The script puts each cell through eval, which knows no np.int64."""
    gold = put("gold.csv", "Id,Tags\n7,\"[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': 'WHO'}]\"\n")
    run = put("run.csv", "Id,Tags\n7,\"[{'Tag_Start': np.int64(0), 'Tag_End': np.int64(4), '5W1H_Label': 'WHO'}]\"\n")
    result = score(run, gold)
    assert counts(result)["correct"] == 1
    assert rules(result) == {"bad-tags-cell": "error"}
    refused = score(run, gold, scorer="official-verbatim")
    assert refused.score is None
    assert not refused.report.ok


@pytest.mark.skipif(not ROW_CASES.exists(), reason="the given cases are beside the repository only")
def test_the_given_cases_are_there() -> None:
    assert len(row_cases()) == 22


@pytest.mark.parametrize("case", row_cases(), ids=lambda case: case["name"])
def test_given_row_cases(put: Put, case: dict[str, Any]) -> None:
    """Files that the official script scores get its counts; what it stops at, or reads by accident, is a finding or a refusal."""
    gold, run = put("gold.csv", case["gold_csv"]), put("run.csv", case["submission_csv"])
    result = score(run, gold, scorer="official-verbatim")
    if "error" in case or case["name"] in READ_BY_ACCIDENT:
        assert not result.report.ok
        return
    names = {"Ca": "correct", "Ia": "incorrect", "Pa": "partial", "Ma": "missing", "Sa": "spurious"}
    assert result.score is not None
    assert counts(result) == {names[name]: count for name, count in case["expected"].items()}
    assert result.score.scores["f1"] == (None if case["f1"] is None else pytest.approx(case["f1"], abs=1e-6))


@pytest.mark.parametrize(
    ("name", "gold"),
    [
        ("gold.csv", GOLD),
        ("gold.json", GOLD_LINES),
        ("gold.json", "[" + GOLD_LINES.replace("\n", ",\n").rstrip(",\n") + "]"),
        ("gold.csv", "Id,Text,Tags\n" + "".join(f"{row[:1]},text,{row[2:]}\n" for row in GOLD.splitlines()[1:])),
        ("5w1h_subtarea_1_test.json", GOLD_LINES),
    ],
    ids=["bare CSV", "JSON Lines", "JSON array", "CSV with texts", "named test"],
)
def test_a_flares_gold_needs_ids_and_spans_only(put: Put, name: str, gold: str) -> None:
    result = score(put("run.csv", GOLD), put(name, gold))
    assert counts(result)["correct"] == 3
    assert result.score is not None
    assert set(result.score.scores.values()) == {1.0}


def test_a_gold_may_be_canonical_parquet(put: Put, tmp_path: Path) -> None:
    convert([put("gold.json", GOLD_LINES), put("run.csv", GOLD)], tmp_path / "out")
    assert counts(score(tmp_path / "out" / "run.parquet", tmp_path / "out" / "gold.parquet"))["correct"] == 3


@pytest.mark.parametrize(
    ("gold", "run", "name", "value"),
    [
        (CLASSES, CLASSES, "f1_macro", 1.0),
        (SENTENCES, RELEVANCE_RUN, "HumImpact", 0.875),
        (LABELS, RESULTS, "roc_auc", 0.75),
    ],
    ids=["flares subtask 2", "cheers", "reintel"],
)
def test_a_gold_without_texts(put: Put, gold: str, run: str, name: str, value: float) -> None:
    result = score(put("results.csv", run), put("gold.csv", gold))
    assert result.score is not None, rules(result)
    assert result.score.scores[name] == value
    assert result.ok
    assert result.report.ok


@pytest.mark.parametrize(
    ("gold", "run", "rule"),
    [
        (GOLD, "Id,Tags\n7,[]\n3,oops\n", "bad-tags-cell"),
        (GOLD, "Id,Tags\n7,[]\n3,\n", "bad-tags-cell"),
        (GOLD, "Id,Tags\n7,[]\n3,\"[{'Tag_Start': 0, '5W1H_Label': 'WHO'}]\"\n", "tag-key-missing"),
        (GOLD, spans_run({7: [], 3: [tag("one", 4, "WHO")]}), "offset-not-integer"),
        (GOLD, "Id,Tags\n7,[]\nx,[]\n", "bad-value"),
        (GOLD, "Id,Tags\n7,[]\n3,[],x\n", "ragged-row"),
        (GOLD, "Id,Tags\n7,[]\n3,[]\n9,[]\n", "unknown-id"),
        (GOLD, "Id,Tags\n7,[]\n3,[]\n7,[]\n", "duplicate-id"),
        (GOLD, "Id,Tags\n0,[]\n1,[]\n", "row-index-instead-of-id"),
        (GOLD, "Id,Tags\n17,[]\n13,[]\n", "no-common-id"),
        (GOLD, "Id\n7\n3\n", "missing-column"),
        (CLASSES, "Id,Reliability_Label\n1,confiable\n2,\n3,confiable\n4,confiable\n", "null-value"),
        (CLASSES, "Id,Reliability_Label\n1,confiable\n2,confiable\n3,confiable\n", "missing-id"),
        (SENTENCES, RELEVANCE_RUN.replace("50,1,0", "50,1,2"), "relevance-not-binary"),
        (SENTENCES, RELEVANCE_RUN.replace("50,2,1,2", '50,2,1,"[2, 4]"'), "several-sectors"),
        (SENTENCES, RELEVANCE_RUN.replace("51,0,0,-1\n", ""), "missing-id"),
        (SENTENCES, RELEVANCE_RUN.replace("51,0,0,-1", "51,0,0,"), "null-value"),
        (LABELS, RESULTS.replace("0.6", "nan"), "probability-not-finite"),
        (LABELS, RESULTS.replace("0.6", "1e999"), "probability-not-finite"),
        (LABELS, RESULTS.replace("0.6", ""), "probability-not-finite"),
        (LABELS, RESULTS.replace("903,0.6\n", ""), "missing-id"),
        (LABELS, "", "empty-file"),
        ("id,label\n901,1\n902,1\n903,1\n904,1\n", RESULTS, "single-class"),
        ("id,label\n901,1\n902,0\n901,1\n904,0\n", RESULTS, "duplicate-key"),
        ("id,label\n901,1\n902,0\n903,2\n904,0\n", RESULTS, "label-not-binary"),
        ("id,user_name\n901,a\n902,b\n", RESULTS, "missing-column"),
        (SENTENCES.replace("[4]", "four"), RELEVANCE_RUN, "bad-sector-list"),
        (SENTENCES.replace("is_relevant,sector_ids", "text,nothing"), RELEVANCE_RUN, "missing-column"),
        (GOLD_LINES.replace('"Tags"', '"Nothing"'), GOLD, "missing-column"),
        (
            GOLD.replace("[{'Tag_Start': 0, 'Tag_End': 4", "[{'Tag_Start': 'x', 'Tag_End': 4"),
            GOLD,
            "offset-not-integer",
        ),
        ("", GOLD, "empty-file"),
    ],
)
def test_what_cannot_be_scored_is_refused(put: Put, gold: str, run: str, rule: str) -> None:
    result = score(put("run.csv", run), put("gold.csv", gold))
    assert result.score is None
    assert not result.ok
    assert rules(result)[rule] in ("error", "warning")
    data = result.to_dict()
    assert data["verb"] == "score"
    assert data["ok"] is False
    assert "scores" not in data


@pytest.mark.parametrize(
    ("tags", "rule"),
    [
        ([tag(0, 5, "WHAT"), tag(3, 9, "WHO")], "span-overlap"),
        ([tag(0, 5, "WHAT"), tag(8, 8, "WHO")], "span-empty"),
        ([tag(0, 5, "WHAT"), tag(8, 900, "WHO")], "span-out-of-bounds"),
        ([tag(0, 5, "WHAT"), tag(0, 5, "WHAT")], "duplicate-span"),
        ([tag(0, 5, "WHAT"), tag(10, 12, "WHEREVER")], "unknown-label"),
        ([tag(0, 5, "WHAT"), tag(10, 12, "Where")], "label-case"),
        ([tag("0", 5.0, "WHAT"), tag(8, 9, "WHO")], "offset-not-integer"),
        (["{'start': 0, 'end': 5, 'tag': 'WHAT'}"], "tag-key-alias"),
        ([tag(0, 5, "WHAT").replace("'", '""')], "json-tags"),
    ],
)
def test_value_findings_are_shown_and_do_not_stop_the_scoring(put: Put, tags: list[str], rule: str) -> None:
    run = put("run.csv", spans_run({7: tags, 3: [tag(0, 4, "WHEN")]}))
    result = score(run, put("gold.json", GOLD_LINES))
    assert rule in rules(result)
    assert counts(result)["correct"] >= 2


def test_labels_are_scored_as_they_are_written(put: Put) -> None:
    """A label in another case or of no kind at all is a wrong answer, in the run and in the gold."""
    run = put("run.csv", spans_run({7: [tag(0, 5, "What"), tag(8, 9, "NOBODY")], 3: [tag(0, 4, "WHEN")]}))
    result = score(run, put("gold.json", GOLD_LINES))
    assert counts(result) == {"correct": 1, "incorrect": 2, "partial": 0, "missing": 0, "spurious": 0}
    assert counts(score(run, run))["correct"] == 3


def test_classes_are_scored_as_they_are_written(put: Put) -> None:
    run = put("run.csv", CLASSES.replace("2,semi", "2,Semi"))
    result = score(run, put("gold.csv", CLASSES))
    assert result.score is not None
    assert result.score.scores["accuracy"] == 0.75
    assert set(result.score.per_label) == {"confiable", "semiconfiable", "no confiable", "Semiconfiable"}
    assert rules(result) == {"unknown-reliability": "error"}


def test_an_unknown_sector_is_a_wrong_answer(put: Put) -> None:
    run = put("run.csv", RELEVANCE_RUN.replace("50,2,1,2", "50,2,1,11"))
    result = score(run, put("gold.csv", SENTENCES))
    assert result.score is not None
    assert result.score.scores["sectorids_accuracy"] == 0.5
    assert rules(result)["unknown-sector"] == "error"


def test_missing_rows_pass_where_the_scorer_or_the_caller_says_so(put: Put) -> None:
    half = put("half.csv", spans_run({7: [tag(0, 5, "WHAT"), tag(8, 9, "WHO")]}))
    gold = put("gold.csv", GOLD)
    assert counts(score(half, gold))["missing"] == 1
    assert counts(score(half, gold, scorer="official-verbatim"))["missing"] == 0
    fewer = put("fewer.csv", RELEVANCE_RUN.replace("50,2,1,2\n", ""))
    sentences = put("sentences.csv", SENTENCES)
    assert score(fewer, sentences).score is None
    assert counts(score(fewer, sentences, allow_missing=True))["fn"] == 1
    results, labels = put("results.csv", RESULTS.replace("904,0.4\n", "")), put("labels.csv", LABELS)
    lenient = score(results, labels, allow_missing=True)
    assert lenient.score is not None
    assert lenient.score.per_item["probability"].to_list() == [0.1, 0.8, 0.6, 0.5]
    some, classes = put("some.csv", CLASSES.replace("4,confiable\n", "")), put("classes.csv", CLASSES)
    one = score(some, classes, allow_missing=True)
    assert counts(one) == {"rows": 4, "correct": 3, "unanswered": 1}


def test_an_unknown_or_repeated_id_is_refused_even_where_missing_ones_pass(put: Put) -> None:
    labels = put("labels.csv", LABELS)
    for more in ("905,0.1\n", "904,0.4\n"):
        assert score(put("results.csv", RESULTS + more), labels, allow_missing=True).score is None


def test_order_changes_nothing(put: Put) -> None:
    backwards = "".join(f"{line}\n" for line in reversed(RESULTS.splitlines()))
    labels = put("labels.csv", LABELS)
    straight, turned = score(put("a.csv", RESULTS), labels), score(put("b.csv", backwards), labels)
    assert straight.score is not None
    assert turned.score is not None
    assert turned.score.scores == straight.score.scores
    assert rules(turned) == {"order-differs": "error"}


def test_row_numbers_of_a_reintel_run_are_taken_by_position(put: Put) -> None:
    run = put("results.csv", "".join(f"{row},{line.split(',')[1]}\n" for row, line in enumerate(RESULTS.splitlines())))
    result = score(run, put("labels.csv", LABELS))
    assert result.score is not None
    assert result.score.scores == {"roc_auc": 0.75}
    assert "by position" in result.score.notes[0]
    assert rules(result) == {"row-index-instead-of-id": "warning"}


def test_an_empty_run_is_all_missing_or_refused(put: Put) -> None:
    nothing = score(put("run.csv", "Id,Tags\n"), put("gold.csv", GOLD))
    assert counts(nothing) == {"correct": 0, "incorrect": 0, "partial": 0, "missing": 3, "spurious": 0}
    assert rules(nothing)["empty-run"] == "error"
    refused = score(put("none.csv", RELEVANCE_RUN.splitlines()[0] + "\n"), put("sentences.csv", SENTENCES))
    assert refused.score is None
    assert rules(refused) == {"empty-run": "error"}


def test_all_empty_lists_have_a_defined_score(put: Put) -> None:
    result = score(put("run.csv", spans_run({7: [], 3: []})), put("gold.csv", GOLD))
    assert result.score is not None
    assert set(result.score.scores.values()) == {0.0}
    assert any("0/0" in note for note in result.score.notes)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        ("none", "there is no scorer 'none'; expected one of official, "),
        ("roc-auc", "the scorer roc-auc is not for flares/subtask1-run"),
    ],
)
def test_a_scorer_that_does_not_fit_is_a_wrong_call(put: Put, scorer: str, message: str) -> None:
    with pytest.raises(UnusableError, match=message):
        score(put("run.csv", GOLD), put("gold.csv", GOLD), scorer=scorer)


def test_a_run_of_another_kind_is_a_wrong_call(put: Put) -> None:
    with pytest.raises(UnusableError, match="is a cheers/run file, not a flares/subtask1-run"):
        score(put("run.csv", RELEVANCE_RUN), put("gold.csv", GOLD))
