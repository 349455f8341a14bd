"""Inputs that change, vanish, never end or lead round in a circle: refused in one line, or read within the limits."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sharedtask.converters.opening import sniff_input
from sharedtask.pipelines.inputs import inputs
from tests.world.conftest import NAME, ROWS, Call

CHANGED = f"sharedtask: {NAME}: was changed while it was read; run again\n"
COMMAND = f"{sys.executable} -m sharedtask"


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("7,2,A third.,0,[]\n")


def truncate(path: Path) -> None:
    os.truncate(path, len(ROWS) - 5)


def rewrite(path: Path) -> None:
    path.write_text(ROWS.replace("wells", "roads"))


def replace(path: Path) -> None:
    path.with_name("new").write_text(ROWS)
    path.with_name("new").replace(path)


@pytest.mark.parametrize("change", [append, truncate, rewrite, replace, Path.unlink])
@pytest.mark.parametrize("verb", ["validate", "convert", "export", "splits make", "diff"])
def test_an_input_that_changes_while_it_is_read(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], verb: str
) -> None:
    (folder / "old.csv").write_text(ROWS)
    more = {
        "diff": ["old.csv"],
        "export": ["--out", "out.csv"],
        "convert": ["--out", "out"],
        "splits make": ["--sizes", "a=.5,b=.5", "--seed", "1", "--out", "out"],
    }

    def sniffed(*known: object) -> object:
        found = sniff_input(*known)  # type: ignore[arg-type]
        if not changes:
            change(folder / NAME)
        changes.append(change)
        return found

    changes: list[object] = []

    monkeypatch.setattr(inputs, "sniff_input", sniffed)
    done = call(*verb.split(), NAME, *more.get(verb, []))
    assert (done.status, done.err) == (2, CHANGED)
    assert not list(folder.rglob("out*/*")) + list(folder.glob("out.csv"))


def test_a_file_that_vanishes_between_listing_and_reading(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "data").mkdir()
    (folder / NAME).rename(folder / "data" / NAME)
    gone = folder / "data" / "sentences_en_test.csv"
    gone.write_text(ROWS)

    def sniffed(*known: object) -> object:
        gone.unlink(missing_ok=True)
        return sniff_input(*known)  # type: ignore[arg-type]

    (folder / "data" / "sentences_en_a.csv").write_text(ROWS)
    monkeypatch.setattr(inputs, "sniff_input", sniffed)
    done = call("validate", "data")
    assert done.status == 1
    assert "data/sentences_en_test.csv: error FMT021 unread was not read: cannot be read: no such file" in done.out
    assert f"data/{NAME}: cheers/sentences, 2 records" in done.out


def test_a_pipe_that_nobody_writes_to_is_waited_for_and_then_read(call: Call, folder: Path) -> None:
    os.mkfifo(folder / "sentences_en_test.csv")
    writer = threading.Thread(target=lambda: (folder / "sentences_en_test.csv").write_text(ROWS))
    writer.start()
    done = call("validate", "sentences_en_test.csv")
    writer.join(20)
    assert (done.status, "2 records" in done.out) == (0, True)


@pytest.mark.parametrize("given", [f"<(cat {NAME})", f"/dev/stdin <{NAME}", f"- <{NAME}"])
def test_what_a_shell_puts_in_the_place_of_a_file(folder: Path, given: str) -> None:
    done = subprocess.run(["bash", "-c", f"{COMMAND} validate {given}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cheers/sentences, 2 records" in done.stdout


@pytest.mark.parametrize("arguments", [["validate"], ["convert", "--out", "out"], ["check", NAME, "--against"]])
def test_a_device_without_an_end_is_refused(call: Call, folder: Path, arguments: list[str]) -> None:
    (folder / "zero.csv").symlink_to("/dev/zero")
    assert call(*arguments, "/dev/zero").err == "sharedtask: /dev/zero: is a device; expected a file\n"
    done = call(*arguments, "zero.csv")
    assert (done.status, done.err) == (2, "sharedtask: zero.csv: is a device; expected a file\n")


def test_links_that_lead_round_in_a_circle(call: Call, folder: Path) -> None:
    data = folder / "data"
    (data / "deep").mkdir(parents=True)
    (data / NAME).write_text(ROWS)
    (data / "deep/up").symlink_to("../../data")
    (data / "self.csv").symlink_to("self.csv")
    for named in ("data", "data/**/*.csv"):
        done = call("validate", named)
        assert (done.status, done.out.count("2 records")) == (0, 1)
    assert "skipped 1 that are not data files: self.csv" in call("validate", "data").out
    done = call("validate", "data/self.csv")
    assert (done.status, done.err) == (
        2,
        "sharedtask: data/self.csv: cannot be read: too many levels of symbolic links\n",
    )


def test_pipes_and_devices_in_a_folder_are_skipped_and_named(call: Call, folder: Path) -> None:
    (folder / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.csv")
    done = call("validate", ".")
    assert (done.status, "skipped 2 that are not data files: pipe.csv, zero.csv" in done.out) == (0, True)


@pytest.mark.slow
def test_a_hundred_thousand_files(call: Call, folder: Path) -> None:
    for number in range(100_000):
        (folder / f"sentences_en_{number:06d}.csv").write_text(ROWS)
    (folder / "job.toml").write_text('inputs = ["*.csv"]\noutput = "out"\nsteps = ["validate"]\n')
    done = call("job", "job.toml")
    assert (done.status, "100001" in done.out.replace(",", "")) == (0, True)
