"""How files spell the names of columns and keys, and which column each name stands for."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sharedtask.schemas.kind import Column, Kind, SpanColumn


def fold(name: str) -> str:
    """A name without what people and programs change about it: case, spaces, underscores, a byte order mark."""
    return re.sub(r"[\s_\-\ufeff]+", "", name).lower()


def known_names(columns: Iterable[Column]) -> dict[str, Column]:
    """The columns by their folded official, other and canonical names; where two share one, the official name wins."""
    known: dict[str, Column] = {}
    listed = list(columns)
    for names in (
        [(one.official,) for one in listed],
        [one.aliases for one in listed],
        [(one.name,) for one in listed],
    ):
        for column, spellings in zip(listed, names, strict=True):
            for name in spellings:
                known.setdefault(fold(name), column)
    return known


@dataclass(frozen=True, slots=True)
class TagKey:
    """A key of a tag: its `name` in the file, the `column` that it stands for, and whether it is another word for it.

    A name that is neither official nor `other` differs from the official one in case or spaces.
    """

    name: str
    column: Column
    other: bool

    @property
    def is_official(self) -> bool:
        return self.name == self.column.official


def tag_keys(names: Iterable[str], spans: SpanColumn) -> dict[str, list[TagKey]]:
    """The keys of tags by the canonical column that each stands for, the official one first; unknown ones are left out."""
    known, found = known_names(spans.columns), {column.name: list[TagKey]() for column in spans.columns}
    for name in sorted(names):
        if column := known.get(fold(name)):
            found[column.name].append(TagKey(name, column, other=fold(name) != fold(column.official)))
    return {
        name: sorted(keys, key=lambda key: (not key.is_official, key.other)) for name, keys in found.items() if keys
    }


def odd_keys(keys: Mapping[str, Sequence[TagKey]]) -> list[TagKey]:
    """Those that are not official, in the order of the columns."""
    return [key for some in keys.values() for key in some if not key.is_official]


def is_canonical(names: Iterable[str], kind: Kind) -> bool:
    """Whether a file calls its columns by the canonical names, as `convert` does, and these are not the official ones."""
    known, canonical = known_names(kind.columns), {column.name for column in kind.columns}
    official = {column.official for column in kind.official}
    found = [name for name in names if fold(name) in known]
    return {*found} <= canonical and not {*found} <= official


def in_canonical_form(kind: Kind, names: Collection[str]) -> Kind:
    """The kind as a canonical table with columns of these names is written.

    Its names, in tags too, are the canonical ones, and cells are canonical text. A column that no
    official file has is read where it is among `names`, else derived as ever.
    """

    def own(column: Column) -> Column:
        reading = column.reading.canonical or column.reading
        return replace(column, official=column.name, aliases=(), reading=reading)

    spans = kind.spans and replace(kind.spans, columns=tuple(map(own, kind.spans.columns)))
    derived = {name: value for name, value in kind.derived.items() if name not in names}
    container = "jsonl" if kind.container == "json" else kind.container
    columns = tuple(map(own, kind.columns))
    return replace(kind, columns=columns, spans=spans, derived=derived, container=container, canonical=True)
