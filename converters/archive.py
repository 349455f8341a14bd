"""Zip archives: one member is read, nothing is extracted under its own name, and no size that the archive declares is believed."""

import struct
import zipfile
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISLNK

from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Finding, Rule, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import ARCHIVE_UNSAFE, EMPTY_FILE

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")  # a first member; the end of an archive that has none
LARGEST = 2**30
"""Bytes that an archive may unpack to; `--max-bytes` raises it."""
HIGHEST_RATIO = 200
"""Unpacked by packed bytes. Rows of ids and numbers, or of text, reach about 20; deflate cannot pass 1032."""

_DATA = {".csv", ".tsv", ".json", ".jsonl", ".parquet"}
_PACKED = {".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".xlsx"}
_PACKED_MAGICS = (*ZIP_MAGICS, b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!")
_LITTER = {".ds_store", "thumbs.db", "desktop.ini"}
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, NotImplementedError)


class UnsafeError(Exception):
    """What is wrong with an archive, in words for its finding."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What was read from an archive: the name of its one `member`, and the names of all others."""

    member: str
    extras: tuple[str, ...]

    def tallies(self, kind: Kind, path: str) -> list[Tally]:
        """What the upload rules of a kind say about the archive; nothing for a kind that wants no zip."""
        upload, tallies = kind.upload, list[Tally]()
        if upload is None:
            return tallies
        if self.member != upload.member:
            message = f"the zip holds {self.member}, wanted {upload.member} at its root"
            tallies.append(
                tally_one(upload.misnamed, kind.name, message, file=path, value=self.member, expected=upload.member)
            )
        if self.extras:
            tallies.append(_extras(upload.extra, kind, path, self.extras))
        return tallies


def is_zip(head: bytes) -> bool:
    """Whether a file that begins so is a zip archive."""
    return head.startswith(ZIP_MAGICS)


def read_archive(
    source: Source, wanted: Collection[str], kind_name: str | None, limit: int
) -> tuple[Source, Packed] | list[Tally]:
    """The member of an archive that is meant, as a source, or only findings where there is none or it is not safe to read.

    `wanted` are names that such members have; `limit` is the most bytes that the archive may unpack to.
    """
    path = source.scratch / "member"
    try:
        with zipfile.ZipFile(source.local) as archive:
            members = archive.infolist()
            _refuse_unsafe(members, limit)
            files = [member for member in members if not (member.is_dir() or _is_litter(member.filename))]
            if not files:
                return [tally_one(EMPTY_FILE, kind_name, "the archive holds no file", file=source.path)]
            chosen = _choose(files, wanted)
            _unpack(archive, chosen, path, limit, source.local.stat().st_size)
    except UnsafeError as error:
        return [_unsafe(source, kind_name, str(error))]
    except _DAMAGE as error:
        return [_unsafe(source, kind_name, f"the archive cannot be read: {str(error) or type(error).__name__}")]
    extras = tuple(member.filename for member in members if not member.is_dir() and member is not chosen)
    return source.unpacked(path), Packed(chosen.filename, extras)


def measure(source: Source, limit: int) -> None:
    """Unpack all members of an archive to nowhere. Raises UnsafeError where they are more than `limit` bytes, or damaged."""
    try:
        with zipfile.ZipFile(source.local) as archive:
            left = limit
            for member in archive.infolist():
                with archive.open(member) as packed:
                    while block := packed.read(BLOCK):
                        left -= len(block)
                        if left < 0:
                            raise UnsafeError(f"the file unpacks to more than {limit} bytes")
    except _DAMAGE as error:
        raise UnsafeError(f"the file cannot be unpacked: {str(error) or type(error).__name__}") from None


def _unsafe(source: Source, kind_name: str | None, message: str) -> Tally:
    return tally_one(ARCHIVE_UNSAFE, kind_name, message, file=source.path, hint=ARCHIVE_UNSAFE.hint)


def _extras(rule: Rule, kind: Kind, path: str, names: Sequence[str]) -> Tally:
    severity = rule.severity_for(kind.name)
    found = (Finding(rule, severity, f"the zip also holds {name}", path, value=name) for name in names)
    return Tally(rule, severity, len(names), tuple(found))


def _refuse_unsafe(members: Sequence[zipfile.ZipInfo], limit: int) -> None:
    for member in members:
        name = member.filename
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or parts[0].endswith(":"):
            raise UnsafeError(f"the member {name!r} leaves the folder of the archive")
        if S_ISLNK(member.external_attr >> 16):
            raise UnsafeError(f"the member {name!r} is a link")
        if member.flag_bits & 1:
            raise UnsafeError(f"the member {name!r} is encrypted")
        if PurePosixPath(name.lower()).suffix in _PACKED and not _is_litter(name):
            raise UnsafeError(f"the member {name!r} is an archive itself")
    declared = sum(member.file_size for member in members)
    if declared > limit:
        raise UnsafeError(f"the archive unpacks to {declared} bytes, more than {limit}")


def _is_litter(name: str) -> bool:
    """What a Mac or Windows puts beside files."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name.lower() in _LITTER


def _choose(files: Sequence[zipfile.ZipInfo], wanted: Collection[str]) -> zipfile.ZipInfo:
    """The member with a wanted name, else the only one there is. Raises UnsafeError where more than one may be meant."""
    named = [file for file in files if PurePosixPath(file.filename).name in wanted]
    data = [file for file in files if PurePosixPath(file.filename).suffix.lower() in _DATA]
    for meant in ([file for file in files if file.filename in wanted], named, data, files):
        if len(meant) > 1:
            names = ", ".join(repr(file.filename) for file in meant[:3])
            raise UnsafeError(f"it is open which of {len(meant)} files of the archive is meant: {names}")
        if meant:
            return meant[0]
    raise AssertionError("there is no file to choose from")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, limit: int, archive_size: int) -> None:
    packed_size = max(1, min(member.compress_size, archive_size))
    written = 0
    with archive.open(member) as packed, path.open("wb") as out:
        while block := packed.read(BLOCK):
            if written == 0 and block.startswith(_PACKED_MAGICS):
                raise UnsafeError(f"the member {member.filename!r} is an archive itself")
            written += len(block)
            if written > limit:
                raise UnsafeError(f"the member {member.filename!r} unpacks to more than {limit} bytes")
            if written > HIGHEST_RATIO * packed_size:
                told = f"the member {member.filename!r} unpacks to more than {HIGHEST_RATIO} times its packed size"
                raise UnsafeError(told)
            out.write(block)
