"""The commands that are killed, each in a folder of its own: how they are started, and what they write."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import polars as pl

from sharedtask.converters import own_folder
from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.cli import cli
from sharedtask.pipelines.verbs.sample import sample
from tests import seaweed
from tests.pipelines.jobs.conftest import FAULTS, as_text, gold, run_rows
from tests.s3.proxy import Proxy

State = Mapping[str, object]  # what a command has written: the bytes of files, the rows of tables
KILLED = Path(__file__).with_name("killed.py")
PATIENCE = 60  # seconds
LOCKS = (".job.lock", ".manifest.json.lock")  # which stay, since to remove a lock lets two in at once


@dataclass(frozen=True, slots=True)
class Point:
    """Where a command is killed: `share` of its steps, by which signal, at the step or at the next change of files.

    `over` says that its outputs were there before.
    """

    work: str
    share: float
    signal: signal.Signals
    late: bool
    over: bool


class Work:
    """A command in a folder of its own, and what it writes there."""

    def __init__(self, folder: Path, call: str, make: Callable[[Path], None], outputs: tuple[str, ...]) -> None:
        self.folder, self.call, self.outputs = folder, call.split(), outputs
        self.scratch = folder.with_name(folder.name + ".tmp")
        folder.mkdir()
        self.scratch.mkdir()
        make(folder)
        self.before: State = {}

    def learn(self) -> None:
        """What the command writes when nobody disturbs it, and how many steps it takes."""
        self.put_old()
        self.before = self.state()
        self.clear()
        told = self.folder.with_name(self.folder.name + ".steps")
        done = self.start(0, signal.SIGKILL, late=False, told=str(told)).communicate()
        assert told.exists(), done
        self.steps = int(told.read_text())
        self.whole = self.state()
        assert self.whole, done

    def start(self, step: int, number: int, *, late: bool, told: str = "") -> "subprocess.Popen[str]":
        call = [sys.executable, str(KILLED), str(step), str(int(number)), "late" if late else "", told, *self.call]
        environment = {**os.environ, **self.environment(), "TMPDIR": str(self.scratch)}
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(call, cwd=self.folder, env=environment, **streams)  # type: ignore[call-overload,no-any-return]

    def environment(self) -> Mapping[str, str]:
        return {}

    def killed(self, point: Point) -> tuple[int, str]:
        """Run the command until it is killed: its status, and what it said on stderr, without the log of a job."""
        process = self.start(1 + int(point.share * self.steps), point.signal, late=point.late)
        said = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, "\n".join(line for line in said.splitlines() if not line.startswith("{"))

    def put_old(self) -> None:
        """Put there what an earlier call has left, which this one replaces."""
        for name in self.outputs:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("old")

    def clear(self) -> None:
        for name in {name.partition("/")[0] for name in self.outputs}:
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.rmtree(self.scratch)
        self.scratch.mkdir()

    def complete(self) -> None:
        """The same call once more, undisturbed."""
        own_folder._swept.clear()  # as in a new process
        here, before = Path.cwd(), os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = str(self.scratch)
        os.chdir(self.folder)
        try:
            with open(os.devnull, "w") as nothing, _stdout(nothing.fileno()):
                cli.main(self.call, standalone_mode=False)
        except click.exceptions.Exit:
            pass
        finally:
            os.chdir(here)
            os.environ.pop("TMPDIR")
            if before is not None:
                os.environ["TMPDIR"] = before

    def state(self) -> State:
        tops = {name.partition("/")[0] for name in self.outputs}
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file() and path.name not in LOCKS]
        named = {path.relative_to(self.folder).as_posix(): path for path in files}
        return {
            name: path.read_bytes()
            for name, path in named.items()
            if name.partition("/")[0] in tops and not any(part.endswith(".partial") for part in path.parts)
        }

    def litter(self) -> list[str]:
        partial = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*.partial")]
        return [*partial, *(path.name for path in self.scratch.iterdir())]

    def torn(self, state: State) -> list[str]:
        """The outputs that are neither as they were nor as they are to be."""
        known = [name for name in state if not _is_journal(name, state[name])]
        return [name for name in known if state[name] not in (self.whole.get(name), self.before.get(name))]


class JobWork(Work):
    """A job; what was there before is the output of the same job over fewer inputs."""

    def put_old(self) -> None:
        aside = self.folder / "aside.csv"
        (self.folder / "runs/sound_0.csv").rename(aside)
        self.complete()
        aside.rename(self.folder / "runs/sound_0.csv")


class DeltaWork(JobWork):
    """A job with Delta tables, which are their rows: the files of an interrupted transaction are in no table."""

    def state(self) -> State:
        files = {
            name: data
            for name, data in super().state().items()
            if not name.endswith(".parquet") or name.startswith(("out/_work/", "out/quarantine/"))
        }
        tables = {name.partition("/_delta_log/")[0] for name in files if "/_delta_log/" in name}
        plain = {name: data for name, data in files.items() if not any(name.startswith(f"{one}/") for one in tables)}
        return {**plain, **{name: rows for name in tables if (rows := _rows(self.folder / name)) is not None}}


class S3Work(JobWork):
    """A job whose output is on S3; its steps are requests."""

    def __init__(self, folder: Path, call: str, make: Callable[[Path], None], server: seaweed.Seaweed) -> None:
        self.server, self.proxy = server, Proxy(server.url, self._fate)
        os.environ.update(server.environment)
        self.url = server.new_bucket()
        self.process: subprocess.Popen[str] | None = None
        self.point: Point | None = None
        super().__init__(folder, call, make, ())
        (folder / "job.toml").write_text(JOB.replace('"out"', f'"{self.url}/out"'))

    def _fate(self, number: int, _: str) -> str:
        point, process = self.point, self.process
        if point is not None and process is not None and number == 1 + int(point.share * self.steps):
            process.send_signal(point.signal)
            return "drop" if point.late else "pass"
        return "pass"

    def environment(self) -> Mapping[str, str]:
        return {"AWS_ENDPOINT_URL": self.proxy.url}

    def learn(self) -> None:
        with self.proxy:
            super().learn()
            self.steps = self.proxy.requests

    def killed(self, point: Point) -> tuple[int, str]:
        with Proxy(self.server.url, self._fate) as self.proxy:
            self.point, self.process = point, None
            self.process = self.start(0, 0, late=False)
            said = self.process.communicate(timeout=PATIENCE)[1]
            self.point = None
        return self.process.returncode, "\n".join(line for line in said.splitlines() if not line.startswith("{"))

    def clear(self) -> None:
        super().clear()
        bucket = open_folder(self.url, Path())
        for name in bucket.names():
            bucket.remove(name)

    def state(self) -> State:
        bucket = open_folder(self.url, Path())
        return {name: (bucket.read(name) or (b"", ""))[0] for name in bucket.names()}


def _is_journal(name: str, data: object) -> bool:
    """Whether a file is a whole part of the journal of a job, or staged beside it."""
    if "/_work/" not in name or not isinstance(data, bytes):
        return False
    return bool(json.loads(data) if name.endswith(".json") else pl.read_parquet(data, hive_partitioning=False).shape)


def _rows(table: Path) -> list[str] | None:
    """The rows of a Delta table in some order; None where its first transaction did not come to its end."""
    from deltalake import DeltaTable
    from deltalake.exceptions import TableNotFoundError

    try:
        found = DeltaTable(str(table))
    except TableNotFoundError:
        return None
    rows = pl.from_arrow(found.to_pyarrow_table())
    assert isinstance(rows, pl.DataFrame)
    return sorted(map(repr, rows.select(sorted(rows.columns)).to_dicts()))


@contextmanager
def _stdout(number: int) -> Iterator[None]:
    """Both streams of this process lead elsewhere."""
    kept = [os.dup(1), os.dup(2)]
    os.dup2(number, 1)
    os.dup2(number, 2)
    try:
        yield
    finally:
        for stream, before in zip((1, 2), kept, strict=True):
            os.dup2(before, stream)
            os.close(before)


JOB = """
inputs = ["runs/*.csv"]
output = "out"
steps = ["validate", "convert", "check", "score"]
reference = "sentences_en_val.csv"
"""


def _samples(task: str) -> Callable[[Path], None]:
    return lambda folder: [*sample(task, folder, rows=60)].clear()


def _runs(table: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / "runs").mkdir()
        (folder / "sentences_en_val.csv").write_text(gold())
        for number in range(4):
            (folder / f"runs/sound_{number}.csv").write_text(as_text(run_rows(number)))
        for number, name in enumerate(["short_row", "bad_value"]):
            (folder / f"runs/{name}.csv").write_text(FAULTS[name](run_rows(number)))
        (folder / "job.toml").write_text(f'{JOB}table = "{table}"\n')

    return make


def works(folder: Path, server: seaweed.Seaweed | None) -> dict[str, Work]:
    """The commands, by name; the one on S3 needs a server."""
    test, train = "5w1h_subtarea_1_test.json", "5w1h_subtarea_1_train.json"
    sentences, parts = "sentences_en_train.csv", ("a", "b")
    calls: dict[str, tuple[str, str, tuple[str, ...]]] = {
        "convert": (f"convert {sentences} --out tables", "cheers", ("tables/sentences_en_train.parquet",)),
        "convert to csv": (f"convert {sentences} --out tables --to csv", "cheers", ("tables/sentences_en_train.csv",)),
        "fix": (f"fix subtask_1_run.csv --against {test} --out fixed/run.csv", "flares", ("fixed/run.csv",)),
        "export": (f"export {train} --out again/train.json", "flares", ("again/train.json",)),
        "splits make": (
            f"splits make {sentences} --sizes a=.5,b=.5 --seed 1 --out parts",
            "cheers",
            tuple(f"parts/{part}.csv" for part in parts),
        ),
    }
    made: dict[str, Work] = {
        name: Work(folder / name.replace(" ", "_"), call, _samples(task), outputs)
        for name, (call, task, outputs) in calls.items()
    }
    made["job"] = JobWork(folder / "job", "job job.toml", _runs("none"), ("out",))
    made["job with Delta"] = DeltaWork(folder / "delta", "job job.toml", _runs("delta"), ("out",))
    if server is not None:
        made["job on S3"] = S3Work(folder / "s3", "job job.toml", _runs("none"), server)
    return made
