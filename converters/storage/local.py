"""Local files: found by a glob, and written whole or not at all."""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sharedtask.converters.atomic import whole_file
from sharedtask.converters.errors import ConflictError, UnusableError, reason
from sharedtask.converters.storage.folder import Found
from sharedtask.converters.storage.pattern import Glob, States, is_ignored, is_pattern


def find_local(pattern: str, base: Path) -> list[Found]:
    """The files that a path or a glob means, in any order; see `sharedtask.converters.storage.find`."""
    with _reported(str(base / pattern), "read"):
        whole = base / pattern
        if whole.is_file():  # also one whose name looks like a glob
            return [Found(pattern, whole.stat().st_size)]
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        fixed = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts))
        prefix = "/" * pattern.startswith("/") + "".join(f"{part}/" for part in parts[:fixed])
        glob = Glob.of(parts[fixed:] or ["**"])
        return list(_walk(os.path.join(base, prefix), prefix, glob, glob.start)) if (base / prefix).is_dir() else []


def _walk(folder: str, shown: str, glob: Glob, states: States) -> Iterator[Found]:
    """The matches in a folder that the user would call `shown`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_ignored(entry.name):
                continue
            if _leads_round(entry):
                continue
            if entry.is_dir():
                then = (glob.after_link if entry.is_symlink() else glob.after)(states, entry.name)
                if then:
                    yield from _walk(entry.path, f"{shown}{entry.name}/", glob, then)
            elif entry.is_file() and glob.is_whole(glob.after(states, entry.name)):
                yield Found(shown + entry.name, entry.stat().st_size)


def _leads_round(entry: "os.DirEntry[str]") -> bool:
    """Whether it is a link that leads to itself."""
    try:
        entry.is_dir()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return True
        raise
    return False


class LocalFolder:
    """A folder of the file system. It is made when the first file is put into it."""

    def __init__(self, path: str, base: Path) -> None:
        self.path, self._root = path, base / path
        with _reported(path, "written"):
            existing = next(folder for folder in (self._root, *self._root.absolute().parents) if folder.exists())
        if not existing.is_dir():
            raise UnusableError(f"{existing}: is a file; expected a folder for the output")
        if not os.access(existing, os.W_OK | os.X_OK):
            raise UnusableError(
                f"{path}: cannot be written: permission denied; allow writing to {existing}, or name another output"
            )

    def place(self, name: str) -> str:
        return str(self._root / name)

    def read(self, name: str) -> tuple[bytes, str] | None:
        with _reported(self.place(name), "read"):
            try:
                content = (self._root / name).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return content, _stamp(content)

    def download(self, name: str, local: Path) -> None:
        with _reported(self.place(name), "read"):
            shutil.copyfile(self._root / name, local)

    def put(self, name: str, local: Path) -> None:
        with _reported(self.place(name), "written"), whole_file(self._root / name) as temporary:
            shutil.move(local, temporary)

    def put_bytes(self, name: str, data: bytes) -> None:
        with _reported(self.place(name), "written"), whole_file(self._root / name) as temporary:
            temporary.write_bytes(data)

    def remove(self, name: str) -> None:
        """Remove a file, and the folders that it leaves empty, as an object store does."""
        place = self._root / name
        with _reported(self.place(name), "removed"):
            place.unlink(missing_ok=True)
        for folder in [*place.relative_to(self._root).parents][:-1]:
            try:
                (self._root / folder).rmdir()
            except OSError:  # it is not empty
                return

    def names(self, under: str = "") -> list[str]:
        folder, everything = self._root / under, Glob.of(["**"])
        if not folder.is_dir():
            return []
        with _reported(str(folder), "read"):
            shown = f"{under}/" if under else ""
            return sorted(found.path for found in _walk(str(folder), shown, everything, everything.start))

    def swap(self, name: str, data: bytes, expected: str | None) -> str:
        with self._locked(name):
            content = self.read(name)
            if (content and content[1]) != expected:
                raise ConflictError(self.place(name))
            self.put_bytes(name, data)
        return _stamp(data)

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Wait until no other process is here.

        The lock is a hidden file that stays: to remove it would let two in at once.
        """
        from filelock import FileLock  # here, since only jobs need it

        target = self._root / name
        lock = FileLock(target.parent / f".{target.name}.lock", poll_interval=0.01)
        with _reported(str(target), "written"):
            target.parent.mkdir(parents=True, exist_ok=True)
            held = lock.acquire()  # released by the system however this process ends
        with held:
            yield


def _stamp(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _reported(place: str, deed: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # a folder below it, perhaps
        wrong = os.path.normpath(error.filename) if deed == "read" and error.filename else place
        raise UnusableError(f"{wrong}: cannot be {deed}: {reason(error)}") from None
