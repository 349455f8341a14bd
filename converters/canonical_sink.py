"""Canonical tables in the containers that `convert` offers."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sharedtask.converters.columnar.cells import as_json
from sharedtask.converters.csv.formulas import escape_formulas

ENDINGS = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "ipc": ".arrow"}
ROWS_A_GROUP = (
    1 << 16
)  # larger groups make the writer hold back the rest of the query: 1.7 GB instead of 0.6 at 1 GB of input
Metadata = Callable[[int], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Sink:
    """A table on its way to a file: `plan` writes it, and `finish` is called when the plan has come to its end."""

    plan: pl.LazyFrame
    finish: Callable[[], None] = lambda: None

    def run(self) -> None:
        """Write the table, where nothing else is to be done in the same pass."""
        self.plan.collect(engine="streaming")
        self.finish()


def sink(
    frame: pl.LazyFrame,
    path: Path,
    form: str,
    metadata: Metadata,
    *,
    header: bool = True,
    escaped: list[int] | None = None,
) -> Sink:
    """What writes a canonical frame in one of the forms of `ENDINGS`; `metadata` goes into Parquet and Arrow files only.

    It is asked for, with the number of rows, when the last of them has been written. The bytes depend on the rows
    alone. Labels of a closed set are plain text in every file, and types are those that every reader has. CSV has a
    `header`, if the kind has one, and its formulas are escaped and counted if there is a list `escaped`.
    """
    frame = in_open_types(frame)
    if form == "parquet":
        counted, counter = _counting(frame)
        schema = _arrow_schema(frame)
        plan = counted.sink_parquet(
            path,
            compression="zstd",
            compression_level=1,  # 4 % larger than at the usual 3, and written in less than nine tenths of the time
            statistics=True,
            row_group_size=ROWS_A_GROUP,
            maintain_order=True,
            metadata=lambda _: {**metadata(counter[0]), "ARROW:schema": schema},  # not the one of Polars
            lazy=True,
        )
        return Sink(plan)
    if form == "ipc":
        counted, counter = _counting(frame)
        plan = counted.sink_ipc(path, maintain_order=True, record_batch_size=ROWS_A_GROUP, lazy=True)
        return Sink(plan, lambda: _sealed(path, metadata(counter[0])))
    if form == "jsonl":
        values = frame.select(_as_json_value(name, dtype) for name, dtype in frame.collect_schema().items())
        return Sink(values.sink_ndjson(path, lazy=True))
    if escaped is not None:
        frame = escape_formulas(frame, escaped)
    cells = frame.select(_as_cell(name, dtype) for name, dtype in frame.collect_schema().items())
    return Sink(cells.sink_csv(path, include_header=header, lazy=True))


def in_open_types(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame with labels of a closed set as plain text."""
    return frame.with_columns(pl.col(name).cast(_open(dtype)) for name, dtype in frame.collect_schema().items())


def _open(dtype: pl.DataType) -> pl.DataType:
    """The type without closed sets of values."""
    if isinstance(dtype, pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_open(dtype.inner))  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return pl.Struct([pl.Field(field.name, _open(field.dtype)) for field in dtype.fields])  # type: ignore[arg-type]
    return dtype


def _arrow_schema(frame: pl.LazyFrame) -> str:
    """The schema by which Arrow readers read a Parquet file: that of Polars says long strings and long lists."""
    import pyarrow as pa

    from sharedtask.converters.columnar.types import plain_schema

    columns = frame.collect_schema()
    numbered = {str(number): dtype for number, dtype in enumerate(columns.values())}  # a name may hold NUL
    schema = plain_schema(pl.DataFrame(schema=numbered).to_arrow().schema)
    named = [field.with_name(name) for field, name in zip(schema, columns, strict=True)]
    return b64encode(pa.schema(named).serialize().to_pybytes()).decode()


def _sealed(path: Path, metadata: Mapping[str, str]) -> None:
    """Write an Arrow file again with metadata, and with types that every reader has."""
    import pyarrow as pa
    from pyarrow import ipc

    from sharedtask.converters.columnar.types import as_plain, plain_schema

    sealed = path.with_name(path.name + ".sealed")
    with pa.OSFile(str(path)) as file, ipc.open_file(file) as reader:
        schema = plain_schema(reader.schema).with_metadata(dict(metadata))
        with ipc.new_file(str(sealed), schema, options=ipc.IpcWriteOptions(compression="zstd")) as out:
            for number in range(reader.num_record_batches):
                for batch in as_plain(reader.get_batch(number), schema):
                    # A copy has zeros in the bits of its bitmaps behind the last row; else they are what memory held.
                    copied = [pa.concat_arrays([column]) for column in batch.columns]
                    out.write_batch(pa.RecordBatch.from_arrays(copied, schema=schema))
    sealed.replace(path)


def _counting(frame: pl.LazyFrame) -> tuple[pl.LazyFrame, list[int]]:
    """The frame, and a counter of the rows that have run through it.

    Polars says nothing of them before the file is closed.
    """
    counter = [0]

    def count(values: pl.Series) -> pl.Series:
        counter[0] += len(values)
        return values

    name, dtype = next(iter(frame.collect_schema().items()))
    return frame.with_columns(pl.col(name).map_batches(count, return_dtype=dtype, is_elementwise=True)), counter


def _as_json_value(name: str, dtype: pl.DataType) -> pl.Expr:
    return pl.col(name).dt.to_string("iso:strict") if dtype == pl.Datetime else pl.col(name)


def _as_cell(name: str, dtype: pl.DataType) -> pl.Expr:
    """A column as CSV cells can hold it: lists as JSON text, times in ISO form."""
    return as_json(pl.col(name), dtype).alias(name) if isinstance(dtype, pl.List) else _as_json_value(name, dtype)
