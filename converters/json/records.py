"""JSON Lines and JSON arrays of records.

Bytes to raw String columns, with the line of each record and the type of each value kept.

The lines are guarded, shaped and decoded as a column. Keys are judged once for each distinct shape (nesting and keys
without values), of which a file has few, so unknown and repeated keys cost nothing in a file that has none. A line that
the guard refuses meets a JSON parser.
"""

import json
from collections.abc import Iterator, Sequence

import polars as pl

from sharedtask.converters import spans
from sharedtask.converters.json import text as json_text
from sharedtask.converters.json.fallback import mend, near
from sharedtask.converters.json.keys import Keys
from sharedtask.converters.raw_table import LineFinder, Table
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.converters.source import FIRST, Source
from sharedtask.converters.tag_cells import form_flags
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.rules.fmt_damage import JSON_OVER_LINES
from sharedtask.schemas.rules.fmt_files import BAD_JSON, JSON_ARRAY, MAX_FIELD_BYTES
from sharedtask.schemas.spans import LONE

FIRST_LINES = 100  # in how many lines a whole record is looked for
LONGEST_RECORD = 2 * MAX_FIELD_BYTES  # a text may have an escape for each character
MOST_KEYS = 1 << 12  # of a first record by which its kind is sought
LONGEST_GAP = 64  # characters between the records of an array


def first_keys(head: bytes) -> list[str]:
    """The keys of the first record with keys that the first bytes of a JSON file show whole.

    Empty where there is none.
    """
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs, parse_int=str, parse_float=str)
    text = head.decode("utf-8-sig", "ignore").lstrip().removeprefix("[").lstrip()
    for start in [text, *(line for line in text.split("\n")[1:FIRST_LINES] if line.startswith("{"))]:
        try:
            record, _ = decoder.raw_decode(start)
        except (ValueError, RecursionError):
            continue
        if keys := list(json_text.keys_of(record)):
            return keys[:MOST_KEYS]
    return []


def keys_of_first(source: Source) -> list[str]:
    """The same for a source, of which more is read where a record is longer than the bytes at hand."""
    keys = first_keys(source.head)
    if keys or len(source.head) < FIRST:
        return keys
    with source.local.open("rb") as file:
        return first_keys(file.read(LONGEST_RECORD))


def read_json_records(source: Source, kind: Kind, limit: int) -> Table:
    """A file of records of a known kind as a `Table`; `limit` bounds the samples of each finding."""
    findings = RecordFindings(kind, source.path, limit)
    is_array = source.head.decode("utf-8-sig", "ignore").lstrip().startswith("[")
    over_lines = not is_array and _is_over_lines(source)
    if is_array or over_lines:
        lines, array = _array_lines(source, findings, is_array=is_array)
    else:
        lines, array = _file_lines(source), None
    if over_lines:
        findings.add(JSON_OVER_LINES, line=1, expected="one record a line")
    if is_array and kind.container == "jsonl":
        findings.add(JSON_ARRAY, line=1)
    text = pl.col("text")
    listed = [one for one in kind.official if isinstance(one.reading.dtype, pl.List) and not _is_spans(kind, one)]
    names = [name for column in listed for name in (column.official, *column.aliases, column.name)]
    lines = lines.with_columns(json_text.lists_as_text(text, names).alias("text"), given=text)
    sound = text.str.contains(json_text.RECORD) & ~text.str.contains(json_text.LONE_SURROGATE)
    lines = lines.with_columns(sound=sound)
    shapes = (
        lines.filter("sound")
        .group_by(shape=json_text.shape(text))
        .agg(pl.len(), pl.col("line").min(), pl.col("row").min())
    )
    shaped, unsound = pl.collect_all([shapes, lines.filter(~pl.col("sound"))], engine="streaming")
    keys = Keys(kind)
    odd = [
        shape
        for shape in shaped.sort("row").iter_rows(named=True)
        if not keys.add(shape["shape"], shape["line"], shape["len"])
    ]
    whole = ("row", "line", pl.col("given").alias("text"))
    doubtful = unsound.select(whole)
    if odd:
        odd_shapes = [shape["shape"] for shape in odd]
        doubtful = pl.concat(
            [
                doubtful,
                lines.filter("sound", json_text.shape(text).is_in(odd_shapes)).select(whole).collect(),
            ]
        )
    mended = mend(doubtful.sort("row"), keys, findings)
    keys.report(findings)
    typed = json_text.typed(text)
    if doubtful.height:
        lines = lines.join(mended.lazy(), on="row", how="left", maintain_order="left").with_columns(
            typed=pl.coalesce("mended", typed)
        )
        lines = (
            lines.filter(~pl.col("row").is_in(findings.lost["row"].drop_nulls().implode()))
            .drop("row")
            .with_row_index("row")
        )
    else:
        lines = lines.with_columns(typed=typed, lone=pl.lit(value=False))
    frame = _decode(lines, kind, keys, form_flags(mended, "forms"))
    unread = findings.lost.select("line", pl.col("text").alias("record"), "rules")
    return Table(
        frame,
        {column.name: keys.names.get(column.name, column.official) for column in kind.official},
        findings.tallies(),
        unread.lazy,
        _finder(lines),
        {"container": "json", "array": array} if is_array else {"container": "jsonl"},
        as_given=lines.select("row", record="given"),
        unread_rows=unread.height,
        header=keys.header,
        tag_keys=frozenset(keys.of_tags | keys.other_tags),
    )


