"""Findings about the bytes of a file: CRLF line ends, and NUL where no rule of a column finds it."""

from collections.abc import Sequence

from sharedtask.converters.encoding.byte_facts import line_of
from sharedtask.converters.opening import Opened
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import CRLF_LINE_ENDS, NOT_UTF8, NUL_BYTE


def line_ends(opened: Opened) -> list[Tally]:
    """Windows line ends, in all lines or in some."""
    facts = opened.source.facts
    if not facts.crlf:
        return []
    which = "all" if facts.crlf == facts.lf else "some"
    at = At(opened.source.path)
    return [tally_one(CRLF_LINE_ENDS, at, kind=opened.kind, which=which, crlf=facts.crlf, lines=facts.lf)]


def nul_bytes(opened: Opened, found: Sequence[Tally]) -> list[Tally]:
    """NUL where no rule of a column finds it: in a header, in an extra column, in the syntax of JSON.

    Wide encodings are full of it.
    """
    if not opened.source.facts.nul or any(tally.rule in (NUL_BYTE, NOT_UTF8) for tally in found):
        return []
    at = At(opened.source.path, line_of(opened.source.local, b"\0"))
    return [tally_one(NUL_BYTE, at, kind=opened.kind, which="line")]
