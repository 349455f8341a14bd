"""Small files without broken records.

Cut into header and body, sorted into groups that have the same header, and read as one frame a group.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.read import read_bodies
from sharedtask.converters.encoding.byte_facts import NOT_DELIMITED, ByteFacts
from sharedtask.converters.encoding.text import UTF8_BOM_BYTES, is_utf8
from sharedtask.converters.header import Header, is_ambiguous, is_data, read_header
from sharedtask.converters.source import COMPRESSIONS
from sharedtask.schemas.kind import Kind

MOST_BYTES = 1 << 20  # of a file that is read with others
HEAD = 1 << 16  # bytes that are looked at for the header
_ODD = re.compile(rb"[\x00-\x08\x0b\r\x0e-\x1f]")  # what rules look for, or what ends a line in another way
_NOT_TEXT = (UTF8_BOM_BYTES, *NOT_DELIMITED, *COMPRESSIONS.values())


@dataclass(frozen=True, slots=True)
class Small:
    """A small file that has been read: its path in the job, its bytes and their hash."""

    path: str
    data: bytes
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Plain:
    """A small file of plain delimited text.

    `records` is how many its body has, `folded` whether some of them go over several lines.

    `alike` is what the files of a group have in common.
    """

    file: Small
    layout: Layout
    body: bytes
    records: int
    folded: bool
    alike: tuple[object, ...]

    @property
    def first_line(self) -> int:
        """The line on which the first record stands."""
        return 1 + (len(self.body) < len(self.file.data))

    @property
    def facts(self) -> ByteFacts:
        """What a pass over its bytes would find."""
        return ByteFacts(sha256=self.file.sha256, final_newline=True)


def groups_of(files: Iterable[Small]) -> list[list[Plain]]:
    """The plain ones among some files, in groups of two or more that have the same header."""
    groups: dict[tuple[object, ...], list[Plain]] = {}
    for file in files:
        plain = _plain(file)
        if plain is not None:
            groups.setdefault(plain.alike, []).append(plain)
    return [group for group in groups.values() if len(group) > 1]


def _plain(file: Small) -> Plain | None:
    """The parts of a file about whose bytes there is nothing to say; None where there may be."""
    data = file.data
    if not data.endswith(b"\n") or data.startswith(_NOT_TEXT) or _ODD.search(data) or not is_utf8(data):
        return None
    layout = Layout(data[:HEAD])
    if not layout.cells or is_ambiguous(layout.cells) or any("\n" in cell for cell in layout.cells):
        return None
    pieces = data.split(b'"')
    if not _quotes_are_sound(pieces, layout.delimiter.encode()):
        return None
    body, alike = data, tuple[object, ...]((len(layout.cells),))
    if not is_data(layout.cells):
        body, alike = data[data.index(b"\n") + 1 :], tuple(layout.cells)
    records = sum(piece.count(b"\n") for piece in pieces[::2]) - (len(body) < len(data))
    folded = records != body.count(b"\n")
    return Plain(file, layout, body, records, folded, (layout.delimiter, layout.spaces, *alike))


def _quotes_are_sound(pieces: Sequence[bytes], delimiter: bytes) -> bool:
    """Whether each quoted part of a text, cut at its quotes, is a whole field.

    Every other piece is outside, or a doubled quote (empty).
    """
    if len(pieces) % 2 == 0:
        return False
    if len(pieces) == 1:
        return True
    edge = (delimiter, b"\n")
    first, *inner, last = pieces[::2]
    whole = all(not piece or (piece.startswith(edge) and piece.endswith(edge)) for piece in inner)
    return whole and (not first or first.endswith(edge)) and last.startswith(edge)


@dataclass(frozen=True, slots=True)
class Part:
    """Files of a group with their records as one frame.

    Raw columns, `file` (the index in `files`), `row` and `last`.
    """

    files: Sequence[Plain]
    header: Header
    raw: pl.DataFrame


def readable_parts(group: Sequence[Plain], kind: Kind, path: str) -> Iterator[Part]:
    """The group as frames.

    Where the reader refuses some record, or counts others than the lines do, the halves are tried, down to no file.
    """
    layout = group[0].layout
    header = read_header(layout.cells, kind, path, layout.delimiter, layout.rest)
    raw = _read(group, kind, header)
    if raw is not None:
        yield Part(group, header, raw)
    elif len(group) > 1:
        middle = len(group) // 2
        yield from readable_parts(group[:middle], kind, path)
        yield from readable_parts(group[middle:], kind, path)


def _read(group: Sequence[Plain], kind: Kind, header: Header) -> pl.DataFrame | None:
    try:
        raw = read_bodies(b"".join(one.body for one in group), kind, group[0].layout, header).collect(
            engine="streaming"
        )
    except pl.exceptions.PolarsError:
        return None
    sizes = pl.DataFrame({"size": [one.records for one in group]}, schema={"size": pl.UInt32})
    if raw.height != sizes["size"].sum():
        return None
    firsts = sizes.select(
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("file"), first=pl.col("size").cum_sum() - pl.col("size")
    )
    places = firsts.select(pl.all().repeat_by(sizes["size"]).explode())
    return raw.with_columns(file=places["file"], row=(raw["row"] - places["first"]).cast(pl.UInt32))
