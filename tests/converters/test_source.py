"""What is known of a file before anybody reads it as text."""

import gzip
import hashlib
import io
import sys
from pathlib import Path

import pytest

from sharedtask.converters import source as module
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.source import open_source

TEXT = b"a,b\n1,2\n"
ZST = bytes.fromhex("28b52ffd0048410000612c620a312c320a")  # TEXT, as pyarrow packs it


def flipped(packed: bytes) -> bytes:
    """A gz whose first block is damaged, which zlib itself finds out."""
    return packed[:10] + bytes([packed[10] ^ 0xFF]) + packed[11:]


def test_a_plain_file_is_read_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(TEXT)
    with open_source(str(file)) as source:
        assert (source.path, source.local, source.name, source.size) == (str(file), file, "a.csv", 8)
        assert source.head == TEXT
        assert source.sha256 == hashlib.sha256(TEXT).hexdigest()
        assert source.scratch.is_dir()
        scratch = source.scratch
    assert not scratch.exists()


@pytest.mark.parametrize(
    ("name", "packed"),
    [("a.csv.gz", gzip.compress(TEXT, mtime=0)), ("a.csv.zst", ZST), ("a.csv", gzip.compress(TEXT, mtime=0))],
)
def test_a_packed_file_is_read_as_the_file_inside(tmp_path: Path, name: str, packed: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(packed)
    with open_source(str(file)) as source:
        assert source.name == "a.csv"
        assert source.local.read_bytes() == source.head == TEXT
        assert source.facts.final_newline
        # what was given is what was packed
        assert (source.size, source.sha256) == (len(packed), hashlib.sha256(packed).hexdigest())
    assert file.read_bytes() == packed


def test_an_ending_alone_does_not_make_a_file_packed(tmp_path: Path) -> None:
    file = tmp_path / "a.csv.gz"
    file.write_bytes(TEXT)
    with open_source(str(file)) as source:
        assert (source.local, source.head) == (file, TEXT)


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT, mtime=0), ZST])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with open_source("-") as source:
        assert (source.path, source.name, source.size) == ("-", "stdin", len(content))
        assert source.local.read_bytes() == source.head == TEXT
        assert source.sha256 == hashlib.sha256(content).hexdigest()


def test_only_the_first_block_is_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST", 3)
    (tmp_path / "a.csv").write_bytes(TEXT)
    with open_source(str(tmp_path / "a.csv")) as source:
        assert source.head == TEXT[:3]
        assert source.facts.final_newline


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(gzip.compress(TEXT * 100)[:-12], id="gz cut off"),
        pytest.param(gzip.compress(TEXT, mtime=0)[:-8] + b"\0" * 8, id="gz with a wrong sum"),
        pytest.param(gzip.compress(TEXT, mtime=0)[:12] + b"\xff" * 20, id="gz with damaged content"),
        pytest.param(
            flipped(gzip.compress(b"".join(b"%d,%d\n" % (at, at * 7 % 13) for at in range(300)))),
            id="gz with a byte flipped",
        ),
        pytest.param(b"\x1f\x8b\xff" + b"\0" * 20, id="gz of an unknown method"),
        pytest.param(ZST[:6] + b"\xff" * 20, id="zst with damaged content"),
    ],
)
def test_a_damaged_archive_cannot_be_used(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.csv.gz").write_bytes(content)
    with pytest.raises(UnusableError, match="cannot be unpacked"), open_source(str(tmp_path / "a.csv.gz")):
        pass


def test_a_missing_file_and_a_folder_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="cannot be read: no such file"), open_source(str(tmp_path / "a")):
        pass
    with pytest.raises(UnusableError, match="is a folder"), open_source(str(tmp_path)):
        pass
