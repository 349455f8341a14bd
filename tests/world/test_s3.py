"""A server that drops, stalls or throttles: in bounded time one line that names the object, or the whole result."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sharedtask.converters.storage import open_folder
from sharedtask.converters.storage import s3 as reading
from sharedtask.converters.storage import s3_folder as writing
from tests.s3.proxy import Fate, Proxy
from tests.seaweed import Seaweed
from tests.world.conftest import NAME, ROWS, Call, Done

BIG = ROWS + "".join(f"8,{number},Sentence number {number} of this file.,0,[]\n" for number in range(4000))
LIMIT = 30  # seconds of a call, whatever the server does
JOB = 'inputs = ["*.csv"]\noutput = "{out}"\nsteps = ["validate", "convert"]\n'


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(reading, "_PATIENCE", 1)
    monkeypatch.setattr(writing, "_PATIENCE", "2s")
    reading._file_system.cache_clear()
    yield
    reading._file_system.cache_clear()


def through(
    server: Seaweed, monkeypatch: pytest.MonkeyPatch, fate: Fate, call: Call, *arguments: str, kept: int = 0
) -> Done:
    """A call that reaches the server through a proxy; it ends in time."""
    with Proxy(server.url, fate, kept) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        begun = time.monotonic()
        done = call(*arguments)
        assert time.monotonic() - begun < LIMIT
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    return Done(done.status, done.out, done.err.replace(proxy.url, "URL"))


@pytest.mark.parametrize(
    ("fate", "why"),
    [
        ("drop", "the connection to the server at URL broke off; run again"),
        pytest.param("stall", "the server at URL does not answer", marks=pytest.mark.slow),
        ("throttle", "the server at URL cannot answer now; run again later"),
    ],
)
def test_an_object_that_cannot_be_had(
    call: Call, bucket: str, s3_server: Seaweed, monkeypatch: pytest.MonkeyPatch, fate: str, why: str
) -> None:
    url = f"{bucket}/{NAME}"
    open_folder(bucket, Path()).put_bytes(NAME, BIG.encode())

    def of(_: int, request: str) -> str:
        return fate if request.startswith("GET") and NAME in request else "pass"

    done = through(s3_server, monkeypatch, of, call, "validate", url, kept=2000)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"sharedtask: {url}: cannot be read: {why}\n"


@pytest.mark.parametrize("fate", ["drop", "throttle"])
def test_a_server_that_fails_once_is_asked_again(
    call: Call, bucket: str, s3_server: Seaweed, monkeypatch: pytest.MonkeyPatch, folder: Path, fate: str
) -> None:
    seen: list[str] = []

    def of(_: int, request: str) -> str:
        seen.append(request)
        return fate if request.startswith("PUT") and sum(one.startswith("PUT") for one in seen) == 1 else "pass"

    done = through(s3_server, monkeypatch, of, call, "convert", NAME, "--out", f"{bucket}/out")
    assert (done.status, done.err) == (0, "")
    assert open_folder(bucket, Path()).names() == ["out/sentences_en_val.parquet"]


@pytest.mark.parametrize("fate", ["drop", pytest.param("stall", marks=pytest.mark.slow), "throttle"])
def test_an_output_that_cannot_be_written(
    call: Call, bucket: str, s3_server: Seaweed, monkeypatch: pytest.MonkeyPatch, folder: Path, fate: str
) -> None:
    (folder / "job.toml").write_text(JOB.format(out=f"{bucket}/out"))

    def of(_: int, request: str) -> str:
        return fate if request.startswith("PUT") and "data" in request else "pass"

    done = through(s3_server, monkeypatch, of, call, "job", "job.toml")
    line = done.err.splitlines()[-1]
    assert done.status == 2
    assert line.startswith(f"sharedtask: {bucket}/out/data/kind=cheers%2Fsentences") or f"{bucket}/out/data" in line
    assert "_SUCCESS" not in "".join(open_folder(bucket, Path()).names())
    assert call("job", "job.toml").status == 0
