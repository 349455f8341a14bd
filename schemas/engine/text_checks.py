"""The rules about odd characters in natural-language text, one set for every prose column of every task.

Nearly all texts of a file are clean, so each rule first asks something cheap: whether a text has any character outside
ASCII (its length in bytes and in code points differ), or holds one literal. Only what is left meets a regular
expression or a normalisation.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from sharedtask.schemas.kind import Check, Column, property_says
from sharedtask.schemas.messages import excerpt, first_difference
from sharedtask.schemas.reading import text_where
from sharedtask.schemas.rules.fmt_damage import (
    SPREADSHEET_ERROR,
    SWALLOWED_RECORDS,
    TEXT_BEGINS_WITH_BOM,
    TRUNCATED_CELL,
)
from sharedtask.schemas.rules.fmt_files import FIELD_TOO_LARGE, MAX_FIELD_BYTES, NUL_BYTE
from sharedtask.schemas.rules.fmt_values import (
    CONTROL_CHARACTER,
    LINE_SEPARATOR_CHARACTER,
    MOJIBAKE,
    REPLACEMENT_CHARACTER,
    TEXT_NOT_NFC,
)

# Every code point that NFC may change, alone or with its neighbours: marks, conjoining jamo, and the singletons of the Unicode data. The
# variation selectors are marks that stand behind every other emoji and never change.
NOT_NFC_PREFILTER = (
    r"[[\p{M}&&[^\x{FE00}-\x{FE0F}]]\x{0374}\x{037E}\x{0387}\x{0958}-\x{095F}\x{09DC}-\x{09DF}\x{0A33}-\x{0A36}\x{0A59}-\x{0A5E}\x{0B5C}\x{0B5D}"
    r"\x{0F43}\x{0F4D}\x{0F52}\x{0F57}\x{0F5C}\x{0F69}\x{1160}-\x{11FF}\x{1F71}-\x{1FFD}\x{2000}\x{2001}\x{2126}\x{212A}\x{212B}\x{2329}\x{232A}"
    r"\x{2ADC}\x{F900}-\x{FAFF}\x{FB1D}-\x{FB4E}\x{1D15E}-\x{1D1C0}\x{2F800}-\x{2FA1D}]"
)

# UTF-8 read as cp1252: the leads of Latin, punctuation and Vietnamese letters, each with what can follow it. Quotes and dashes after
# a capital A with tilde also occur at the end of Vietnamese words, and a no-break space after one in capitals: there the letter beside them
# decides. That space is looked for apart, so that all the others begin with a character by which they are found fast.
MOJIBAKE_MARKS = (
    "Ã[\u0080-\u0084\u0086-\u0090\u0098-\u009f\u00a1-\u00bf€‚ƒ„†‡ˆ‰Š‹ŒŽ˜™š›œžŸ]|Ã[‘’“”]\\p{L}|Â[\u00a0-\u00bf]|â€[\u0080-\u00bf˜™œž“”•–—…¦¢]"
    "|á[º»][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|Ä[‚ƒ‘¨©\u0090]|Å[¨©]|Æ[\u00a0¡¯°]"
)
MOJIBAKE_SPACE = "Ã\u00a0"
MOJIBAKE_SPACE_MARK = f"(?:^|\\P{{Lu}}){MOJIBAKE_SPACE}"

SPREADSHEET_ERRORS = (
    "#NAME?",
    "#REF!",
    "#VALUE!",
    "#DIV/0!",
    "#N/A",
    "#NUM!",
    "#NULL!",
    "#ERROR!",
    "#SPILL!",
    "#CALC!",
)
CELL_SIZES = {32_767: "a spreadsheet cell", 65_535: "a text column of a database"}
CONTROLS_C0 = r"[\x01-\x08\x0B\x0E-\x1F]"
LEAD_OF_C1 = b"\xc2"  # their first byte in UTF-8
CONTROLS_C1 = r"[\x{80}-\x{84}\x{86}-\x{9F}]"
# Lost letters inside a word, or at the end of one after which the sentence goes on in small letters.
QUESTIONS = r"\p{L}\?{2,}(?:\p{L}| \p{Ll})"
LINE_SEPARATORS = r"[\x{2028}\x{2029}\x{85}]"


Looks = Callable[[str], Mapping[str, Any]]


def _place_of(*patterns: str) -> Looks:
    """Where the first of these patterns matches in a text."""

    def looks(text: str) -> dict[str, Any]:
        ats = [pl.Series([text]).str.find(pattern).item() for pattern in patterns]
        first = min((at for at in ats if at is not None), default=0)
        return {"index": len(text.encode()[:first].decode(errors="ignore"))}

    return looks


def _code_point(*patterns: str) -> Looks:
    """The place of a character, and its code point."""

    def looks(text: str) -> dict[str, Any]:
        at = _place_of(*patterns)(text)["index"]
        return {"index": at, "character": f"U+{ord(text[at]):04X}"}

    return looks


def _mojibake(text: str) -> dict[str, Any]:
    """The place of letters that were decoded wrongly, and how the text there reads in the right encoding."""
    at = _place_of(MOJIBAKE_MARKS, MOJIBAKE_SPACE)(text)["index"]
    return {"index": at, "reads": re.sub(r"[^\x00-\x7f]+", _in_utf8, excerpt(text, at))}


def _in_utf8(letters: re.Match[str]) -> str:
    """Letters that were read as Windows-1252 as the UTF-8 that they were; as they are where they were not."""
    try:
        data = b"".join(letter.encode("cp1252" if letter in _CP1252 else "latin-1") for letter in letters[0])
        return data.decode()
    except UnicodeError:
        return letters[0]


_CP1252 = {bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0x100)} - {""}


def _first_change(text: str) -> dict[str, Any]:
    """The first place at which normalisation changes a text."""
    normal = unicodedata.normalize("NFC", text)
    return {"index": first_difference(text, normal)}


def nul_check(column: Column) -> Check:
    """The check of the raw text of a column that is not prose for the one byte that no text holds.

    Its form rules are silent then.
    """
    holds = pl.col(column.raw).str.contains("\0", literal=True)
    return Check(NUL_BYTE, column.name, holds, "no NUL", "text", needs="nul", instead_of=(column.name,))


def text_checks(column: Column, *, max_bytes: int = MAX_FIELD_BYTES) -> list[Check]:
    """The checks of one prose column; `max_bytes` is the largest field that is taken."""
    text = pl.col(column.name)
    wide = text_where(text.str.len_bytes() != text.str.len_chars(), text)
    c1 = text_where(wide.cast(pl.Binary).bin.contains(LEAD_OF_C1), wide).str.contains(CONTROLS_C1)
    c0 = text.str.contains(CONTROLS_C0)
    marked = text_where(wide.str.contains(NOT_NFC_PREFILTER), text)
    spaced = text_where(wide.str.contains(MOJIBAKE_SPACE, literal=True), wide).str.contains(MOJIBAKE_SPACE_MARK)
    marks = text_where(wide.str.contains("\ufeff", literal=True), wide)
    least = min(CELL_SIZES)
    long = text_where(text.str.len_bytes() >= least, text).str.len_chars()  # hardly any text
    asked = text_where(text.str.contains("??", literal=True), text)
    doubtful = asked.str.contains(QUESTIONS)
    controls = _code_point(CONTROLS_C0, CONTROLS_C1)
    return [
        Check(FIELD_TOO_LARGE, column.name, text.str.len_bytes() > max_bytes, f"at most {max_bytes} bytes", "field"),
        Check(
            NUL_BYTE,
            column.name,
            text.str.contains("\0", literal=True),
            "no NUL",
            "text",
            needs="nul",
            says=property_says(column.name, {"pattern": r"^[^\u0000]*$"}),
        ),
        Check(CONTROL_CHARACTER, column.name, c1, "no control character", needs="wide", looks=controls),
        Check(
            CONTROL_CHARACTER,
            column.name,
            c0 & ~c1.fill_null(False),
            "no control character",
            needs="c0",
            looks=controls,
        ),
        Check(REPLACEMENT_CHARACTER, column.name, doubtful, "the character that was lost", looks=_place_of(QUESTIONS)),
        Check(
            REPLACEMENT_CHARACTER,
            column.name,
            wide.str.contains("\ufffd", literal=True) & ~doubtful.fill_null(False),
            "the character that was lost",
            needs="wide",
            looks=_place_of("\ufffd"),
        ),
        Check(
            TEXT_BEGINS_WITH_BOM,
            column.name,
            marks.str.contains("\ufeff", literal=True),
            "no byte order mark in a text",
            needs="wide",
            fixable=False,  # offsets may count it
            looks=_place_of("\ufeff"),
        ),
        Check(
            SPREADSHEET_ERROR,
            column.name,
            text_where(text.str.starts_with("#"), text).is_in(SPREADSHEET_ERRORS),
            "the text",
        ),
        *(
            Check(
                TRUNCATED_CELL,
                column.name,
                long == most,
                "the whole text",
                shows={"characters": most, "holder": holder},
            )
            for most, holder in CELL_SIZES.items()
        ),
        Check(
            LINE_SEPARATOR_CHARACTER,
            column.name,
            wide.str.contains(LINE_SEPARATORS),
            "a space or a newline",
            needs="wide",
            looks=_code_point(LINE_SEPARATORS),
        ),
        Check(
            MOJIBAKE,
            column.name,
            wide.str.contains(MOJIBAKE_MARKS) | spaced,
            "text in UTF-8",
            needs="wide",
            looks=_mojibake,
        ),
        Check(
            TEXT_NOT_NFC,
            column.name,
            marked.str.normalize("NFC") != marked,
            "text in Unicode normal form C",
            needs="wide",
            looks=_first_change,
        ),
    ]


def swallowed_check(column: Column, columns: Sequence[Column]) -> Check | None:
    """The check of a prose column for lines that look like whole records of a delimited file with these columns.

    None where such a line could as well be text: the first column must be a number, and the last one no text.
    """
    first, *_, last = columns
    if not first.reading.dtype.is_integer() or last.prose or len(columns) < MOST_ALIKE:
        return None
    line = r"\n" + BETWEEN.join(_cell_of(one) for one in columns)
    text = pl.col(column.name)
    several = text_where(text.str.contains("\n", literal=True), text)
    return Check(
        SWALLOWED_RECORDS, column.name, several.str.contains(line), "one text", needs="newline", looks=_place_of(line)
    )


BETWEEN, WITHIN = r"[,;\t|]", r"[^,;\t|\n]"  # whatever the delimiter of the file is
MOST_ALIKE = 3  # columns; lines of fewer are like those of a text


def _cell_of(column: Column) -> str:
    """A pattern for a cell of a column as CSV has it."""
    dtype = column.reading.dtype
    if isinstance(dtype, pl.Datetime):
        return rf"(?:[0-9]{{9,16}}{WITHIN}{{0,4}})?"
    if isinstance(dtype, pl.List):
        return r"\"?\[[^\n]*"
    if dtype.is_numeric() or dtype == pl.Boolean:
        return WITHIN + "{0,20}" if column.nullable else r"-?[0-9]+(?:\.0)?"
    return r"[^\n]*" if column.prose else WITHIN + "*"
