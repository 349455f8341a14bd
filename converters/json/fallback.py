"""Records of a JSON file that need a parser: those that the guards refuse, and those of a shape that is not plain."""

import json

import polars as pl

from sharedtask.converters.header import fold
from sharedtask.converters.json.findings import Teller
from sharedtask.converters.json.keys import Keys
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.fmt_files import BAD_JSON, DUPLICATE_JSON_KEY, JSON_NOT_RECORDS


def mend(doubtful: pl.DataFrame, keys: Keys, teller: Teller) -> pl.DataFrame:
    """Read the records (`row`, `line`, `text`) that need a parser.

    Returns `row`, `mended` (their typed JSON text with known keys only) and `lone` (a list of spans that was one object alone). What
    cannot be read is told and lost.
    """
    mended = []
    for row, line, text in doubtful.iter_rows():
        try:
            pairs = json.loads(
                text, object_pairs_hook=_Pairs, parse_float=Digits, parse_int=Digits, parse_constant=_refuse
            )
            json.dumps(pairs, ensure_ascii=False).encode()  # an escaped half of a surrogate pair is no text
        except (ValueError, RecursionError) as error:
            character = getattr(error, "pos", 0) + 1
            message = f"the line is no JSON at character {character}: {getattr(error, 'msg', error)}"
            teller.lose(BAD_JSON, row, line, text, message, expected="one JSON object a line")
            continue
        if not isinstance(pairs, _Pairs):
            message = f"the record is a {_type(pairs)}, not an object"
            teller.lose(JSON_NOT_RECORDS, row, line, text, message, column="$", expected="an object")
            continue
        keys.note(pairs, line, 1)
        fault = _fault_of(pairs, keys)
        if fault is not None:
            rule, message, path = fault
            teller.lose(rule, row, line, text, message, column=path)
            continue
        record, lone = _plain(pairs, keys)
        mended.append((row, json.dumps(record, ensure_ascii=False), lone))
    return pl.DataFrame(mended, schema={"row": pl.UInt32, "mended": pl.String, "lone": pl.Boolean}, orient="row")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


class _Pairs(list[tuple[str, object]]):
    """A JSON object as its pairs, so that repeated keys stay visible and a list is something else."""


class Digits(str):
    """A JSON number as it is written."""

    __slots__ = ()


def _type(value: object) -> str:
    names = {_Pairs: "object", list: "list", Digits: "number", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _fault_of(pairs: _Pairs, keys: Keys) -> tuple[Rule, str, str] | None:
    """What makes a well-formed record unusable: a repeated key, or a value of another structure."""
    names = [name for name, _ in pairs]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        return DUPLICATE_JSON_KEY, f"the key {repeated} stands in one object twice", repeated
    held: dict[str, str] = {}
    for name, value in pairs:
        column = keys.known.get(fold(name))
        if column is None:
            continue
        if held.setdefault(column.name, name) != name:
            return DUPLICATE_JSON_KEY, f"the keys {held[column.name]} and {name} stand for the same", name
        is_spans = keys.holds_spans(column)
        if is_spans and value is None:  # as empty as if it were not there
            continue
        if not is_spans and isinstance(value, list):
            return JSON_NOT_RECORDS, f"{name} is a {_type(value)}, a plain value is wanted", f"$.{name}"
        if is_spans:
            tags = [value] if isinstance(value, _Pairs) else value
            if not isinstance(tags, list):
                return JSON_NOT_RECORDS, f"{name} is a {_type(value)}, a list of objects is wanted", f"$.{name}"
            for at, tag in enumerate(tags):
                if not isinstance(tag, _Pairs) or any(isinstance(part, list) for _, part in tag):
                    return JSON_NOT_RECORDS, f"{name}[{at}] is no object of plain values", f"$.{name}[{at}]"
                inner = [key for key, _ in tag]
                if len(set(inner)) < len(inner):
                    return DUPLICATE_JSON_KEY, f"{name}[{at}] has a key twice", f"$.{name}[{at}]"
    return None


def _plain(pairs: _Pairs, keys: Keys) -> tuple[dict[str, object], bool]:
    """The record with official keys and typed scalars only, and whether its list of spans was one object alone."""
    record: dict[str, object] = {}
    lone = False
    for name, value in pairs:
        column = keys.known.get(fold(name))
        if column is None or (value is None and keys.holds_spans(column)):
            continue
        if isinstance(value, list):
            lone = isinstance(value, _Pairs)
            record[column.official] = [{key: _typed(part) for key, part in tag} for tag in ([value] if lone else value)]
        else:
            record[column.official] = _typed(value)
    return record, lone


def _typed(value: object) -> str:
    if type(value) is str:
        return "|" + value
    return (value if isinstance(value, Digits) else json.dumps(value)) + "|"
