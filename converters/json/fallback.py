"""Records of a JSON file that need a parser: those that the guards refuse, and those of a shape that is not plain."""

import json
from typing import Any

import polars as pl

from sharedtask.converters.json.keys import Keys
from sharedtask.converters.json.text import Digits
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.schemas.column_names import fold
from sharedtask.schemas.kind import Column
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.fmt_files import BAD_JSON, DUPLICATE_JSON_KEY, JSON_NOT_RECORDS

NEAR = 20  # characters that a message shows of a place


def mend(doubtful: pl.DataFrame, keys: Keys, findings: RecordFindings) -> pl.DataFrame:
    """Read the records (`row`, `line`, `text`) that need a parser.

    Returns `row`, `mended` (their typed JSON text with known keys only), `lone` (a list of spans that was one object
    alone) and `forms` (the other forms in which it was written). What cannot be read is reported and lost.
    """
    mended = []
    for row, line, text in doubtful.iter_rows():
        try:
            pairs = json.loads(
                text, object_pairs_hook=_Pairs, parse_float=Digits, parse_int=Digits, parse_constant=_refuse
            )
            json.dumps(pairs, ensure_ascii=False).encode()  # an escaped half of a surrogate pair is not text
        except (ValueError, RecursionError) as error:
            findings.lose(BAD_JSON, row, line, text, expected="one JSON object a line", **why_bad(error, text))
            continue
        if not isinstance(pairs, _Pairs):
            facts = {"which": "record", "found": _type(pairs), "expected": "an object"}
            findings.lose(JSON_NOT_RECORDS, row, line, text, column="$", **facts)
            continue
        keys.note(pairs, line, 1)
        fault = _fault_of(pairs, keys)
        if fault is not None:
            rule, path, facts = fault
            findings.lose(rule, row, line, text, column=path, **facts)
            continue
        record, lone, forms = _plain(pairs, keys)
        mended.append((row, json.dumps(record, ensure_ascii=False), lone, forms))
    schema = {"row": pl.UInt32(), "mended": pl.String(), "lone": pl.Boolean(), "forms": pl.List(pl.String)}
    return pl.DataFrame(mended, schema=schema, orient="row")


class _ConstantError(ValueError):
    """NaN or Infinity, which Python reads and JSON does not have."""


def _refuse(constant: str) -> None:
    raise _ConstantError(constant)


def why_bad(error: Exception, text: str, where: str = "line") -> dict[str, Any]:
    """The message of `bad-json` for what the parser raised on a text, and what it shows.

    `where` is its key for an error of syntax.
    """
    if isinstance(error, _ConstantError):
        return {"which": "constant", "constant": str(error)}
    if isinstance(error, UnicodeEncodeError):
        return {"which": "surrogate"}
    at = getattr(error, "pos", None)
    if at is None:
        return {"which": "deep"}
    return {"which": where, "character": at - text.rfind("\n", 0, at), "near": near(text, at)}


def near(text: str, at: int) -> str:
    """The text from a place on, in quotes; or that nothing follows."""
    rest = text[at : at + NEAR]
    return repr(rest) if rest else "unexpected end of input"


class _Pairs(list[tuple[str, object]]):
    """A JSON object as its pairs, so that repeated keys stay visible and a list is something else."""


