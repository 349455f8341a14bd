"""Files that are whole or absent, and the hash of a file."""

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.errors import UnwritableError, reason

_NAME_BYTES = 255  # the longest file name of the usual file systems
_TOKEN_BYTES = 8
_ENDING = ".partial"
_PARTIAL = re.compile(r"(\..*\.)[0-9a-f]{1,16}\.partial", re.DOTALL)  # earlier versions had a process id for the token
_HOUR = 3600  # seconds


@contextmanager
def whole_file(path: Path, name: str | None = None) -> Iterator[Path]:
    """A temporary file to write to, called `name` (by default as `path`), in a hidden folder beside `path`.

    It becomes `path`, synced to disk, only if the block ends without an exception. A block that leaves the temporary
    file unwritten, or removes it, leaves `path` as it was.

    The folder has a random name, so no two writers share it. It holds a lock that the system releases when this process
    ends, however it ends, so the folders of dead writers can be told apart; those of `path` are removed here. When a
    query is interrupted its threads continue for a while, and no longer find a place for their file.

    Raises UnwritableError where the folder or the file cannot be written.
    """
    token = secrets.token_hex(_TOKEN_BYTES)
    folder = path.with_name(f"{_stem(path.name)}{token}{_ENDING}")
    temporary = folder / (name or path.name)
    lock = None
    try:
        with _writable(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_dead_of(path)
            folder.mkdir()
            lock = _locked(folder, token)
        with _writable(path):
            temporary.touch()
        temporary.unlink()
        yield temporary
        if temporary.exists():
            sync(temporary, path)
            with _writable(path):
                temporary.replace(path)
    finally:
        _remove(folder)
        if lock is not None:
            os.close(lock)


def sync(temporary: Path, path: Path) -> None:
    """Wait until the file that is to become `path` is on the disk. Raises UnwritableError."""
    with _writable(path), temporary.open("rb+") as file:
        os.fsync(file.fileno())


def remove_dead_partials(folder: Path, recursive: bool) -> None:
    """Remove what writers that were killed left in a folder, and if `recursive` in the folders below it.

    A folder of `whole_file` is removed if its lock is free, or if it has no lock and nothing in it changed for an hour.
    What cannot be removed is left.
    """
    for place, folders, _ in os.walk(folder):
        for name in filter(_PARTIAL.fullmatch, list(folders)):
            folders.remove(name)
            _remove_if_dead(Path(place, name))
        if not recursive:
            return


def _remove_dead_of(path: Path) -> None:
    """Remove the partial folders of one output whose writers are dead."""
    try:
        # Two links: no folder in it, on most file systems. To list 10,000 files takes 4 ms, for each one written.
        names = os.listdir(path.parent) if path.parent.stat().st_nlink != 2 else []
    except OSError:  # a folder that may be written to but not listed
        return
    stem = _stem(path.name)
    for name in names:
        if name.startswith(stem) and (partial := _PARTIAL.fullmatch(name)) and partial[1] == stem:
            _remove_if_dead(path.with_name(name))


def _remove_if_dead(partial: Path) -> None:
    if partial.is_symlink():
        return
    try:
        lock = os.open(partial / _lock_name(partial.name.removesuffix(_ENDING).rpartition(".")[2]), os.O_RDWR)
    except FileNotFoundError:
        if time.time() - _last_change(partial) > _HOUR:
            shutil.rmtree(partial, ignore_errors=True)
        return
    except OSError:  # of another user
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(partial, ignore_errors=True)
    except OSError:  # its writer is alive
        pass
    finally:
        os.close(lock)


def _last_change(folder: Path) -> float:
    """When a folder or a file in it was last changed, in seconds since the epoch; now if it cannot be seen."""
    try:
        with os.scandir(folder) as entries:
            return max(folder.stat().st_mtime, *(one.stat(follow_symlinks=False).st_mtime for one in entries), 0)
    except OSError:
        return time.time()


def _stem(name: str) -> str:
    """How the names of the partial folders of an output begin, cut to what a file system allows."""
    room = _NAME_BYTES - len("..") - 2 * _TOKEN_BYTES - len(_ENDING)
    return f".{os.fsencode(name)[:room].decode(errors='ignore')}."


def _lock_name(token: str) -> str:
    """The token keeps it apart from the name of any output."""
    return f".{token}.lock"


def _locked(folder: Path, token: str) -> int | None:
    """A lock in a partial folder, held until its descriptor is closed; None where the file system has no locks."""
    # It gets its name when it is held, so a lock that is found free belongs to a dead writer.
    unnamed = folder / f"{_lock_name(token)}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        unnamed.unlink()
        return None
    unnamed.replace(folder / _lock_name(token))
    return lock


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableError(f"{path}: cannot be written: {reason(error)}") from None


def _remove(folder: Path) -> None:
    """Remove a folder, into which somebody may just be writing."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
