"""Disks that are full, folders that may not be written or listed, names that are too long: one line, and no litter."""

import gzip
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.world.conftest import NAME, ROWS, Call

# Root may do all until it gives up the right to.
UNPRIVILEGED = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
BIG = ROWS + "".join(f"8,{number},{random.Random(number).randbytes(40).hex()},0,[]\n" for number in range(2000))


def without_rights(*arguments: str) -> tuple[int, str]:
    if UNPRIVILEGED and not shutil.which("setpriv"):
        pytest.skip("root may write and read everywhere, and there is no setpriv")
    call = [*UNPRIVILEGED, sys.executable, "-m", "sharedtask", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=50)
    return done.returncode, done.stderr


def test_no_room_to_unpack(call: Call, folder: Path, small_scratch: Path) -> None:
    (folder / f"{NAME}.gz").write_bytes(gzip.compress(BIG.encode()))
    done = call("validate", f"{NAME}.gz")
    assert (done.status, done.out) == (2, "")
    assert done.err == f"sharedtask: {NAME}.gz: cannot be unpacked: no space left on device\n"
    assert os.listdir(small_scratch) == ["filler"]


def test_no_room_to_spool_a_pipe(folder: Path, small_scratch: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sharedtask", "validate", "-"], input=BIG.encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"sharedtask: -: cannot be copied to a temporary file: no space left on device\n"
    assert os.listdir(small_scratch) == ["filler"]


def test_a_folder_that_may_not_be_written(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out").chmod(0o555)
    status, said = without_rights("convert", NAME, "--out", "out")
    assert status == 2
    assert said == (
        "sharedtask: out/sentences_en_val.parquet: cannot be written: permission denied; allow writing to "
        f"{folder / 'out'}\n"
    )


@pytest.mark.parametrize("named", [["data"], ["data/**/*.csv"]], ids=["folder", "glob"])
def test_a_folder_that_may_not_be_listed_is_named(folder: Path, named: list[str]) -> None:
    for name in ("data/open", "data/closed"):
        (folder / name).mkdir(parents=True)
        (folder / name / NAME).write_text(ROWS)
    (folder / "data/closed").chmod(0)
    try:
        status, said = without_rights("validate", *named)
    finally:
        (folder / "data/closed").chmod(0o755)
    assert (status, said) == (2, "sharedtask: data/closed: cannot be read: permission denied\n")


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_name_that_gets_too_long(call: Call, folder: Path, form: str) -> None:
    name = "n" * (255 - len(".csv")) + ".csv"
    (folder / NAME).rename(folder / name)
    assert call("validate", name, "--kind", "cheers/sentences").status == 0
    done = call("convert", name, "--kind", "cheers/sentences", "--out", "out", "--to", form)
    if form == "csv":
        assert (done.status, os.listdir("out")) == (0, [name])
        return
    target = f"out/{name.removesuffix('.csv')}.{form}"
    assert (done.status, done.err) == (2, f"sharedtask: {target}: cannot be written: file name too long\n")
    assert not os.path.exists("out")
