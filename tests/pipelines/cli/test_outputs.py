"""Every output of every verb, on whatever can be at its path: the right thing each time, and nothing is destroyed."""

import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from sharedtask.pipelines.cli import cli, main
from sharedtask.pipelines.verbs.sample import sample

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices and mount")

TRAIN, TEST, RUN = "flares/5w1h_subtarea_1_train.json", "flares/5w1h_subtarea_1_test.json", "flares/subtask_1_run.csv"
SENTENCES, VAL, CHEERS_RUN = "cheers/sentences_en_train.csv", "cheers/sentences_en_val.csv", "cheers/run_en_val.csv"
POSTS, RESULTS, VOTES = "reintel/public_test.csv", "reintel/results.csv", "reintel/annotations.csv"

# Each output that is a file: the verb and its option, the call with OUT in its place, and an input of that call.
REPORTS = {
    "validate": f"validate {SENTENCES}",
    "convert": f"convert {SENTENCES} --out tables",
    "export": f"export {TRAIN} --out again.csv",
    "derive labels": f"derive labels {VOTES} --out labels.csv",
    "derive subtask2": f"derive subtask2 {TRAIN} --out subtask2.json",
    "diff": f"diff {SENTENCES} {VAL}",
    "check": f"check {RUN} --against {TEST}",
    "fix": f"fix {RUN} --against {TEST} --out fixed.csv",
    "template": f"template --against {TEST} --out template.csv",
    "pack": f"pack {RESULTS} --against {POSTS} --out submission.zip",
    "score": f"score {CHEERS_RUN} --against {VAL}",
    "compare": f"compare {CHEERS_RUN} {CHEERS_RUN} --against {VAL}",
    "baseline": f"baseline --train {SENTENCES} --against {VAL} --seed 1 --out baseline.csv",
    "splits check": f"splits check {SENTENCES} {VAL}",
    "splits make": f"splits make {SENTENCES} --sizes a=.5,b=.5 --seed 1 --out parts",
}
FILES = {
    **{(verb, "--output-file"): f"{call} --output-file OUT" for verb, call in REPORTS.items()},
    ("export", "--out"): f"export {TRAIN} --out OUT.csv",
    ("derive labels", "--out"): f"derive labels {VOTES} --out OUT.csv",
    ("derive subtask2", "--out"): f"derive subtask2 {TRAIN} --out OUT.json",
    ("fix", "--out"): f"fix {RUN} --against {TEST} --out OUT.csv",
    ("template", "--out"): f"template --against {TEST} --out OUT.csv",
    ("pack", "--out"): f"pack {RESULTS} --against {POSTS} --out OUT.zip",
    ("score", "--per-item"): f"score {CHEERS_RUN} --against {VAL} --per-item OUT.csv",
    ("baseline", "--out"): f"baseline --train {SENTENCES} --against {VAL} --seed 1 --out OUT.csv",
}
FOLDERS = {
    ("validate", "--quarantine"): "validate bad.csv --quarantine OUT",
    ("convert", "--out"): f"convert {SENTENCES} --out OUT",
    ("splits make", "--out"): f"splits make {SENTENCES} --sizes a=.5,b=.5 --seed 1 --out OUT",
    ("sample", "--out"): "sample cheers --rows 5 --out OUT",
}
each_file = pytest.mark.parametrize("output", FILES, ids=" ".join)
each_folder = pytest.mark.parametrize("output", FOLDERS, ids=" ".join)
Call = Callable[[str], tuple[int, str]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for task in ("flares", "cheers", "reintel"):
        sample(task, folder / task, rows=20)
    (folder / "bad.csv").write_text("doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n1,0,Wells.,maybe,[]\n")
    return folder


@pytest.fixture
def folder(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the samples."""
    work = tmp_path / "work"
    shutil.copytree(samples, work)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Makes a call on the command line: its status, and what it said on stderr, which is one line or none."""

    def called(arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["sharedtask", *arguments.split()])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capfd.readouterr().err
        assert told.count("\n") <= 1, told
        return int(str(stopped.value.code)), told

    return called


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two pages, of which a folder takes none."""
    yield from mounted(tmp_path / "small", "size=8k,nr_inodes=64")


def mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def out_of(call: str) -> str:
    """The word of a call that stands for its output."""
    return next(word for word in call.split() if word.startswith("OUT"))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def written_by(run: Call, folder: Path, call: str) -> tuple[int, bytes]:
    """The status of a call that writes a file, and the bytes of this file; the file is taken away again."""
    status, told = run(call)
    assert told == ""
    path = folder / out_of(call)
    content = path.read_bytes()
    path.unlink()
    return status, content


def test_each_output_is_tried() -> None:
    found = set()
    names = {"--output-file", "--out", "--per-item", "--quarantine"}
    for verb, command in commands(cli):
        found |= {(verb, option) for parameter in command.params for option in parameter.opts if option in names}
    assert found == set(FILES) | set(FOLDERS)


def commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


@each_file
@root_only
def test_a_device_stays_a_device(run: Call, folder: Path, output: tuple[str, str]) -> None:
    status, _ = written_by(run, folder, FILES[output])
    device = folder / out_of(FILES[output])
    os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    assert run(FILES[output]) == (status, "")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert os.stat(device).st_rdev == os.makedev(1, 3)


@each_file
def test_a_pipe_gets_what_a_file_would_get(run: Call, folder: Path, output: tuple[str, str]) -> None:
    status, content = written_by(run, folder, FILES[output])
    pipe = folder / out_of(FILES[output])
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    done = run(FILES[output])
    reader.join(timeout=60)
    assert done == (status, "")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [one.replace(str(pipe).encode(), b"") for one in got] == [content]


@each_file
def test_a_link_stays_and_its_file_is_replaced(run: Call, folder: Path, output: tuple[str, str]) -> None:
    status, content = written_by(run, folder, FILES[output])
    link, file = folder / out_of(FILES[output]), folder / "elsewhere" / "file"
    file.parent.mkdir()
    file.write_text("old")
    link.symlink_to("elsewhere/file")
    assert run(FILES[output]) == (status, "")
    assert os.readlink(link) == "elsewhere/file"
    assert file.read_bytes() == content
    assert os.listdir(file.parent) == ["file"]


@each_file
def test_no_input_is_written_over(run: Call, folder: Path, output: tuple[str, str]) -> None:
    call = FILES[output]
    for path in [word for word in call.split() if "/" in word]:
        under = folder / out_of(call)
        under.unlink(missing_ok=True)
        under.symlink_to(path)
        before = tree(folder)
        status, told = run(call)
        assert status == 2
        assert told == f"sharedtask: {under.name}: is an input of this command; choose another output file\n"
        assert tree(folder) == before


@pytest.mark.parametrize("verb", [verb for verb, option in FILES if option != "--output-file"])
def test_no_output_is_written_over_another(run: Call, folder: Path, verb: str) -> None:
    (call,) = [call for (name, option), call in FILES.items() if name == verb and option != "--output-file"]
    before = tree(folder)
    status, told = run(f"{call} --output-file ./{out_of(call)}")
    assert status == 2
    assert "two outputs of this command" in told
    assert tree(folder) == before


@each_file
@root_only
def test_a_read_only_folder_is_named_before_any_work(
    run: Call, folder: Path, output: tuple[str, str], tmp_path: Path
) -> None:
    for mount in mounted(tmp_path / "fixed", "size=1m"):
        subprocess.run(["mount", "-o", "remount,ro", mount], check=True)
        before = tree(folder)
        status, told = run(FILES[output].replace("OUT", f"{mount}/OUT"))
        assert status == 2
        assert "read-only file system" in told
        assert tree(folder) == before


@each_file
@root_only
def test_a_full_disk_leaves_no_part_of_a_file(run: Call, small_disk: Path, output: tuple[str, str]) -> None:
    (small_disk / "filler").write_bytes(b"x" * 8192)
    status, told = run(FILES[output].replace("OUT", f"{small_disk}/OUT"))
    assert status == 2
    assert "no space left on device" in told
    assert os.listdir(small_disk) == ["filler"]


@each_folder
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.write_text("mine")], ids=["pipe", "file"])
def test_a_folder_cannot_be_something_else(
    run: Call, folder: Path, output: tuple[str, str], make: Callable[[Path], object]
) -> None:
    make(folder / "OUT")
    before = tree(folder)
    status, told = run(FOLDERS[output])
    assert status == 2
    assert told.startswith("sharedtask: OUT")
    assert tree(folder) == before


@each_folder
def test_a_folder_may_be_a_link(run: Call, folder: Path, output: tuple[str, str]) -> None:
    (folder / "real").mkdir()
    (folder / "OUT").symlink_to("real")
    status, told = run(FOLDERS[output])
    assert (status, told) == (int(output[0] == "validate"), "")
    assert (folder / "OUT").is_symlink()
    assert tree(folder / "real")


@each_folder
@root_only
def test_a_full_disk_leaves_no_part_of_a_folder(run: Call, small_disk: Path, output: tuple[str, str]) -> None:
    (small_disk / "filler").write_bytes(b"x" * 8192)
    status, told = run(FOLDERS[output].replace("OUT", f"{small_disk}/OUT"))
    assert status == 2
    assert "no space left on device" in told
    assert tree(small_disk).keys() == {"filler"}


def test_a_table_is_not_written_over_its_source(run: Call, folder: Path) -> None:
    run(f"convert {SENTENCES} --out tables --to csv")
    (table,) = (folder / "tables").rglob("*.csv")
    before = tree(folder)
    status, told = run(f"convert {table.relative_to(folder)} --out {table.parent.relative_to(folder)} --to csv")
    assert status == 2
    assert "is an input of this command" in told
    assert tree(folder) == before


def test_a_card_is_not_written_over_what_it_describes(run: Call, folder: Path) -> None:
    (folder / "cheers" / "README.md").symlink_to("sentences_en_val.csv")
    before = tree(folder)
    status, told = run("card cheers --force")
    assert status == 2
    assert "is an input of this command" in told
    assert tree(folder) == before


def test_a_job_does_not_write_into_what_it_reads(run: Call, folder: Path) -> None:
    (folder / "job.toml").write_text(
        'inputs = ["cheers/*.csv"]\noutput = "cheers/run_en_val.csv"\nsteps = ["validate"]\n'
    )
    before = tree(folder)
    status, told = run("job job.toml")
    assert status == 2
    assert "cheers/run_en_val.csv" in told
    assert tree(folder) == before