def _decode(lines: pl.LazyFrame, kind: Kind, keys: Keys, forms: Sequence[pl.Expr]) -> pl.LazyFrame:
    """Typed JSON text -> `file`, `row`, the raw columns, and Boolean columns for what the types of the values say.

    Beside them stand the flags of the `forms` of lists of spans.
    """
    columns = [column for column in kind.official if column.name in keys.names]
    tags = spans.keys_among(keys.of_tags, kind.spans) if kind.spans else {}
    fields = {
        name: spans.typed_dtype(tags) if _is_spans(kind, column) else pl.String()
        for column in columns
        for name in (column.official, *column.aliases, column.name)
    }
    decoded = lines.with_columns(json_text.decoded(pl.col("typed"), pl.Struct(fields)).alias("decoded"))
    out = [pl.lit(0, pl.UInt32).alias("file"), pl.col("row").cast(pl.UInt32)]
    for column in columns:
        names = dict.fromkeys((column.official, *column.aliases, column.name))
        value = pl.coalesce(pl.col("decoded").struct.field(name) for name in names)
        if kind.spans and _is_spans(kind, column):
            out += [
                spans.raw_spans(value, kind.spans, tags).alias(column.raw),
                pl.col("lone").fill_null(False).alias(LONE),
                *spans.key_flags(value, tags),
                *forms,
            ]
        else:
            out += _raw_scalar(column, value, is_typed=kind.container != "csv")
    return decoded.select(out)


def _is_spans(kind: Kind, column: Column) -> bool:
    return kind.spans is not None and column.name == kind.spans.name


def _raw_scalar(column: Column, value: pl.Expr, *, is_typed: bool) -> list[pl.Expr]:
    """The raw text of a plain value; text that should be text also says whether it was. Lists and times may be text.

    So may everything in a kind of file that is documented as CSV, which has no types: it is not `is_typed` then.
    """
    if isinstance(column.reading.dtype, pl.List | pl.Datetime) or not is_typed:
        return [json_text.as_text(value).alias(column.raw)]
    if column.reading.dtype != pl.String and not isinstance(column.reading.dtype, pl.Enum):
        return [json_text.as_written(value).alias(column.raw)]
    mistyped = ~json_text.is_string(value) & (value != "null|")
    return [json_text.as_text(value).alias(column.raw), mistyped.alias(f"mistyped.{column.name}")]


def _file_lines(source: Source) -> pl.LazyFrame:
    """`line` (physical, from 1), `row` and `text` of each line that is not blank."""
    scan = pl.scan_lines(source.local, name="text", row_index_name="line", glob=False)
    text = pl.col("text").str.strip_prefix("\ufeff").str.strip_suffix("\r")
    return (
        scan.select((pl.col("line") + 1).cast(pl.UInt32), text=text)
        .filter(pl.col("text").str.strip_chars() != "")
        .with_row_index("row")
    )


