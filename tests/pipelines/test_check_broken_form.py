"""Runs whose form is so broken that rules have nothing to look at are findings, never errors of the tool."""

from pathlib import Path

import polars as pl
import pytest

from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.sample import sample

RUNS = {
    "cheers": ("run_en_val.csv", "sentences_en_val.csv"),
    "flares": ("subtask_1_run.csv", "5w1h_subtarea_1_test.json"),
}


@pytest.mark.parametrize(
    ("task", "column"), [("cheers", name) for name in range(4)] + [("flares", name) for name in range(2)]
)
def test_a_run_without_one_of_its_columns(tmp_path: Path, task: str, column: int) -> None:
    sample(task, tmp_path, rows=40)
    run, reference = (tmp_path / name for name in RUNS[task])
    table = pl.read_csv(run, infer_schema=False)
    table.drop(table.columns[column]).write_csv(run)
    report = check(run, reference)
    assert "missing-column" in {one.rule.name for one in report.rules()}


@pytest.mark.parametrize("task", RUNS)
def test_a_first_line_without_anything(tmp_path: Path, task: str) -> None:
    sample(task, tmp_path, rows=40)
    run, reference = (tmp_path / name for name in RUNS[task])
    run.write_bytes(b"\n" + run.read_bytes())
    assert check(run, reference).counts["error"] > 0


def test_a_record_too_long_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    sample("flares", tmp_path, rows=40)
    run, reference = (tmp_path / name for name in RUNS["flares"])
    lines = run.read_bytes().split(b"\n")
    lines[2] += b",x"
    lines[3] = lines[3].replace(b"WHO", b"WH\xe9O", 1).replace(b"WHAT", b"WH\xe9T", 1)
    run.write_bytes(b"\n".join(lines))
    assert {"ragged-row", "not-utf8"} <= {one.rule.name for one in check(run, reference).rules()}
