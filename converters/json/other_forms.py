"""JSON files that hold their records in another form than one object each: found by their beginning, and written again as lines.

Records that were encoded twice, Python's dicts, quotes of a word processor, and one object that holds all records: of
columns, of records by key, or around a list. Each is one finding, and has one reading.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from sharedtask.converters.csv.write import sink_lines
from sharedtask.converters.json.text import STRING
from sharedtask.converters.source import HEAD, Source
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_damage import JSON_ENCODED_TWICE
from sharedtask.schemas.rules.fmt_files import BAD_JSON, JSON_NOT_RECORDS

WRITTEN = "records.jsonl"
TYPOGRAPHIC = {"“": '"', "”": '"', "„": '"', "‟": '"', "″": '"'}
WRAPPERS = ("data", "records", "rows", "items", "results", "documents", "sentences", "posts")
WRAPPED = re.compile(rf'"(?:{"|".join(WRAPPERS)})"\s*:\s*\[\s*\{{\s*"')
MOST_BYTES = 2**26  # of a file that must be parsed as a whole
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OtherForm:
    """The records as lines, and the finding; `keeps_lines` says that each record stands on the line where it stood."""

    source: Source
    finding: Tally
    keeps_lines: bool


def as_lines(source: Source) -> OtherForm | None:
    """A source that begins with JSON as lines of records; None where it is JSON Lines or an array already, or broken."""
    text = source.head.decode("utf-8-sig", "ignore").lstrip()
    first, _, more = text.partition("\n")
    if text.startswith('"{'):
        return _encoded_twice(source)
    if text.startswith(('"[{', '["{')):
        return _encoded_list(source)
    if not text.startswith("{"):
        return None
    if _is_object(first):
        return None if more.strip() or not _may_be_one_object(text) else _one_object(source)
    if any(sign in first for sign in TYPOGRAPHIC) and _is_object(_straight(first)):
        return _each_line(source, "typographic", _straight)
    if _as_python(first) is not None:
        return _each_line(source, "python", lambda line: _as_python(line) or line)
    return _one_object(source) if _may_be_one_object(text) else None


def is_encoded(start: bytes) -> bool:
    """Whether a text begins with an object, or a list of objects, inside a JSON string."""
    return start.startswith((b'"{\\"', b'"[{\\"'))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _straight(text: str) -> str:
    for sign, plain in TYPOGRAPHIC.items():
        text = text.replace(sign, plain)
    return text


def _as_python(line: str) -> str | None:
    """The JSON of a line that is a Python dict; parsed, never evaluated."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape such as \\d
            value = ast.literal_eval(line.strip())
        return json.dumps(value, allow_nan=False) if isinstance(value, dict) else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _encoded_twice(source: Source) -> OtherForm:
    scan = pl.scan_lines(source.local, name="line", glob=False)
    text = pl.col("line").str.strip_prefix("\ufeff").str.strip_suffix("\r")
    is_string = text.str.contains(f"^{STRING}$")
    decoded = pl.when(is_string).then(text).otherwise(pl.lit('""')).str.json_decode(pl.String())
    one_line = decoded.str.replace_all(r"[\r\n]+", " ")
    path = source.scratch / WRITTEN
    sink_lines(scan.select(pl.when(is_string).then(one_line).otherwise(text)), path)
    finding = tally_one(JSON_ENCODED_TWICE, At(source.path, 1), which="line", expected="one JSON object a line")
    return OtherForm(_rewritten(source, path), finding, keeps_lines=True)


def _encoded_list(source: Source) -> OtherForm | None:
    """A list of records inside a JSON string, or a list of records that are each inside one."""
    try:
        value = _loaded(source)
        read = _parsed(value) if isinstance(value, str) else [_parsed(one) for one in value]
    except (ValueError, TypeError, RecursionError):
        return None
    if not _are(read, dict):
        return None
    finding = tally_one(
        JSON_ENCODED_TWICE, At(source.path, column="$"), which="file", expected="one JSON object a line"
    )
    return OtherForm(_written(source, read), finding, keeps_lines=False)


