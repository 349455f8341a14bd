"""A JSON file that is one object of names and numbers, such as the names of sectors and their ids."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.json.fallback import why_bad
from sharedtask.converters.json.records import whole_text
from sharedtask.converters.json.text import Digits
from sharedtask.converters.raw_table import Table
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rules.fmt_files import BAD_JSON, DUPLICATE_JSON_KEY, JSON_NOT_RECORDS

MOST_BYTES = 1 << 24  # of an object that must be parsed as a whole; the documented one has 300
BEGINS_WITH_NUMBERS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*[0-9]+\s*,\s*"[^"]*"\s*:\s*[0-9]')


def is_mapping(head: bytes) -> bool:
    """Whether the first bytes of a file are one object, and most of its values are plain numbers.

    A record has texts as well.
    """
    text = head.decode("utf-8-sig", "ignore")
    try:
        pairs = json.loads(text, object_pairs_hook=lambda found: found, parse_int=Digits)
    except (ValueError, RecursionError):
        return BEGINS_WITH_NUMBERS.match(text) is not None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return False
    return 2 * sum(isinstance(value, Digits) for _, value in pairs) > len(pairs)


def read_json_mapping(source: Source, kind: Kind, limit: int) -> Table:
    """An object as a table of two columns: the kind's first column holds the values, its second the names.

    One record a pair. `limit` bounds the samples of each finding. Raises UnusableError where the object is too large.
    """
    if source.local.stat().st_size > MOST_BYTES:
        expected = f"expected at most {MOST_BYTES} bytes of names and numbers"
        raise UnusableError(f"{source.path}: one object is too large; {expected}")
    value_column, name_column = kind.columns
    findings = RecordFindings(kind, source.path, limit)
    text = whole_text(source)
    pairs: list[tuple[str, object]] = []
    try:
        read = json.loads(text, object_pairs_hook=lambda found: found, parse_int=Digits, parse_float=Digits)
        json.dumps(read, ensure_ascii=False).encode()  # an escaped half of a surrogate pair is not text
    except (ValueError, RecursionError) as error:
        findings.lose(BAD_JSON, None, getattr(error, "lineno", 1), text, **why_bad(error, text, "file"))
    else:
        if isinstance(read, list) and all(isinstance(pair, tuple) for pair in read):
            pairs = read
        else:
            findings.lose(JSON_NOT_RECORDS, None, 1, text, which="file")
    times = Counter(name for name, _ in pairs)
    findings.count(DUPLICATE_JSON_KEY, [{"which": "name", "key": name} for name in sorted(times) if times[name] > 1])
    frame = pl.DataFrame(
        {
            "row": range(len(pairs)),
            RAW + value_column.name: [value if isinstance(value, Digits) else json.dumps(value) for _, value in pairs],
            RAW + name_column.name: [name for name, _ in pairs],
        },
        schema={"row": pl.UInt32, RAW + value_column.name: pl.String, RAW + name_column.name: pl.String},
    )
    lines = list(_lines(text, [name for name, _ in pairs]))
    unread = findings.lost.select("line", pl.col("text").alias("record"), "rules")
    return Table(
        frame.lazy().with_columns(file=pl.lit(0, pl.UInt32)),
        {column.name: column.official for column in kind.columns},
        findings.tallies(),
        unread.lazy,
        lines=lambda rows: [lines[row] for row in rows],
        form={"container": "json"},
        as_given=frame.lazy(),
        unread_rows=unread.height,
    )


def _lines(text: str, names: Sequence[str]) -> Iterator[int]:
    """The line of each name, which stand in the text in this order."""
    at, line = 0, 1
    for name in names:
        found = text.find(json.dumps(name, ensure_ascii=False), at)
        if found >= 0:  # else it is written with escapes
            line += text.count("\n", at, found)
            at = found + 1
        yield line
