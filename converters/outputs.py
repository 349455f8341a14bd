"""The one way out: each file that a call writes is checked before any work is done, and is then whole or absent."""

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from sharedtask.converters.atomic import whole_file
from sharedtask.converters.errors import UnusableError, UnwritableError, reason
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.converters.source import STDIN, refuse_changed_sources
from sharedtask.converters.storage import Folder, is_remote, open_folder

# as the system words them, also through Polars
_FULL = ("No space left on device", "Disk quota exceeded", "File too large")
_SINGLE_SLASH = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]+):/(?!/)")
_LINKS = 40  # that a system follows
_MEMORY = "/dev/shm/"  # noqa: S108 - holds regular files, like any folder

Way = Callable[[], AbstractContextManager[Path]]


@dataclass(frozen=True, slots=True)
class Target:
    """An output that passed the checks of `Outputs.file`; nothing is written before `open`."""

    path: str  # as the user gave it
    _way: Way = field(repr=False, compare=False)
    _gone: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)

    def discard(self) -> None:
        """Remove what an earlier call wrote to a regular file or an object of this path; a missing one is no error."""
        self._gone()

    @contextmanager
    def open(self) -> Iterator[Path]:
        """A local temporary file with the name of the output, which it becomes if the block ends without an exception.

        If the block leaves no temporary file, nothing is written. A regular file is replaced as a whole, and a link to
        it stays. A device or a pipe gets the bytes when they are complete; a named pipe is waited for until it has a
        reader. S3 gets an object. Raises UnwritableError where the output cannot be written or the disk is full, also
        in the block, and UnusableError where S3 refuses, or where an input that is open was changed meanwhile. Lets
        BrokenPipeError through.
        """
        with _one_line_when_full(self.path), self._way() as temporary:
            yield temporary
            refuse_changed_sources()


class Outputs:
    """All the files that one call writes; each is checked before any work is done.

    `inputs` are the paths that the call reads: local files and folders, `s3://` URLs, `-` for standard input.
    """

    def __init__(self, inputs: Iterable[str | Path] = ()) -> None:
        self._inputs = _Places()
        self._reserved = _Places()
        self._above: dict[str, str] = {}  # folders of the outputs: an output cannot be a folder of another
        self._buckets: dict[str, Folder] = {}
        self.also_reads(inputs)

    def also_reads(self, paths: Iterable[str | Path]) -> None:
        """Add inputs that were found later, such as the files of a folder.

        Raises UnusableError if one of them is already an output of this call.
        """
        for path in map(_text, paths):
            if path == STDIN or "\0" in path:
                continue
            if (output := self._reserved.find(path)) is not None:
                raise _is_an_input(output)
            self._inputs.add(path)

    def file(self, path: str | Path) -> Target:
        """An output of this call, which is a file, a device, a pipe or an S3 object.

        Raises UnusableError if it is an input or another output of this command, under whatever name; if it is a
        folder, a socket or a URL other than `s3://`; or if it is already clear that it cannot be written.
        """
        path = _spelled(path)
        if is_remote(path):
            folder, _, name = path.rpartition("/")
            way = self._object(path)
            return Target(path, way, partial(self._buckets[folder].remove, name))
        own, found = _own_descriptor(path), _stat(path)
        if own is not None or (found and _is_stream(found)) or _is_of_the_system(path):
            _check_stream(path, found, own)
            if own is None and found and stat.S_ISFIFO(found.st_mode):
                self._reserve(path)  # of a pipe there is one reader, who waits for one file
            return Target(path, partial(_finished, path, partial(_pour, path, own)))
        self._reserve(path)
        if found and stat.S_ISDIR(found.st_mode):
            raise _is_a_folder(path)
        real = Path(os.path.realpath(path) if os.path.islink(path) else path)
        _check_folder(path, real)
        way = partial(whole_file, real, os.path.basename(path))
        return Target(path, way, partial(Path(path).unlink, missing_ok=True))

    def _object(self, url: str) -> Way:
        folder, _, name = url.rpartition("/")
        if not name or "/" not in url.removeprefix("s3://"):
            raise UnusableError(f"{url}: is a folder; expected a file, such as {url.rstrip('/')}/name")
        self._reserve(url)
        if folder not in self._buckets:
            self._buckets[folder] = open_folder(folder, Path())
        return partial(_finished, url, partial(self._buckets[folder].put, name))

    def _reserve(self, path: str) -> None:
        if self._inputs.find(path) is not None:
            raise _is_an_input(path)
        if self._reserved.find(path) is not None:
            raise UnusableError(f"{path}: two outputs of this command would be written to it")
        above, own = _parents(path), _location(path)
        if own in self._above:
            raise UnusableError(f"{path}: is the folder of another output of this command, {self._above[own]}")
        for parent in above:
            if (other := self._reserved.at(parent)) is not None:
                raise UnusableError(f"{path}: would be below {other}, which is another output of this command")
        self._reserved.add(path)
        self._above.update(dict.fromkeys(above, path))


class _Places:
    """Paths, found again by the file that they lead to."""

    def __init__(self) -> None:
        self._located: dict[str, str] = {}
        self._files: dict[tuple[int, int], str] = {}

    def add(self, path: str) -> None:
        self._located.setdefault(_location(path), path)
        if identity := _identity(path):
            self._files[identity] = path

    def find(self, path: str) -> str | None:
        """The path, as it was added, that leads to the same file; None where there is none."""
        if (known := self.at(_location(path))) is not None:
            return known
        identity = _identity(path)
        known = self._files.get(identity) if identity else None
        if known is None or _identity(known) != identity:  # replaced meanwhile, and its number given to a new file
            return None
        return known

    def at(self, location: str) -> str | None:
        return self._located.get(location)


