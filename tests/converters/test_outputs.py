"""Outputs are checked before any work is done, and whatever they are, they get whole files or nothing."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError, UnwritableError
from sharedtask.converters.outputs import Outputs, Target, join

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices, mount, or be somebody else")


def write(target: Target, text: str = "whole") -> None:
    with target.open() as temporary:
        temporary.write_text(text)


def fail_half_way(target: Target, error: BaseException) -> None:
    with target.open() as temporary:
        temporary.write_text("half")
        raise error


@contextmanager
def refused(message: str) -> Iterator[None]:
    """Holds the block to be refused with exactly this line."""
    with pytest.raises(UnusableError) as raised:
        yield
    assert str(raised.value) == message


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


# Regular files


def test_a_file_is_written_whole_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.csv"
    target = Outputs().file(path)
    assert not (tmp_path / "a").exists()
    assert target.path == str(path)
    with target.open() as temporary:
        assert temporary.name == "x.csv"
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["x.csv"]


def test_a_block_that_fails_or_leaves_nothing_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    for error in (ZeroDivisionError(), KeyboardInterrupt(), OSError("something else"), BrokenPipeError()):
        with pytest.raises(type(error)):
            fail_half_way(Outputs().file(path), error)
    with Outputs().file(path).open():
        pass
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.csv"]


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file, link = tmp_path / "data" / "x.parquet", tmp_path / "latest.csv"
    file.write_text("old")
    link.symlink_to("data/x.parquet")
    with Outputs().file(link).open() as temporary:
        assert temporary.name == "latest.csv"
        temporary.write_text("new")
    assert os.readlink(link) == "data/x.parquet"
    assert file.read_text() == "new"
    assert (os.listdir(tmp_path / "data"), len(os.listdir(tmp_path))) == (["x.parquet"], 2)


def test_a_dangling_link_makes_the_file_that_it_names(tmp_path: Path) -> None:
    link = tmp_path / "latest.csv"
    link.symlink_to("new/x.csv")
    write(Outputs().file(link))
    assert link.is_symlink()
    assert (tmp_path / "new" / "x.csv").read_text() == "whole"


def test_a_link_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with refused(f"{tmp_path}/a: cannot be written: too many levels of symbolic links"):
        Outputs().file(tmp_path / "a")


def test_a_name_of_255_bytes(tmp_path: Path) -> None:
    path = tmp_path / ("ñ" * 127 + "n")
    write(Outputs().file(path))
    assert path.read_text() == "whole"
    for name in ("n" * 256, f"new/{'n' * 256}", f"{'n' * 256}/new"):
        path = tmp_path / name
        with refused(f"{path}: cannot be written: file name too long"):
            Outputs().file(path)


def test_names_that_cannot_be_an_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    for path, message in {
        "": "the path of an output is empty; expected the name of a file",
        ".": ".: is a folder; expected a file",
        "folder": "folder: is a folder; expected a file",
        "new/": "new/: is a folder; expected a file",
        "file/x.csv": f"file/x.csv: cannot be written: {tmp_path}/file is not a folder",
        "file/new/x.csv": f"file/new/x.csv: cannot be written: {tmp_path}/file is not a folder",
        "gs://bucket/x.csv": "gs://bucket/x.csv: gs:// is not supported; local paths and s3:// are",
        "a\0b": r"'a\x00b': cannot be written: the name is not valid UTF-8 text",
        os.fsdecode(b"\xff.csv"): r"'\udcff.csv': cannot be written: the name is not valid UTF-8 text",
    }.items():
        with refused(message):
            Outputs().file(path)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with refused("s: is a socket; expected a file"):
            Outputs().file("s")


# Inputs and other outputs


@pytest.mark.parametrize("spelling", ["in.csv", "./in.csv", "sub/../in.csv", "link.csv", "hard.csv", "linked/in.csv"])
def test_an_input_under_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "in.csv"
    file.write_text("gold")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "linked").symlink_to(".")
    os.link(file, tmp_path / "hard.csv")
    for inputs in (["other.csv", "in.csv"], [file.absolute()], [tmp_path / "link.csv"]):
        with refused(f"{spelling}: is an input of this command; choose another output file"):
            Outputs(inputs).file(spelling)
    outputs = Outputs()
    outputs.file(spelling)
    with refused(f"{spelling}: is an input of this command; choose another output file"):
        outputs.also_reads(["other.csv", file])
    assert file.read_text() == "gold"


def test_a_folder_that_is_read_may_be_written_to_but_its_files_may_not(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("gold")
    outputs = Outputs([tmp_path, "-"])
    outputs.also_reads([tmp_path / "in.csv"])
    outputs.file(tmp_path / "out.csv")
    with refused(f"{tmp_path}/in.csv: is an input of this command; choose another output file"):
        outputs.file(tmp_path / "in.csv")
    with refused(f"{tmp_path}/out.csv: is an input of this command; choose another output file"):
        outputs.also_reads([tmp_path / "out.csv"])


def test_standard_input_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = Outputs(["-"])
    write(outputs.file("-"))
    outputs.also_reads(["-"])
    assert Path("-").read_text() == "whole"


def test_an_input_that_does_not_exist_or_is_elsewhere(tmp_path: Path) -> None:
    outputs = Outputs([tmp_path / "absent.csv", "gs://b/x.csv", "s3://b/x.csv", "a\0b", ""])
    with refused(f"{tmp_path}/absent.csv: is an input of this command; choose another output file"):
        outputs.file(tmp_path / "absent.csv")
    with refused("s3://b/x.csv: is an input of this command; choose another output file"):
        outputs.file("s3://b/x.csv")
    outputs.file(tmp_path / "x.csv")


@pytest.mark.parametrize("existing", [True, False])
def test_two_outputs_with_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool) -> None:
    monkeypatch.chdir(tmp_path)
    if existing:
        Path("x.csv").write_text("old")
    Path("link.csv").symlink_to("x.csv")
    outputs = Outputs()
    target = outputs.file("x.csv")
    for spelling in ("x.csv", "./x.csv", "link.csv", str(tmp_path / "x.csv")):
        with refused(f"{spelling}: two outputs of this command would be written to it"):
            outputs.file(spelling)
    write(target)
    with refused("link.csv: two outputs of this command would be written to it"):
        outputs.file("link.csv")
    write(outputs.file("y.csv"))


def test_an_output_cannot_be_the_folder_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = Outputs()
    outputs.file("x/y/z.csv")
    outputs.file("x.csv")
    with refused("x: is the folder of another output of this command, x/y/z.csv"):
        outputs.file("x")
    with refused("x.csv/a: would be below x.csv, which is another output of this command"):
        outputs.file("x.csv/a")


# Devices and pipes


@root_only
def test_a_device_stays_a_device(tmp_path: Path) -> None:
    null, full = tmp_path / "null", tmp_path / "full"
    os.mknod(null, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    os.mknod(full, stat.S_IFCHR | 0o600, os.makedev(1, 7))
    outputs = Outputs([null])
    write(outputs.file(null))
    write(outputs.file(null), "again")  # any number of outputs
    with refused(f"{full}: cannot be written: no space left on device"):
        write(outputs.file(full), "whole" * 10_000)
    assert os.stat(null).st_rdev == os.makedev(1, 3)
    assert sorted(os.listdir(tmp_path)) == ["full", "null"]


def test_dev_null_stays_a_device(tmp_path: Path) -> None:
    before = sorted(os.listdir("/dev"))
    link = tmp_path / "nothing.csv"
    link.symlink_to("/dev/null")
    outputs = Outputs(["/dev/null"])
    for path in ("/dev/null", "/dev/null", link):
        write(outputs.file(path))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert link.is_symlink()
    assert sorted(os.listdir("/dev")) == before
    with refused("/dev/nul: cannot be written: there is no such device or pipe"):
        outputs.file("/dev/nul")


def test_a_named_pipe_gets_the_bytes_when_they_are_complete(tmp_path: Path) -> None:
    path, got = tmp_path / "pipe.csv", list[bytes]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    text = "0123456789" * 100_000  # more than a pipe holds
    with pytest.raises(ZeroDivisionError):
        fail_half_way(Outputs().file(path), ZeroDivisionError())
    write(Outputs().file(path), text)
    reader.join(10)
    assert got == [text.encode()]
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert os.listdir(tmp_path) == ["pipe.csv"]


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: path.open("rb").close(), daemon=True)
    reader.start()
    with pytest.raises(BrokenPipeError):
        write(Outputs().file(path), "0123456789" * 100_000)
    reader.join(10)


def test_a_descriptor_of_this_process(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as source:
        with open(writing, "wb"):
            write(Outputs().file(f"/dev/fd/{writing}"))
        assert source.read() == b"whole"
    with refused(f"/dev/fd/{writing}: cannot be written: there is no such device or pipe"):
        Outputs().file(f"/dev/fd/{writing}")


def test_standard_output_that_is_a_file_is_added_to(tmp_path: Path) -> None:
    path, link = tmp_path / "log", tmp_path / "link"
    path.write_text("old\n")
    link.symlink_to("/dev/stdout")
    code = (
        "import sys; from sharedtask.converters.outputs import Outputs\n"
        "with Outputs().file(sys.argv[1]).open() as temporary: temporary.write_text('new\\n')"
    )
    for stdout in ("/dev/stdout", link):
        with path.open("ab") as log:
            subprocess.run([sys.executable, "-c", code, stdout], stdout=log, check=True)
    assert path.read_text() == "old\nnew\nnew\n"
    assert sorted(os.listdir(tmp_path)) == ["link", "log"]


# Folders that refuse, and full ones


@root_only
def test_a_folder_of_somebody_else() -> None:
    code = (
        "import os, sys; from sharedtask.converters.outputs import Outputs\n"
        f"os.setuid({NOBODY})\n"
        "for path in sys.argv[1:]:\n"
        "    try: Outputs().file(path)\n"
        "    except Exception as error: print(error)"
    )
    with tempfile.TemporaryDirectory() as name:  # what pytest makes is closed to others
        folder, closed = Path(name), Path(name, "closed")
        folder.chmod(0o755)
        closed.mkdir(mode=0o700)
        (folder / "x.csv").write_text("old")
        paths = [folder / "x.csv", folder / "new" / "x.csv", closed / "x.csv"]
        done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    why = f"cannot be written: permission denied; allow writing to {folder}"
    assert done.stdout.splitlines() == [
        f"{folder}/x.csv: {why}",
        f"{folder}/new/x.csv: {why}",
        f"{closed}/x.csv: cannot be written: permission denied",
    ]


@root_only
def test_a_file_system_that_is_read_only(mounted: Path) -> None:
    (mounted / "x.csv").write_text("old")
    subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
    for path in (mounted / "x.csv", mounted / "new.csv", mounted / "new" / "x.csv"):
        with refused(f"{path}: cannot be written: read-only file system"):
            Outputs().file(path)


@root_only
@pytest.mark.parametrize("form", ["csv", "parquet", "ipc", "ndjson", "text", "copy"])
def test_a_disk_that_fills_up(mounted: Path, form: str) -> None:
    path = mounted / "x"
    path.write_text("old")
    frame = pl.LazyFrame({"a": [os.urandom(20).hex() for _ in range(20_000)]})
    with refused(f"{path}: cannot be written: no space left on device"), Outputs().file(path).open() as temporary:
        if form == "text":
            temporary.write_bytes(bytes(1 << 20))
        elif form == "copy":
            frame.collect().write_parquet(temporary)
        else:
            getattr(frame, f"sink_{form}")(temporary)
    assert path.read_text() == "old"
    assert os.listdir(mounted) == ["x"]


# S3


@pytest.mark.parametrize("path", ["s3://bucket/out/x.csv", Path("s3://bucket/out/x.csv")])
def test_s3_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str | Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "obstore"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "obstore", None)
    with refused("s3://bucket/out: to write to S3, pip install sharedtask[s3]"):
        Outputs().file(path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("url", ["s3://bucket", "s3://bucket/", "s3://bucket/out/"])
def test_s3_without_a_name(url: str) -> None:
    with refused(f"{url}: is a folder; expected a file, such as {url.rstrip('/')}/name"):
        Outputs().file(url)


def test_join() -> None:
    assert join("s3://b/p", "x.csv") == "s3://b/p/x.csv"
    assert join("s3://b/p/", "q/x.csv") == "s3://b/p/q/x.csv"
    assert join(Path("s3://b/p"), "x.csv") == "s3://b/p/x.csv"
    assert join("out", "x.csv") == join("out/", "x.csv") == join(Path("out"), "x.csv") == "out/x.csv"
    with refused("gs://b: gs:// is not supported; local paths and s3:// are"):
        join("gs://b", "x.csv")


def test_what_cannot_be_written_is_unusable() -> None:
    assert issubclass(UnwritableError, UnusableError)
