"""What a source looked like around its values.

Kept beside its canonical table, and given back on the way to a release.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sharedtask.converters.csv.delimiter import DELIMITERS
from sharedtask.converters.encoding.text import UTF8_BOM_BYTES
from sharedtask.converters.json.records import keys_of_first
from sharedtask.converters.source import Source

RESTORED = {"utf8-bom", "json-array", "column-order"}  # rules that what is kept here makes good

# It begins with a character and looks behind that, so that it is found fast.
_NEEDLESS_QUOTES = re.compile(rb'"(?<![^,\n]")[^",\r\n]*"(?=[,\r\n])')
_SPACED_KEY = re.compile(rb'[^\\]":\s')
_BARE_SLASH = re.compile(rb"[^\\]/")


@dataclass(frozen=True, slots=True)
class SourceForm:
    """The form of a source.

    `array` is what stood before, between and behind its records where it was a JSON array.

    `columns` are its names in their order, `by_key` says that the table is in the order of its keys and not of the
    source, `records` is how many it had where not all were written, `sha256` the hash of the text where it came
    compressed. `found` counts, by rule, what a reading has mended, so that the table holds another spelling; `looks`
    says what the first bytes do that no release does.
    """

    container: str = "csv"
    line_ends: str = "lf"
    row_end: str = "lf"
    final_newline: bool = True
    bom: bool = False
    delimiter: str = ","
    header: bool = True
    columns: tuple[str, ...] = ()
    array: tuple[str, ...] = ()
    by_key: bool = False
    records: int | None = None
    sha256: str | None = None
    found: Mapping[str, int] = field(default_factory=dict)
    looks: tuple[str, ...] = ()

    @property
    def line_end(self) -> str:
        """How a record ends."""
        return "\r\n" if self.row_end == "crlf" else "\n"

    def around(self) -> tuple[str, str, str] | None:
        """What stands before, between and behind the records of an array, None for lines."""
        if len(self.array) != 3:
            return None
        before, between, behind = (part.replace("\n", self.line_end) for part in self.array)
        return before, between, behind

    def as_json(self) -> str:
        """The form as text, without what is as it is nearly always."""
        always = {"container", "line_ends", "final_newline", "bom"}
        plain = SourceForm()
        given = {name: getattr(self, name) for name in self.__slots__}
        kept = {name: value for name, value in given.items() if name in always or value != getattr(plain, name)}
        return json.dumps(kept, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "SourceForm | None":
        """The form that `as_json` wrote, None where it is damaged; unknown keys are passed over."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
        fields = _fields(data) if isinstance(data, dict) else {}
        return cls(**fields) if fields and all(_is_sound(name, value) for name, value in fields.items()) else None

    def lost(self, columns: Collection[str]) -> list[str]:
        """Why a file with these columns that is written in this form may differ from the source, as far as is known."""
        why = [f"{self.records} records were read and not all of them written"] if self.records is not None else []
        why += ["its records were sorted"] if self.by_key else []
        why += ["its line ends were mixed"] if self.line_ends == "mixed" else []
        in_order = self.container == "csv" and {*self.columns} == {*columns}
        if self.columns and not in_order and list(self.columns) != list(columns):
            why.append(f"its columns were {', '.join(self.columns)}")
        why += [f"{count} {rule}" for rule, count in self.found.items() if rule not in RESTORED]
        return why + [f"it has {look}" for look in self.looks]


def form_of(
    source: Source, form: Mapping[str, object], found: Mapping[str, int], *, by_key: bool, records: int | None
) -> SourceForm:
    """The form of a source, from its bytes and from what its reader has seen (`form`)."""
    facts, head = source.facts, source.head
    seen = _fields(form)
    if seen["container"] in ("json", "jsonl"):
        seen["columns"] = tuple(keys_of_first(source))
    ends = "crlf" if facts.crlf and facts.crlf == facts.lf else "mixed" if facts.crlf else "lf"
    first, newline, _ = head.partition(b"\n")
    return SourceForm(
        **seen,
        line_ends=ends,
        row_end="crlf" if newline and first.endswith(b"\r") else "lf",
        final_newline=facts.final_newline,
        bom=head.startswith(UTF8_BOM_BYTES),
        by_key=by_key,
        records=records,
        sha256=facts.sha256 if facts.sha256 != source.sha256 else None,
        found=dict(sorted(found.items())),
        looks=tuple(_looks(str(seen["container"]), head)),
    )


def _fields(data: Mapping[str, object]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data.items()
        if name in SourceForm.__slots__
    }


def _is_sound(name: str, value: object) -> bool:
    """Whether the value of a field is of its type, and one that this tool writes."""
    plain = getattr(SourceForm(), name)
    if name == "found":
        return isinstance(value, dict) and all(isinstance(count, int) for count in value.values())
    if name in ("columns", "array", "looks"):
        return isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    if name in ("records", "sha256"):
        return value is None or isinstance(value, int if name == "records" else str)
    return isinstance(value, type(plain)) and (name != "delimiter" or value in DELIMITERS)


def _looks(container: str, head: bytes) -> list[str]:
    """What the first bytes do that no release does."""
    if container == "csv":
        return ["quotes that are not needed"] if _NEEDLESS_QUOTES.search(head) else []
    signs = {
        "spaces between keys and values": _SPACED_KEY.search(head) is not None,
        "letters that are not escaped": not head.isascii(),
        "slashes that are not escaped": _BARE_SLASH.search(head) is not None,
    }
    return [look for look, there in signs.items() if there] if container in ("json", "jsonl") else []
