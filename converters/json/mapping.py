"""A JSON file that is one object of names and numbers, such as the names of sectors and their ids."""

import json
import re

import polars as pl

from sharedtask.converters.json.fallback import Digits
from sharedtask.converters.json.records import whole_text
from sharedtask.converters.raw_table import Table
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rule import Rule, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import BAD_JSON, DUPLICATE_JSON_KEY, JSON_NOT_RECORDS

BEGINS_WITH_NUMBERS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\d+\s*,\s*"[^"]*"\s*:\s*\d')


def is_mapping(head: bytes) -> bool:
    """Whether the first bytes of a file are one object, and most of its values are plain numbers; a record has texts as well."""
    text = head.decode("utf-8-sig", "ignore")
    try:
        pairs = json.loads(text, object_pairs_hook=lambda found: found, parse_int=Digits)
    except (ValueError, RecursionError):
        return BEGINS_WITH_NUMBERS.match(text) is not None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return False
    return 2 * sum(isinstance(value, Digits) for _, value in pairs) > len(pairs)


def read_json_mapping(source: Source, kind: Kind) -> Table:
    """An object as a table of two columns: the kind's first column holds the values, its second the names; one record a pair."""
    value_column, name_column = kind.columns
    tallies: list[Tally] = []

    def tell(rule: Rule, message: str, line: int | None = None) -> None:
        tallies.append(tally_one(rule, kind.name, message, file=source.path, line=line, hint=rule.hint))

    text = whole_text(source)
    pairs: list[tuple[str, object]] = []
    try:
        read = json.loads(text, object_pairs_hook=lambda found: found, parse_int=Digits, parse_float=Digits)
    except (ValueError, RecursionError) as error:
        tell(BAD_JSON, f"no JSON: {error}", getattr(error, "lineno", None))
    else:
        if isinstance(read, list) and all(isinstance(pair, tuple) for pair in read):
            pairs = read
        else:
            tell(JSON_NOT_RECORDS, "the file is not one object of names and ids")
    names = [name for name, _ in pairs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        tell(DUPLICATE_JSON_KEY, f"the name {name} stands there twice")
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
