"""Outputs on S3, written with obstore.

An upload is whole or absent even if it is interrupted, and can be made to depend on a stamp.

pyarrow can do neither: it completes what an interrupted writer has begun, and knows no conditional write.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sharedtask.converters.errors import ConflictError, UnusableError
from sharedtask.converters.storage.pattern import is_ignored
from sharedtask.converters.storage.s3_access import access, explained, split_url

if TYPE_CHECKING:
    from obstore.store import S3Config, S3Store

_PATIENCE = "14s"  # until the server has taken a part of an upload, or sends the next bytes
_PART = 5 << 20  # bytes; two at a time in the seconds above are what a line of 6 Mbit/s can do
_PARTS = 10_000  # that S3 takes


def _store(url: str) -> "S3Store":
    try:
        from obstore.exceptions import BaseError
        from obstore.store import S3Store
    except ImportError:
        raise UnusableError(f"{url}: to write to S3, pip install sharedtask[s3]") from None
    bucket, prefix = split_url(url)
    to = access()
    given = {
        "endpoint": to.endpoint,
        "region": to.region,
        "access_key_id": to.key,
        "secret_access_key": to.secret,
        "session_token": to.token,
    }
    with explained(url, "reached", BaseError, ValueError):
        return S3Store(
            bucket,
            prefix=prefix.strip("/") or None,
            config=cast("S3Config", {key: value for key, value in given.items() if value}),
            client_options={
                "allow_http": (to.endpoint or "").startswith("http://"),
                "connect_timeout": "5s",
                "read_timeout": _PATIENCE,
                "timeout": "1day",  # of a whole answer, however large
            },
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=8)},  # no retry is begun after that
        )


class S3Folder:
    """A prefix in a bucket."""

    def __init__(self, path: str) -> None:
        self.path, self._store = path, _store(path)
        with self._explained("", "reached"):
            next(iter(self._store.list(chunk_size=1)), None)

    def place(self, name: str) -> str:
        return f"{self.path.rstrip('/')}/{name}"

    def read(self, name: str) -> tuple[bytes, str] | None:
        with self._explained(name, "read"):
            try:
                got = self._store.get(name)
            except FileNotFoundError:
                return None
            return bytes(got.bytes()), got.meta["e_tag"] or ""

    def download(self, name: str, local: Path) -> None:
        with self._explained(name, "read"), local.open("wb") as file:
            for block in self._store.get(name):
                file.write(block)

    def put(self, name: str, local: Path) -> None:
        part = max(_PART, -(-local.stat().st_size // _PARTS))
        with self._explained(name, "written"):
            self._store.put(name, local, chunk_size=part, max_concurrency=2)
        local.unlink()

    def put_bytes(self, name: str, data: bytes) -> None:
        with self._explained(name, "written"):
            self._store.put(name, data, chunk_size=_PART, max_concurrency=2)

    def remove(self, name: str) -> None:
        with self._explained(name, "removed"):
            self._store.delete(name)

    def names(self, under: str = "") -> list[str]:
        with self._explained(under, "listed"):
            names = [one["path"] for some in self._store.list(under or None) for one in some]
        return sorted(name for name in names if not any(map(is_ignored, name.split("/"))))

    def swap(self, name: str, data: bytes, expected: str | None) -> str:
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with self._explained(name, "written"):
            try:
                put = self._store.put(name, data, mode={"e_tag": expected} if expected else "create")
            except (AlreadyExistsError, PreconditionError):
                raise ConflictError(self.place(name)) from None
        return put["e_tag"] or ""

    @contextmanager
    def _explained(self, name: str, deed: str) -> Iterator[None]:
        from obstore.exceptions import BaseError

        with explained(self.place(name) if name else self.path, deed, BaseError, OSError, ValueError):
            yield