def _is_over_lines(source: Source) -> bool:
    """Whether the first record goes over several lines, as jq and json.dumps with an indent write them."""
    text = source.head.decode("utf-8-sig", "ignore").lstrip()
    try:
        _, end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return "\n" in text[:end]


def _array_lines(source: Source, findings: RecordFindings, *, is_array: bool) -> tuple[pl.LazyFrame, list[str]]:
    """The same for the records of an array, or of one object after the other.

    Each with the line on which it begins; and what stands around those of an array.
    """
    text = whole_text(source)
    records = list(_array_records(text, findings) if is_array else _records_in_a_row(text, findings))
    frame = pl.DataFrame(records, schema={"at": pl.Int64, "text": pl.String}, orient="row")
    newlines = pl.Series(
        [at for at, character in enumerate(text) if character == "\n"] if "\n" in text else [], dtype=pl.Int64
    )
    lines = newlines.search_sorted(frame["at"]) + 1
    one_line = pl.col("text").str.replace_all(r"[\r\n\t]+", " ")
    numbered = frame.select(line=lines.cast(pl.UInt32), text=one_line).with_row_index("row")
    return numbered.lazy(), _around(text, records)


def _around(text: str, records: Sequence[tuple[int, str]]) -> list[str]:
    """What stands before, between and behind the records of an array.

    Empty where that is more than brackets, commas and white space.
    """
    if not records:
        return []
    ends = [at + len(record) for at, record in records]
    between = text[ends[0] : records[1][0]] if records[1:] else ","
    parts = [text[: records[0][0]], between, text[ends[-1] :]]
    return parts if all(len(part) <= LONGEST_GAP for part in parts) else []


def whole_text(source: Source) -> str:
    """The text of a file that can only be read whole.

    Raises PolarsError where it is not UTF-8, as the other readers do.
    """
    try:
        return source.local.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise pl.exceptions.ComputeError(str(error)) from None


def _array_records(text: str, findings: RecordFindings) -> Iterator[tuple[int, str]]:
    """Start and text of each element of a JSON array.

    Where the array breaks, the finding says so and the rest is one lost record.
    """
    decoder, at = json.JSONDecoder(parse_int=str, parse_float=str), _next(text, text.index("[") + 1)
    open_ = text[at : at + 1] != "]"
    while open_:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            _lose_rest(text, at, getattr(error, "pos", at), "array", findings)
            return
        yield at, text[at:end]
        at = _next(text, end)
        open_ = text[at : at + 1] == ","
        if open_:
            at = _next(text, at + 1)
        elif text[at : at + 1] != "]":
            _lose_rest(text, at, at, "array", findings)
            return
    at = _next(text, at + 1)
    if at < len(text):
        _lose_rest(text, at, at, "after", findings)


def _records_in_a_row(text: str, findings: RecordFindings) -> Iterator[tuple[int, str]]:
    """The same for values that follow one another without an array, with or without commas between them."""
    decoder, at = json.JSONDecoder(parse_int=str, parse_float=str), _next(text, 0)
    while at < len(text):
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            _lose_rest(text, at, getattr(error, "pos", at), "value", findings)
            return
        yield at, text[at:end]
        at = _next(text, end)
        if text[at : at + 1] == ",":
            at = _next(text, at + 1)


def _next(text: str, at: int) -> int:
    """The place of the next character that is not white space."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _lose_rest(text: str, start: int, where: int, which: str, findings: RecordFindings) -> None:
    line, character = text.count("\n", 0, where) + 1, where - text.rfind("\n", 0, where)
    findings.lose(BAD_JSON, None, line, text[start:], which=which, character=character, near=near(text, where))


def _finder(lines: pl.LazyFrame) -> LineFinder:
    def find(rows: Sequence[int]) -> list[int | None]:
        if not rows:
            return []
        return lines.head(max(rows) + 1).select("line").collect(engine="streaming")["line"].gather(list(rows)).to_list()

    return find
