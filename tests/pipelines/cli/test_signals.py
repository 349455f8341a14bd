"""Signals end the work with one line and the status of the signal, wherever they arrive, and nothing half done stays."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# A command that is nothing but `work`, which gets the signals itself when it has come to the point.
FRAME = """
import os, signal, sys, threading, time
from sharedtask.pipelines import cli as command_line
from sharedtask.converters.own_folder import own_folder, scratch_folder
from pathlib import Path

signals = [getattr(signal, name) for name in sys.argv[1].split(",")]
scratch = Path(sys.argv[2])

def raise_them():
    for one in signals:
        os.kill(os.getpid(), one)
        time.sleep(0.2)

def in_a_moment():
    threading.Thread(target=lambda: (time.sleep(0.1), raise_them()), daemon=True).start()

def work(**_):
    global pl
    import polars as pl  # after the handlers are there, as in the command
    with own_folder(scratch, "work-") as folder:
        (folder / "half").write_text("x")
        body(folder)
        print("not interrupted")

{body}
command_line.cli.main = work
command_line.main()
"""
WAITING = """
def body(folder):
    in_a_moment()
    time.sleep(60)
"""
CALLED_BACK = """
def called(values):
    raise_them()
    return values

def body(folder):
    frame = pl.LazyFrame({"a": range(10)}).with_columns(pl.col("a").map_batches(called, return_dtype=pl.Int64))
    try:
        frame.collect(engine=ENGINE)
    except Exception as error:
        print("the query failed", type(error))
    for _ in range(100):
        time.sleep(0.1)
"""
IN_A_QUERY = """
def body(folder):
    in_a_moment()
    for _ in range(1000):
        pl.LazyFrame({"a": range(300_000)}).select(pl.col("a").cast(pl.String).n_unique()).collect(engine="streaming")
"""
DEAF = """
command_line.signals._PATIENCE = command_line.signals._CLEANING = 0.3

def body(folder):
    in_a_moment()
    try:
        time.sleep(60)
    except BaseException:
        time.sleep(60)
"""
CLEANING_UP = """
def body(folder):
    try:
        in_a_moment()
        time.sleep(60)
    finally:
        time.sleep(60)
"""


def ended(body: str, signals: str, scratch: Path) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-c", FRAME.replace("{body}", body), signals, str(scratch)]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=50)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param(WAITING, "SIGTERM", id="at rest"),
        pytest.param(CALLED_BACK.replace("ENGINE", "'in-memory'"), "SIGINT", id="in a callback"),
        pytest.param(CALLED_BACK.replace("ENGINE", "'streaming'"), "SIGTERM", id="in a callback of a stream"),
        pytest.param(IN_A_QUERY, "SIGINT", id="SIGINT in a query"),
        pytest.param(IN_A_QUERY, "SIGTERM", id="SIGTERM in a query"),
        pytest.param(DEAF, "SIGHUP", id="where nobody listens"),
    ],
)
def test_a_signal_ends_the_work(tmp_path: Path, body: str, name: str) -> None:
    done = ended(body, name, tmp_path)
    assert (done.stdout, done.stderr) == ("", f"sharedtask: interrupted by {name}\n")
    assert done.returncode == 128 + getattr(signal, name)
    assert os.listdir(tmp_path) == []


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    done = ended(CLEANING_UP, "SIGTERM,SIGTERM", tmp_path)
    assert (done.returncode, done.stderr) == (143, "sharedtask: interrupted by SIGTERM\n")


def test_a_signal_when_the_work_is_over_shows_no_traceback(tmp_path: Path) -> None:
    body = "def body(folder):\n    import atexit\n    atexit.register(raise_them)\n"
    done = ended(body, "SIGINT", tmp_path)
    assert (done.returncode, done.stdout) == (130, "not interrupted\n")
    assert done.stderr == "sharedtask: interrupted by SIGINT\n"


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    body = "def body(folder):\n    raise_them()\n"
    ignoring = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh"]
    call = [*ignoring, sys.executable, "-c", FRAME.replace("{body}", body), "SIGHUP", str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, "not interrupted\n", "")


@pytest.mark.parametrize("call", ["rules", "schemas cheers/sentences", "validate FILE"])
def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path, call: str) -> None:
    path = tmp_path / "sentences_en_val.csv"
    rows = "".join(f"7,{number},Wells {number}.,maybe,[]\n" for number in range(3000))
    path.write_text("doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n" + rows, encoding="utf-8")
    more = " --max-findings 100000 -v" if "FILE" in call else ""
    command = f"{sys.executable} -m sharedtask {call.replace('FILE', str(path))}{more}"
    pipe = f"{{ {command}; echo $? >{tmp_path}/status; }} | {{ exec <&-; sleep 0; }}"
    done = subprocess.run(["/bin/sh", "-c", pipe], capture_output=True, text=True, check=True, timeout=50)
    assert done.stderr == ""
    assert (tmp_path / "status").read_text() == "141\n"
