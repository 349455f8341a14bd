"""How often each value of a label column occurs in a file."""

from collections.abc import Sequence

import polars as pl

from sharedtask.schemas.kind import Kind


def label_counts(frame: pl.LazyFrame, kind: Kind, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """The values of each label column with their counts, by official names.

    Of spans, those of their closed sets of labels.
    """
    there = frame.collect_schema().names()
    counted: dict[str, dict[str, int]] = {}
    for name in labels:
        if name not in there:
            continue
        if kind.spans and name == kind.spans.name:
            spans = frame.select(name).explode(name, empty_as_null=False).unnest(name)
            for field in kind.spans.columns:
                if isinstance(field.reading.dtype, pl.Enum):
                    counted[field.official] = _counts(spans.select(value=field.name))
            continue
        column = kind.column(name)
        values = frame.select(value=name)
        if isinstance(column.reading.dtype, pl.List):
            values = values.explode("value", empty_as_null=False)
        counted[column.official] = _counts(values)
    return counted


def _counts(values: pl.LazyFrame) -> dict[str, int]:
    number = pl.col("value").cast(pl.Int8) if values.collect_schema()["value"] == pl.Boolean else pl.col("value")
    counts = values.drop_nulls().group_by(number).len().sort("value").collect(engine="streaming")
    return {str(value): int(count) for value, count in counts.iter_rows()}
