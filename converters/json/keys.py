"""What the distinct shapes of a JSON file (keys and nesting without values) say about its keys."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sharedtask.converters.json import text as json_text
from sharedtask.converters.json.text import Digits
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.converters.spans import names_of_fields, tag_form
from sharedtask.converters.tag_cells import parse_cell
from sharedtask.converters.tags_without_keys import is_label
from sharedtask.schemas.column_names import fold, known_names
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.rules.fmt_columns import MISNAMED_COLUMN, MISSING_COLUMN, UNKNOWN_JSON_KEY

Seen = dict[str, tuple[int, int]]  # name -> first line, records that have it


class TagsRead(NamedTuple):
    """Tags that were read from a text, whether they were one dict alone, and the forms in which they were written."""

    tags: list[dict[str, object]]
    lone: bool
    forms: tuple[str, ...]


class Keys:
    """Which keys of a file are known, misnamed, unknown or missing.

    `names` maps canonical names to those in the file.
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.known = known_names(kind.official)
        self.nested = known_names(kind.spans.columns) if kind.spans else {}
        self.form = tag_form(kind) if kind.spans and kind.container == "csv" else None
        self.of_tags: set[str] = set()  # the keys of all tags that are known
        self.other_tags: set[str] = set()  # those that are not
        self.spellings: dict[str, Seen] = {}
        self.unknown: Seen = {}
        self.records = 0

    @property
    def names(self) -> dict[str, str]:
        """Canonical name -> the name in the file, the documented one where several are used."""
        return {
            column.name: column.official if column.official in spellings else next(iter(spellings))
            for column in self.kind.official
            if (spellings := self.spellings.get(column.name))
        }

    @property
    def header(self) -> list[str]:
        """The names of all keys of records."""
        own = [name for spellings in self.spellings.values() for name in spellings]
        return own + [name for name in self.unknown if "[]." not in name]

    def holds_spans(self, column: Column) -> bool:
        return self.kind.spans is not None and column.name == self.kind.spans.name

    def is_of_labels(self, keys: Iterable[str]) -> bool:
        """Whether an object with these keys has texts by label in the place of tags: it has some, and all are labels."""
        names = [*keys]
        return bool(names) and self.form is not None and all(is_label(name, self.form) for name in names)

    def tags_of(self, cell: str) -> TagsRead | None:
        """The tags in a text, as a file documented as CSV has them in a cell; None where it cannot be read as one."""
        if self.form is None or self.kind.spans is None:
            return None
        fields = {fold(name): names[0] for names in names_of_fields(self.kind.spans) for name in names}
        read = parse_cell(cell, fields, self.form)
        if read.text is None or read.why:
            return None
        tags = json.loads(read.text, parse_int=Digits, parse_float=Digits)
        lone = isinstance(tags, dict)
        tags = [tags] if lone else tags
        self.of_tags.update(key for tag in tags for key in tag if fold(key) in self.nested)
        return TagsRead(tags, lone, read.forms)

    def add(self, shape: str, line: int, times: int) -> bool:
        """Take in a shape that `times` records have, the first on `line`.

        False where such records need the parser, which notes their keys.
        """
        pairs = json_text.pairs_of(shape)
        plain = self._is_plain(pairs)
        if plain:
            self.note(pairs, line, times)
        return plain

    def _is_plain(self, pairs: Sequence[tuple[str, object]]) -> bool:
        """Whether the decoder reads such a record right.

        Known keys under a documented name, each once, with values as they should be.
        """
        columns = [self.known.get(fold(name)) for name, _ in pairs]
        held = [column.name if column else name for column, (name, _) in zip(columns, pairs, strict=True)]
        if len(set(held)) < len(held):
            return False
        for column, (name, value) in zip(columns, pairs, strict=True):
            if column is None:
                continue
            if name not in (column.official, *column.aliases, column.name):
                return False
            if not self.holds_spans(column):
                if value is not None:
                    return False
                continue
            if not isinstance(value, list) or json_text.keys_of(value):
                return False
            for tag in value:
                inner = json_text.keys_of(tag)
                if self.is_of_labels(inner):
                    return False
                fields = [self.nested[fold(key)].name if fold(key) in self.nested else key for key in inner]
                if len(set(fields)) < len(fields) or not (inner or tag == []):
                    return False
        return True

    def note(self, pairs: Sequence[tuple[str, object]], line: int, times: int) -> None:
        """Take down the keys that `times` records have, the first on `line`."""
        self.records += times
        for name, value in pairs:
            column = self.known.get(fold(name))
            if column is None:
                _count(self.unknown, name, line, times)
                continue
            _count(self.spellings.setdefault(column.name, {}), name, line, times)
            if self.holds_spans(column) and isinstance(value, list):
                tags = [value] if json_text.keys_of(value) else value
                inner = [names for tag in tags if not self.is_of_labels(names := json_text.keys_of(tag))]
                for key in {key for names in inner for key in names}:
                    if fold(key) in self.nested:
                        self.of_tags.add(key)
                    else:
                        self.other_tags.add(key)
                        _count(self.unknown, f"{name}[].{key}", line, times)

    def report(self, findings: RecordFindings) -> None:
        """Report what is wrong with the keys of the whole file."""
        for path, (line, times) in sorted(self.unknown.items(), key=lambda item: item[1]):
            findings.add(UNKNOWN_JSON_KEY, line=line, column=path, records=times)
        for column in self.kind.official:
            spellings = self.spellings.get(column.name, {})
            if self.records and not spellings and not column.optional:
                findings.add(MISSING_COLUMN, which="key", column=column.official)
            for name, (line, times) in spellings.items():
                if name != column.official:
                    facts = {"value": name, "expected": column.official, "records": times}
                    findings.add(MISNAMED_COLUMN, which="key", line=line, column=name, **facts)


def _count(seen: Seen, name: str, line: int, times: int) -> None:
    first, count = seen.get(name, (line, 0))
    seen[name] = (min(first, line), count + times)
