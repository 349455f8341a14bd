"""Keeps the traces of native panics off stderr where the panic is caught and reported in one line."""

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile

from sharedtask.converters.own_folder import temporary_parent

_TRACE = re.compile(rb"\n?thread '[^\n]*panicked at [^\n]*\n.*?\nnote: [^\n]*\n", re.DOTALL)
_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def without_traces() -> Iterator[None]:
    """Hold back what is written to stderr while the block runs, and write it at its end.

    If the block raises, the traces of panics are left out: Rust prints one for each of its threads before Polars turns
    them into one exception. Of blocks in several threads only the first holds back.
    """
    kept = _duplicate(2) if _ONE_AT_A_TIME.acquire(blocking=False) else None
    if kept is None:
        yield
        return
    raised = True
    try:
        with TemporaryFile(dir=temporary_parent()) as held:  # `tempfile` would look for a folder by leaving files
            os.dup2(held.fileno(), 2)
            try:
                yield
                raised = False
            finally:
                _flush()
                os.dup2(kept, 2)
                held.seek(0)
                text = held.read()
                text = _TRACE.sub(b"", text) if raised else text
                with suppress(OSError):  # nobody reads it any more
                    while text:
                        text = text[os.write(2, text) :]
    finally:
        os.close(kept)
        _ONE_AT_A_TIME.release()


def _duplicate(number: int) -> int | None:
    _flush()
    try:
        return os.dup(number)
    except OSError:  # closed by the caller
        _ONE_AT_A_TIME.release()
        return None


def _flush() -> None:
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
