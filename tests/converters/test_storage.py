"""Files are found by globs, and outputs in a local folder are whole, or absent, or in conflict."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sharedtask.converters.errors import ConflictError, UnusableError
from sharedtask.converters.storage import Found, find, is_remote, open_folder, resolve
from sharedtask.converters.storage.pattern import Glob

TREE = [
    "runs/a.csv",
    "runs/b.CSV",
    "runs/one/a.csv",
    "runs/one/two/c.csv",
    "runs/one/two/notes.txt",
    "runs/x[1].csv",
    "runs/.hidden.csv",
    "runs/.git/a.csv",
    "runs/__MACOSX/a.csv",
    "other/runs/a.csv",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def paths(pattern: str, base: Path) -> list[str]:
    return [found.path for found in find(pattern, base)]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("runs/*.csv", ["runs/a.csv", "runs/x[1].csv"]),
        ("./runs//?.csv", ["runs/a.csv"]),
        ("runs/**/*.csv", ["runs/a.csv", "runs/one/a.csv", "runs/one/two/c.csv", "runs/x[1].csv"]),
        ("runs/*/*.csv", ["runs/one/a.csv"]),
        ("runs/**/two/*", ["runs/one/two/c.csv", "runs/one/two/notes.txt"]),
        ("**/runs/a.csv", ["other/runs/a.csv", "runs/a.csv"]),
        ("**/**/t*/**/c.csv", ["runs/one/two/c.csv"]),
        ("runs/one/**", ["runs/one/a.csv", "runs/one/two/c.csv", "runs/one/two/notes.txt"]),
        ("runs/[!a].[Cc][Ss][Vv]", ["runs/b.CSV"]),
        ("runs/a.csv", ["runs/a.csv"]),
        ("runs/x[1].csv", ["runs/x[1].csv"]),
        ("runs/one", ["runs/one/a.csv", "runs/one/two/c.csv", "runs/one/two/notes.txt"]),
        ("runs/.hidden.csv", ["runs/.hidden.csv"]),  # named outright
        ("runs/one/../*.CSV", ["runs/one/../b.CSV"]),
        ("runs/absent/*.csv", []),
        ("runs/a.csv/*", []),
        ("absent.csv", []),
    ],
)
def test_find(tree: Path, pattern: str, wanted: list[str]) -> None:
    assert paths(pattern, tree) == wanted


def test_found_files_have_their_size_and_can_be_opened_from_the_base(tree: Path) -> None:
    assert find("runs/a*", tree) == [Found("runs/a.csv", len("runs/a.csv"))]
    assert Path(resolve("runs/a.csv", tree)).read_text() == "runs/a.csv"


def test_an_absolute_pattern_finds_absolute_paths(tree: Path) -> None:
    assert paths(f"{tree}/runs/a.*", Path("/elsewhere")) == [f"{tree}/runs/a.csv"]
    assert resolve(f"{tree}/runs/a.csv", Path("/elsewhere")) == f"{tree}/runs/a.csv"


def test_links_do_not_lead_round_in_a_circle(tree: Path) -> None:
    (tree / "runs/one/up").symlink_to(tree / "runs")
    (tree / "runs/one/broken.csv").symlink_to(tree / "nothing")
    assert "runs/one/up/a.csv" not in paths("runs/**/*.csv", tree)
    assert paths("runs/one/*/a.csv", tree) == ["runs/one/up/a.csv"]


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [("a/**/b", "a/b", True), ("a/**/b", "a/x/y/b", True), ("a/**/b", "a/xb", False), ("**", "a/.b/c", False)],
)
def test_a_glob_reads_paths_as_a_walk_does(pattern: str, path: str, wanted: bool) -> None:
    assert Glob.of(pattern.split("/")).matches(path.split("/")) is wanted


def test_a_local_path_needs_no_client_of_s3(tree: Path) -> None:
    code = "import sys; from sharedtask.converters.storage import *; from pathlib import Path; find('**', Path()); open_folder('out', Path())"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(*sys.modules)"], cwd=tree, capture_output=True, text=True, check=True
    )
    assert not {"pyarrow", "obstore"} & {name.partition(".")[0] for name in done.stdout.split()}


def test_only_urls_of_s3_are_remote() -> None:
    assert is_remote("s3://bucket/key")
    assert not is_remote("runs/s3/a.csv")
    for url in ("gs://bucket/key", "https://host/a.csv"):
        with pytest.raises(UnusableError, match=r":// is not supported; local paths and s3:// are"):
            is_remote(url)


def test_outputs_come_whole_and_go(tmp_path: Path) -> None:
    folder, made = open_folder("out", tmp_path), tmp_path / "made"
    assert not (tmp_path / "out").exists()
    assert (folder.names(), folder.read("data/a=1/x.csv")) == ([], None)
    made.write_bytes(b"first")
    folder.put("data/a=1/x.csv", made)
    assert not made.exists()
    folder.put_bytes("data/a=1/x.csv", b"second")
    folder.put_bytes("_SUCCESS", b"")
    there = folder.read("data/a=1/x.csv")
    assert there is not None
    assert there[0] == b"second"
    folder.download("data/a=1/x.csv", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == Path(folder.place("data/a=1/x.csv")).read_bytes() == b"second"
    assert folder.names() == ["_SUCCESS", "data/a=1/x.csv"]
    assert folder.names("data") == ["data/a=1/x.csv"]
    assert folder.names("absent") == []
    folder.remove("_SUCCESS")
    folder.remove("_SUCCESS")
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["x.csv"]


def test_swap_writes_over_what_was_read_and_over_nothing_else(tmp_path: Path) -> None:
    folder = open_folder("out", tmp_path)
    first = folder.swap("manifest.json", b"1", None)
    assert folder.read("manifest.json") == (b"1", first)
    second = folder.swap("manifest.json", b"2", first)
    for stamp in (None, first):
        with pytest.raises(ConflictError, match=r"manifest\.json: was left as it is, since another writer"):
            folder.swap("manifest.json", b"3", stamp)
    assert folder.read("manifest.json") == (b"2", second)
    assert folder.names() == ["manifest.json"]


def _count_up(root: str, times: int) -> None:
    folder = open_folder("out", Path(root))
    while times:
        there = folder.read("count")
        try:
            folder.swap("count", b"%d" % (int(there[0]) + 1 if there else 1), there and there[1])
        except ConflictError:
            continue
        times -= 1


def test_of_two_processes_that_swap_none_loses_an_update(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_count_up, args=(str(tmp_path), 25)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    assert (tmp_path / "out/count").read_bytes() == b"50"


def test_an_output_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in ("file", "file/below"):
        with pytest.raises(UnusableError, match="is a file; expected a folder for the output"):
            open_folder(path, tmp_path)
    with pytest.raises(UnusableError, match=":// is not supported"):
        open_folder("gs://bucket/out", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_an_output_that_is_not_writable_is_refused_at_once(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UnusableError, match="cannot be written: permission denied"):
        open_folder("out", tmp_path)


def test_a_failed_write_is_one_line_that_names_the_place(tmp_path: Path) -> None:
    folder = open_folder("out", tmp_path)
    (tmp_path / "out/taken").mkdir(parents=True)
    for name, wanted in (("taken", "directory"), ("taken/" + "n" * 300, "file name too long")):
        with pytest.raises(UnusableError, match=f"{name}: cannot be written: .*{wanted}"):
            folder.put_bytes(name, b"")
    with pytest.raises(UnusableError, match="cannot be read: file name too long"):
        find("n" * 300, tmp_path)
    with pytest.raises(UnusableError, match="absent: cannot be read: no such file"):
        folder.download("absent", tmp_path / "copy")


def test_a_folder_goes_with_its_last_file(tmp_path: Path) -> None:
    folder = open_folder("out", tmp_path)
    for name in ("a/b/c.txt", "a/d.txt", "e.txt"):
        folder.put_bytes(name, b"x")
    folder.remove("a/b/c.txt")
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["a", "d.txt", "e.txt"]
    folder.remove("a/d.txt")
    folder.remove("e.txt")
    assert [*(tmp_path / "out").iterdir()] == []
