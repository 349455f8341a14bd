"""Delimited text in which quotes do not mean what CSV means by them: it was written without quoting, or with backslashes.

Each is one finding for the file, since there is one reading: every line falls into its fields then.
"""

import re

import polars as pl

from sharedtask.converters.csv.broken import Grammar, RecordRules
from sharedtask.converters.csv.delimiter import in_pattern
from sharedtask.converters.csv.no_records import is_blank
from sharedtask.converters.encoding.text import rewritten
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import UNBALANCED_QUOTE

_LINE_END = re.compile(rb"(\r?\n)")
BACKSLASHED = '\\"'


def with_usual_quotes(source: Source, kind: Kind, delimiter: str, width: int) -> tuple[Source, Tally] | None:
    """The text with the quotes of CSV, and the finding; None where its quotes are usual ones, right or wrong."""
    text = pl.col("record")
    counts = _counted(source, delimiter, width, text)
    if counts["backslashed"] and not _counted(source, delimiter, width, _doubled(text))["unsound"]:
        mended, which, records = rewritten(source, "doubled.csv", _Doubling()), "backslash", counts["backslashed"]
    elif counts["loose"] and 1 < counts["unsound"] == counts["quoted"] and counts["even"]:
        mended, which, records = rewritten(source, "quoted.csv", _Quoting(delimiter)), "unquoted", counts["quoted"]
    else:
        return None
    at = At(source.path, counts["first"])
    finding = tally_one(
        UNBALANCED_QUOTE,
        at,
        kind=kind,
        which=which,
        expected="quotes around whole fields",
        fixable=True,
        records=records,
    )
    return mended, finding


def _doubled(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(BACKSLASHED, '""', literal=True)


def _counted(source: Source, delimiter: str, width: int, text: pl.Expr) -> dict[str, int]:
    """Of the lines: how many have quotes, how many of these are no record by them, and whether all are `even` without.

    `loose` counts those with two quotes inside one field, `backslashed` those with a quote behind a backslash; `first`
    is the first with a quote that means nothing.
    """
    d = in_pattern(delimiter)
    scan = pl.scan_lines(source.local, name="record", row_index_name="line", glob=False)
    lines = scan.with_columns(record=text.str.strip_suffix("\r"), height=pl.lit(1, pl.UInt32), cut=pl.lit(value=False))
    rules = RecordRules(Grammar.of(delimiter), delimiter, width, None)
    has_quote = pl.col("record").str.contains('"', literal=True)
    unsound = has_quote & (pl.col("odd") | (pl.col("rule") == UNBALANCED_QUOTE.name).fill_null(value=False))
    fields = pl.col("record").str.count_matches(delimiter, literal=True) + 1
    found = rules.judged(lines).select(
        quoted=has_quote.sum(),
        unsound=unsound.sum(),
        even=((fields == width) | is_blank(pl.col("record"), delimiter)).all().cast(pl.Int64),
        loose=pl.col("record").str.contains(rf'[^{d}"]"[^{d}"]+"[^{d}"]').sum(),
        backslashed=pl.col("record").str.contains(BACKSLASHED, literal=True).sum(),
        first=pl.col("line").filter(unsound).min().cast(pl.Int64) + 1,
    )
    return {name: int(value or 0) for name, value in found.collect(engine="streaming").row(0, named=True).items()}


class _Doubling:
    """Doubles quotes behind backslashes, block by block."""

    def __init__(self) -> None:
        self.held = b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        text = self.held + block
        self.held = b"" if final or not text.endswith(b"\\") else b"\\"
        return text[: len(text) - len(self.held)].replace(b'\\"', b'""')


class _Quoting:
    """Puts every field of every line in quotes, block by block."""

    def __init__(self, delimiter: str) -> None:
        self.between = delimiter.encode()
        self.held = b""

    def __call__(self, block: bytes, final: bool) -> bytes:
        whole, newline, rest = (self.held + block).rpartition(b"\n")
        self.held = b"" if final else rest
        return (self._quoted(whole) + b"\n" if newline else b"") + (self._quoted(rest) if final and rest else b"")

    def _quoted(self, lines: bytes) -> bytes:
        fields = lines.replace(b'"', b'""').replace(self.between, b'"' + self.between + b'"')
        body = fields.removesuffix(b"\r")
        return b'"' + _LINE_END.sub(rb'"\1"', body) + b'"' + fields[len(body) :]
