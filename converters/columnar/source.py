"""Parquet and Arrow IPC files as sources: their columns, what they say about themselves, and the table in them.

pyarrow looks at a file first: it names the types and the damage at which Polars gives up in ways that cannot be caught.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

PARQUET_MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"  # a Parquet file whose footer is encrypted, too
ARROW_MAGIC = b"ARROW1\0\0"
STREAM_MAGIC = b"\xff\xff\xff\xff"  # the continuation in front of a stream's schema
FEATHER_1_MAGIC = b"FEA1\0\0\0\0"
CONTAINERS = {"parquet": "Parquet", "ipc": "Arrow IPC"}
"""The typed containers, and what messages call them."""
BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""What Polars raises where it cannot go on reading."""
KEY = "sharedtask."
"""What the names of this tool's metadata begin with."""
COPY = "columns.arrow"


def columnar_container(head: bytes) -> str | None:
    """Which of the typed containers a file is, by its first bytes."""
    if head.startswith(PARQUET_MAGIC) or (head.startswith(ENCRYPTED_MAGIC) and not head[4:6].isalnum()):
        return "parquet"
    is_stream = head.startswith(STREAM_MAGIC) and len(head) > 8 and head[7] == 0  # the length of a schema is small
    return "ipc" if is_stream or head.startswith((ARROW_MAGIC, FEATHER_1_MAGIC)) else None


def column_names(source: Source, container: str) -> list[str]:
    """The names of the columns. Raises UnusableError where the file is damaged, encrypted or too old."""
    return [field.name for field in _schema(source, container)]


def stored_metadata(source: Source, container: str) -> dict[str, str]:
    """What this tool has written into the file about its table, by names without their prefix.

    Raises UnusableError as `column_names`.
    """
    if container == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        with _readable(source, container), pa.OSFile(str(source.local)) as file:
            metadata = parquet.read_metadata(file).metadata
    else:
        metadata = _schema(source, container).metadata
    items = (metadata or {}).items()
    found = {name.decode(errors="replace"): value.decode(errors="replace") for name, value in items}
    return {name.removeprefix(KEY): value for name, value in found.items() if name.startswith(KEY)}


def scan_columns(source: Source, container: str) -> pl.LazyFrame:
    """The table. Raises UnusableError as `column_names`, and for a column of a type that no reading has."""
    from sharedtask.converters.columnar.types import is_usual

    schema = _schema(source, container)
    is_stream = source.head.startswith(STREAM_MAGIC)
    odd = [field.name for field in schema if not is_usual(field.type) or _is_extension(field)]
    odd += _intervals(source) if container == "parquet" else []
    with _readable(source, container):
        if odd or is_stream:
            scan = pl.scan_ipc(_copied(source, container, schema, odd), glob=False)
        elif container == "parquet":
            scan = pl.scan_parquet(source.local, glob=False)
        else:
            _refuse_damage(source)
            scan = pl.scan_ipc(source.local, glob=False)
        scan.collect_schema()
    return scan


def damaged(source: Source, container: str) -> UnusableError:
    """The error for a typed file that cannot be read to its end."""
    name = CONTAINERS[container]
    return UnusableError(f"{source.path}: cannot be read as {name}; the file is damaged, cut off or encrypted")


def _schema(source: Source, container: str) -> "pa.Schema":
    import pyarrow as pa

    if source.head.startswith(FEATHER_1_MAGIC):
        raise UnusableError(f"{source.path}: is Feather version 1; write it again as Feather version 2 or Parquet")
    with _readable(source, container), pa.OSFile(str(source.local)) as file:
        if container == "parquet":
            from pyarrow import parquet

            schema = parquet.read_schema(file)
        else:
            with _opened(source, file) as reader:
                schema = reader.schema
    if (twice := _twice(schema)) is not None:
        raise UnusableError(f"{source.path}: two columns or fields are called {twice!r}; rename one of them")
    return schema


def _twice(fields: "Iterable[pa.Field]") -> str | None:
    """A name that two columns, or two fields of a structure, have."""
    seen = set[str]()
    for field in fields:
        if field.name in seen:
            return str(field.name)
        seen.add(field.name)
        dtype = field.type
        while hasattr(dtype, "value_type"):
            dtype = dtype.value_type
        nested = [dtype.field(number) for number in range(dtype.num_fields)]
        if (twice := _twice(nested)) is not None:
            return twice
    return None


def _is_extension(field: "pa.Field") -> bool:
    """Whether a field says that it is of a type that only some programs know."""
    return b"ARROW:extension:name" in (field.metadata or {})


def _intervals(source: Source) -> list[str]:
    """The columns of a Parquet file that are intervals, at which Polars ends and which Arrow calls bytes."""
    from pyarrow import parquet

    with _readable(source, "parquet"), parquet.ParquetFile(str(source.local)) as file:
        columns = [file.schema.column(number) for number in range(len(file.schema))]
        return [column.path.partition(".")[0] for column in columns if column.converted_type == "INTERVAL"]


def _opened(source: Source, file: "pa.NativeFile") -> Any:
    from pyarrow import ipc

    return ipc.open_stream(file) if source.head.startswith(STREAM_MAGIC) else ipc.open_file(file)


def _copied(source: Source, container: str, schema: "pa.Schema", odd: list[str]) -> Path:
    """The table as a plain Arrow file in the scratch folder of the source."""
    import pyarrow as pa
    from pyarrow import ipc

    from sharedtask.converters.columnar.types import as_plain, is_usual, plain_schema

    copied = source.scratch / COPY
    if copied.exists():
        return copied
    plain = plain_schema(schema)
    strange = [name for name in odd if not is_usual(plain.field(name).type)]
    if strange:
        names = ", ".join(f"{name} ({schema.field(name).type})" for name in strange)
        raise UnusableError(f"{source.path}: these columns have types that cannot be read: {names}")
    with pa.OSFile(str(source.local)) as file, ipc.new_file(str(copied), plain) as out:
        for batch in _batches(source, container, file):
            for part in as_plain(batch, plain):
                out.write_batch(part)
    return copied


def _refuse_damage(source: Source) -> None:
    """Raise for a batch that is not what its lengths and offsets say: Polars ends its threads there, loudly."""
    import pyarrow as pa

    with pa.memory_map(str(source.local)) as file:
        for _ in _batches(source, "ipc", file):
            pass


def _batches(source: Source, container: str, file: "pa.NativeFile") -> Iterator["pa.RecordBatch"]:
    if container == "parquet":
        from pyarrow import parquet

        yield from parquet.ParquetFile(file).iter_batches()
        return
    with _opened(source, file) as reader:
        is_stream = source.head.startswith(STREAM_MAGIC)
        for batch in reader if is_stream else (reader.get_batch(number) for number in range(reader.num_record_batches)):
            batch.validate(full=True)
            yield batch


@contextmanager
def _readable(source: Source, container: str) -> Iterator[None]:
    """Raise UnusableError with the name of the source for what pyarrow or Polars cannot read."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowNotImplementedError as error:
        why = str(error).partition("\n")[0]
        raise UnusableError(f"{source.path}: cannot be read as {CONTAINERS[container]}: {why}") from None
    except (pa.ArrowException, *BROKEN, OSError, UnicodeDecodeError):
        raise damaged(source, container) from None
