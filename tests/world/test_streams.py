"""Standard streams that the caller closed or filled, settings of Polars that are none, and a path that is empty."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.world.conftest import NAME, Call

COMMAND = f"{sys.executable} -m sharedtask"
CLOSED = "standard output is closed; write the report to a file with --output-file"


@pytest.mark.parametrize(
    ("call", "status", "said"),
    [
        (f"validate {NAME} <&-", 0, ""),
        ("validate - <&-", 2, "-: standard input is closed"),
        ("validate /dev/stdin <&-", 2, "/dev/stdin: is a device; expected a file"),
        (f"validate {NAME} >&-", 2, CLOSED),
        (f"validate {NAME} >/dev/full", 2, "standard output cannot be written: no space left on device"),
        ("rules >/dev/full", 2, "cannot go on: no space left on device"),
        (f"validate {NAME} <&- >&- 2>&-", 2, ""),
        (f"convert {NAME} --out out 2>&-", 0, ""),
        ("validate absent.csv 2>&-", 2, ""),
    ],
)
def test_streams_that_are_closed_or_full(folder: Path, call: str, status: int, said: str) -> None:
    done = subprocess.run(["/bin/sh", "-c", f"{COMMAND} {call}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, said and f"sharedtask: {said}\n")


def test_what_is_said_goes_into_no_file_that_has_the_number_of_a_closed_stream(folder: Path) -> None:
    call = f"{COMMAND} convert {NAME} absent.csv --out out --to csv <&- >&- 2>&-"
    subprocess.run(["/bin/sh", "-c", call], check=False)
    written = (folder / "out" / NAME).read_text()
    assert "sharedtask" not in written
    assert written.startswith("doc_id,")


@pytest.mark.parametrize("number", ["0", "abc", "-1", "", "²"])
def test_a_number_of_threads_that_is_none(call: Call, monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv("POLARS_MAX_THREADS", number)
    done = call("validate", NAME)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"Error: POLARS_MAX_THREADS is {number!r}; expected a number from 1\n"


def test_an_empty_path(call: Call) -> None:
    done = call("validate", "")
    assert (done.status, done.err) == (2, "sharedtask: the path of an input is empty; expected a file or a folder\n")
