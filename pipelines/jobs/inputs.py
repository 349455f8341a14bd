"""Which files a job means, and their bytes.

To see whether they have been worked before, and to work small ones together.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.converters.source import open_source
from sharedtask.converters.storage import Found, fetch, find, is_remote, resolve
from sharedtask.pipelines.inputs.paths import as_text
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.small_files import MOST_BYTES, Small

AT_ONCE_BYTES = 1 << 25  # of small files that are worked together
AT_ONCE_FILES = 4096
FETCHES = 16  # at once, of small remote files: what costs is the way there and back


def inputs_of(job: Job) -> list[Found]:
    """The inputs of a job, sorted by path, each once; neither its own output nor its reference is one.

    Raises UnusableError for a path or glob that matches nothing.
    """
    found: dict[str, Found] = {}
    own = _absolute(job.output, job.base).rstrip("/") + "/"
    reference = None if job.reference is None else _absolute(job.reference, job.base)
    for pattern in job.inputs:
        matches = find(pattern, job.base)
        if not matches:
            raise UnusableError(f"{pattern}: matches no file{_where(pattern, job)}; nothing was done")
        for one in matches:
            place = _absolute(one.path, job.base)
            if place != reference and not place.startswith(own):
                found.setdefault(place, replace(one, path=as_text(one.path)))
    if not found:
        raise UnusableError(f"{', '.join(job.inputs)}: matches only the output or the reference of this job")
    return sorted(found.values(), key=lambda one: one.path)


def _absolute(path: str, base: Path) -> str:
    return path if is_remote(path) else os.path.abspath(resolve(path, base))


def _where(pattern: str, job: Job) -> str:
    is_relative = not is_remote(pattern) and not Path(pattern).is_absolute()
    return f" below {job.base.resolve()}" if is_relative else ""


def parts_of(found: Sequence[Found]) -> Iterator[list[Found]]:
    """The inputs in parts to work at once: many small ones, or a large one by itself."""
    part: list[Found] = []
    size = 0
    for one in found:
        if one.bytes > MOST_BYTES:
            yield [one]
            continue
        if part and (size + one.bytes > AT_ONCE_BYTES or len(part) == AT_ONCE_FILES):
            yield part
            part, size = [], 0
        part.append(one)
        size += one.bytes
    if part:
        yield part


def read_small(part: Sequence[Found], base: Path) -> list[Small]:
    """The bytes of small inputs, without those that cannot be read: processing them alone reports why."""
    if any(is_remote(one.path) for one in part):
        with ThreadPoolExecutor(FETCHES) as pool:
            read = list(pool.map(lambda one: _bytes_of(one.path, base), part))
    else:
        read = [_bytes_of(one.path, base) for one in part]
    return [
        Small(one.path, data, hashlib.sha256(data).hexdigest())
        for one, data in zip(part, read, strict=True)
        if data is not None
    ]


def _bytes_of(path: str, base: Path) -> bytes | None:
    try:
        if not is_remote(path):
            return Path(resolve(path, base)).read_bytes()
        with scratch_folder() as folder:
            local = folder / "fetched"
            fetch(path, local)
            return local.read_bytes()
    except (OSError, UnusableError):
        return None


def sha256_of(path: str, base: Path) -> str | None:
    """The hash of an input, None where it cannot be read."""
    try:
        if not is_remote(path):
            return file_sha256(Path(resolve(path, base)))
        with open_source(path) as source:
            return source.sha256
    except (OSError, UnusableError):
        return None
