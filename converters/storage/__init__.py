"""Where inputs are found and outputs go: local folders and `s3://bucket/prefix`, under one set of names.

What is needed for `s3://` is imported when the first such path is met.
"""

import re
from pathlib import Path

from sharedtask.converters.errors import ConflictError, UnusableError
from sharedtask.converters.storage.folder import Folder, Found
from sharedtask.converters.storage.local import LocalFolder, find_local

__all__ = ["ConflictError", "Folder", "Found", "client_options", "fetch", "find", "is_remote", "open_folder", "resolve"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def is_remote(path: str) -> bool:
    """Whether a path is an `s3://` URL. Raises UnusableError for any other URL."""
    scheme = _SCHEME.match(path)
    if scheme and scheme[1] != "s3":
        raise UnusableError(f"{path}: {scheme[1]}:// is not supported; local paths and s3:// are")
    return bool(scheme)


def resolve(path: str, base: Path) -> str:
    """A path that was written relative to the folder `base` as one that can be opened from here.

    URLs and absolute paths stay.
    """
    return path if is_remote(path) else str(base / path)


def find(pattern: str, base: Path) -> list[Found]:
    """The files that a path or a glob means, sorted by path; none is an empty list.

    `*`, `?` and `[…]` stand for characters of a name, `**` for any folders; a path to a folder (or an S3 prefix) stands
    for every file below it. Local patterns are relative to `base`. Hidden names and `__MACOSX` are left out. Raises
    UnusableError where a folder or a bucket cannot be listed.
    """
    if is_remote(pattern):
        from sharedtask.converters.storage.s3 import find_s3

        found = find_s3(pattern)
    else:
        found = find_local(pattern, base)
    return sorted(found, key=lambda one: one.path)


def fetch(url: str, local: Path) -> None:
    """Copy a remote object to a local file, block by block. Raises UnusableError where it cannot be had whole."""
    from sharedtask.converters.storage.s3 import fetch_s3

    fetch_s3(url, local)


def open_folder(path: str, base: Path) -> Folder:
    """The folder for outputs at `path`, local (relative to `base`) or `s3://bucket/prefix`; nothing is written yet.

    Raises UnusableError where it is a file, cannot be written, or the bucket cannot be reached.
    """
    if is_remote(path):
        from sharedtask.converters.storage.s3_folder import S3Folder

        return S3Folder(path)
    return LocalFolder(path, base)


def client_options(place: str) -> dict[str, str]:
    """The options for a library that opens the files at a place itself; none for local ones."""
    if not is_remote(place):
        return {}
    from sharedtask.converters.storage import s3_access

    return s3_access.client_options()
