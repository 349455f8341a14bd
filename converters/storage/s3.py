"""Inputs on S3, found and fetched with pyarrow, which every installation has."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import fs

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.storage.folder import Found
from sharedtask.converters.storage.pattern import Glob, is_pattern
from sharedtask.converters.storage.s3_access import Access, access, explained, split_url

_BLOCK = 1 << 24  # bytes; each is a request of its own
_PATIENCE = 7  # seconds without a byte, for each of two tries


@lru_cache(maxsize=1)
def _file_system(to: Access) -> Any:
    """The client, which keeps its connections for the next file."""
    return fs.S3FileSystem(
        access_key=to.key,
        secret_key=to.secret,
        session_token=to.token,
        region=to.region,
        endpoint_override=to.endpoint,
        connect_timeout=_PATIENCE,
        request_timeout=_PATIENCE,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=2),
    )


@contextmanager
def _client(url: str, deed: str) -> Iterator[Any]:
    with explained(url, deed, OSError, pa.ArrowException):
        yield _file_system(access())


def find_s3(pattern: str) -> list[Found]:
    """The objects that a URL or a glob means, in any order; see `sharedtask.converters.storage.find`."""
    bucket, key = split_url(pattern)
    parts = key.rstrip("/").split("/") if key else []
    fixed = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts))
    root = "/".join([bucket, *parts[:fixed]])
    glob = Glob.of(parts[fixed:] or ["**"])
    with _client(pattern, "listed") as client:
        one = client.get_file_info(f"{bucket}/{key}") if key and not key.endswith("/") else None
        if one and one.is_file:  # also one whose name looks like a glob
            return [Found(pattern, one.size)]
        selector = fs.FileSelector(root, allow_not_found=True, recursive=True)
        listed = client.get_file_info(selector)
        if not listed:
            _want_bucket(client, bucket, pattern)
    return [
        Found(f"s3://{info.path}", info.size)
        for info in listed
        if info.is_file and glob.matches(info.path[len(root) + 1 :].split("/"))
    ]


def fetch_s3(url: str, local: Path) -> None:
    """Copy an object to a local file; see `sharedtask.converters.storage.fetch`."""
    bucket, key = split_url(url)
    if not key or key.endswith("/"):
        raise UnusableError(f"{url}: is a folder; expected a file")
    with _client(url, "read") as client:
        try:
            remote = client.open_input_file(f"{bucket}/{key}")
        except FileNotFoundError:
            _want_bucket(client, bucket, url)
            raise UnusableError(f"{url}: cannot be read: there is no such object") from None
        with remote, local.open("wb") as file:
            shutil.copyfileobj(remote, file, _BLOCK)
            in_one_piece = remote.size() <= _BLOCK
            version = remote.metadata()
        if not in_one_piece and client.open_input_file(f"{bucket}/{key}").metadata() != version:
            raise UnusableError(f"{url}: was changed while it was read; run again")


def _want_bucket(client: Any, bucket: str, url: str) -> None:
    """Raise UnusableError where the bucket does not exist; to the client it looks like an empty folder."""
    if client.get_file_info(bucket).type is fs.FileType.NotFound:
        raise UnusableError(f"{url}: there is no bucket {bucket}")
