"""Zip archives.

One member is read, nothing is extracted under its own name, and no size that the archive declares is believed.
"""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISLNK
from typing import Any

from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.source import HIGHEST_RATIO, Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import At, Finding, Tally, finding, tally_one
from sharedtask.schemas.rules.fmt_files import ARCHIVE_UNSAFE, EMPTY_FILE
from sharedtask.schemas.rules.run import NOT_UPLOAD_FORM

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # a first member; the end of an archive that has none
MOST_MEMBERS = 10_000  # of an archive that is looked through
_DATA = {".csv", ".tsv", ".json", ".jsonl", ".parquet"}
_PACKED = {".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".xlsx"}
_PACKED_MAGICS = (*ZIP_MAGICS, b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!")
_OTHERS = {  # archives that are not read, by their bytes at a place
    "a tar archive": (257, b"ustar"),
    "a bzip2 file": (4, b"1AY&SY"),
    "an xz file": (0, b"\xfd7zXZ\0"),
    "a 7-Zip archive": (0, b"7z\xbc\xaf\x27\x1c"),
    "a RAR archive": (0, b"Rar!\x1a\x07"),
}
_LITTER = {".ds_store", "thumbs.db", "desktop.ini"}
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)


class UnsafeError(Exception):
    """An archive is not read: `which` message of `archive-unsafe` says why, with these `facts`."""

    def __init__(self, which: str, **facts: Any) -> None:
        self.which, self.facts = which, facts
        super().__init__(self.finding(At()).message)

    def finding(self, at: At) -> Finding:
        """What is wrong with the archive at this place."""
        return finding(ARCHIVE_UNSAFE, at, which=self.which, **self.facts)


@dataclass(frozen=True, slots=True)
class Packed:
    """What was read from an archive: the name of its one `member`, and the names of all others."""

    member: str
    extras: tuple[str, ...]

    def tallies(self, kind: Kind, path: str) -> list[Tally]:
        """What the upload rules of a kind say about the archive; nothing for a kind that takes no zip."""
        upload, at = kind.upload, At(path)
        if upload is None:
            return []
        tallies = []
        if self.member != upload.member:
            facts = {"value": self.member, "expected": upload.member}
            tallies.append(tally_one(upload.misnamed, at, kind=kind, **facts))
        if self.extras:
            found = [finding(upload.extra, at, kind=kind, value=name) for name in self.extras]
            tallies.append(Tally.of(found))
        return tallies


@dataclass(frozen=True, slots=True)
class Refusal:
    """An archive in which no file is read, for a reason that has another name in an upload.

    Either it has several `candidates`, or it is not a zip but another `sort` of archive. `names` are the cells of the
    first record of the first candidate.
    """

    candidates: tuple[str, ...] = ()
    sort: str = ""
    names: tuple[str, ...] = ()

    def tally(self, kind: Kind | None, path: str) -> Tally:
        """The finding for a file of this kind, as far as it is known."""
        at, upload = At(path), kind.upload if kind is not None else None
        names = ", ".join(map(repr, self.candidates[:3])) + (", …" if len(self.candidates) > 3 else "")
        facts = {"files": len(self.candidates), "names": names} if self.candidates else {"container": self.sort}
        which = "choice" if self.candidates else "other"
        if kind is None or not kind.is_run:
            return tally_one(ARCHIVE_UNSAFE, at, which=which, **facts)
        if upload is not None and self.candidates:
            return tally_one(
                upload.misnamed, at, kind=kind, which=which, expected=upload.member, fixable=False, **facts
            )
        return tally_one(
            NOT_UPLOAD_FORM,
            at,
            kind=kind,
            which=which if self.candidates else "",
            expected=kind.uploaded_as,
            fixable=False,
            **facts,
        )


def is_zip(head: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return head.startswith(ZIP_MAGICS)


def other_archive(head: bytes) -> Refusal | None:
    """What a file that begins so is where it is an archive of a sort that is not read."""
    sort = next((sort for sort, (place, magic) in _OTHERS.items() if head[place:].startswith(magic)), None)
    return None if sort is None else Refusal(sort=sort)


def read_archive(source: Source, names: Collection[str], limit: int) -> tuple[Source, Packed] | Refusal | list[Tally]:
    """The meant member of an archive as a source, or findings where there is none or it is not safe to read.

    A refusal where more than one may be meant.

    `names` are the names that such members have; `limit` is the most bytes that the archive may unpack to.
    """
    path, at = source.scratch / "member", At(source.path)
    try:
        with zipfile.ZipFile(source.local) as archive:
            members = archive.infolist()
            _refuse_unsafe(members, limit)
            files = [member for member in members if not (member.is_dir() or _is_litter(member.filename))]
            if not files:
                return [tally_one(EMPTY_FILE, at, which="archive")]
            chosen, *others = _meant(files, names)
            if others:
                with archive.open(chosen) as packed:
                    cells = Layout(packed.read(BLOCK)).cells
                return Refusal(tuple(file.filename for file in (chosen, *others)), names=tuple(cells))
            _unpack(archive, chosen, path, limit, source.local.stat().st_size)
    except UnsafeError as error:
        return [Tally.of([error.finding(at)])]
    except _DAMAGE as error:
        return [Tally.of([_damaged(error).finding(at)])]
    extras = tuple(member.filename for member in members if not member.is_dir() and member is not chosen)
    return source.unpacked(path, "zip"), Packed(chosen.filename, extras)


def measure(source: Source, limit: int) -> None:
    """Unpack all members of a workbook to nowhere.

    Raises UnsafeError where they are more than `limit` bytes, or damaged.
    """
    try:
        with zipfile.ZipFile(source.local) as archive:
            left = limit
            for member in archive.infolist():
                with archive.open(member) as packed:
                    while block := packed.read(BLOCK):
                        left -= len(block)
                        if left < 0:
                            raise UnsafeError("workbook", limit=limit)
    except _DAMAGE as error:
        raise _damaged(error) from None


def _damaged(error: Exception) -> UnsafeError:
    said = str(error)
    if isinstance(error, EOFError) or "truncated" in said:
        why = "it ends too early"
    elif isinstance(error, NotImplementedError):
        why = "its compression is not supported"
    elif "CRC" in said:
        why = "a member does not have the content that its checksum promises"
    elif "not a zip" in said:
        why = "it is not a valid zip file"
    else:
        why = "a member cannot be unpacked"
    return UnsafeError("damaged", why=why)


def _refuse_unsafe(members: Sequence[zipfile.ZipInfo], limit: int) -> None:
    if len(members) > MOST_MEMBERS:
        raise UnsafeError("members", members=len(members), limit=MOST_MEMBERS)
    for member in members:
        name = member.filename
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or parts[0].endswith(":"):
            raise UnsafeError("leaves", member=name)
        if S_ISLNK(member.external_attr >> 16):
            raise UnsafeError("link", member=name)
        if member.flag_bits & 1:
            raise UnsafeError("encrypted", member=name)
        if PurePosixPath(name.lower()).suffix in _PACKED and not _is_litter(name):
            raise UnsafeError("nested", member=name)
    declared = sum(member.file_size for member in members)
    if declared > limit:
        raise UnsafeError("declared", bytes=declared, limit=limit)


def _is_litter(name: str) -> bool:
    """What a Mac or Windows puts beside files."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name.lower() in _LITTER


def _meant(files: Sequence[zipfile.ZipInfo], names: Collection[str]) -> list[zipfile.ZipInfo]:
    """The members with one of these names, else those that hold data, else all there are."""
    at_root = [file for file in files if file.filename in names]
    named = [file for file in files if PurePosixPath(file.filename).name in names]
    data = [file for file in files if PurePosixPath(file.filename).suffix.lower() in _DATA]
    return next(meant for meant in (at_root, named, data, list(files)) if meant)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, limit: int, archive_size: int) -> None:
    packed_size = max(1, min(member.compress_size, archive_size))
    written = 0
    with archive.open(member) as packed, path.open("wb") as out:
        while block := packed.read(BLOCK):
            if written == 0 and block.startswith(_PACKED_MAGICS):
                raise UnsafeError("nested", member=member.filename)
            written += len(block)
            if written > limit:
                raise UnsafeError("unpacks", member=member.filename, limit=limit)
            if written > HIGHEST_RATIO * packed_size:
                raise UnsafeError("ratio", member=member.filename, ratio=HIGHEST_RATIO)
            out.write(block)