def _each_line(source: Source, which: str, change: Callable[[str], str]) -> OtherForm:
    """Every line written again; the file is read line by line, as only a parser can read it."""
    path = source.scratch / WRITTEN
    how: dict[str, Any] = {"errors": "surrogateescape", "newline": "\n"}
    with source.local.open(encoding="utf-8-sig", **how) as given, path.open("w", encoding="utf-8", **how) as out:
        out.writelines(change(line.rstrip("\r\n")) + "\n" for line in given)
    facts = {"expected": "one JSON object a line", "fixable": True}
    return OtherForm(_rewritten(source, path), tally_one(BAD_JSON, At(source.path, 1), which=which, **facts), True)


def _may_be_one_object(text: str) -> bool:
    """Whether an object begins as no record does: with an object or a list, or with records below a usual name."""
    if WRAPPED.search(text):
        return True
    rest = text[1:].lstrip()
    try:
        _, end = json.JSONDecoder().raw_decode(rest) if rest.startswith('"') else (None, 0)
    except ValueError:
        return False
    return bool(end) and rest[end:].lstrip().removeprefix(":").lstrip()[:1] in ("{", "[")


def _one_object(source: Source) -> OtherForm | None:
    try:
        value = _loaded(source)
        found = _records(value) if isinstance(value, dict) else None
        if found is None:
            return None
        which, records = found
        written = _written(source, records)
    except (ValueError, RecursionError):
        return None
    facts = {"expected": "one object a record", "fixable": True, "records": len(records)}
    finding = tally_one(JSON_NOT_RECORDS, At(source.path, column="$"), which=which, **facts)
    return OtherForm(written, finding, keeps_lines=False)


def _records(value: Mapping[str, Any]) -> tuple[str, Sequence[Record]] | None:
    """What an object that is no record holds, and its records; None where that has not one reading."""
    parts = [part for _, part in value.items()]
    repeats = any(isinstance(one, _Repeating) for one in (value, *parts))  # a column, or the row of one, has two values
    if isinstance(value, _Repeating) and not (_are(parts, dict) or _are_ids(value)):
        return None
    if {"columns", "data"} <= {*value} and _are(value["data"], list):
        return "columns", [dict(zip(value["columns"], row, strict=False)) for row in value["data"]]
    wrapped = [part for name, part in value.items() if name in WRAPPERS and part and _are(part, dict)]
    if len(wrapped) == 1:
        return "around", wrapped[0]
    if not parts or not (_are(parts, dict) or _are(parts, list)):
        return None
    if _are_ids(value):
        if _are(parts, dict):
            return "keys", parts
        return "ids", [{"Id": int(key), "Tags": tags} for key, tags in value.items()]
    if _are(parts, list) and len({len(part) for part in parts}) == 1:
        return "columns", [dict(zip(value, row, strict=True)) for row in zip(*parts, strict=True)]
    if _are(parts, dict) and all(_are_ids(part) for part in parts) and not repeats:
        rows = dict.fromkeys(row for part in parts for row in part)
        return "columns", [{name: part.get(row) for name, part in value.items()} for row in rows]
    return ("keys", parts) if _are(parts, dict) else None


def _are(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


def _are_ids(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(key.isascii() and key.isdigit() for key in value)


class _Repeating(dict[str, Any]):
    """An object with a key more than once, which is written again with all of them, so that each is seen."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> Any:  # as json.dumps asks for them
        return self.pairs


def _parsed(text: str) -> Any:
    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        read = dict(pairs)
        return read if len(read) == len(pairs) else _Repeating(pairs)

    return json.loads(text, object_pairs_hook=as_object)


def _loaded(source: Source) -> Any:
    """The whole file. Raises ValueError where it is no JSON, or too large to be parsed at once."""
    if source.local.stat().st_size > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES} bytes")
    return _parsed(source.local.read_text("utf-8-sig"))


def _written(source: Source, records: Sequence[Record]) -> Source:
    path = source.scratch / WRITTEN
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return _rewritten(source, path)


def _rewritten(source: Source, path: Path) -> Source:
    with path.open("rb") as file:
        return replace(source, local=path, head=file.read(HEAD))
