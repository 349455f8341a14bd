"""What one pass over the bytes of a file finds: its hash, and the rare bytes that it holds.

Nothing here knows a file shape or a task.
"""

import hashlib
import os
from codecs import BOM_UTF8
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1 << 21  # bytes; a block and its results stay in the cache of a core
NOT_DELIMITED = (b"{", b"[", b"PAR1", b"PK")


_LF, _SPACE, _QUOTE, _LAST_OF_ASCII = b'\n "\x7f'
_KNOWN_CONTROLS = b"\0\r\t\f"  # and line feeds: those that have a rule of their own, and those that text may hold
_BESIDE_QUOTES = b'",;|\t\r\n'


@dataclass(slots=True)
class ByteFacts:
    """What one pass over the bytes of a text file found; counts are of bytes.

    `has_c0` is true where there are control characters, `has_wide` where there is anything but ASCII.

    `stray_quote` says that some double quote has other characters than quotes, delimiters and line ends on both sides,
    which in sound delimited text none has; it is not looked for in other files.
    """

    sha256: str = ""
    lf: int = 0
    cr: int = 0
    crlf: int = 0
    nul: int = 0
    has_c0: bool = False
    has_wide: bool = False
    stray_quote: bool = False
    final_newline: bool = False

    @property
    def lacks(self) -> frozenset[str]:
        """The classes of bytes that the file does not hold, as `Check.needs` names them."""
        classes = {"nul": self.nul, "c0": self.has_c0, "wide": self.has_wide}
        return frozenset(name for name, there in classes.items() if not there)


def byte_facts(path: Path) -> ByteFacts:
    """One pass over the bytes in blocks, which overlap by two: a byte is looked at with both its neighbours.

    Runs in a thread beside the reader.

    The bytes are searched as columns of Polars, which compares many at once.
    """
    facts, digest, block, overlap = ByteFacts(), hashlib.sha256(), b"", 0
    with path.open("rb", buffering=0) as file:
        is_delimited = not file.read(64).lstrip(BOM_UTF8 + b" \t\r\n").startswith(NOT_DELIMITED)
        file.seek(0)
        while len(read := file.read(overlap + BLOCK)) > overlap:
            block = read
            digest.update(memoryview(block)[overlap:])
            column = _column_of(block)
            if is_delimited and not facts.stray_quote:
                facts.stray_quote = _has_stray_quote(column.slice(0 if overlap else _bom_length(block)))
            _classify(facts, column.slice(overlap))
            facts.crlf += block.count(b"\r\n", max(overlap - 1, 0)) if facts.cr else 0
            overlap = min(2, len(block))
            file.seek(-overlap, os.SEEK_CUR)
    facts.sha256, facts.final_newline = digest.hexdigest(), block.endswith(b"\n")
    return facts


def classes_lacking(head: bytes) -> frozenset[str]:
    """The classes of bytes that the first bytes of a file do not hold, as in `ByteFacts.lacks`."""
    facts = ByteFacts()
    _classify(facts, _column_of(head))
    return facts.lacks


def line_of(path: Path, byte: bytes) -> int | None:
    """The physical line of the first such byte; None where there is none."""
    line = 1
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            at = block.find(byte)
            if at >= 0:
                return line + block.count(b"\n", 0, at)
            line += block.count(b"\n")
    return None


def _column_of(block: bytes) -> "pl.Series":
    """One UInt8 a byte; copied once, where `pl.Series` of bytes would ask Python for each."""
    import polars as pl  # here only: commands that show rules and kinds import this module, and no engine

    column: pl.Series = pl.Series([block], dtype=pl.Binary).cast(pl.List(pl.UInt8))[0]
    return column


def _bom_length(text: bytes) -> int:
    return len(BOM_UTF8) if text.startswith(BOM_UTF8) else 0


def _classify(facts: ByteFacts, column: "pl.Series") -> None:
    """Add what bytes hold to the facts."""
    controls, lf = column < _SPACE, int((column == _LF).sum())
    facts.lf += lf
    if int(controls.sum()) > lf:  # most files hold no others
        held = column.filter(controls)
        nul, cr, *others = [int((held == byte).sum()) for byte in _KNOWN_CONTROLS]
        facts.nul, facts.cr = facts.nul + nul, facts.cr + cr
        facts.has_c0 = facts.has_c0 or lf + nul + cr + sum(others) < len(held)
    facts.has_wide = facts.has_wide or (column > _LAST_OF_ASCII).any()


def _has_stray_quote(column: "pl.Series") -> bool:
    """Whether a quote between two other bytes has nothing on either side that may stand beside a quote."""
    quotes = column.slice(1).head(-1) == _QUOTE
    before, after = column.head(-2).filter(quotes), column.slice(2).filter(quotes)
    number = len(before)
    beside = before.append(after)
    sound = reduce(or_, (beside == byte for byte in _BESIDE_QUOTES))
    return not (sound.head(number) | sound.slice(number)).all()
