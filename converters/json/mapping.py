"""A JSON file that is one object of names and numbers, such as the names of sectors and their ids."""

import json
import re
from typing import Any

import polars as pl

from sharedtask.converters.json.fallback import Digits, why_bad
from sharedtask.converters.json.records import whole_text
from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rule import At, Rule, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import BAD_JSON, DUPLICATE_JSON_KEY, JSON_NOT_RECORDS

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


def read_json_mapping(source: Source, kind: Kind) -> Table:
    """An object as a table of two columns: the kind's first column holds the values, its second the names.

    One record a pair.
    """
    value_column, name_column = kind.columns
    tallies: list[Tally] = []

    def report(rule: Rule, line: int | None = None, **facts: Any) -> None:
        tallies.append(tally_one(rule, At(source.path, line), kind=kind, **facts))

    text = whole_text(source)
    pairs: list[tuple[str, object]] = []
    try:
        read = json.loads(text, object_pairs_hook=lambda found: found, parse_int=Digits, parse_float=Digits)
    except (ValueError, RecursionError) as error:
        report(BAD_JSON, getattr(error, "lineno", None), **why_bad(error, text, "file"))
    else:
        if isinstance(read, list) and all(isinstance(pair, tuple) for pair in read):
            pairs = read
        else:
            report(JSON_NOT_RECORDS, which="file")
    names = [name for name, _ in pairs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        report(DUPLICATE_JSON_KEY, which="name", key=name)
    lines = [text.count("\n", 0, text.find(json.dumps(name, ensure_ascii=False))) + 1 for name in names]
    frame = pl.DataFrame(
        {
            "row": range(len(pairs)),
            RAW + value_column.name: [value if isinstance(value, Digits) else json.dumps(value) for _, value in pairs],
            RAW + name_column.name: names,
        },
        schema={"row": pl.UInt32, RAW + value_column.name: pl.String, RAW + name_column.name: pl.String},
    )
    return Table(
        frame.lazy().with_columns(file=pl.lit(0, pl.UInt32)),
        {column.name: column.official for column in kind.columns},
        tallies,
        lines=lambda rows: [lines[row] for row in rows],
        form={"container": "json"},
        as_given=frame.lazy(),
    )
