"""A file as bytes: where it is, what its bytes hold, its hash. Nothing here knows a file shape or a task."""

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from sharedtask.converters.encoding.byte_facts import BLOCK, ByteFacts, byte_facts
from sharedtask.converters.errors import UnusableError, reason
from sharedtask.converters.own_folder import scratch_folder

FIRST = 1 << 20  # bytes of a source that are kept at hand
HEAD = 1 << 22  # bytes of a source that are looked at to find out what it is
STDIN = "-"
SPOOLED_BYTES = 2**35  # of a pipe, which is copied before it is read
UNPACKED_BYTES = 2**30  # to which a file may unpack, unless the user says otherwise
HIGHEST_RATIO = 200
"""Unpacked by packed bytes. Rows of ids and numbers, or of text, reach about 20; deflate cannot pass 1032."""
_open: list[tuple[str, Path, tuple[int, ...] | None]] = []
"""The sources that are open now: the path in messages, the file, and its state when it was opened."""
COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}


@dataclass(slots=True)
class Source:
    """One input: `path` as the user gave it, `local` as a plain file that can be read as often as needed.

    `name` is the file's own name without the ending of a compression; `size` and the hash are those of the file as
    given. `packed` is what it was packed as: zip, gz or zst. `unsafe` says why a compressed file was not unpacked: a
    message of `archive-unsafe` and its facts.
    """

    path: str
    local: Path
    name: str
    size: int
    scratch: Path
    _pool: Executor
    _facts: "Future[ByteFacts]"
    _hash: "Future[ByteFacts] | None" = None
    head: bytes = field(default=b"", repr=False)
    unsafe: Mapping[str, object] | None = None
    packed: str = ""

    @property
    def facts(self) -> ByteFacts:
        """The byte facts of `local`; waits for the pass that runs beside everything else."""
        return self._facts.result()

    @property
    def sha256(self) -> str:
        return (self._hash or self._facts).result().sha256

    def unpacked(self, local: Path, packed: str) -> "Source":
        """The same input, read from what was packed in it, as `packed` says.

        Byte facts and first bytes are those of `local`, size and hash stay.
        """
        facts = self._pool.submit(byte_facts, local)
        return replace(
            self, local=local, head=_first_bytes(local), _facts=facts, _hash=self._hash or self._facts, packed=packed
        )


def known_source(path: str, local: Path, head: bytes, size: int, facts: ByteFacts) -> Source:
    """An input that has been read already.

    Its first bytes and byte facts are known, and nothing is done to find them.
    """
    known: Future[ByteFacts] = Future()
    known.set_result(facts)
    return Source(path, local, local.name, size, local.parent, ThreadPoolExecutor(1), known, None, head)


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(FIRST)


@contextmanager
def open_source(path: str, *, shown: str | None = None, limit: int = UNPACKED_BYTES) -> Iterator[Source]:
    """Open a local file, an object on S3 (`s3://bucket/key`), standard input (`-`), or a .gz or .zst of any of these.

    `shown` is the path of the source in messages and reports, where that is another; a compressed file is not unpacked
    beyond `limit` bytes. Raises UnusableError where there is nothing to read.
    """
    if not path.isprintable() and any("\udc80" <= character <= "\udcff" for character in path):
        raise UnusableError(f"{path!a}: its name is not UTF-8; rename the file")
    with scratch_folder() as scratch, ThreadPoolExecutor(1) as pool:
        given = _given(path, scratch)
        state = _state(given)
        try:
            head = _first_bytes(given)
            size = given.stat().st_size
        except IsADirectoryError:
            raise UnusableError(f"{path}: is a folder; expected a file") from None
        except OSError as error:
            raise UnusableError(f"{path}: cannot be read: {reason(error)}") from None
        name, local, hashed, unsafe = Path(path).name if path != STDIN else "stdin", given, None, None
        compression = next((ending for ending, magic in COMPRESSIONS.items() if head.startswith(magic)), None)
        if compression:
            name = name.removesuffix(compression)
            local = scratch / "unpacked"
            unsafe = _unpack(given, local, compression, path, limit)
            hashed = pool.submit(byte_facts, given)
            head = _first_bytes(local)
            if head.startswith(tuple(COMPRESSIONS.values())):
                raise UnusableError(f"{path}: is compressed twice; unpack it once and try again")
        facts, packed = pool.submit(byte_facts, local), (compression or "").removeprefix(".")
        watched = (shown or path, given, state)
        _open.append(watched)
        try:
            yield Source(shown or path, local, name, size, scratch, pool, facts, hashed, head, unsafe, packed)
        except Exception:
            _refuse_changed(*watched)  # which explains any other error
            raise
        finally:
            _open.remove(watched)
        _refuse_changed(*watched)


