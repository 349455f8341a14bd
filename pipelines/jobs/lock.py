"""One job at a time on a local output."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sharedtask.converters.atomic import remove_dead_partials
from sharedtask.converters.errors import UnusableError, reason
from sharedtask.converters.storage import Folder, is_remote

LOCK = ".job.lock"


@contextmanager
def alone_in(folder: Folder) -> Iterator[None]:
    """While this is held no other job of this machine can begin on the output.

    On S3, where there are no locks, the manifest decides at the end.

    Raises UnusableError at once where another job holds it, or the folder cannot be written.
    """
    if is_remote(folder.path):
        yield
        return
    from filelock import FileLock, Timeout  # here, since only local outputs need it

    place = Path(folder.place(LOCK))
    lock = FileLock(place, timeout=0)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        held = lock.acquire()  # released by the system however this process ends
    except Timeout:
        raise UnusableError(
            f"{folder.path}: another job is writing here; wait for its end, or name another output"
        ) from None
    except OSError as error:
        wrong = place if place.is_symlink() or place.is_dir() else place.parent
        raise UnusableError(f"{wrong}: cannot be written: {reason(error)}") from None
    with held:
        remove_dead_partials(place.parent, recursive=True)
        yield
