"""Text files that are written as a stream: delimited rows with the quotes of Python's csv module, and bare lines.

Releases are written by `csv` or pandas: UTF-8 without BOM, LF, quotes only where a field needs them. Polars quotes the
same fields, but writes `""` for an empty string and nothing for a null. The csv module writes nothing for both, or `""`
where an empty field is the whole row.
"""

import os
from pathlib import Path

import polars as pl
import polars.selectors as cs


def sink_delimited(
    frame: pl.LazyFrame,
    path: Path,
    *,
    header: bool = True,
    final_newline: bool = True,
    line_end: str = "\n",
    bom: bool = False,
) -> None:
    """Write flat columns as comma-separated UTF-8; nulls and empty strings both become empty fields.

    Without `final_newline` the line end of the last record is left out.
    """
    if len(frame.collect_schema()) == 1:
        fields = frame.with_columns(pl.all().cast(pl.String).fill_null(""))
    else:
        fields = frame.with_columns(pl.when(cs.string() != "").then(cs.string()))  # `replace` would not stream
    fields.sink_csv(path, include_header=header, line_terminator=line_end, include_bom=bom)
    if not final_newline:
        _replace_end(path, line_end, "")


def sink_with_raw_lines(frame: pl.LazyFrame, raw: pl.DataFrame, path: Path, *, header: bool = True) -> None:
    """Write text columns as `sink_delimited` does, with raw lines among them.

    `raw` has `record`, the text of a line, and `after`, the number of records that go before it.
    """
    table = frame.collect(engine="streaming")
    fields = [_field(pl.col(name).fill_null("")) for name in table.columns]
    records = table.select(after=pl.int_range(1, pl.len() + 1), record=pl.concat_str(fields, separator=","))
    lines = pl.concat([records, raw.select(pl.col("after").cast(pl.Int64), "record")]).sort(
        "after", maintain_order=True
    )
    head = pl.DataFrame({"record": [",".join(table.columns)]}) if header else lines.head(0).select("record")
    sink_lines(pl.concat([head, lines.select("record")]).lazy(), path)


def _field(text: pl.Expr) -> pl.Expr:
    """A field with quotes if it needs them."""
    quoted = pl.concat_str(pl.lit('"'), text.str.replace_all('"', '""', literal=True), pl.lit('"'))
    return pl.when(text.str.contains(r'[",\r\n]')).then(quoted).otherwise(text)


def sink_lines(
    frame: pl.LazyFrame,
    path: Path,
    *,
    final_newline: bool = True,
    line_end: str = "\n",
    bom: bool = False,
    array: tuple[str, str, str] | None = None,
) -> None:
    """Write the only column of `frame`, strings without line ends, one a line: no header, no quotes, a null as ''.

    With `array`, what stands before, between and behind the records of a JSON array stands there instead of line ends.
    """
    if array is None:
        frame.sink_csv(path, include_header=False, quote_style="never", line_terminator=line_end, include_bom=bom)
        if not final_newline:
            _replace_end(path, line_end, "")
        return
    before, between, behind = array
    line = pl.col(frame.collect_schema().names()[0])
    opening = pl.when(pl.col("place") == 0).then(pl.lit(before)).otherwise(pl.lit(""))
    opened = frame.with_row_index("place").select(pl.concat_str(opening, line))
    opened.sink_csv(path, include_header=False, quote_style="never", line_terminator=between, include_bom=bom)
    _replace_end(path, between, behind)


def _replace_end(path: Path, end: str, new: str) -> None:
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.truncate(max(size - len(end.encode()), 0))
        file.seek(0, os.SEEK_END)
        file.write(new.encode())
