"""Text that is not plain UTF-8 with LF or CRLF ends: found, named by line, and turned into it beside the original."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.encoding.guess import Decode, decoder, likely_encoding
from sharedtask.converters.source import HEAD, Source
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import CR_LINE_ENDS, NOT_UTF8, UTF8_BOM

UTF8_BOM_BYTES = codecs.BOM_UTF8
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_UTF8_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
SAMPLE = 1 << 16  # bytes by which an encoding is judged
_WIDE_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class BadByte:
    """The first byte of a file that is not UTF-8.

    Its offset from 0, its physical line, its value, and the likely encoding.
    """

    offset: int
    line: int
    byte: int
    encoding: str


def plain_text(source: Source) -> tuple[Source, list[Tally]]:
    """The source itself where its first block is plain text, else one made from it.

    Wide encodings decoded, lone CR ends as LF.
    """
    tallies: list[Tally] = []
    wide = _wide_encoding(source.head)
    if wide:
        bad = BadByte(0, 1, source.head[0], wide)
        return transcode(source, bad), [not_utf8(source, bad)]
    if source.head.startswith(UTF8_BOM_BYTES):
        tallies.append(tally_one(UTF8_BOM, At(source.path, 1)))
    if b"\r" in source.head and b"\n" not in source.head:
        tallies.append(tally_one(CR_LINE_ENDS, At(source.path, 1), which="all", expected="a line feed"))
        return rewritten(source, "lf.txt", lambda block, _: block.replace(b"\r", b"\n")), tallies
    ends = _LineFeeds(source.head)
    if b"\r" in source.head:
        ends(source.head, False)
    mended = mend_returns(source) if ends.first_line else None
    return (mended[0], [*tallies, mended[1]]) if mended else (source, tallies)


def mend_returns(source: Source) -> tuple[Source, Tally] | None:
    """The source with line feeds where lone carriage returns end lines between others, and the finding.

    None where none does.
    """
    ends = _LineFeeds(source.head)
    mended = rewritten(source, "lf.txt", ends)
    if not ends.first_line:
        return None
    return mended, tally_one(CR_LINE_ENDS, At(source.path, ends.first_line), which="some", expected="a line feed")


class _LineFeeds:
    """Puts line feeds in the place of lone carriage returns, block by block.

    All of them in JSON, which has none in its strings, and those outside quotes in delimited text. `first_line` is the
    physical line that the first of them ends, 0 while there is none.
    """

    def __init__(self, head: bytes) -> None:
        self.is_json = head.removeprefix(UTF8_BOM_BYTES).lstrip().startswith((b"{", b"["))
        self.first_line, self.lines, self.inside, self.held = 0, 1, False, b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        block = self.held + block
        self.held = b"\r" if block.endswith(b"\r") and not final else b""
        parts = [block.removesuffix(self.held)] if self.is_json else block.removesuffix(self.held).split(b'"')
        for at, part in enumerate(parts):
            if b"\r" in part and self.inside is bool(at % 2) and (lone := _LONE_RETURN.search(part)):
                self.first_line = self.first_line or self.lines + part.count(b"\n", 0, lone.start())
                parts[at] = _LONE_RETURN.sub(b"\n", part)
            self.lines += part.count(b"\n")
        self.inside ^= len(parts) % 2 == 0
        return b'"'.join(parts)


def _wide_encoding(head: bytes) -> str | None:
    for mark, name in _WIDE_BOMS.items():
        if head.startswith(mark):
            return name
    start = head[:200]
    if (len(start) >= 8 and len(start) % 2 == 0) or len(start) == 200:
        for offset, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            half = start[offset::2]
            if half and half.count(0) > 0.8 * len(half) and start.count(0) == half.count(0):
                return name
    return None


def first_bad_byte(path: Path) -> BadByte | None:
    """The first byte that is not UTF-8, or None; reads the file in blocks."""
    decoder, offset, lines = codecs.getincrementaldecoder("utf-8")(), 0, 0
    with path.open("rb") as file:
        while True:
            block = file.read(BLOCK)
            pending = decoder.getstate()[0]
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                at = error.start - len(pending)
                line = lines + block[: max(at, 0)].count(b"\n") + 1
                bad = (pending + block)[error.start]
                return BadByte(offset + at, line, bad, likely_encoding(_sample(path, offset + at)))
            if not block:
                return None
            offset, lines = offset + len(block), lines + block.count(b"\n")


def _sample(path: Path, offset: int) -> bytes:
    """The lines around a place that are not UTF-8."""
    with path.open("rb") as file:
        file.seek(max(0, offset - SAMPLE // 2))
        return b"\n".join(line for line in file.read(SAMPLE).split(b"\n") if not is_utf8(line))


def is_utf8(text: bytes) -> bool:
    """Whether bytes are text in UTF-8, as a whole."""
    if text.isascii():
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def not_utf8(source: Source, bad: BadByte) -> Tally:
    """The finding for a file that is not UTF-8."""
    byte = f"{bad.byte:#04x}"
    at = At(source.path, bad.line)
    facts = {"byte": byte, "offset": bad.offset, "encoding": bad.encoding}
    which = "wide" if bad.encoding.startswith("utf-") else "byte"
    return tally_one(NOT_UTF8, at, which=which, value=byte, expected="UTF-8", **facts)


def transcode(source: Source, bad: BadByte) -> Source:
    """The source decoded from the likely encoding, but for its lines that are UTF-8.

    Bytes that have no meaning become U+FFFD and are reported as such.
    """
    decode = decoder(bad.encoding)
    if bad.encoding.startswith("utf-"):
        return rewritten(source, "utf8.txt", lambda block, final: decode(block, final).encode("utf-8"))
    return rewritten(source, "utf8.txt", _LinesAsUtf8(decode))


class _LinesAsUtf8:
    """Decodes what is not UTF-8, block by block; line by line only where a block holds both."""

    def __init__(self, decode: Decode) -> None:
        self.decode, self.held = decode, b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        whole, newline, rest = (self.held + block).rpartition(b"\n")
        text, self.held = (whole + newline + rest, b"") if final else (whole + newline, rest)
        if is_utf8(text):
            return text
        if not _UTF8_LETTER.search(text):
            return self._decoded(text)
        return b"\n".join(line if is_utf8(line) else self._decoded(line) for line in text.split(b"\n"))

    def _decoded(self, text: bytes) -> bytes:
        return self.decode(text, True).encode("utf-8")


def rewritten(source: Source, name: str, change: Callable[[bytes, bool], bytes]) -> Source:
    """The source rewritten by a change of its bytes, block by block; the last block is an empty one."""
    path = source.scratch / name
    with source.local.open("rb") as given, path.open("wb") as out:
        while True:
            block = given.read(BLOCK)
            out.write(change(block, not block))
            if not block:
                break
    with path.open("rb") as file:
        return replace(source, local=path, head=file.read(HEAD))
