"""Delta tables as the output of jobs: the same rows as in Parquet, once, whoever else writes."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.jobs.delta import put_rows
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.verbs.job import run_job

deltalake = pytest.importorskip("deltalake", reason="the extra delta is not installed")

COMMAND = [sys.executable, "-c", "from sharedtask.pipelines.cli import main; main()", "job"]
RUNS = "data/cheers/run"
KEY = ["source", "doc_id", "sentence_id"]


def job_in(folder: Path, output: str = "lake", inputs: Sequence[str] = ("runs/*.csv",), table: Any = "delta") -> Job:
    steps = ("validate", "convert", "check", "score")
    return Job(tuple(inputs), output, steps=steps, reference="sentences_en_val.csv", table=table, base=folder)


def table(path: Path) -> pl.DataFrame:
    return pl.read_delta(str(path))


def test_the_tables_have_the_rows_of_the_files(folder: Path) -> None:
    result = run_job(job_in(folder))
    plain = run_job(job_in(folder, "plain", table="none"))
    assert result.by_status() == plain.by_status()
    rows = table(folder / "lake" / RUNS)
    for one in plain.outcomes:
        for written in one.outputs:
            if written.rows and not written.quarantine:
                mine = rows.filter(pl.col("source") == one.path).drop("source", "split").sort("doc_id", "sentence_id")
                there = pl.read_parquet(folder / "plain" / written.name, hive_partitioning=False)
                assert_frame_equal(mine, there.sort("doc_id", "sentence_id"), check_column_order=False)
    findings = table(folder / "lake/findings").drop("source").sort(pl.all())
    assert_frame_equal(findings, pl.read_parquet(folder / "plain/findings.parquet").sort(pl.all()))
    scores = table(folder / "lake/scores").drop("source").sort("file")
    assert_frame_equal(scores, pl.read_parquet(folder / "plain/scores.parquet").sort("file"))
    assert (folder / "lake/_SUCCESS").exists()


def test_one_transaction_a_job_and_none_for_nothing_new(folder: Path) -> None:
    run_job(job_in(folder))
    assert deltalake.DeltaTable(str(folder / "lake" / RUNS)).version() == 0
    before = (folder / "lake/manifest.json").read_bytes()
    assert run_job(job_in(folder)).worked == 0
    assert deltalake.DeltaTable(str(folder / "lake" / RUNS)).version() == 0
    assert (folder / "lake/manifest.json").read_bytes() == before


def test_a_changed_input_takes_the_place_of_its_old_rows(folder: Path) -> None:
    run_job(job_in(folder))
    before = table(folder / "lake" / RUNS)
    (folder / "runs/sound_0.csv").write_bytes((folder / "runs/sound_1.csv").read_bytes())
    (folder / "runs/sound_2.csv").write_bytes(b"")
    assert run_job(job_in(folder)).worked == 2
    after = table(folder / "lake" / RUNS)
    other = ~pl.col("source").is_in(["runs/sound_0.csv", "runs/sound_2.csv"])
    assert_frame_equal(after.filter(other).sort(KEY), before.filter(other).sort(KEY))
    changed = after.filter(pl.col("source") == "runs/sound_0.csv").drop("source")
    assert_frame_equal(
        changed.sort(KEY[1:]), after.filter(pl.col("source") == "runs/sound_1.csv").drop("source").sort(KEY[1:])
    )
    assert after.filter(pl.col("source") == "runs/sound_2.csv").is_empty()
    assert deltalake.DeltaTable(str(folder / "lake" / RUNS)).version() == 1


def test_eight_jobs_at_once_lose_nothing(folder: Path) -> None:
    names = sorted(path.name for path in (folder / "runs").iterdir())
    for number in range(8):
        inputs = [f"runs/{name}" for name in names[number::8]]
        (folder / f"job_{number}.toml").write_text(
            f"inputs = {json.dumps(inputs)}\n"
            'output = "lake"\nsteps = ["validate", "convert", "check", "score"]\nreference = "sentences_en_val.csv"\n'
        )
    jobs = [
        subprocess.Popen(
            [*COMMAND, f"job_{number}.toml", "--table", "delta"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(8)
    ]
    ended = [(job.communicate()[1].decode()[-2000:], job.returncode) for job in jobs]
    assert all(status in (0, 1) for _, status in ended), ended
    whole = run_job(job_in(folder, "alone", table="none"))
    manifest = json.loads((folder / "lake/manifest.json").read_bytes())
    assert [one["path"] for one in manifest["inputs"]] == [one.path for one in whole.outcomes]
    assert manifest["status"] == whole.by_status()
    rows = table(folder / "lake" / RUNS)
    wanted = {
        one.path: sum(written.rows for written in one.outputs if not written.quarantine) for one in whole.outcomes
    }
    assert dict(rows.group_by("source").len().iter_rows()) == {path: count for path, count in wanted.items() if count}
    assert table(folder / "lake/findings").height == pl.read_parquet(folder / "alone/findings.parquet").height
    assert table(folder / "lake/scores").height == len(whole.outcomes)


@pytest.mark.parametrize("changes", [["sound_0"], ["bad_value"], ["sound_0", "bad_value"]])
def test_findings_stand_once_whatever_changes(folder: Path, changes: list[str]) -> None:
    run_job(job_in(folder))
    for name in changes:
        wrong = name.startswith("sound")
        (folder / f"runs/{name}.csv").write_bytes((folder / f"runs/{'twice' if wrong else 'sound_1'}.csv").read_bytes())
    assert run_job(job_in(folder)).worked == len(changes)
    run_job(job_in(folder, "plain", table="none"))
    findings = table(folder / "lake/findings").drop("source").sort(pl.all())
    assert_frame_equal(findings, pl.read_parquet(folder / "plain/findings.parquet").sort(pl.all()))
    set_aside = {path.name for path in (folder / "lake/quarantine").rglob("*.parquet")}
    assert set_aside == {path.name for path in (folder / "plain/quarantine").rglob("*.parquet")}


def test_an_output_keeps_its_form(folder: Path) -> None:
    run_job(job_in(folder))
    with pytest.raises(UnusableError, match="holds the output of a job with table = 'delta'"):
        run_job(job_in(folder, table="none"))
    run_job(job_in(folder, "plain", table="none"))
    with pytest.raises(UnusableError, match="holds the output of a job with table = 'none'"):
        run_job(job_in(folder, "plain"))


def test_rows_that_do_not_fit_the_table_are_told_at_once(tmp_path: Path) -> None:
    place = str(tmp_path / "table")
    put_rows(place, lambda: pl.LazyFrame({"source": ["a"], "x": [1]}), ["a"])
    with pytest.raises(UnusableError, match="table: cannot be written"):
        put_rows(place, lambda: pl.LazyFrame({"source": ["a"], "x": ["text"]}), ["a"])
