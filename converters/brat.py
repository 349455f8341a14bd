"""brat standoff.

A table of texts with spans as one document, a text a line in the .txt, and the annotations on it in the .ann beside.

So is the corpus of eHealth-KD made, the task from which FLARES has its scorer (github ehealthkd/corpora, 2021), and so
the order of the records is kept. Offsets are those of the document, in Unicode code points. An annotation `Record`
covers each text, and its note is the id; the reliability of a span is an attribute, with `_` for the space that brat
takes for the end of a value.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.raw_table import Table
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rules.fmt_values import BAD_VALUE
from sharedtask.schemas.spans import END, LABEL, RELIABILITY, SPAN_TEXT, START

ENDING = ".ann"
RECORD = "Record"
_TEXT_BOUND = r"^(?<mark>T[0-9]+)\t(?<label>\S+) (?<start>[0-9]+) (?<end>[0-9]+)\t(?<span_text>.*)$"
_ATTRIBUTE = r"^[AM][0-9]+\tReliability_Label (?<mark>T[0-9]+) (?<reliability>\S+)$"
_NOTE = r"^#[0-9]+\tAnnotatorNotes (?<mark>\S+)\t(?<note>.*)$"
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?T[0-9]+\t\S+ [0-9]+ [0-9]+")
_FIELDS = {START: pl.Int64, END: pl.Int64, LABEL: pl.String, RELIABILITY: pl.String, SPAN_TEXT: pl.String}


def texts(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The lines of the document: one column `line`."""
    return frame.select(line="text")


