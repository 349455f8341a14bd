"""What a card shows about one file: its records, empty cells, lengths of text, labels, spans and dates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from sharedtask.pipelines.splitting.counts import label_counts
from sharedtask.schemas.kind import Column, Kind


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of the texts of a column in characters; texts that are not there do not count."""

    least: int
    median: float
    mean: float
    most: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file of a folder: `path` in the folder, and, where its kind is known, what is in it.

    `columns` maps the canonical names of its columns to those in the file. `nulls`, `lengths`, `labels` and `dates` are
    by the names in the file or the official ones; `spans` is their number, None where records have none.
    """

    path: Path
    sha256: str
    bytes: int
    kind: Kind | None = None
    container: str = ""
    rows: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    nulls: Mapping[str, int] = field(default_factory=dict)
    lengths: Mapping[str, Lengths] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    dates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    spans: int | None = None


def facts(
    frame: pl.LazyFrame, kind: Kind, names: Mapping[str, str], path: Path, sha256: str, size: int, container: str
) -> FileFacts:
    """The facts of one file from its canonical frame."""
    there = frame.collect_schema().names()
    columns = [column for column in kind.columns if column.name in there]
    texts = [column for column in columns if column.prose]
    moments = [column for column in columns if isinstance(column.reading.dtype, pl.Datetime)]
    spans = kind.spans.name if kind.spans and kind.spans.name in there else None
    wanted = {"rows": pl.len()}
    wanted |= {f"null {column.name}": _missing(column) for column in columns}
    for column in texts:
        length = pl.col(column.name).str.len_chars()
        wanted |= {f"{how} {column.name}": getattr(length, how)() for how in ("min", "median", "mean", "max")}
    for column in moments:
        day = pl.col(column.name).dt.date()
        wanted |= {f"first {column.name}": day.min(), f"last {column.name}": day.max()}
    if spans:
        wanted["spans"] = pl.col(spans).list.len().sum()
    found = frame.select(**wanted).collect(engine="streaming").row(0, named=True)
    return FileFacts(
        path,
        sha256,
        size,
        kind,
        container,
        found["rows"],
        {column.name: names[column.name] for column in columns if column.name in names},
        {column.official: found[f"null {column.name}"] for column in columns},
        {column.official: _lengths(found, column.name) for column in texts if found[f"min {column.name}"] is not None},
        {name: counts for name, counts in label_counts(frame, kind, closed_columns(kind)).items() if counts},
        {
            column.official: (str(found[f"first {column.name}"]), str(found[f"last {column.name}"]))
            for column in moments
            if found[f"first {column.name}"] is not None
        },
        found.get("spans"),
    )


def closed_columns(kind: Kind) -> list[str]:
    """The columns with few possible values: labels, marks, small numbers, and lists of these."""
    small = (pl.Enum, pl.Boolean, pl.Int8)
    return [
        column.name
        for column in kind.columns
        if column.name not in kind.key
        and (
            isinstance(column.reading.dtype, small)
            or column.reading.dtype == pl.List(pl.Int8)
            or (kind.spans is not None and column.name == kind.spans.name)
        )
    ]


def _missing(column: Column) -> pl.Expr:
    """How many cells hold nothing."""
    cell = pl.col(column.name)
    return (cell.is_null() | (cell == "")).sum() if column.reading.dtype == pl.String else cell.is_null().sum()


def _lengths(found: Mapping[str, int | float], name: str) -> Lengths:
    least, median, mean, most = (found[f"{how} {name}"] for how in ("min", "median", "mean", "max"))
    return Lengths(int(least), float(median), float(mean), int(most))
