"""Calls of the command in this process, and a file system that is full."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from sharedtask.converters import own_folder
from sharedtask.pipelines.cli import main

ROWS = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n7,0,Two wells.,1,[10]\n7,1,A road.,0,[]\n"
NAME = "sentences_en_val.csv"


class Done(NamedTuple):
    status: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with one file of CHEERS, and nothing else."""
    work = tmp_path / "work"
    work.mkdir()
    (work / NAME).write_text(ROWS, encoding="utf-8")
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Makes a call on the command line, which never says that it is broken."""

    def called(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["sharedtask", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capfd.readouterr()
        assert "internal error" not in said.err + said.out
        assert "Traceback" not in said.err
        return Done(int(str(stopped.value.code)), said.out, said.err)

    return called


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is full, and may hold some empty files."""
    folder = tmp_path / "full"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=64", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        made = False
    if not made:
        pytest.skip("no file system can be mounted here")
    (folder / "filler").write_bytes(b"x" * 48 * 1024)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def small_scratch(full_disk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Temporary files go to a disk that is nearly full."""
    monkeypatch.setenv("TMPDIR", str(full_disk))
    monkeypatch.setattr(own_folder, "_swept", set())
    return full_disk
