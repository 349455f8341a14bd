"""An output on S3 is an object that is whole, or is not there."""

import os
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.outputs import Outputs, join
from sharedtask.converters.storage import open_folder


def test_an_object_is_written_when_the_block_ends(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs, folder = Outputs([f"{bucket}/in.csv"]), open_folder(bucket, Path())
    for url in (join(f"{bucket}/a", "x.csv"), join(f"{bucket}/a", "y.csv"), join(bucket, "z.csv")):
        with outputs.file(url).open() as temporary:
            assert temporary.name == url[-5:]
            temporary.write_text(url)
            assert url.removeprefix(f"{bucket}/") not in folder.names()
        got = folder.read(url.removeprefix(f"{bucket}/"))
        assert got
        assert got[0].decode() == url
    assert folder.names() == ["a/x.csv", "a/y.csv", "z.csv"]
    assert os.listdir(tmp_path) == []


def test_a_block_that_fails_or_leaves_nothing_changes_nothing(bucket: str) -> None:
    folder = open_folder(bucket, Path())
    folder.put_bytes("x.csv", b"old")
    with pytest.raises(ZeroDivisionError), Outputs().file(f"{bucket}/x.csv").open() as temporary:
        temporary.write_text("half" * (1 // len(folder.names("absent"))))
    with Outputs().file(f"{bucket}/y.csv").open():
        pass
    got = folder.read("x.csv")
    assert got
    assert got[0] == b"old"
    assert folder.names() == ["x.csv"]


def test_what_is_refused_before_any_work(bucket: str) -> None:
    outputs = Outputs([f"{bucket}/in.csv"])
    outputs.file(f"{bucket}/x.csv")
    for url, message in {
        f"{bucket}/in.csv": "is an input of this command; choose another output file",
        f"{bucket}/x.csv": "two outputs of this command would be written to it",
        f"{bucket}-absent/x.csv": "cannot be reached: there is no such bucket",
    }.items():
        with pytest.raises(UnusableError, match=message):
            outputs.file(url)
