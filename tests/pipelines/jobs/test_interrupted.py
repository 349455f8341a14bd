"""A job that is killed leaves whole files only, and goes on to the same bytes; a full disk is told, and loses nothing."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.verbs.job import run_job

COMMAND = [sys.executable, "-c", "from sharedtask.pipelines.cli import main; main()", "job", "job.toml"]
STEPS = ("validate", "convert", "check", "score")
JOB = """
inputs = ["runs/*.csv"]
output = "out"
steps = ["validate", "convert", "check", "score"]
reference = "sentences_en_val.csv"
"""


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of an output that can be seen, by name."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def assert_whole(out: Path) -> None:
    """Every file that can be seen is one that was written to its end."""
    files = tree(out)
    for name, content in files.items():
        if name.endswith(".parquet"):
            pl.read_parquet(content, hive_partitioning=False)
        elif name.endswith(".json"):
            json.loads(content)
    if "_SUCCESS" in files:
        manifest = json.loads(files["manifest.json"])
        for name, digest in manifest["tables"].items():
            assert hashlib.sha256(files[name]).hexdigest() == digest
        for one in manifest["inputs"]:
            for written in one["outputs"]:
                assert hashlib.sha256(files[written["name"]]).hexdigest() == written["sha256"]


def files_below(out: Path) -> int:
    """How many files an output has, hidden and partial ones included."""
    return sum(len(files) for _, _, files in os.walk(out))


@pytest.mark.parametrize(
    "step", [pytest.param(6, id="some moments"), pytest.param(1, id="each file", marks=pytest.mark.slow)]
)
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(folder: Path, step: int) -> None:
    """The moments are those at which one more file appears, a partial one as a rule."""
    (folder / "job.toml").write_text(JOB)
    job = Job(("runs/*.csv",), "out", steps=STEPS, reference="sentences_en_val.csv", base=folder)
    out = folder / "out"
    run_job(job)
    undisturbed = tree(out)
    whole = files_below(out)
    assert "_SUCCESS" in undisturbed
    killed_early = 0
    moments = range(1, whole, step)
    for moment in moments:
        shutil.rmtree(out)
        process = subprocess.Popen(
            COMMAND, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        while process.poll() is None and files_below(out) < moment:
            time.sleep(0.0005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert_whole(out)
        killed_early += not (out / "_SUCCESS").exists()
        run_job(job)
        assert tree(out) == undisturbed
    assert killed_early >= 0.9 * len(moments) - 1  # the last file may be there before the signal is


def test_work_that_was_kept_is_not_done_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharedtask.pipelines.verbs.job.PART_SECONDS", 0.0)
    monkeypatch.setattr("sharedtask.pipelines.verbs.job.commit", lambda *_: 1 / 0)
    job = Job(("runs/*.csv",), "out", steps=STEPS, reference="sentences_en_val.csv", base=folder)
    with pytest.raises(ZeroDivisionError):
        run_job(job)
    monkeypatch.undo()
    assert not (folder / "out/_SUCCESS").exists()
    assert run_job(job).worked == 0
    resumed = tree(folder / "out")
    shutil.rmtree(folder / "out")
    run_job(job)
    assert tree(folder / "out") == resumed


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB, where this process may mount one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not made or made.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_line_and_loses_nothing(folder: Path, small_disk: Path) -> None:
    (folder / "job.toml").write_text(JOB.replace('"out"', f'"{small_disk}/out"'))
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 240 * 1024)
    ended = subprocess.run(COMMAND, cwd=folder, capture_output=True, text=True, check=False)
    told = [line for line in ended.stderr.splitlines() if not line.startswith("{")]
    assert (ended.returncode, len(told)) == (2, 1), ended.stderr
    assert "no space left on device" in told[0].lower()
    assert not (small_disk / "out/_SUCCESS").exists()
    assert_whole(small_disk / "out")
    filler.unlink()
    job = Job(("runs/*.csv",), str(small_disk / "out"), steps=STEPS, reference="sentences_en_val.csv", base=folder)
    run_job(job)
    left = tree(small_disk / "out")
    run_job(Job(("runs/*.csv",), "out", steps=STEPS, reference="sentences_en_val.csv", base=folder))
    assert {name: content for name, content in tree(folder / "out").items() if name != "manifest.json"} == {
        name: content for name, content in left.items() if name != "manifest.json"
    }
