"""The containers of the campaign: content in the one form that mutations understand, and the bytes of the file that holds it."""

import csv
import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

PLAIN = "plain"
OF_TEXT = ("gz", "zst", "zip")
OF_CSV = ("parquet", "parquet-typed", "ipc", "ipc-stream", "xlsx")
OF_LINES = ("parquet-nested", "ipc-nested")
"""Containers by what their content is: any text, CSV, and JSON Lines."""

ENDINGS = {
    "gz": ".gz",
    "zst": ".zst",
    "zip": ".zip",
    "parquet": ".parquet",
    "parquet-typed": ".parquet",
    "parquet-nested": ".parquet",
    "ipc": ".arrow",
    "ipc-stream": ".arrow",
    "ipc-nested": ".arrow",
    "xlsx": ".xlsx",
}


def packed_name(name: str, container: str) -> str:
    """The name of a file in a container: `.gz` and `.zst` are added, the others replace the ending."""
    if container == PLAIN:
        return name
    return name + ENDINGS[container] if container in ("gz", "zst") else name.rpartition(".")[0] + ENDINGS[container]


def pack(content: bytes, container: str, member: str) -> bytes:
    """The bytes of a file that holds the content; the same content makes the same bytes.

    `member` names it inside a zip. What is no table at all has one row, which holds nothing.
    """
    if container == PLAIN:
        return content
    if container == "gz":
        return gzip.compress(content, mtime=0)
    if container == "zst":
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return bytes(sink.getvalue())
    if container == "zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(member), content)
        return buffer.getvalue()
    if container == "xlsx":
        return _workbook(_rows(content))
    table = _nested(content) if container in OF_LINES else _typed(content) if container.endswith("typed") else None
    return _written(table if table is not None else _of_text(_rows(content)), container)


def _rows(content: bytes) -> list[list[str]]:
    """The cells of CSV, each row as wide as the header."""
    text = content.decode("utf-8", "replace")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text)))
    except csv.Error:
        rows = []
    rows = rows or [[""]]
    width = max(1, len(rows[0]))
    return [(row + [""] * width)[:width] for row in rows]


def _delimiter(text: str) -> str:
    head = text.partition("\n")[0]
    return max(",;\t|", key=head.count)


def _workbook(rows: list[list[str]]) -> bytes:
    import xlsxwriter

    buffer = io.BytesIO()
    options = {"in_memory": True, "strings_to_numbers": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(buffer, {**options, "nan_inf_to_errors": True}) as book:
        book.set_properties({"created": datetime(2024, 1, 1, tzinfo=UTC)})
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                sheet.write(number, column, cell[:32_767])
    return buffer.getvalue()


def _of_text(rows: list[list[str]]) -> Any:
    columns = [pa.array([row[place] for row in rows[1:]], pa.string()) for place in range(len(rows[0]))]
    return pa.Table.from_arrays(columns, names=rows[0])


def _typed(content: bytes) -> Any:
    """CSV as pyarrow understands it, None where it does not."""
    try:
        options = pyarrow.csv.ParseOptions(newlines_in_values=True)
        return pyarrow.csv.read_csv(io.BytesIO(content), parse_options=options)
    except (pa.ArrowException, UnicodeDecodeError):
        return None


def _nested(content: bytes) -> Any:
    """JSON Lines with the types of their values; a column of several types is JSON text."""
    records = []
    for line in content.split(b"\n"):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        records.append(record if isinstance(record, dict) else {"value": record})
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [_column([record.get(name) for record in records]) for name in names]
    return pa.Table.from_arrays(columns, names=[name.encode("utf-8", "replace").decode() for name in names])


def _column(values: list[Any]) -> Any:
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return pa.array([json.dumps(value) for value in values], pa.string())


def _written(table: Any, container: str) -> bytes:
    sink = io.BytesIO()
    if container.startswith("parquet"):
        try:
            pyarrow.parquet.write_table(table, sink)
        except pa.ArrowException:  # a struct without fields
            pyarrow.parquet.write_table(pa.table({"value": pa.array([""])}), sink)
        return sink.getvalue()
    new = pyarrow.ipc.new_stream if container == "ipc-stream" else pyarrow.ipc.new_file
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()
