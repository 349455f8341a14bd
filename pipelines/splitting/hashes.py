"""The records of one file as they are held against those of the other splits.

Hashes of what they may have in common.
"""

import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.splitting.folding import folded, says_enough
from sharedtask.schemas.kind import Column, Kind

SPAN_PLACE = ("start", "end", "label")
NOTHING = pl.lit(None, pl.UInt64)


@dataclass(frozen=True, slots=True)
class Subject:
    """What of a kind is compared.

    `text` is its text column, `labels` are those that the task asks for. `group` is the column of which all records
    belong into one split; `lone` says that each of its values is one record (a document beside its sentences).
    """

    kind: Kind
    text: str
    labels: tuple[str, ...]
    group: str | None = None
    lone: bool = False


def text_column(kind: Kind) -> Column | None:
    """The column with the natural-language text of a kind of data; None for runs and for tables without texts."""
    return None if kind.is_run else next((column for column in kind.columns if column.prose), None)


def group_column(kind: Kind, kinds: Collection[Kind]) -> str | None:
    """The column of which all records belong into one split.

    The first part of a key of several, or a key that other kinds link to.
    """
    return kind.key[0] if len(kind.key) > 1 or _is_linked(kind, kinds) else None


def subject_of(kind: Kind, kinds: Collection[Kind], labels: Sequence[str]) -> Subject | None:
    """What is compared of a kind; None where it has no texts."""
    text = text_column(kind)
    group = group_column(kind, kinds)
    return Subject(kind, text.name, tuple(labels), group, _is_linked(kind, kinds)) if text else None


def _is_linked(kind: Kind, kinds: Collection[Kind]) -> bool:
    return any(link.kind == kind.name for other in kinds for link in other.links)


def hashed(frame: pl.LazyFrame, subject: Subject, file: int) -> pl.LazyFrame:
    """`file, row`, the folded text as `words` where it is compared, and hashes.

    `key`, `text`, `fold`, `group`, `item`, and `labels` of the item.

    `text` is 0 for a blank text, `fold` null for one that says too little. Keys, groups and items of two kinds are
    never equal. That two different values of a million records meet in one hash of 64 bits happens once in a hundred
    thousand files or more.
    """
    columns = frame.collect_schema().names()
    kind, seed = subject.kind, zlib.crc32(subject.kind.name.encode())
    words = pl.col("words")
    place = SPAN_PLACE if {*SPAN_PLACE} <= {*columns} else ()
    labels = [label for name in subject.labels if name in columns for label in _labels(kind, name)]
    long = frame.with_columns(words=folded(pl.col(subject.text)).fill_null(""))
    compared = long.with_columns(
        text=pl.when(words != "").then(pl.col(subject.text).hash(seed=1)).otherwise(pl.lit(0, pl.UInt64)),
        words=pl.when(says_enough(words)).then(words),
    )
    return compared.select(
        "row",
        "words",
        "text",
        file=pl.lit(file, pl.UInt32),
        key=_of_all(kind.key, seed),
        fold=pl.when(words.is_not_null()).then(words.hash()),
        group=_of_all([subject.group], seed) if subject.group else NOTHING,
        lone=pl.lit(subject.lone),
        item=pl.struct("text", *place).hash(seed),
        labels=pl.concat_list(labels) if labels else pl.lit([], pl.List(pl.UInt64)),
    )


def _of_all(names: Sequence[str], seed: int) -> pl.Expr:
    """One hash of several values, null where one of them is."""
    return pl.when(pl.all_horizontal(pl.col(names).is_not_null())).then(pl.struct(names).hash(seed))


def _labels(kind: Kind, name: str) -> list[pl.Expr]:
    """The hashes of a label column.

    Spans by their place and label, whatever their order, and then with all their fields.
    """
    if kind.spans is None or kind.spans.name != name:
        return [_of_all([name], 0)]
    more = [column.name for column in kind.spans.columns if not column.prose and column.reading.dtype != pl.String]
    return [_spans(name, SPAN_PLACE), _spans(name, more)]


def _spans(name: str, fields: Sequence[str]) -> pl.Expr:
    """One hash of a list of spans; null where a field of one of them is."""
    field = pl.element().struct.field
    whole = pl.all_horizontal([field(one).is_not_null() for one in fields])
    span = pl.when(whole).then(pl.struct([field(one) for one in fields]).hash())
    spans = pl.col(name).list.eval(span)
    return pl.when(~spans.list.contains(pl.lit(None, pl.UInt64)) & spans.is_not_null()).then(spans.list.sort().hash())