def _type(value: object) -> str:
    names = {_Pairs: "an object", list: "an array", Digits: "a number", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null")


def _fault_of(pairs: _Pairs, keys: Keys) -> tuple[Rule, str, dict[str, Any]] | None:
    """What makes a well-formed record unusable: a repeated key, or a value of another structure.

    The rule, the JSON path, the facts.
    """
    names = [name for name, _ in pairs]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        return DUPLICATE_JSON_KEY, repeated, {"which": "key", "key": repeated}
    held: dict[str, str] = {}
    for name, value in pairs:
        column = keys.known.get(fold(name))
        if column is None:
            continue
        if held.setdefault(column.name, name) != name:
            return DUPLICATE_JSON_KEY, name, {"which": "alias", "first": held[column.name], "key": name}
        is_spans = keys.holds_spans(column)
        if is_spans and value is None:  # as empty as if it were not there
            continue
        if is_spans and (cell := _cell_of(value, keys)) is not None and keys.tags_of(cell) is not None:
            continue
        if not is_spans and isinstance(value, list) and not _is_plain_list(value, column):
            return JSON_NOT_RECORDS, f"$.{name}", {"which": "value", "key": name, "found": _type(value)}
        if is_spans:
            tags = [value] if isinstance(value, _Pairs) else value
            if not isinstance(tags, list):
                return JSON_NOT_RECORDS, f"$.{name}", {"which": "list", "key": name, "found": _type(value)}
            for at, tag in enumerate(tags):
                place = f"{name}[{at}]"
                if not isinstance(tag, _Pairs) or any(isinstance(part, list) for _, part in tag):
                    return JSON_NOT_RECORDS, f"$.{place}", {"which": "item", "key": place}
                inner = [key for key, _ in tag]
                if twice := next((key for key in inner if inner.count(key) > 1), None):
                    return DUPLICATE_JSON_KEY, f"$.{place}", {"which": "key", "key": f"{place}.{twice}"}
                fields = [keys.nested[fold(key)].name if fold(key) in keys.nested else key for key in inner]
                if both := next((at for at, field in enumerate(fields) if field in fields[:at]), None):
                    facts = {"which": "alias", "first": f"{place}.{inner[fields.index(fields[both])]}"}
                    return DUPLICATE_JSON_KEY, f"$.{place}", {**facts, "key": f"{place}.{inner[both]}"}
    return None


def _cell_of(value: object, keys: Keys) -> str | None:
    """The text of a list of spans that is not a list of objects: itself, or JSON of a list of lists or of texts.

    JSON of an object, too, or of a list of objects, whose keys are labels.
    """
    objects = [one for one in (value if _is_list(value) else [value]) if isinstance(one, _Pairs)]  # type: ignore[attr-defined]
    if any(keys.is_of_labels(key for key, _ in one) for one in objects):
        return _json_text(value)
    if not _is_list(value):
        return value if type(value) is str else None
    parts = value if isinstance(value, list) else []
    try:
        return _json_text(value) if any(type(part) is str or _is_list(part) for part in parts) else None
    except RecursionError:
        return None


def _is_list(value: object) -> bool:
    return isinstance(value, list) and not isinstance(value, _Pairs)


def _json_text(value: object) -> str:
    """JSON of a value that was read with its pairs and digits."""
    if isinstance(value, Digits):
        return value
    if isinstance(value, _Pairs):
        return "{" + ", ".join(f"{json.dumps(key)}: {_json_text(part)}" for key, part in value) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json_text, value))}]"
    return json.dumps(value)


def _is_plain_list(value: list[object], column: Column) -> bool:
    """Whether a column that holds lists has one of plain values."""
    is_list = isinstance(column.reading.dtype, pl.List) or column.reading.untyped
    holds_lists = is_list and not isinstance(value, _Pairs)
    return holds_lists and not any(isinstance(part, list) for part in value)


def _plain(pairs: _Pairs, keys: Keys) -> tuple[dict[str, object], bool, tuple[str, ...]]:
    """The record with official keys and typed scalars only, and what was odd about its list of spans.

    Whether that was one object alone, and the other forms in which it was written.
    """
    record: dict[str, object] = {}
    lone, forms = False, tuple[str, ...]()
    for name, value in pairs:
        column = keys.known.get(fold(name))
        if column is None or (value is None and keys.holds_spans(column)):
            continue
        if keys.holds_spans(column) and (cell := _cell_of(value, keys)) is not None and (read := keys.tags_of(cell)):
            lone, forms = read.lone, read.forms
            record[column.official] = [{key: _typed(part) for key, part in tag.items()} for tag in read.tags]
        elif isinstance(value, list) and not keys.holds_spans(column):
            dtype = column.reading.dtype
            given = value if not isinstance(dtype, pl.List) or dtype.inner != pl.String else filter(None, value)
            parts = [part if isinstance(part, Digits) else json.dumps(part, ensure_ascii=False) for part in given]
            record[column.official] = f"[{', '.join(parts)}]|"
        elif isinstance(value, list):
            lone = isinstance(value, _Pairs)
            record[column.official] = [{key: _typed(part) for key, part in tag} for tag in ([value] if lone else value)]
        else:
            record[column.official] = _typed(value)
    return record, lone, forms


def _typed(value: object) -> str:
    if type(value) is str:
        return "|" + value
    return (value if isinstance(value, Digits) else json.dumps(value)) + "|"
