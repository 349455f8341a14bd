"""The verb `run`: what a job writes, what it does again, and what bad inputs do to it."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.errors import StoppedError, UnusableError
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.plan import Plan
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.job import run_job
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.score import score

REFERENCE = "sentences_en_val.csv"


def job_in(folder: Path, *steps: str, inputs: tuple[str, ...] = ("runs/*.csv",), **more: Any) -> Job:
    reference = REFERENCE if {"check", "score"} & set(steps) else None
    return Job(inputs, "out", steps=steps, base=folder, reference=reference, **more)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of an output, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "out/manifest.json").read_bytes())
    return content


def test_findings_and_scores_are_those_of_check_and_score(folder: Path) -> None:
    result = run_job(job_in(folder, "check", "score", scorer="documented"))
    findings = pl.read_parquet(folder / "out/findings.parquet")
    scores = {row["file"]: row for row in pl.read_parquet(folder / "out/scores.parquet").to_dicts()}
    for one in result.outcomes:
        report = check(folder / one.path, folder / REFERENCE)
        assert one.counts == report.counts, one.path
        mine = findings.filter(pl.col("file") == one.path)
        assert mine["message"].to_list() == [told.message.replace(f"{folder}/", "") for told in report.findings()], (
            one.path
        )
        assert mine.select("code", "severity", "count").unique().height == len(report.rules())
        alone = score(folder / one.path, folder / REFERENCE, scorer="documented")
        assert scores[one.path]["scored"] == alone.ok
        if alone.score:
            assert {name: scores[one.path][name] for name in alone.score.scores} == alone.score.scores


def test_scores_are_best_first_and_refused_runs_last(folder: Path) -> None:
    run_job(job_in(folder, "check", "score"))
    scores = pl.read_parquet(folder / "out/scores.parquet")
    values = scores["HumImpact"].to_list()
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=True)
    assert values == known + [None] * (len(values) - len(known))
    assert scores["scored"].to_list() == [value is not None for value in values]


def test_the_manifest_accounts_for_every_input_and_every_file(folder: Path) -> None:
    result = run_job(job_in(folder, "validate", "convert", "check", "score"))
    told = manifest(folder)
    assert [one["path"] for one in told["inputs"]] == sorted(
        f"runs/{path.name}" for path in (folder / "runs").iterdir()
    )
    assert told["status"] == result.by_status()
    assert told["ok"] is False
    written = {one["name"]: one for source in told["inputs"] for one in source["outputs"]}
    there = {name for name in tree(folder / "out") if name.startswith(("data/", "quarantine/"))}
    assert there == set(written)
    for name, one in written.items():
        assert pl.read_parquet(folder / "out" / name, hive_partitioning=False).height == one["rows"]


def test_no_record_is_lost(folder: Path) -> None:
    result = run_job(job_in(folder, "convert"))
    for one in result.outcomes:
        assert sum(written.rows for written in one.outputs) == one.rows, one.path


def test_data_is_partitioned_by_task_kind_and_split_and_as_convert_writes_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_job(job_in(folder, "convert", inputs=(REFERENCE, "runs/sound_0.csv")))
    names = [name.rpartition("/")[0] for name in tree(folder / "out") if name.startswith("data/")]
    assert names == ["data/task=cheers/kind=run/split=unknown", "data/task=cheers/kind=sentences/split=val"]
    lake = pl.scan_parquet(
        folder / "out/data/**/*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore"
    )
    assert {"task", "kind", "split"} <= set(lake.collect_schema())
    monkeypatch.chdir(folder)
    convert([REFERENCE], folder / "plain")
    (mine,) = (folder / "out/data/task=cheers/kind=sentences/split=val").iterdir()
    assert mine.read_bytes() == (folder / "plain/sentences_en_val.parquet").read_bytes()


def test_a_second_time_changes_nothing(folder: Path) -> None:
    first = run_job(job_in(folder, "validate", "convert", "check", "score"))
    before = tree(folder / "out")
    times = {path: path.stat().st_mtime_ns for path in (folder / "out").rglob("*") if path.is_file()}
    second = run_job(job_in(folder, "validate", "convert", "check", "score"))
    assert second.worked == 0
    assert second.outcomes == first.outcomes
    assert tree(folder / "out") == before
    kept = {path: path.stat().st_mtime_ns for path in times if not path.name.startswith(".")}
    assert kept == {path: time for path, time in times.items() if path in kept}


def test_only_what_changed_is_worked_again(folder: Path) -> None:
    run_job(job_in(folder, "convert", "check", "score"))
    shutil.copy(folder / "runs/sound_1.csv", folder / "runs/sound_0.csv")
    (folder / "runs/sound_5.csv").unlink()
    (folder / "runs/sound_9.csv").write_bytes((folder / "runs/sound_2.csv").read_bytes())
    again = run_job(job_in(folder, "convert", "check", "score"))
    assert again.worked == 2
    resumed = tree(folder / "out")
    shutil.rmtree(folder / "out")
    run_job(job_in(folder, "convert", "check", "score"))
    assert tree(folder / "out") == resumed


@pytest.mark.parametrize(
    "change", [{"scorer": "legacy-2021-03"}, {"on_error": "stop", "inputs": ("runs/sound_*.csv",)}, {"task": "cheers"}]
)
def test_other_settings_make_everything_be_done_again(folder: Path, change: dict[str, Any]) -> None:
    sound: dict[str, Any] = {"inputs": ("runs/sound_*.csv",)}
    first = run_job(job_in(folder, "check", "score", **sound))
    assert run_job(job_in(folder, "check", "score", **{**sound, **change})).worked == len(first.outcomes)


def test_a_changed_reference_makes_everything_be_done_again(folder: Path) -> None:
    job = job_in(folder, "check", "score", inputs=("runs/sound_*.csv",))
    run_job(job)
    (folder / REFERENCE).write_text((folder / REFERENCE).read_text().replace("Sentence 1", "Sentence one"))
    assert run_job(job).worked == 6


def test_outputs_that_are_gone_are_made_again(folder: Path) -> None:
    job = job_in(folder, "convert")
    run_job(job)
    before = tree(folder / "out")
    next((folder / "out").rglob("sound_0*.parquet")).unlink()
    (folder / "out/_SUCCESS").unlink()
    assert run_job(job).worked == 1
    assert tree(folder / "out") == before


def test_poison_among_sound_inputs(folder: Path) -> None:
    bad = folder / "runs"
    (bad / "binary.csv").write_bytes(bytes(range(256)) * 100)
    (bad / "empty.csv").write_bytes(b"")
    with zipfile.ZipFile(bad / "bomb.csv", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("run.csv", b"0" * (1 << 26))
    (bad / "long.csv").write_text("doc_id,sentence_id,is_relevant,sector_id\n" + "1" * (1 << 26) + "9,1,1,1\n")
    (bad / "gone.csv").symlink_to(bad / "nowhere.csv")
    result = run_job(job_in(folder, "check", "score", inputs=("runs/*.csv",)))
    status = {one.path: one.status for one in result.outcomes}
    for name in ("binary", "bomb", "long", "empty"):
        assert status[f"runs/{name}.csv"] != "ok"
    assert [status[f"runs/sound_{seed}.csv"] for seed in range(6)] == ["ok"] * 6
    assert all(one.error or one.rules for one in result.outcomes if one.status != "ok")
    assert (folder / "out/_SUCCESS").exists()


def test_an_input_that_may_not_be_read(folder: Path) -> None:
    (folder / "runs/sound_0.csv").chmod(0)
    if os.access(folder / "runs/sound_0.csv", os.R_OK):
        pytest.skip("root may read everything")
    result = run_job(job_in(folder, "check", "score"))
    one = next(one for one in result.outcomes if one.path == "runs/sound_0.csv")
    assert (one.status, "permission denied" in (one.error or "")) == ("unread", True)


def test_stop_at_the_first_error_keeps_what_was_done(folder: Path) -> None:
    with pytest.raises(StoppedError, match=r"runs/\w+\.csv: stopped here"):
        run_job(job_in(folder, "check", on_error="stop"))
    assert not (folder / "out/_SUCCESS").exists()
    assert not (folder / "out/manifest.json").exists()


def test_too_many_errors_stop_the_job(folder: Path) -> None:
    with pytest.raises(StoppedError, match=r"3 inputs with errors \(limit: 2\)"):
        run_job(job_in(folder, "check"), max_errors=2)
    assert run_job(job_in(folder, "check"), max_errors=100).by_status()["errors"] > 2


@pytest.mark.parametrize(
    ("inputs", "told"),
    [(("nothing/*.csv",), "nothing/*.csv: matches no file"), (("runs/*.csv", "*.tsv"), "*.tsv: matches no file")],
)
def test_a_glob_that_matches_nothing(folder: Path, inputs: tuple[str, ...], told: str) -> None:
    with pytest.raises(UnusableError) as error:
        run_job(job_in(folder, "check", inputs=inputs))
    assert told in str(error.value)
    assert not (folder / "out").exists()


def test_neither_the_reference_nor_the_output_is_an_input(folder: Path) -> None:
    job = job_in(folder, "check", inputs=("**/*",))
    first = run_job(job)
    assert REFERENCE not in [one.path for one in first.outcomes]
    assert run_job(job).worked == 0


def test_a_reference_that_nothing_can_be_judged_against(folder: Path) -> None:
    (folder / REFERENCE).write_text("doc_id,sentence_id\n1,2\n")
    with pytest.raises(UnusableError, match="nothing can be checked against this reference"):
        run_job(job_in(folder, "check"))


def test_an_output_that_is_a_file_or_of_somebody_else(folder: Path) -> None:
    (folder / "out").write_text("mine")
    with pytest.raises(UnusableError, match="is a file"):
        run_job(job_in(folder, "check"))
    (folder / "out").unlink()
    (folder / "out").mkdir()
    (folder / "out/manifest.json").write_text('{"mine": 1}')
    with pytest.raises(UnusableError, match="not the manifest of a job"):
        run_job(job_in(folder, "check"))


def test_every_sample_of_every_task_in_one_job(tmp_path: Path) -> None:
    for task in ("flares", "cheers", "reintel"):
        sample(task, tmp_path / "in" / task)
    result = run_job(Job(("in/**/*",), "out", base=tmp_path))
    assert result.by_status()["errors"] == result.by_status()["unread"] == 0
    kinds = {str(path.parent.relative_to(tmp_path / "out")) for path in (tmp_path / "out/data").rglob("*.parquet")}
    assert "data/task=reintel/kind=posts/split=train" in kinds
    assert len(kinds) >= 10


def test_two_jobs_on_one_output_do_not_corrupt_it(folder: Path) -> None:
    (folder / "job.toml").write_text(
        f'inputs = ["runs/*.csv"]\noutput = "out"\nsteps = ["convert", "check"]\nreference = "{REFERENCE}"\n'
    )
    command = [sys.executable, "-c", "from sharedtask.pipelines.cli import main; main()", "job", "job.toml"]
    jobs = [subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)]
    ended = [(job.communicate()[1].decode(), job.returncode) for job in jobs]
    assert all(status == 1 or (status == 2 and "another job is writing here" in told) for told, status in ended)
    assert any(status == 1 for _, status in ended)
    left = tree(folder / "out")
    shutil.rmtree(folder / "out")
    run_job(job_in(folder, "convert", "check"))
    assert tree(folder / "out") == left


@pytest.mark.parametrize("steps", [("score",), ("check", "score"), ("validate", "convert", "check", "score")])
def test_a_reference_without_labels_scores_nothing_and_says_so(folder: Path, steps: tuple[str, ...]) -> None:
    rows = [line.split(",")[:3] for line in (folder / REFERENCE).read_text().splitlines()]
    (folder / REFERENCE).write_text("".join(",".join(cells) + "\n" for cells in rows))
    with pytest.raises(UnusableError, match=r"nothing can be (scored|checked) against"):
        run_job(job_in(folder, *steps))


def test_a_file_is_one_input_however_it_is_spelt(folder: Path) -> None:
    spelt = (
        "runs/sound_0.csv",
        "./runs/sound_0.csv",
        "runs/../runs/sound_0.csv",
        str(folder / "runs/sound_0.csv"),
        "runs/sound_*",
    )
    result = run_job(job_in(folder, "check", inputs=spelt))
    assert len(result.outcomes) == 6


def test_a_folder_called_tilde_is_no_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "~").mkdir()
    shutil.copy(folder / "runs/sound_0.csv", folder / "~/sound_0.csv")
    monkeypatch.chdir(folder)
    job = Job(("~/*.csv",), "out", steps=("convert",))
    assert run_job(job).by_status() == {"ok": 1, "errors": 0, "unread": 0}


def test_a_name_that_is_no_text_is_one_unread_input(folder: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(folder / "runs") + b"/b\xff.csv")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")
    result = run_job(job_in(folder, "check", inputs=("runs/sound_*.csv", "runs/b*.csv")))
    assert {one.path for one in result.outcomes if one.status == "unread"} == {"runs/b\\xff.csv"}


@pytest.mark.parametrize("content", [b"", b"x", b"[1]", b"[{}]", b"{}"])
def test_a_damaged_journal_is_work_that_is_done_again(folder: Path, content: bytes) -> None:
    job = job_in(folder, "convert", "check")
    run_job(job)
    before = tree(folder / "out")
    (folder / "out/manifest.json").unlink()
    with ExitStack() as stack:
        name = Plan.of(job, stack).name
    (folder / f"out/_work/{name}").mkdir(parents=True)
    (folder / f"out/_work/{name}/000000.json").write_bytes(content)
    (folder / f"out/_work/{name}/notes.json").write_bytes(b"mine")
    run_job(job)
    assert tree(folder / "out") == before


@pytest.mark.parametrize("damage", [{"outputs": None}, {"a_newer_key": 1}, {"path": None}])
def test_a_manifest_of_another_shape_is_work_that_is_done_again(folder: Path, damage: dict[str, Any]) -> None:
    job = job_in(folder, "convert", "check")
    run_job(job)
    before = tree(folder / "out")
    told = manifest(folder)
    told["inputs"][0] |= damage
    (folder / "out/manifest.json").write_text(json.dumps(told))
    run_job(job)
    assert tree(folder / "out") == before


def test_a_job_from_python_is_held_to_what_a_job_file_is(folder: Path) -> None:
    for wrong in ({"steps": ("chek",)}, {"table": "detla"}, {"steps": ("check",)}, {"inputs": ()}, {"output": ""}):
        with pytest.raises(UnusableError):
            Job(**{"inputs": ("runs/*.csv",), "output": "out", **wrong})  # type: ignore[arg-type]
    assert Job("runs/*.csv", "out", steps="validate").inputs == ("runs/*.csv",)  # type: ignore[arg-type]
