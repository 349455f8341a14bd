"""Folders that belong to one living process: they are removed when it ends, or by the next process if it was killed.

A folder holds a lock that the system releases when its process ends, however it ends, so a folder whose lock is free
has no owner. This is the only place that removes temporary folders.
"""

import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sharedtask.converters.errors import UnwritableError, reason

TOKEN_BYTES = 8
SCRATCH = "sharedtask-"
_HOUR = 3600  # seconds
_TRIES = 10  # to take the lock of a new folder before another process takes the folder for a dead one
_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)  # what a lock that another process holds gives

_own: set[Path] = set()  # the folders of this process
_swept: set[Path] = set()  # the folders for temporary files that were searched for those of dead processes


@contextmanager
def own_folder(parent: Path, before: str, ending: str = "") -> Iterator[Path]:
    """A new folder in `parent`, called `before`, a random token and `ending`, that is removed with the block.

    The token keeps writers apart that have the same process id, as those of two containers may. Raises OSError.
    """
    folder, lock = _made(parent, before, ending)
    try:
        yield folder
    finally:
        remove(folder)
        _own.discard(folder)
        if lock is not None:
            os.close(lock)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for temporary files. Those of processes that were killed are removed first, once in a process.

    Raises UnwritableError where it cannot be made.
    """
    parent = temporary_parent()
    if parent not in _swept:
        _swept.add(parent)
        _remove_dead_scratch(parent)
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(own_folder(parent, SCRATCH))
        except OSError as error:
            raise UnwritableError(
                f"{parent}: cannot be written: {reason(error)}; set TMPDIR to another folder"
            ) from None
        yield folder


def remove_own() -> None:
    """Remove all folders of this process, which is about to end."""
    for folder in list(_own):
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder, into which a thread of an interrupted query may just be writing."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def remove_if_dead(folder: Path, token: str) -> None:
    """Remove a folder of `own_folder` if its process has ended; what cannot be removed is left.

    Where the file system has no locks, a folder is left until nothing in it has changed for an hour.
    """
    if folder.is_symlink() or not folder.is_dir():
        return
    lock = None
    try:
        # A process that was killed before it made its lock has no owner either, so the lock is made for it.
        if not (folder / f"{_lock_name(token)}.none").exists():
            lock = os.open(folder / _lock_name(token), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif time.time() - _last_change(folder) < _HOUR:
            return
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # its process is alive, or belongs to another user
        return
    finally:
        if lock is not None:
            os.close(lock)


def _made(parent: Path, before: str, ending: str = "") -> tuple[Path, int | None]:
    """A new folder and its lock, held; None for the lock where the file system has none. Raises OSError."""
    for _ in range(_TRIES):
        token = secrets.token_hex(TOKEN_BYTES)
        folder = parent / f"{before}{token}{ending}"
        _own.add(folder)  # first, so that an interrupt between the two leaves nothing
        try:
            folder.mkdir(0o700 if before == SCRATCH else 0o777)
            return folder, _locked(folder, token)
        except BlockingIOError:
            _own.discard(folder)
        except BaseException:
            with suppress(OSError):
                remove(folder)
            _own.discard(folder)
            raise
    raise BlockingIOError(errno.EAGAIN, "other processes remove it")


def _locked(folder: Path, token: str) -> int | None:
    """The lock of a new folder. Raises BlockingIOError where another process has just taken the folder for a dead one."""
    path = folder / _lock_name(token)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        raise BlockingIOError from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if error.errno in _TAKEN:
            raise BlockingIOError from None
        path.replace(path.with_name(f"{path.name}.none"))
        return None
    try:
        same = os.path.samestat(os.stat(path), os.fstat(lock))
    except FileNotFoundError:
        same = False
    if not same:
        os.close(lock)
        raise BlockingIOError
    return lock


def temporary_parent() -> Path:
    """The folder for temporary files: the first that can be written to, else the first that was named.

    As in `tempfile`, which leaves a file there when it is killed while it tries.
    """
    named = [os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]
    every = [Path(name).absolute() for name in (*named, "/tmp", "/var/tmp", os.curdir)]  # noqa: S108 - random names
    return next((one for one in every if one.is_dir() and os.access(one, os.W_OK | os.X_OK)), every[0])


def _remove_dead_scratch(parent: Path) -> None:
    with suppress(OSError), os.scandir(parent) as entries:
        ours = [one for one in entries if one.name.startswith(SCRATCH) and one.stat().st_uid == os.geteuid()]
        for one in ours:
            token = one.name.removeprefix(SCRATCH)
            if len(token) == 2 * TOKEN_BYTES:
                remove_if_dead(parent / one.name, token)


def _last_change(folder: Path) -> float:
    """When a folder or a file in it was last changed, in seconds since the epoch; now if it cannot be seen."""
    try:
        with os.scandir(folder) as entries:
            return max(folder.stat().st_mtime, *(one.stat(follow_symlinks=False).st_mtime for one in entries), 0)
    except OSError:
        return time.time()


def _lock_name(token: str) -> str:
    """The token keeps it apart from the name of any output."""
    return f".{token}.lock"
