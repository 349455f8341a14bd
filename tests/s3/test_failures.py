"""What a user is told, in one line and in time, when S3 refuses, lacks something or goes away."""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.storage import fetch, find, open_folder
from sharedtask.converters.storage import s3 as reading
from sharedtask.converters.storage import s3_folder as writing
from tests.seaweed import HOST, Seaweed

HERE = Path()
IN_TIME = 15  # seconds


@contextmanager
def refused(wanted: str) -> Iterator[None]:
    """Holds the block to fail in time with one line that fits the pattern."""
    begun = time.monotonic()
    with pytest.raises(UnusableError, match=wanted) as raised:
        yield
    assert "\n" not in str(raised.value)
    assert time.monotonic() - begun < IN_TIME


def all_ways(url: str, tmp_path: Path) -> list[Callable[[], object]]:
    """Everything that talks to a server first."""
    return [
        lambda: find(f"{url}/*.csv", HERE),
        lambda: fetch(f"{url}/a.csv", tmp_path / "a"),
        lambda: open_folder(f"{url}/out", HERE),
    ]


@pytest.mark.parametrize(
    ("variable", "causes"),
    [
        (
            "AWS_SECRET_ACCESS_KEY",
            ["access is denied; check", "access is denied; check", "the secret is refused; check"],
        ),
        (
            "AWS_ACCESS_KEY_ID",
            ["access is denied; check", "access is denied; check", "the access key is not known; check"],
        ),
    ],
)
def test_wrong_credentials(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, causes: list[str]
) -> None:
    monkeypatch.setenv(variable, "wrong")
    for call, cause in zip(all_ways(bucket, tmp_path), causes, strict=True):
        with refused(f"{bucket}.*: cannot be .*: {cause}"):
            call()


def test_what_is_not_there(bucket: str, tmp_path: Path) -> None:
    for call in all_ways(f"{bucket}-absent", tmp_path):
        with refused(f"{bucket}-absent.*: (there is no bucket {bucket[5:]}-absent|.*: there is no such bucket)"):
            call()
    with refused(f"{bucket}/a.csv: cannot be read: there is no such object"):
        fetch(f"{bucket}/a.csv", tmp_path / "a")
    with refused(f"{bucket}/out/a.csv: cannot be read: there is no such object"):
        open_folder(f"{bucket}/out", HERE).download("a.csv", tmp_path / "a")
    with refused("s3://: names no bucket"):
        find("s3://", HERE)
    with refused("s3://a b/out: 'a b' is not a bucket name"):
        open_folder("s3://a b/out", HERE)
    with refused(f"{bucket}/: is a folder; expected a file"):
        fetch(f"{bucket}/", tmp_path / "a")


def test_an_endpoint_that_is_none(s3_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for endpoint, cause in {
        "localhost:1": "AWS_ENDPOINT_URL is 'localhost:1'; expected a URL such as",
        "http://local host": "AWS_ENDPOINT_URL is 'http://local host'; expected a URL such as",
        f"http://{HOST}:99999": f"AWS_ENDPOINT_URL is 'http://{HOST}:99999'; expected a URL such as",
        f"http://{HOST}:1": f"the server at http://{HOST}:1 cannot be connected to",
        "http://nothing.invalid": "the server at http://nothing.invalid cannot be found",
    }.items():
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        for call in all_ways("s3://bucket", tmp_path):
            with refused(cause):
                call()


def test_a_server_that_takes_calls_and_never_answers(
    s3_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_PATIENCE", 1)  # second, for each of two tries
    monkeypatch.setattr(writing, "_PATIENCE", "2s")
    with socket.create_server((HOST, 0)) as silent:
        url = f"http://{HOST}:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        for call in all_ways("s3://bucket", tmp_path)[::2]:  # reading once is enough, it takes its time
            with refused(f"the server at {url} does not answer"):
                call()


def test_a_file_of_profiles_that_is_none(s3_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_text("no section")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with refused("config: cannot be read as a file of AWS profiles; mend it, or name another in AWS_CONFIG_FILE"):
        find("s3://bucket/a", HERE)


def test_writing_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with refused(r"s3://bucket/out: to write to S3, pip install sharedtask\[s3\]"):
        open_folder("s3://bucket/out", HERE)


@pytest.fixture
def mortal(s3_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seaweed]:
    """A server of the test's own, which it may kill."""
    server = Seaweed(tmp_path / "mortal")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    yield server
    server.kill()


@contextmanager
def killed_when(server: Seaweed, is_time: Callable[[], bool]) -> Iterator[None]:
    """Kills the server in the middle of the block."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            if is_time():
                return server.kill()
        return None

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def test_a_server_that_dies_while_it_is_read_and_written(
    mortal: Seaweed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BLOCK", 1 << 14)  # many requests, so that it dies between two
    bucket, large, copy = mortal.new_bucket(), tmp_path / "large", tmp_path / "copy"
    folder = open_folder(bucket, HERE)

    def written() -> int:
        return sum(file.stat().st_size for file in (mortal.folder / "data").glob("*.dat"))

    folder.put_bytes("new", b"old")
    large.write_bytes(os.urandom(160 << 20))  # which no server can make smaller
    before = written()
    with (
        refused("new: cannot be written: the (connection to the )?server"),
        killed_when(mortal, lambda: written() > before + (4 << 20)),
    ):
        folder.put("new", large)
    assert large.exists()
    with refused("new: cannot be read: the server .* cannot be connected to"):
        folder.read("new")

    mortal.start()
    assert (folder.read("new") or (b"", ""))[0] == b"old"
    large.write_bytes(bytes(20 << 20))
    folder.put("new", large)
    with (
        refused("new: cannot be read: the (connection to the )?server"),
        killed_when(mortal, lambda: copy.exists() and copy.stat().st_size > 1 << 20),
    ):
        fetch(f"{bucket}/new", copy)
