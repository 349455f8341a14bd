"""Inputs and outputs on a real S3 server."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sharedtask.converters.errors import ConflictError
from sharedtask.converters.source import open_source
from sharedtask.converters.storage import Found, fetch, find, open_folder
from sharedtask.converters.storage import s3 as reading
from tests.seaweed import Seaweed

HERE = Path()
ODD = "task=flares/b c%20é[1]+#.csv"


def test_outputs_come_and_go(bucket: str, tmp_path: Path) -> None:
    folder, made = open_folder(f"{bucket}/some/out/", HERE), tmp_path / "made"
    assert (folder.names(), folder.read(ODD)) == ([], None)
    made.write_bytes(b"first")
    folder.put(ODD, made)
    assert not made.exists()
    folder.put_bytes(ODD, b"second")
    folder.put_bytes("_SUCCESS", b"")
    folder.put_bytes(".hidden/a", b"")
    there = folder.read(ODD)
    assert there is not None
    assert there[0] == b"second"
    assert folder.place(ODD) == f"{bucket}/some/out/{ODD}"
    folder.download(ODD, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"second"
    assert folder.names() == ["_SUCCESS", ODD]
    assert (folder.names("task=flares"), folder.names("task")) == ([ODD], [])
    folder.remove("_SUCCESS")
    folder.remove("_SUCCESS")
    assert folder.names() == [ODD]


def test_a_large_file_goes_in_parts_and_comes_in_blocks(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BLOCK", 1 << 20)
    folder, content = open_folder(bucket, HERE), os.urandom(11_000_000)
    (tmp_path / "large").write_bytes(content)
    folder.put("large", tmp_path / "large")
    folder.download("large", tmp_path / "downloaded")
    fetch(folder.place("large"), tmp_path / "fetched")
    assert (tmp_path / "downloaded").read_bytes() == (tmp_path / "fetched").read_bytes() == content


def test_swap_writes_over_what_was_read_and_over_nothing_else(bucket: str) -> None:
    folder = open_folder(bucket, HERE)
    first = folder.swap("manifest.json", b"1", None)
    assert folder.read("manifest.json") == (b"1", first)
    second = folder.swap("manifest.json", b"2", first)
    for stamp in (None, first):
        with pytest.raises(ConflictError, match=r"manifest\.json: was left as it is, since another writer"):
            folder.swap("manifest.json", b"3", stamp)
    with pytest.raises(ConflictError):
        folder.swap("absent.json", b"3", first)
    assert folder.read("manifest.json") == (b"2", second)


def test_of_two_writers_that_swap_none_loses_an_update(bucket: str) -> None:
    def count_up(times: int) -> None:
        folder = open_folder(bucket, HERE)
        while times:
            there = folder.read("count")
            try:
                folder.swap("count", b"%d" % (int(there[0]) + 1 if there else 1), there and there[1])
            except ConflictError:
                continue
            times -= 1

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(count_up, [25, 25]))
    assert (open_folder(bucket, HERE).read("count") or (b"", ""))[0] == b"50"


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("runs/*.csv", ["runs/a.csv", "runs/x[1].csv"]),
        ("runs/**/*.csv", ["runs/a.csv", "runs/one/b.csv", "runs/x[1].csv"]),
        ("r*/one/?.csv", ["runs/one/b.csv"]),
        ("**/other/*", ["other/a.csv"]),
        ("runs/one", ["runs/one/b.csv"]),
        ("runs/one/", ["runs/one/b.csv"]),
        ("runs/a.csv", ["runs/a.csv"]),
        ("runs/x[1].csv", ["runs/x[1].csv"]),
        ("", ["other/a.csv", "runs/a.csv", "runs/one/b.csv", "runs/x[1].csv"]),
        ("absent/*.csv", []),
        ("absent.csv", []),
    ],
)
def test_find(tree: str, pattern: str, wanted: list[str]) -> None:
    assert find(f"{tree}/{pattern}", HERE) == [Found(f"{tree}/{name}", len(name)) for name in wanted]


@pytest.fixture(scope="module")
def tree(s3_server: Seaweed) -> str:
    """The URL of a bucket that holds some files."""
    url = s3_server.new_bucket()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3_server.environment.items():
            patch.setenv(name, value)
        folder = open_folder(url, HERE)
        for name in (
            "runs/a.csv",
            "runs/one/b.csv",
            "runs/x[1].csv",
            "runs/.b.csv",
            "runs/__MACOSX/a.csv",
            "other/a.csv",
        ):
            folder.put_bytes(name, name.encode())
    return url


@pytest.fixture(autouse=True)
def environment(s3_environment: None) -> None:
    """All tests here talk to the server."""


def test_a_source_is_read_as_a_local_file_is(bucket: str) -> None:
    content = b"a,b\n1,2\n"
    open_folder(bucket, HERE).put_bytes("runs/a.csv", content)
    with open_source(f"{bucket}/runs/a.csv") as source:
        assert (source.path, source.name, source.size) == (f"{bucket}/runs/a.csv", "a.csv", len(content))
        assert source.local.read_bytes() == source.head == content
        local = source.local
    assert not local.exists()


def test_credentials_may_stand_in_a_profile(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = "[lake]\naws_access_key_id = {AWS_ACCESS_KEY_ID}\naws_secret_access_key = {AWS_SECRET_ACCESS_KEY}\n"
    (tmp_path / "credentials").write_text(profile.format_map(os.environ))
    (tmp_path / "config").write_text(
        "[profile lake]\nregion = eu-west-1\nendpoint_url = {AWS_ENDPOINT_URL}/\n".format_map(os.environ)
    )
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_PROFILE", "lake")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    open_folder(bucket, HERE).put_bytes("a", b"1")
    assert find(bucket, HERE) == [Found(f"{bucket}/a", 1)]
