"""A file that is written is whole or absent, and what dead writers leave is removed, but nothing of living ones."""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest

from sharedtask.converters.atomic import remove_dead_partials, whole_file
from sharedtask.converters.errors import UnwritableError
from sharedtask.converters.own_folder import own_folder, scratch_folder
from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.jobs.lock import alone_in

HOLDS = """
import sys, time
from pathlib import Path
from sharedtask.converters.atomic import whole_file
with whole_file(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print(flush=True)
    time.sleep(60)
"""


@contextmanager
def another_writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, which has written half of `path` and waits."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "\n"
            yield process
        finally:
            process.kill()


def leave_a_partial(path: Path) -> None:
    """What a writer of `path` leaves that is killed half way."""
    with another_writer(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(partials(path.parent)) == 1


def fail_half_way(temporary: Path) -> None:
    temporary.write_text("half")
    raise ZeroDivisionError


def partials(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.partial"))


def test_a_block_that_writes_makes_the_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.csv"
    with whole_file(path) as temporary:
        assert temporary.name == "a.csv"
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["a.csv"]


def test_a_block_that_fails_or_leaves_nothing_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as temporary:
        fail_half_way(temporary)
    with whole_file(path):
        pass
    with whole_file(path) as temporary:
        temporary.write_text("rejected")
        temporary.unlink()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_after_the_block_there_is_no_place_to_write_to(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a.csv") as temporary:
        pass
    with pytest.raises(FileNotFoundError):
        temporary.write_text("late")


@pytest.mark.parametrize("name", ["n" * 255, "ñ" * 127 + "n", "n" + "ñ" * 127, "信" * 85, ".csv", "a.lock", ".lock"])
def test_any_name_that_a_file_can_have(tmp_path: Path, name: str) -> None:
    assert len(name.encode()) in (255, 4, 5, 6)
    with whole_file(tmp_path / name) as temporary:
        temporary.write_text("whole")
        (folder,) = partials(tmp_path)
        assert len(folder.encode()) <= 255
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "whole"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with (
        pytest.raises(UnwritableError, match=r"n: cannot be written: file name too long$"),
        whole_file(tmp_path / ("n" * 256)),
    ):
        pass
    assert os.listdir(tmp_path) == []


def test_writers_of_one_file_in_one_process_do_not_meet(tmp_path: Path) -> None:
    path, together = tmp_path / "a.csv", Barrier(8)

    def write(number: int) -> None:
        with whole_file(path) as temporary:
            together.wait()
            with temporary.open("w") as file:
                for _ in range(2000):
                    file.write(f"{number}\n")
            together.wait()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    lines = path.read_text().splitlines()
    assert len(lines) == 2000
    assert len(set(lines)) == 1
    assert os.listdir(tmp_path) == ["a.csv"]


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    leave_a_partial(path)
    leave_a_partial(tmp_path / "sub" / "a.csv")
    (tmp_path / "sub" / partials(tmp_path / "sub")[0]).rename(tmp_path / ".other.csv.0123456789abcdef.partial")
    with whole_file(path) as temporary:
        temporary.write_text("whole")
    assert partials(tmp_path) == [".other.csv.0123456789abcdef.partial"]  # of another file
    assert path.read_text() == "whole"


def test_a_living_writer_keeps_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with another_writer(path):
        before = partials(tmp_path)
        with whole_file(path) as temporary:
            temporary.write_text("whole")
        remove_dead_partials(tmp_path, recursive=True)
        assert partials(tmp_path) == before
        assert path.read_text() == "whole"
    remove_dead_partials(tmp_path, recursive=True)
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_job_removes_what_is_dead_in_all_folders_of_its_output_and_nothing_else(tmp_path: Path) -> None:
    leave_a_partial(tmp_path / "x" / "y" / "dead.csv")
    (tmp_path / ".notes.partial").mkdir()
    with another_writer(tmp_path / "x" / "alive.csv"):
        with alone_in(open_folder(str(tmp_path), Path())):
            assert [name.rpartition(".csv.")[0] for name in partials(tmp_path)] == [".alive", ""]
        assert len(partials(tmp_path / "x")) == 1


def test_below_a_folder_only_if_it_is_asked_for(tmp_path: Path) -> None:
    leave_a_partial(tmp_path / "x" / "dead.csv")
    remove_dead_partials(tmp_path, recursive=False)
    assert len(partials(tmp_path)) == 1
    remove_dead_partials(tmp_path / "x", recursive=False)
    assert partials(tmp_path) == []


def test_one_whose_writer_was_killed_before_it_had_a_lock_is_removed(tmp_path: Path) -> None:
    partial = tmp_path / ".a.csv.0123456789abcdef.partial"
    partial.mkdir()
    (partial / "a.csv").write_text("half")
    remove_dead_partials(tmp_path, recursive=False)
    assert not partial.exists()


def test_where_there_are_no_locks_one_is_removed_when_nothing_in_it_has_changed_for_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with whole_file(tmp_path / "a.csv") as temporary:
        partial = temporary.parent
        kept = tmp_path / ".a.csv.0123456789abcdef.partial"
        shutil.copytree(partial, kept)
        (lock,) = kept.iterdir()
        lock.rename(kept / ".0123456789abcdef.lock.none")
    monkeypatch.undo()
    old = time.time() - 3700
    for changed, left in ((), True), ((kept,), True), ((kept, *kept.iterdir()), False):
        for path in changed:
            os.utime(path, (old, old))
        remove_dead_partials(tmp_path, recursive=False)
        assert kept.exists() is left


def test_a_folder_that_another_process_takes_for_a_dead_one_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Path.mkdir

    def swept(folder: Path, mode: int) -> None:
        made(folder, mode)
        monkeypatch.undo()  # the first time only
        folder.rmdir()

    monkeypatch.setattr(Path, "mkdir", swept)
    with own_folder(tmp_path, "a.") as folder:
        assert folder.is_dir()
    assert os.listdir(tmp_path) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "precious").write_text("")
    link = folder / ".a.csv.0123456789abcdef.partial"
    link.symlink_to(elsewhere)
    os.utime(elsewhere, (0, 0))
    os.utime(elsewhere / "precious", (0, 0))
    remove_dead_partials(folder, recursive=True)
    assert (elsewhere / "precious").exists()
    assert link.is_symlink()


def test_nothing_to_remove_is_no_error(tmp_path: Path) -> None:
    remove_dead_partials(tmp_path / "absent", recursive=True)


def test_temporary_folders_of_dead_processes_go_and_those_of_living_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("sharedtask.converters.own_folder._swept", set())
    (tmp_path / "sharedtask-notes").mkdir()
    dead = tmp_path / "sharedtask-0123456789abcdef"
    dead.mkdir()
    (dead / "spooled").write_text("much")
    with own_folder(tmp_path, "sharedtask-") as alive, scratch_folder() as mine:
        assert {path.name for path in tmp_path.iterdir()} == {alive.name, mine.name, "sharedtask-notes"}
        assert stat.S_IMODE(mine.stat().st_mode) == 0o700


def test_no_room_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(
        UnwritableError, match="cannot be written: no space left on device; set TMPDIR to another folder"
    ):
        scratch_folder().__enter__()
