"""The command `run`: its log, its exit statuses, its options."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from sharedtask.pipelines.cli import main; main()", "job", "job.toml"]
JOB = 'inputs = ["runs/{}.csv"]\noutput = "out"\nsteps = ["check", "score"]\nreference = "sentences_en_val.csv"\n'


def ended(folder: Path, job: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "job.toml").write_text(job)
    return subprocess.run([*COMMAND, *options], cwd=folder, capture_output=True, text=True, check=False)


def test_the_log_is_one_object_a_line(folder: Path) -> None:
    done = ended(folder, JOB.format("*"))
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.returncode == 1
    assert [event["event"] for event in events] == ["start", *["input"] * (len(events) - 2), "end"]
    assert all(event["time"].endswith("Z") and event["level"] in ("info", "error") for event in events)
    named = {event["file"]: event for event in events if event["event"] == "input"}
    assert len(named) == len(list((folder / "runs").iterdir()))
    assert named["runs/bad_value.csv"]["error"].startswith("CHE101 relevance-not-binary")
    assert "error" not in named["runs/sound_0.csv"]


def test_the_summary_names_what_failed(folder: Path) -> None:
    done = ended(folder, JOB.format("*"))
    *failed, verdict = done.stdout.splitlines()
    assert any(line.startswith("runs/bad_value.csv: 1 error: CHE101") for line in failed)
    assert verdict.startswith("failed: ")
    assert verdict.endswith("; see out")


@pytest.mark.parametrize(
    ("runs", "options", "status"),
    [
        ("sound_*", [], 0),
        ("sound_*", ["--threads", "1"], 0),
        ("*", [], 1),
        ("*", ["--max-errors", "0"], 1),
        ("x", [], 2),
    ],
)
def test_the_exit_status(folder: Path, runs: str, options: list[str], status: int) -> None:
    assert ended(folder, JOB.format(runs), *options).returncode == status


def test_warnings_fail_a_job_that_is_to_fail_on_them(folder: Path) -> None:
    text = (folder / "runs/sound_0.csv").read_text().splitlines(keepends=True)
    (folder / "runs/warned.csv").write_text(
        "".join(line.rstrip("\n") + f",{number}\n" for number, line in enumerate(text))
    )
    assert ended(folder, JOB.format("warned")).returncode == 0
    assert ended(folder, JOB.format("warned") + 'fail_on = "warning"\n').returncode == 1


def test_what_cannot_be_done_is_one_line(folder: Path) -> None:
    done = ended(folder, JOB.format("*").replace("reference", "refrence"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "sharedtask: job.toml: there is no key 'refrence'; did you mean 'reference'? "
        "Expected one of inputs, output, task, steps, reference, scorer, on_error, fail_on, table"
    ]


def test_a_terminal_gets_progress_and_no_log(folder: Path) -> None:
    (folder / "job.toml").write_text(JOB.format("*"))
    mine, theirs = pty.openpty()
    with subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs):
        os.close(theirs)
        shown = b""
        while True:
            try:
                block = os.read(mine, 4096)
            except OSError:
                break
            if not block:
                break
            shown += block
    os.close(mine)
    assert b'"event"' not in shown
    assert b"[####" in shown


@pytest.mark.parametrize("threads", ["1", "3"])
def test_queries_have_as_many_threads_as_are_wanted(folder: Path, threads: str) -> None:
    (folder / "job.toml").write_text(JOB.format("sound_*"))
    code = (
        "from sharedtask.pipelines.cli import cli\n"
        f"cli.main(['job', 'job.toml', '--threads', '{threads}'], standalone_mode=False)\n"
        "import polars\nprint('threads', polars.thread_pool_size())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"threads {threads}"
