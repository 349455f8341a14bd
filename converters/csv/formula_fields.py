"""Fields such as `="4373"`, with which a spreadsheet keeps a number as text, where they are written without quoting."""

import re

from sharedtask.converters.csv.delimiter import in_pattern
from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.encoding.text import rewritten
from sharedtask.converters.source import Source

_BEGINNING = b'="'
_QUOTED = rb'\1"=""\2"""'


def with_quoted_formulas(source: Source, delimiter: str) -> Source:
    """The source with quotes around such fields, and those inside doubled.

    No other field of a sound file looks like one: its quotes are doubled or stand beside a delimiter.
    """
    return rewritten(source, "formulas.csv", _Quoting(delimiter)) if _has_formulas(source) else source


def _has_formulas(source: Source) -> bool:
    last = b""
    with source.local.open("rb") as file:
        while block := file.read(BLOCK):
            if _BEGINNING in last + block:
                return True
            last = block[-1:]
    return False


class _Quoting:
    """Quotes those fields, block by block."""

    def __init__(self, delimiter: str) -> None:
        d = in_pattern(delimiter)
        self.formula = re.compile(rf'(?m)(^|{d})="([^"{d}\r\n]+)"(?={d}|\r?$)'.encode())
        self.held = b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        whole, newline, rest = (self.held + block).rpartition(b"\n")
        text, self.held = (whole + newline + rest, b"") if final else (whole + newline, rest)
        return self.formula.sub(_QUOTED, text)