def annotations(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text[, spans]` as one column `line`: those of a record with its note, or of a span with its attribute."""
    if "spans" not in frame.collect_schema():
        frame = frame.with_columns(spans=pl.lit(None, pl.List(pl.Struct(_FIELDS))))
    size = pl.col("text").str.len_chars().cast(pl.Int64)
    offset, count = pl.col("offset"), pl.col("spans").list.len()
    placed = frame.select("id", "text", "spans", offset=(size + 1).cum_sum() - size - 1, place=pl.int_ranges(0, count))
    flat = placed.explode("spans", "place", empty_as_null=True, keep_nulls=True).unnest("spans")
    first, there = pl.col("place").fill_null(0) == 0, pl.col("place").is_not_null()
    numbered = flat.with_columns(
        first=first,
        mark=(first.cast(pl.Int64) + there.cast(pl.Int64)).cum_sum(),
        record=first.cum_sum(),
        attribute=pl.col("reliability").is_not_null().cum_sum(),
    )
    own = pl.col("mark") - there.cast(pl.Int64)
    start, end, content = pl.col("start"), pl.col("end"), pl.col("text")
    covering = pl.format("T{}\t{} {} {}\t{}", own, pl.lit(RECORD), offset, offset + size, content)
    note = pl.format("#{}\tAnnotatorNotes T{}\t{}", "record", own, "id")
    inside = content.str.slice(start, end - start)
    span = pl.format("T{}\t{} {} {}\t{}", "mark", pl.col("label").cast(pl.String), offset + start, offset + end, inside)
    word = pl.col("reliability").cast(pl.String).str.replace_all(" ", "_", literal=True)
    attribute = pl.format("A{}\tReliability_Label T{} {}", "attribute", "mark", word)
    parts = [pl.when("first").then(covering), pl.when("first").then(note), span, attribute]
    return numbered.select(line=pl.concat_str(parts, separator="\n", ignore_nulls=True))


def unfit(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The records whose text is not one line."""
    broken = frame.filter(pl.col("text").str.contains(r"[\n\r]"))
    return broken.select("row", column=pl.lit("text"), which=pl.lit("break"), facts=pl.lit("{}"))


def is_brat(head: bytes, name: str) -> bool:
    """Whether these are the first bytes of a file of annotations, or its name says so."""
    return name.endswith(ENDING) or _BEGINNING.match(head) is not None


def read_brat(source: Source, kind: Kind, limit: int) -> Table:
    """A document with its annotations as a `Table`.

    Raises UnusableError where the text is not beside the annotations.
    """
    lines = _lines_of(source.local).with_columns(pl.col("line").str.strip_suffix("\r"))
    document = _document(source)
    marks = _parsed(lines, _TEXT_BOUND)
    notes = _parsed(lines, _NOTE).unique("mark", keep="first", maintain_order=True)
    words = _parsed(lines, _ATTRIBUTE).unique("mark", keep="first", maintain_order=True)
    placed = (
        marks.with_columns(pl.col("start", "end").cast(pl.Int64, strict=False))
        .sort("start", maintain_order=True)
        .join_asof(document.select("row", begin="offset").sort("begin"), left_on="start", right_on="begin")
        .sort("number")
    )
    records = placed.filter(pl.col("label") == RECORD).join(notes.select("mark", "note"), on="mark", how="left")
    records = records.unique("row", keep="first", maintain_order=True)
    spans = placed.filter(pl.col("label") != RECORD).join(
        words.select("mark", pl.col("reliability").str.replace_all("_", " ", literal=True)), on="mark", how="left"
    )
    local = [(pl.col(name) - pl.col("begin")).cast(pl.String) for name in ("start", "end")]
    lists = spans.with_columns(local).group_by("row", maintain_order=True).agg(spans=pl.struct(list(_FIELDS)))
    named = document.join(records.select("row", "note", "number"), on="row", how="left", maintain_order="left")
    frame = named.join(lists, on="row", how="left", maintain_order="left").select(
        pl.lit(0, pl.UInt32).alias("file"),
        "row",
        pl.col("note").alias(f"{RAW}id"),
        pl.col("line").alias(f"{RAW}text"),
        pl.coalesce("spans", pl.lit([], lists.schema["spans"])).alias(f"{RAW}spans"),
    )
    findings = _unknown_lines(lines, kind, source, limit)
    unread = findings.lost.select("line", pl.col("text").alias("record"), "rules")
    return Table(
        (frame if spans.height else frame.drop(f"{RAW}spans")).lazy(),
        {column.name: column.official for column in kind.columns},
        findings.tallies(),
        unread.lazy,
        lambda rows: _line_numbers(named["number"], rows),
        {"container": "brat"},
        as_given=named.select("row", text="line").join(_given(placed, lines), on="row", how="left").lazy(),
    )


def _lines_of(path: Path) -> pl.DataFrame:
    return pl.scan_lines(path, name="line", row_index_name="number", glob=False).collect(engine="streaming")


def _document(source: Source) -> pl.DataFrame:
    """`row`, `line` and `offset` of each text, from the .txt beside the annotations."""
    path = Path(source.path).with_name(source.name).with_suffix(".txt")  # a compressed .ann has a plain .txt
    if not path.is_file():
        raise UnusableError(f"{source.path}: expected the text of these annotations beside them, as {path}")
    try:
        lines = _lines_of(path)
    except pl.exceptions.PolarsError:
        raise UnusableError(f"{path}: cannot be read as UTF-8 text") from None
    size = pl.col("line").str.len_chars().cast(pl.Int64) + 1
    return lines.select(pl.col("number").cast(pl.UInt32).alias("row"), "line", offset=size.cum_sum() - size)


def _parsed(lines: pl.DataFrame, pattern: str) -> pl.DataFrame:
    """The groups of a pattern from the lines that it fits, with their `number` from 0."""
    fitting = lines.filter(pl.col("line").str.contains(pattern))
    return fitting.select("number", pl.col("line").str.extract_groups(pattern).struct.unnest())


def _unknown_lines(lines: pl.DataFrame, kind: Kind, source: Source, limit: int) -> RecordFindings:
    """The lines that say what a table of spans does not hold, or nothing that can be read."""
    known = pl.any_horizontal(pl.col("line").str.contains(one) for one in (_TEXT_BOUND, _ATTRIBUTE, _NOTE, r"^\s*$"))
    findings = RecordFindings(kind, source.path, limit)
    for number, line in lines.filter(~known).iter_rows():
        findings.lose(BAD_VALUE, None, number + 1, line, which="line", expected="T1, label, start, end, text")
    return findings


def _given(placed: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """The annotations of each record as they were given."""
    raw = placed.select("row", "number").join(lines, on="number", how="left", maintain_order="left")
    return raw.group_by("row").agg(annotations=pl.col("line").str.join("\n"))


def _line_numbers(numbers: pl.Series, rows: Sequence[int]) -> list[int | None]:
    return (numbers.gather(list(rows)) + 1).to_list()
