"""The results of `score` as data, files and text, and the exit status."""

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli import main
from sharedtask.pipelines.verbs.score import score
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.catalogue import RULES

Put = Callable[[str, str], Path]

GOLD = """{"Id":7,"Text":"Cerró el puente","Tags":[{"Tag_Start":0,"Tag_End":5,"5W1H_Label":"WHAT"},{"Tag_Start":9,"Tag_End":15,"5W1H_Label":"WHO"}]}
{"Id":3,"Text":"Ayer no hubo","Tags":[{"Tag_Start":0,"Tag_End":4,"5W1H_Label":"WHEN"}]}
"""
SPURIOUS = """Id,Tags
7,"[{'Tag_Start': 0, 'Tag_End': 5, '5W1H_Label': 'WHAT'}, {'Tag_Start': 6, 'Tag_End': 8, '5W1H_Label': 'NOTHING'}]"
"""
LABELS = "id,label\n901,0\n902,1\n903,0\n904,1\n"
RESULTS = "901,0.1\n902,0.8\n903,0.6\n904,0.4\n"


def test_intervals_depend_on_the_seed_alone(put: Put) -> None:
    labels = "".join(f"{key},{int(key % 3 == 0)}\n" for key in range(901, 999))
    results = "".join(f"{key},0.{key * 7919 % 1000:03}\n" for key in range(901, 999))
    run, gold = put("results.csv", results), put("labels.csv", "id,label\n" + labels)
    first, again, other = (score(run, gold, bootstrap=50, seed=seed) for seed in (3, 3, 4))
    assert first.intervals == again.intervals
    assert set(first.intervals) == {"roc_auc"}
    assert first.intervals != other.intervals
    assert score(run, gold).intervals == {}


def test_the_result_as_json(put: Put) -> None:
    data = score(put("run.csv", SPURIOUS), put("gold.json", GOLD), bootstrap=20).to_dict()
    assert list(data)[:8] == ["tool", "version", "schema_version", "verb", "task", "kind", "scorer", "scores"]
    assert (data["tool"], data["version"], data["verb"]) == ("sharedtask", version("sharedtask"), "score")
    assert (data["task"], data["kind"], data["scorer"]) == ("flares", "flares/subtask1-run", "official")
    assert data["counts"] == {"correct": 1, "incorrect": 0, "partial": 0, "missing": 2, "spurious": 1}
    assert {"notes", "per_label", "intervals", "context", "inputs", "findings", "rules"} <= set(data)
    assert "ok" not in data
    json.dumps(data)


def test_many_made_up_labels_stay_bounded(put: Put) -> None:
    rows = "".join(f"{key},nonsense {key}\n" for key in range(1, 301))
    gold = "".join(f"{key},confiable\n" for key in range(1, 301))
    head = "Id,Reliability_Label\n"
    result = score(put("run.csv", head + rows), put("gold.csv", head + gold))
    data = result.to_dict()
    assert isinstance(data["per_label"], dict)
    assert len(data["per_label"]) == 100
    assert "confiable" in data["per_label"]
    assert len(json.dumps(data["notes"])) < 2000


READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".parquet": pl.read_parquet,
    ".csv": pl.read_csv,
    ".jsonl": pl.read_ndjson,
}


@pytest.mark.parametrize("ending", READERS)
def test_items_are_written_in_the_form_of_the_ending(put: Put, tmp_path: Path, ending: str) -> None:
    out = tmp_path / "items" / f"items{ending}"
    result = score(put("results.csv", RESULTS), put("labels.csv", LABELS), per_item=out)
    read = READERS[ending](out)
    assert result.score is not None
    assert read.rows() == result.score.per_item.rows()
    assert read.columns == ["id", "label", "probability", "rank"]


def test_items_are_not_written_for_a_refusal_or_without_a_form(put: Put, tmp_path: Path) -> None:
    run, gold = put("results.csv", RESULTS + "905,1\n"), put("labels.csv", LABELS)
    assert not score(run, gold, per_item=tmp_path / "items.csv").ok
    assert not (tmp_path / "items.csv").exists()
    with pytest.raises(UnusableError, match=r"\.parquet, \.csv or \.jsonl"):
        score(run, gold, per_item=tmp_path / "items.xlsx")


EXAMPLES = [rule for rule in RULES if rule.example is not None and rule.example.kind.endswith("-run")]


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("max_findings", [0, 20])
def test_a_run_with_any_fault_is_scored_or_refused_for_an_error(tmp_path: Path, rule: Rule, max_findings: int) -> None:
    """The wrong example of each rule of FLARES runs, against the right one as a bare gold."""
    assert rule.example is not None
    paths = []
    for folder, content in (("run", rule.example.wrong), ("gold", rule.example.right)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / rule.example.name)
        paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
    result = score(*paths, bootstrap=2, limits=Limits(findings=max_findings))
    assert result.ok or not result.report.ok
    json.dumps(result.to_dict())


def run_cli(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["sharedtask", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, *capfd.readouterr()


def test_a_score_ends_with_0_whatever_is_shown_beside_it(
    put: Put, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run, gold = put("run.csv", SPURIOUS), put("gold.json", GOLD)
    for form in ("text", "markdown"):
        status, out, _ = run_cli(
            monkeypatch, capfd, "score", run, "--against", gold, "--format", form, "--bootstrap", 9
        )
        assert status == 0
        for told in ("accuracy", "unknown-label", "missing-id", "NOTHING", "95% interval", "incorrect"):
            assert told in out.replace("\\", "")
    status, out, _ = run_cli(monkeypatch, capfd, "score", run, "--against", gold, "--format", "json")
    assert status == 0
    assert json.loads(out)["counts"]["spurious"] == 1


def test_a_refusal_ends_with_1_and_a_wrong_call_with_2(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run, gold = put("results.csv", RESULTS + "905,1\n"), put("labels.csv", LABELS)
    for form in ("text", "json", "markdown"):
        status, out, _ = run_cli(monkeypatch, capfd, "score", run, "--against", gold, "--format", form)
        assert status == 1
        assert "unknown-id" in out.replace("\\", "")
    assert run_cli(monkeypatch, capfd, "score", run)[0] == 2
    assert run_cli(monkeypatch, capfd, "score", run, "--against", tmp_path / "none.csv")[0] == 2
    assert run_cli(monkeypatch, capfd, "score", run, "--against", gold, "--output-file", tmp_path / "out.txt")[1] == ""
    assert "unknown-id" in (tmp_path / "out.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_scorers_are_listed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], form: str) -> None:
    status, out, _ = run_cli(monkeypatch, capfd, "score", "--list", "--format", form)
    assert status == 0
    for name in (
        "official-verbatim",
        "ehealthkd-2020",
        "documented-strict",
        "legacy-2021-03",
        "revised-2021-05",
        "roc-auc",
    ):
        assert name in out
    if form == "json":
        assert all(one["source"] and one["definition"] and one["departures"] for one in json.loads(out))