def join(folder: str | Path, name: str) -> str:
    """The path of a file in an output folder, local or `s3://`. Raises UnusableError for any other URL."""
    folder = _text(folder)
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else os.path.join(folder, name)


def _text(path: str | Path) -> str:
    """A path as text; the second slash of a URL, which `Path` drops, is put back."""
    return path if isinstance(path, str) else _SINGLE_SLASH.sub(r"\1://", str(path), count=1)


def _spelled(path: str | Path) -> str:
    """An output's path as text. Raises UnusableError where it cannot name a file."""
    path = _text(path)
    if not path:
        raise UnusableError("the path of an output is empty; expected the name of a file")
    if "\0" in path or any("\udc80" <= character <= "\udcff" for character in path):
        raise UnusableError(f"{path!a}: cannot be written: the name is not valid UTF-8 text")
    if path.endswith(os.sep) and not is_remote(path):
        raise _is_a_folder(path)
    return path


def _is_url(path: str) -> bool:
    try:
        return is_remote(path)
    except UnusableError:
        return True


def _location(path: str) -> str:
    """An absolute path without links, also of a file that does not exist yet; a URL as it is."""
    return path if _is_url(path) else os.path.realpath(path)


def _parents(path: str) -> list[str]:
    return [] if _is_url(path) else [str(parent) for parent in Path(_location(path)).parents]


def _identity(path: str) -> tuple[int, int] | None:
    """What is the same for all names of an existing regular file; None for anything else."""
    try:
        found = None if _is_url(path) else os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if found and stat.S_ISREG(found.st_mode) else None


def _stat(path: str) -> os.stat_result | None:
    """What a path leads to; None where there is nothing. Raises UnwritableError."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unwritable(path, error) from None


def _is_stream(found: os.stat_result) -> bool:
    return not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def _stations(path: str) -> Iterator[str]:
    """An absolute path, and the paths that its symbolic link leads to, one after another."""
    for _ in range(_LINKS):
        folder, name = os.path.split(path)
        path = os.path.join(os.path.realpath(folder or os.curdir), name)
        yield path
        try:
            path = os.path.join(os.path.dirname(path), os.readlink(path))
        except OSError:  # it is not a link
            return


def _is_of_the_system(path: str) -> bool:
    """Whether a path leads through /dev or /proc, as /dev/stdout does even if stdout is a file."""
    return any(one.startswith(("/dev/", "/proc/")) and not one.startswith(_MEMORY) for one in _stations(path))


def _own_descriptor(path: str) -> int | None:
    """The file descriptor of this process that a path such as /dev/stdout or /dev/fd/3 means."""
    own = re.compile(rf"/proc/{os.getpid()}/fd/([0-9]+)")
    return next((int(match[1]) for one in _stations(path) if (match := own.fullmatch(one))), None)


def _check_stream(path: str, found: os.stat_result | None, own: int | None) -> None:
    """Raises UnusableError where a device, a pipe or a path below /dev or /proc cannot be written."""
    if found is None:
        raise UnwritableError(f"{path}: cannot be written: there is no such device or pipe")
    if stat.S_ISDIR(found.st_mode):
        raise _is_a_folder(path)
    if own is None and stat.S_ISSOCK(found.st_mode):
        raise UnusableError(f"{path}: is a socket; expected a file")
    if own is None and not os.access(path, os.W_OK):
        raise UnwritableError(f"{path}: cannot be written: permission denied")


def _check_folder(path: str, real: Path) -> None:
    """Raises UnusableError where a regular file cannot be put into its folder, or the folder cannot be made."""
    existing = next(parent for parent in real.absolute().parents if os.path.lexists(parent))
    if not existing.is_dir():
        raise UnusableError(f"{path}: cannot be written: {existing} is not a folder")
    for name in real.absolute().relative_to(existing).parts:
        try:
            os.lstat(existing / name)
        except FileNotFoundError:
            continue
        except OSError as error:  # the name is too long
            raise _unwritable(path, error) from None
    if not os.access(existing, os.W_OK | os.X_OK):
        read_only = os.statvfs(existing).f_flag & os.ST_RDONLY
        why = "read-only file system" if read_only else f"permission denied; allow writing to {existing}"
        raise UnwritableError(f"{path}: cannot be written: {why}")


@contextmanager
def _finished(path: str, deliver: Callable[[Path], None]) -> Iterator[Path]:
    """A temporary file in a temporary folder, which is delivered when it is finished."""
    with scratch_folder() as folder:
        temporary = folder / os.path.basename(path)
        yield temporary
        if temporary.exists():
            deliver(temporary)


def _pour(path: str, own: int | None, temporary: Path) -> None:
    """Write a finished file into a device or a pipe. An own descriptor is written to as it is, so `>> file` appends."""

    def existing(name: str, flags: int) -> int:
        return os.open(name, flags & ~os.O_CREAT) if own is None else os.dup(own)

    try:
        with temporary.open("rb") as source, open(path, "wb", opener=existing) as stream:
            shutil.copyfileobj(source, stream)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


@contextmanager
def _one_line_when_full(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        text = str(error)
        full = next((words for words in _FULL if words in text), None)
        if full is None:
            raise
        raise UnwritableError(f"{path}: cannot be written: {full.lower()}") from None


def _is_an_input(path: str) -> UnusableError:
    return UnusableError(f"{path}: is an input of this command; choose another output file")


def _is_a_folder(path: str) -> UnusableError:
    return UnusableError(f"{path}: is a folder; expected a file")


def _unwritable(path: str, error: OSError) -> UnwritableError:
    return UnwritableError(f"{path}: cannot be written: {reason(error)}")