def refuse_changed_sources() -> None:
    """Raise UnusableError if a file that is open was changed, so that nothing is made of two states of it."""
    for watched in list(_open):
        _refuse_changed(*watched)


def _refuse_changed(shown: str, given: Path, state: tuple[int, ...] | None) -> None:
    if _state(given) != state:
        raise UnusableError(f"{shown}: was changed while it was read; run again")


def _state(path: Path) -> tuple[int, ...] | None:
    """What is another when a file was written, cut or replaced; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Readable(Protocol):
    """A stream of bytes, as gzip and pyarrow have them."""

    def read(self, size: int, /) -> bytes: ...


def _given(path: str, scratch: Path) -> Path:
    """The local file that holds what a path names: itself, or a copy in `scratch`."""
    if path == STDIN:
        return _spool_stdin(scratch)
    if path.startswith("~"):  # the reader would take it for a home folder
        return Path(path).absolute()
    if "://" not in path:
        return _spooled(Path(path), scratch) if _is_pipe(path) else Path(path)
    from sharedtask.converters import storage  # here only: it stands on this module, and most files are local

    if not storage.is_remote(path):
        return Path(path)
    storage.fetch(path, scratch / "fetched")
    return scratch / "fetched"


def _is_pipe(path: str) -> bool:
    """Whether a path is a pipe, which can be read only once.

    Raises UnusableError for a device, which may have no end.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise UnusableError(f"{path}: is a device; expected a file")
    return stat.S_ISFIFO(mode)


def _spooled(pipe: Path, scratch: Path) -> Path:
    spooled = scratch / "spooled"
    with pipe.open("rb") as stream:
        _spool(stream, spooled, str(pipe))
    return spooled


def _spool(stream: Readable, spooled: Path, path: str) -> None:
    """Copy a stream, which may have no end. Raises UnusableError where it goes on for too long."""
    written = 0
    try:
        with spooled.open("wb") as file:
            while block := stream.read(BLOCK):
                written += len(block)
                if written > SPOOLED_BYTES:
                    raise UnusableError(
                        f"{path}: goes on for more than {SPOOLED_BYTES} bytes; expected a stream that ends"
                    )
                file.write(block)
    except OSError as error:
        raise UnusableError(f"{path}: cannot be copied to a temporary file: {reason(error)}") from None


def _spool_stdin(scratch: Path) -> Path:
    if sys.stdin is None:
        raise UnusableError("-: standard input is closed")
    spooled = scratch / "stdin"
    _spool(sys.stdin.buffer, spooled, STDIN)
    return spooled


def _unpack(given: Path, local: Path, compression: str, path: str, limit: int) -> dict[str, object] | None:
    """Unpack a file; nothing of it is left where it unpacks to too much, and what is returned says so."""
    try:
        if compression == ".gz":
            with gzip.open(given, "rb") as packed:
                beyond = _copied_within(packed, local, limit, given.stat().st_size)
        else:
            import pyarrow as pa  # here only: most files are not compressed, and this import costs more than a small check

            with pa.input_stream(str(given), compression="zstd") as packed:
                beyond = _copied_within(packed, local, limit, given.stat().st_size)
    except (OSError, EOFError, zlib.error) as error:
        why = reason(error) if isinstance(error, OSError) and error.errno else error
        raise UnusableError(f"{path}: cannot be unpacked: {why}") from None
    if beyond is None:
        return None
    local.write_bytes(b"")
    return {"member": Path(path).name, **beyond}


def _copied_within(packed: Readable, local: Path, limit: int, packed_size: int) -> dict[str, object] | None:
    """Copy what a stream unpacks to, as far as the limits allow; which of them it passes, if any."""
    written = 0
    with local.open("wb") as out:
        while block := packed.read(BLOCK):
            written += len(block)
            if written > limit:
                return {"which": "unpacks", "limit": limit}
            if written > HIGHEST_RATIO * packed_size:
                return {"which": "ratio", "ratio": HIGHEST_RATIO}
            out.write(block)
    return None
