"""Runs commands in this process, in a folder of their own, and records all that can be seen from outside.

It is used in worker processes only: it redirects the file descriptors 1 and 2 and changes the working directory.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaign.trial import Trial

PACKAGE = "/sharedtask/"
Started = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Done:
    """One call as it was seen: `place` is where an exception was raised that the tool did not expect."""

    args: tuple[str, ...]
    status: int
    out: str
    err: str
    peak_mb: int
    place: str = ""


@dataclass(slots=True)
class Watch:
    """What the command raised, kept before it becomes one line, and what Python opened to write."""

    raised: BaseException | None = None
    opened: list[str] | None = None


class Sandbox:
    """A folder in which the files of a trial are written afresh for each call that needs it."""

    def __init__(self, folder: Path, started: Started = lambda: None) -> None:
        self.folder, self.started, self.watch = folder, started, Watch()
        self.root = folder / "trial"
        self._wrap()
        sys.addaudithook(self._audit)

    def _wrap(self) -> None:
        """Keep what a command raises: the tool shows one line of it, and the place tells failures apart."""
        from sharedtask.pipelines import cli

        command = cli.cli.main

        def main(*args: Any, **options: Any) -> Any:
            try:
                return command(*args, **options)
            except BaseException as error:
                self.watch.raised = error
                raise

        cli.cli.main = main  # type: ignore[method-assign]

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if self.watch.opened is not None and event == "open":
            path, mode, flags = args
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) if isinstance(flags, int) else "w" in (mode or "")
            if isinstance(path, str) and writes:
                self.watch.opened.append(os.path.abspath(path))

    def fresh(self, trial: Trial, name: str = "work") -> Path:
        """A new folder with the files of a trial, the working directory from now on."""
        work = self.root / name
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
        for file, content in trial.files.items():
            (work / file).write_bytes(content.data)
        temporary = self.root / "tmp"
        temporary.mkdir(exist_ok=True)
        tempfile.tempdir = str(temporary)
        os.environ["TMPDIR"] = str(temporary)
        os.chdir(work)
        return work

    def clear(self) -> None:
        """Remove what a trial left."""
        os.chdir(self.folder)
        if self.root.exists():
            shutil.rmtree(self.root)

    def run(self, args: Sequence[str]) -> Done:
        """One call of the command line, in the working directory."""
        from sharedtask.pipelines.cli import main

        self.started()
        self.watch.raised = None
        _reset_peak()
        status, panic = 0, ""
        opened: list[str] = []
        with _captured(self.folder) as (out, err), warnings.catch_warnings():
            warnings.simplefilter("always", append=True)  # the usual ones that are hidden stay hidden
            sys.argv = ["sharedtask", *args]
            self.watch.opened = opened
            try:
                main()
            except SystemExit as stopped:
                status = stopped.code if isinstance(stopped.code, int) else 0 if stopped.code is None else 1
            except BaseException:  # what Python would show as a traceback, a panic of native code, too
                status, panic = 1, traceback.format_exc()
            finally:
                self.watch.opened = None
        outside = sorted({path for path in opened if not path.startswith((str(self.root), "/dev/", "/proc/"))})
        if outside:
            panic += f"wrote outside: {', '.join(outside)}\n"
        place = _place(self.watch.raised) if panic or "internal error" in _text(err) else ""
        return Done(tuple(args), status, _text(out), _text(err) + panic, _peak_mb(), place)

    def seen(self) -> dict[str, str]:
        """Every file of the trial's folder with a hash, and every folder."""
        return dict(_listed(self.root))


def _listed(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        yield name, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"


@contextmanager
def _captured(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Both output descriptors written to files while the block runs, so that native code is heard, too."""
    paths = folder / "stdout", folder / "stderr"
    kept = [os.dup(1), os.dup(2)]
    for number, path in enumerate(paths, 1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
        os.close(file)
    try:
        yield paths
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        for number, old in enumerate(kept, 1):
            os.dup2(old, number)
            os.close(old)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _place(error: BaseException | None) -> str:
    """The type of an exception and the innermost function of the project that it passed."""
    if error is None:
        return ""
    frames = [
        f"{Path(frame.filename).stem}.{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if PACKAGE in frame.filename
        or any(f"/{name}/" in frame.filename for name in ("schemas", "converters", "pipelines"))
    ]
    return f"{type(error).__name__} in {frames[-1] if frames else 'nowhere'}"


def _reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mb() -> int:
    """The most memory since the last reset, 0 where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    return 0
