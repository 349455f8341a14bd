"""The verb `compare`: A minus B, the paired bootstrap, the items that differ, and what is refused."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.cli import main
from sharedtask.pipelines.verbs.compare import compare
from sharedtask.pipelines.verbs.score import score

Put = Callable[[str, str], Path]

HEAD = "doc_id,sentence_id,is_relevant,"
GOLD = HEAD + 'sector_ids\n50,0,1,[4]\n50,1,0,[]\n50,2,1,"[2, 4]"\n51,0,0,[]\n'
BETTER = HEAD + "sector_id\n50,0,1,4\n50,1,0,-1\n50,2,1,2\n51,0,0,-1\n"
WORSE = HEAD + "sector_id\n51,0,1,3\n50,0,1,9\n50,1,0,-1\n50,2,1,2\n"
SCORES = ("relevance_f1_score_macro", "sectorids_accuracy", "HumImpact")


def test_the_difference_is_that_of_the_two_scores(put: Put) -> None:
    a, b, gold = put("a.csv", BETTER), put("b.csv", WORSE), put("gold.csv", GOLD)
    found, first, second = compare(a, b, gold), score(a, gold).score, score(b, gold).score
    assert found.ok
    assert first is not None
    assert second is not None
    assert tuple(found.differences) == SCORES
    for name, one in found.differences.items():
        x, y = first.scores[name], second.scores[name]
        assert x is not None
        assert y is not None
        assert (one.a, one.b, one.difference) == (x, y, x - y)
        assert (one.low, one.p_value, one.resamples) == (None, None, 0)


def test_the_items_that_differ_are_counted_in_full_and_listed_in_part(put: Put) -> None:
    a, b, gold = put("a.csv", BETTER), put("b.csv", WORSE), put("gold.csv", GOLD)
    found = compare(a, b, gold)
    assert (found.items, found.items_differing) == (4, 2)
    assert found.differing.select("doc_id", "sentence_id").rows() == [(50, 0), (51, 0)]
    assert compare(a, b, gold, max_items=1).differing.height == 1
    assert compare(a, a, gold).items_differing == 0


def test_the_bootstrap_is_paired_and_depends_on_the_seed_alone(put: Put) -> None:
    a, b, gold = put("a.csv", BETTER), put("b.csv", WORSE), put("gold.csv", GOLD)
    found = compare(a, b, gold, bootstrap=200, seed=5)
    assert found.differences == compare(a, b, gold, bootstrap=200, seed=5).differences
    impact = found.differences["HumImpact"]
    assert impact.low is not None
    assert impact.high is not None
    assert impact.difference is not None
    assert 0 <= impact.low <= impact.difference <= impact.high
    same = compare(a, a, gold, bootstrap=50).differences["HumImpact"]
    assert (same.difference, same.low, same.high, same.p_value) == (0, 0, 0, 1)


def test_each_file_is_named_once_and_its_findings_counted_once(put: Put) -> None:
    gold = GOLD.replace('"[2, 4]"', '"[4, 2]"')
    found = compare(put("a.csv", BETTER), put("b.csv", WORSE), put("gold.csv", gold))
    assert [one.role for one in found.report.inputs] == ["run", "reference", "run"]
    assert {one.rule.name: one.count for one in found.report.rules()} == {
        "sector-unseen-in-reference": 2,
        "order-differs": 1,
    }
    assert [(one.rule.name, one.count) for one in found.report.reference_rules()] == [("unsorted-sector-ids", 1)]


@pytest.mark.parametrize("turned", [False, True], ids=["first", "second"])
def test_a_run_that_cannot_be_scored_is_refused_wherever_it_stands(put: Put, turned: bool) -> None:
    runs = [put("good.csv", BETTER), put("bad.csv", BETTER + "50,7,0,-1\n")]
    first, second = reversed(runs) if turned else runs
    found = compare(first, second, put("gold.csv", GOLD), bootstrap=5)
    assert not found.ok
    data = found.to_dict()
    assert (data["verb"], data["ok"]) == ("compare", False)
    assert [one.rule.name for one in found.report.rules()] == ["unknown-id"]


def test_a_gold_of_one_class_is_one_finding(put: Put) -> None:
    labels, results = put("gold.csv", "id,label\n91,1\n92,1\n"), put("results.csv", "91,0.5\n92,0.25\n")
    found = compare(results, results, labels)
    assert [(one.rule.name, one.count) for one in found.report.rules()] == [("single-class", 1)]


def test_a_second_run_of_another_kind_is_a_wrong_call(put: Put) -> None:
    other = put("other.csv", "Id,Reliability_Label\n1,confiable\n")
    with pytest.raises(UnusableError, match="is a flares/subtask2-run file, not a cheers/run"):
        compare(put("a.csv", BETTER), other, put("gold.csv", GOLD))


def test_rows_that_a_scorer_skips_are_no_items(put: Put) -> None:
    """Under `official-verbatim` each run has the items that it answers."""
    gold = put("gold.csv", "Id,Tags\n4,[]\n6,[]\n9,[]\n")
    a, b = put("a.csv", "Id,Tags\n4,[]\n6,[]\n"), put("b.csv", "Id,Tags\n6,[]\n9,[]\n")
    found = compare(a, b, gold, scorer="official-verbatim", bootstrap=5)
    assert (found.items, found.items_differing) == (3, 2)
    assert {one.difference for one in found.differences.values()} == {None}


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_command(put: Put, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], form: str) -> None:
    arguments = [put("a.csv", BETTER), put("b.csv", WORSE), "--against", put("gold.csv", GOLD), "--format", form]
    monkeypatch.setattr(sys, "argv", ["sharedtask", "compare", *map(str, arguments), "--bootstrap", "20"])
    with pytest.raises(SystemExit) as stopped:
        main()
    out = capfd.readouterr().out
    assert stopped.value.code == 0
    if form == "json":
        data = json.loads(out)
        assert list(data["scores"]) == list(SCORES)
        assert set(data["scores"]["HumImpact"]) == {
            "a", "b", "difference", "low", "high", "p_value", "resamples", "undefined"
        }  # fmt: skip
        assert data["items_differing"] == len(data["differing"]) == 2
    else:
        for told in ("HumImpact", "p-value", "2 of 4 items differ", "A: ", "B: ", "order-differs"):
            assert told in out.replace("\\", "")
