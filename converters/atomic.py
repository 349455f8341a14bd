"""Files that are whole or absent, and the hash of a file."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.errors import UnwritableError, reason
from sharedtask.converters.own_folder import TOKEN_BYTES, own_folder, remove_if_dead

_NAME_BYTES = 255  # the longest file name of the usual file systems
_ENDING = ".partial"
_PARTIAL = re.compile(rf"(\..*\.)([0-9a-f]{{{2 * TOKEN_BYTES}}})\{_ENDING}", re.DOTALL)


@contextmanager
def whole_file(path: Path, name: str | None = None) -> Iterator[Path]:
    """A temporary file to write to, called `name` (by default as `path`), in a hidden folder beside `path`.

    It becomes `path`, synced to disk, only if the block ends without an exception. A block that leaves the temporary
    file unwritten, or removes it, leaves `path` as it was.

    The folder is an `own_folder`, so no two writers share it, and those of dead writers of `path` are removed here.
    When a query is interrupted its threads continue for a while, and no longer find a place for their file.

    Raises UnwritableError where the folder or the file cannot be written.
    """
    with ExitStack() as stack:
        with _writable(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_dead_of(path)
            folder = stack.enter_context(own_folder(path.parent, _stem(path.name), _ENDING))
        temporary = folder / (name or path.name)
        with _writable(path):
            temporary.touch()
        temporary.unlink()
        yield temporary
        if temporary.exists():
            sync(temporary, path)
            with _writable(path):
                temporary.replace(path)


def sync(temporary: Path, path: Path) -> None:
    """Wait until the file that is to become `path` is on the disk. Raises UnwritableError."""
    with _writable(path), temporary.open("rb+") as file:
        os.fsync(file.fileno())


def remove_dead_partials(folder: Path, recursive: bool) -> None:
    """Remove what writers that were killed left in a folder, and if `recursive` in the folders below it.

    A folder of `whole_file` is removed if its process has ended. What cannot be removed is left.
    """
    for place, folders, _ in os.walk(folder):
        for partial in [*filter(None, map(_PARTIAL.fullmatch, folders))]:
            folders.remove(partial[0])
            remove_if_dead(Path(place, partial[0]), partial[2])
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
            remove_if_dead(path.with_name(name), partial[2])


def _stem(name: str) -> str:
    """How the names of the partial folders of an output begin, cut to what a file system allows."""
    room = _NAME_BYTES - len("..") - 2 * TOKEN_BYTES - len(_ENDING)
    return f".{os.fsencode(name)[:room].decode(errors='ignore')}."


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableError(f"{path}: cannot be written: {reason(error)}") from None


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
