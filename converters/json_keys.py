"""What the distinct shapes of a JSON file (keys and nesting without values) say about its keys."""

from sharedtask.converters import json_text, spans
from sharedtask.converters.columns import fold
from sharedtask.converters.json_findings import Teller
from sharedtask.schemas.file_rules import MISNAMED_COLUMN, MISSING_COLUMN, UNKNOWN_JSON_KEY
from sharedtask.schemas.kind import Kind


class Keys:
    """Which keys of a file are known, misnamed, unknown or missing; `names` maps canonical names to those in the file."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.known = {fold(name): column for column in kind.columns for name in (column.official, *column.aliases)}
        self.nested = set(spans.keys(kind.spans)) if kind.spans else set()
        self.names: dict[str, str] = {}
        self.unknown: dict[str, tuple[int, int]] = {}

    def hear(self, shape: str, line: int, times: int) -> bool:
        """Take in a shape that `times` records have, the first on `line`; false where such records need the parser."""
        pairs = json_text.pairs_of(shape)
        names = [name for name, _ in pairs]
        plain = len(set(names)) == len(names)
        for name, value in pairs:
            column = self.known.get(fold(name))
            if column is None:
                self._note_unknown(name, line, times)
                continue
            self.names.setdefault(column.name, name)
            is_spans = self.kind.spans is not None and column.name == self.kind.spans.name
            plain = (
                plain
                and name in (column.official, *column.aliases)
                and (isinstance(value, list) if is_spans else value is None)
            )
            if is_spans and isinstance(value, list):
                tags = [value] if json_text.keys_of(value) else value
                plain = plain and tags is value
                for tag in tags:
                    inner = json_text.keys_of(tag)
                    plain = plain and len(set(inner)) == len(inner) and (tag == [] or bool(inner))
                    for key in set(inner) - self.nested:
                        self._note_unknown(f"{name}[].{key}", line, times)
        return plain

    def _note_unknown(self, path: str, line: int, times: int) -> None:
        first, count = self.unknown.get(path, (line, 0))
        self.unknown[path] = (min(first, line), count + times)

    def report(self, teller: Teller) -> None:
        """Say what is wrong with the keys of the whole file."""
        for path, (line, times) in sorted(self.unknown.items(), key=lambda item: item[1]):
            teller.tell(
                UNKNOWN_JSON_KEY, f"the key {path} is not documented; {times} records have it", line=line, column=path
            )
        for column in self.kind.columns:
            name = self.names.get(column.name)
            if name is None and not column.optional:
                teller.tell(MISSING_COLUMN, f"no record has the key {column.official}", column=column.official)
            elif name is not None and name != column.official:
                teller.tell(
                    MISNAMED_COLUMN,
                    f"the key {column.official} is called {name}",
                    column=name,
                    value=name,
                    expected=column.official,
                )
