"""Lines of a delimited file that are no records: blank ones, and the header again. They are counted and left out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from sharedtask.converters.csv.delimiter import in_pattern
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.reading import text_where
from sharedtask.schemas.rule import At, Finding, Rule, Severity, Tally, finding
from sharedtask.schemas.rules.fmt_damage import BLANK_RECORD, REPEATED_HEADER

NO_RECORDS = (BLANK_RECORD.name, REPEATED_HEADER.name)


def is_blank(record: pl.Expr, delimiter: str) -> pl.Expr:
    """Whether a line holds nothing but delimiters, white space and empty quotes."""
    d = in_pattern(delimiter)
    empty = r'[ \t\r]*(?:"")?[ \t\r]*' if delimiter != "\t" else r'[ \r]*(?:"")?[ \r]*'
    few = text_where(record.str.strip_chars(f'{delimiter} \t\r"') == "", pl.concat_str(pl.lit("^"), record))
    return few.str.contains(rf"^\^{empty}(?:{d}{empty})*$")


@dataclass(slots=True)
class _Lines:
    """The lines with one message: how many, and the first of them."""

    which: str
    severity: Severity
    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def add(self, lines: pl.DataFrame, limit: int) -> None:
        self.count += lines.height
        self.first += lines.select("line", "record").head(limit - len(self.first)).rows()


class NoRecords:
    """Counts such lines of one file, block by block. Blank lines at the end of a file are one finding.

    `header` is the message for a header between the records.
    """

    def __init__(self, kind: Kind, path: str, header: str, limit: int) -> None:
        self.kind, self.path, self.limit = kind, path, limit
        strict = Severity.ERROR if kind.is_run else Severity.WARNING
        self.headers = _Lines(header, REPEATED_HEADER.severity_for(kind))
        self.blank = _Lines("line", Severity.WARNING)
        self.delimiters = _Lines("delimiters", strict)
        self.last = _Lines("end", Severity.INFO)  # blank lines behind which no record has come yet

    def add(self, block: pl.DataFrame) -> None:
        """Take in a block of records with the `rule` that each breaks."""
        rule, record = pl.col("rule"), pl.col("record")
        self.headers.add(block.filter(rule == REPEATED_HEADER.name), self.limit)
        blank = block.filter(rule == BLANK_RECORD.name)
        empty = record.str.strip_chars() == ""
        self.delimiters.add(blank.filter(~empty), self.limit)
        solid = block.filter((rule != BLANK_RECORD.name).fill_null(value=True) | ~empty)["line"].max()
        lines = blank.filter(empty)
        if isinstance(solid, int):
            self.blank.count += self.last.count
            self.blank.first += self.last.first[: self.limit - len(self.blank.first)]
            self.last.count, self.last.first = 0, []
            self.blank.add(lines.filter(pl.col("line") < solid), self.limit)
            lines = lines.filter(pl.col("line") > solid)
        self.last.add(lines, self.limit)

    def tallies(self) -> Iterator[Tally]:
        if self.headers.count:
            yield self._tally(REPEATED_HEADER, self.headers)
        for lines in (self.delimiters, self.blank):
            if lines.count:
                yield self._tally(BLANK_RECORD, lines)
        if self.last.count:
            self.last.count, self.last.first = 1, self.last.first[:1]
            yield self._tally(BLANK_RECORD, self.last)

    def _tally(self, rule: Rule, lines: _Lines) -> Tally:
        return Tally.counted(
            rule, lines.severity, lines.count, [self._finding(rule, lines, *one) for one in lines.first]
        )

    def _finding(self, rule: Rule, lines: _Lines, line: int, record: str) -> Finding:
        at, value = At(self.path, line), record[:200]
        return finding(rule, at, severity=lines.severity, which=lines.which, value=value, expected="a record")
