"""The benchmarks run; how fast is not judged here."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import sharedtask

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.parametrize(
    ("only", "fewest"), [(["--only", "starting", "shape-faults"], 2), pytest.param([], 11, marks=pytest.mark.slow)]
)
def test_sections_run_and_are_written_down(tmp_path: Path, only: list[str], fewest: int) -> None:
    results, scratch = tmp_path / "results.md", tmp_path / "scratch"
    scratch.mkdir()
    options = [
        "--size",
        "smoke",
        "--rounds",
        "1",
        "--large",
        "--scratch",
        str(scratch),
        "--results",
        str(results),
        *only,
    ]
    command = [sys.executable, str(BENCHMARKS / "run.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == results.read_text(encoding="utf-8")
    sections = [line.removeprefix("== ") for line in done.stderr.splitlines() if line.startswith("== ")]
    assert len(sections) >= fewest
    assert done.stdout.count("\n## ") == len(sections)
    assert list(scratch.iterdir()) == []  # the inputs are gone


def test_the_row_loop_counts_what_the_scorer_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    row_loop = import_module("row_loop")
    sharedtask.sample("flares", tmp_path, 40)
    gold = tmp_path / "5w1h_subtask_1_train.csv"
    run = tmp_path / "run.csv"
    tags = pl.col("Tags").str.replace("'WHO'", "'WHAT'", literal=True).str.replace("5, '5W1H", "4, '5W1H", literal=True)
    pl.read_csv(gold).select("Id", tags.str.replace("'Tag_End': 17", "'Tag_End': 9", literal=True)).write_csv(run)
    counts = row_loop.count_spans(pandas.read_csv(gold), pandas.read_csv(run))
    scored = sharedtask.score(run, gold)
    assert isinstance(scored, sharedtask.ScoreResult)
    assert scored.score is not None
    assert dict(counts) == dict(scored.score.counts)
    assert min(counts.values()) > 0


@pytest.mark.parametrize(
    ("measured", "limit", "at_least", "met"),
    [
        ([1.0, 1.2, 9.0], 1.2, False, True),
        ([1.0, 1.3, 1.3], 1.2, False, False),
        ([999.0, 1000.0, 1001.0], 1000.0, True, True),
        ([999.0], 1000.0, True, False),
    ],
)
def test_a_budget_is_met_where_the_median_keeps_to_it(
    measured: list[float], limit: float, at_least: bool, met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    assert import_module("report").Budget("work", measured, limit, at_least=at_least).met is met


def test_seeded_causes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    causes = import_module("causes")
    sharedtask.sample("flares", tmp_path, 60)
    records = causes.read(tmp_path / "5w1h_subtarea_1_train.json")
    crowded = causes.crowded(records)
    for name in ("UTF-16 units", "NFD", "2 too high behind a point"):
        outcomes = list(causes.seeded(crowded, name, 0.4, 2))
        assert [(one.named, one.misnamed, one.worse) for one in outcomes] == [(True, False, False)] * 2, name
    assert causes.false_alarms(crowded, 2) == 0
