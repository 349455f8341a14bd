"""Shapes that no documented file has: they are reported without reading them, which would take all memory."""

from collections.abc import Sequence
from io import FileIO
from pathlib import Path

from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.limits import Limits
from sharedtask.converters.source import Source
from sharedtask.schemas.rule import At, Severity, Tally, tally_one
from sharedtask.schemas.rules.fmt_columns import EXTRA_COLUMN
from sharedtask.schemas.rules.fmt_files import FIELD_TOO_LARGE, MAX_FIELD_BYTES

MOST_COLUMNS = 4096  # of a delimited file; the documented ones have up to nine
WINDOW = 1 << 16  # bytes that are looked at here and there


def beyond_limits(source: Source, cells: Sequence[str], limits: Limits) -> list[Tally]:
    """The finding on a delimited file that has too many columns, or a line that no field within the limit fills.

    None for all others.

    `cells` are those of the first record.
    """
    if len(cells) > MOST_COLUMNS:
        return [
            tally_one(
                EXTRA_COLUMN,
                At(source.path, 1),
                severity=Severity.ERROR,
                which="many",
                fields=len(cells),
                expected=f"at most {MOST_COLUMNS} columns",
            )
        ]
    limit = max(limits.field_bytes, MAX_FIELD_BYTES)
    start = _long_line(source.local, limit)
    if start is None:
        return []
    at = At(source.path, _newlines_until(source.local, start) + 1)
    return [tally_one(FIELD_TOO_LARGE, at, which="line", limit=limit, expected=f"at most {limit} bytes")]


def _long_line(path: Path, limit: int) -> int | None:
    """Where the first line of more than `limit` bytes begins, None where there is none.

    Such a line fills a window wherever one is looked at in steps of half its length, so that hardly anything of a file
    is read.
    """
    size = path.stat().st_size
    with path.open("rb", buffering=0) as file:
        at = 0
        while at + limit // 2 < size:
            file.seek(at)
            if b"\n" in file.read(WINDOW):
                at += limit // 2
                continue
            start = _last_newline(file, at) + 1
            end = _next_newline(file, at, start + limit)
            if end - start > limit:
                return start
            at = end
    return None


def _last_newline(file: FileIO, at: int) -> int:
    """The place of the last newline before `at`, -1 where there is none."""
    while at > 0:
        first = max(at - BLOCK, 0)
        file.seek(first)
        found = file.read(at - first).rfind(b"\n")
        if found >= 0:
            return first + found
        at = first
    return -1


def _next_newline(file: FileIO, at: int, enough: int) -> int:
    """The place of the next newline from `at`, or of the end; one beyond `enough` where it is not before that."""
    file.seek(at)
    while at <= enough:
        block = file.read(BLOCK)
        found = block.find(b"\n")
        if found >= 0 or not block:
            return at + max(found, 0)
        at += len(block)
    return enough + 1


def _newlines_until(path: Path, end: int) -> int:
    with path.open("rb", buffering=0) as file:
        count = 0
        while end > 0 and (block := file.read(min(BLOCK, end))):
            count += block.count(b"\n")
            end -= len(block)
    return count
