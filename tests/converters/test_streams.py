"""Inputs that are no regular files: pipes are read once, devices are refused."""

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.source import open_source
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.validate import validate

SENTENCES = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n31,0,Clinics need fuel here.,1,[4]\n"
COMMAND = [sys.executable, "-m", "sharedtask", "validate"]


def test_a_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "sentences_en_val.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(SENTENCES, encoding="utf-8"))
    writer.start()
    report = validate([pipe])
    writer.join(timeout=60)
    assert (report.ok, report.inputs[0].rows, report.inputs[0].bytes) == (True, 1, len(SENTENCES))


def test_standard_input_under_its_name_in_dev() -> None:
    done = subprocess.run([*COMMAND, "/dev/stdin"], input=SENTENCES.encode(), capture_output=True, check=True)
    assert b"cheers/sentences, 1 record" in done.stdout


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(UnusableError, match=f"{device}: is a device; expected a file"), open_source(device):
        pass


def test_a_file_that_is_compressed_twice(tmp_path: Path) -> None:
    path = tmp_path / "sentences_en_val.csv.gz"
    path.write_bytes(gzip.compress(gzip.compress(SENTENCES.encode())))
    with pytest.raises(UnusableError, match="is compressed twice"):
        validate([path], kind="cheers/sentences")


def test_standard_input_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(UnusableError, match="can be read only once"):
            check("-", "-")


def test_an_empty_path_is_no_folder() -> None:
    with pytest.raises(UnusableError, match="the path of an input is empty"):
        validate([""])


def test_one_path_is_a_list_of_one(tmp_path: Path) -> None:
    path = tmp_path / "sentences_en_val.csv"
    path.write_text(SENTENCES, encoding="utf-8")
    assert validate(str(path)).ok
    assert validate(path).inputs == validate([path]).inputs


@pytest.mark.parametrize(
    ("redirection", "status", "told"),
    [
        (">&-", 2, "standard output is closed; write the report to a file with --output-file"),
        ("> /dev/full", 2, "standard output cannot be written: no space left on device"),
        ("2>&-", 0, ""),
    ],
)
def test_streams_that_cannot_be_written(tmp_path: Path, redirection: str, status: int, told: str) -> None:
    path = tmp_path / "sentences_en_val.csv"
    path.write_text(SENTENCES, encoding="utf-8")
    call = f"{sys.executable} -m sharedtask validate {path} {redirection}"
    done = subprocess.run(["/bin/sh", "-c", call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, f"sharedtask: {told}\n" if told else "")
