"""BIO: a table of texts with spans as tokens, one a line with its tag, the way programs that read CoNLL files take it.

The file begins with `# global.columns = FORM TAG START END RELIABILITY SPAN`, as in CoNLL-U Plus, and with the name of
the tokenisation. Each record has `# id = …`, `# text = …` as a JSON string, its tokens, and an empty line. START and
END are the offsets of the token in the text; RELIABILITY stands where a span begins, and so does SPAN, as `start-end`,
where the span does not begin and end with its tokens: with these nothing is lost. Without spans the columns are FORM
START END. Spans come back in the order of the text.

Tokenisation `words-and-punctuation-1`: a run of word characters (letters, marks, decimal digits, connectors such as
`_`, joiners; `\\w` of UTS 18), or one other character that is not white space.
"""

import polars as pl

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.json.text import LONE_SURROGATE, STRING
from sharedtask.converters.raw_table import UNFIT, Table
from sharedtask.converters.record_findings import RecordFindings
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import RAW, Kind
from sharedtask.schemas.rules.fmt_files import RAGGED_ROW
from sharedtask.schemas.rules.fmt_values import BAD_VALUE
from sharedtask.schemas.spans import FIELDS, SPAN_TEXT

TOKENISATION = "words-and-punctuation-1"
NONE = "_"
_PIECE = r"\s+|\w+|[^\w\s]"
_HEADER = "# global.columns = "
_ID, _TEXT = "# id = ", "# text = "
_PLAIN = ("FORM", "START", "END")
_LABELLED = ("FORM", "TAG", "START", "END", "RELIABILITY", "SPAN")


def blocks(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`id, text[, spans]` as one column `line`.

    The header, then the lines of each record with the empty one behind them.
    """
    labelled = "spans" in frame.collect_schema()
    names = _LABELLED if labelled else _PLAIN
    header = pl.LazyFrame({"line": [f"{_HEADER}{' '.join(names)}\n# tokenisation = {TOKENISATION}"]})
    columns = frame.select("id", "text", *(["spans"] if labelled else []))
    body = columns.map_batches(_blocks, schema={"line": pl.String}, streamable=True)
    return pl.concat([header, body])


def unfit(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The records with a span that has no token of its own."""
    if "spans" not in frame.collect_schema():
        return pl.LazyFrame(schema=UNFIT)
    return frame.select("row", "text", "spans").map_batches(_without_token, schema=UNFIT, streamable=True)


def _blocks(batch: pl.DataFrame) -> pl.DataFrame:
    records = batch.with_row_index("row")
    tokens = _tokens(records)
    fields: list[pl.Expr | str] = ["form", "start", "end"]
    if "spans" in batch.columns:
        tokens = _tagged(tokens, _spans(records))
        fields = ["form", "tag", "start", "end", "word", "edges"]
    line = tokens.select("row", line=pl.concat_str(fields, separator="\t"))
    lines = line.group_by("row", maintain_order=True).agg(pl.col("line").str.join("\n"))
    text = pl.struct(t="text").struct.json_encode().str.strip_prefix('{"t":').str.strip_suffix("}")
    head = pl.format(f"{_ID}{{}}\n{_TEXT}{{}}", "id", text)
    whole = records.select("row", head=head).join(lines, on="row", how="left", maintain_order="left")
    return whole.select(line=pl.concat_str("head", "line", pl.lit(""), separator="\n", ignore_nulls=True))


def _tokens(records: pl.DataFrame) -> pl.DataFrame:
    """`row, form, start, end` of each token."""
    size = pl.col("form").str.len_chars().cast(pl.Int64)
    pieces = records.select("row", form=pl.col("text").str.extract_all(_PIECE)).explode("form")
    placed = pieces.with_columns(end=size.cum_sum().over("row")).with_columns(start=pl.col("end") - size)
    return placed.filter(~pl.col("form").str.contains(r"^\s"))


def _spans(records: pl.DataFrame) -> pl.DataFrame:
    """`row, place` and the fields of each span, in the order of their starts.

    `place` is the index in the record's list.
    """
    listed = records.select("row", "spans", place=pl.int_ranges(0, pl.col("spans").list.len()))
    flat = listed.filter(pl.col("spans").list.len() > 0).explode("spans", "place").unnest("spans")
    return flat.rename({"start": "first", "end": "last"}).sort("row", "first")


def _tagged(tokens: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The tokens with `tag`, and the reliability (`word`) and odd `edges` of the span that begins there.

    A token belongs to the last span that begins before the token ends, if that span reaches into it.
    """
    joined = tokens.join_asof(
        spans, left_on="end", right_on="first", by="row", allow_exact_matches=False, check_sortedness=False
    )
    inside = (pl.col("last") > pl.col("start")).fill_null(value=False)
    own = joined.with_columns(inside=inside).with_columns(
        begins=pl.struct("row", "place", "inside").is_first_distinct() & pl.col("inside")
    )
    within = [pl.when("inside").then(name).min().over("row", "place").alias(f"{name} of tokens") for name in ("start",)]
    within += [pl.when("inside").then("end").max().over("row", "place").alias("end of tokens")]
    edges = (pl.col("first") != pl.col("start of tokens")) | (pl.col("last") != pl.col("end of tokens"))
    label, word = pl.col("label").cast(pl.String), pl.col("reliability").cast(pl.String)
    begins, spanned = pl.col("begins"), pl.when("inside")
    return own.with_columns(within).with_columns(
        tag=spanned.then(pl.concat_str(pl.when(begins).then(pl.lit("B-")).otherwise(pl.lit("I-")), label)).otherwise(
            pl.lit("O")
        ),
        word=pl.when(begins).then(word.str.replace_all(" ", NONE, literal=True)).fill_null(NONE),
        edges=pl.when(begins & edges).then(pl.format("{}-{}", "first", "last")).fill_null(NONE),
    )


def _without_token(batch: pl.DataFrame) -> pl.DataFrame:
    records = batch.rename({"row": "of"}).with_row_index("row")
    spans = _spans(records)
    begun = _tagged(_tokens(records), spans).filter("begins")
    left = spans.join(begun, on=["row", "place"], how="anti", maintain_order="left").unique("row", maintain_order=True)
    facts = pl.struct(start="first", end="last", tokenisation=pl.lit(TOKENISATION)).struct.json_encode()
    placed = left.join(records.select("row", "of"), on="row")
    return placed.select(row="of", column=pl.lit("spans"), which=pl.lit("no-token"), facts=facts)


def is_bio(head: bytes) -> bool:
    """Whether these are the first bytes of such a file."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(_HEADER.encode())


def read_bio(source: Source, kind: Kind, limit: int) -> Table:
    """A file of tokens with offsets as a `Table`. Raises UnusableError where the columns have no offsets."""
    scan = pl.scan_lines(source.local, name="line", row_index_name="number", glob=False)
    lines = scan.with_columns(pl.col("line").str.strip_suffix("\r")).collect(engine="streaming")
    names = lines["line"][0].removeprefix("\ufeff").removeprefix(_HEADER).split()
    if missing := [name for name in _PLAIN if name not in names]:
        raise UnusableError(f"{source.path}: its columns are {' '.join(names)}; expected {', '.join(missing)} too")
    lines = lines.with_columns(record=pl.col("line").str.starts_with(_ID).cum_sum())
    records = _records(lines)
    tokens = _fields(lines, names).join(
        records.select("record", "text"), on="record", how="left", maintain_order="left"
    )
    findings = RecordFindings(kind, source.path, limit)
    lost = _lose_bad(tokens, len(names), records.select("record", "given"), findings)
    kept = ~pl.col("record").is_in(lost)
    whole = records.filter(pl.col("record") > 0, kept).with_row_index("row")
    frame = whole.select(
        pl.lit(0, pl.UInt32).alias("file"),
        "row",
        "record",
        pl.col("id").alias(f"{RAW}id"),
        pl.col("text").alias(f"{RAW}text"),
    )
    if "TAG" in names:
        lists = _read_spans(tokens.filter(kept))
        spans = pl.coalesce("spans", pl.lit([], lists.schema["spans"])).alias(f"{RAW}spans")
        frame = frame.join(lists, on="record", how="left", maintain_order="left").with_columns(spans)
    unread = findings.lost.select("line", pl.col("text").alias("record"), "rules")
    return Table(
        frame.drop("record", "spans", strict=False).lazy(),
        {column.name: column.official for column in kind.columns},
        findings.tallies(),
        unread.lazy,
        lambda rows: (whole["number"].gather(list(rows)) + 1).to_list(),
        {"container": "bio"},
        as_given=whole.select("row", record="given").lazy(),
        unread_rows=unread.height,
    )


def _records(lines: pl.DataFrame) -> pl.DataFrame:
    """`record`, the `number` of its first line from 0, `id`, `text` and all lines `given` of each record.

    Record 0 is the header.
    """
    line = pl.col("line")

    def comment(prefix: str) -> pl.Expr:
        return line.filter(line.str.starts_with(prefix)).first().str.strip_prefix(prefix)

    found = lines.group_by("record", maintain_order=True).agg(
        pl.col("number").first(), id=comment(_ID), text=comment(_TEXT), given=line.str.join("\n")
    )
    sound = pl.col("text").str.contains(rf"^{STRING}$") & ~pl.col("text").str.contains(LONE_SURROGATE)
    text = pl.when(sound).then(pl.concat_str(pl.lit('{"t":'), "text", pl.lit("}")))
    return found.with_columns(text=text.str.json_decode(pl.Struct({"t": pl.String})).struct.field("t"))


def _fields(lines: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """`number, record, size` (how many fields it has) and the fields of each line that is a token."""
    line = pl.col("line")
    tokens = lines.filter(~line.str.starts_with("# "), line.str.strip_chars() != "")
    parts = line.str.split("\t")
    fields = [
        (parts.list.get(names.index(name), null_on_oob=True) if name in names else pl.lit(None, pl.String)).alias(name)
        for name in _LABELLED
    ]
    return tokens.select("number", "record", *fields, size=parts.list.len())


def _lose_bad(tokens: pl.DataFrame, width: int, given: pl.DataFrame, findings: RecordFindings) -> list[int]:
    """The records with a token that cannot be used: its first such token is reported, and the record is lost."""
    start, end = (pl.col(name).cast(pl.Int64, strict=False) for name in ("START", "END"))
    faults = {
        "fields": pl.col("size") != width,
        "before": pl.col("record") == 0,
        "offsets": start.is_null() | end.is_null() | (start < 0) | (end < start),
        "token": pl.col("FORM") != _slice(pl.col("text"), start, end),
        "tag": ~pl.col("TAG").str.contains(r"^(?:O|[BI]-\S+)$"),
        "span": ~pl.col("SPAN").str.contains(r"^(?:_|[0-9]+-[0-9]+)$"),
    }
    which = pl.coalesce(pl.when(fault).then(pl.lit(name)) for name, fault in faults.items())
    bad = tokens.with_columns(which=which).filter(pl.col("which").is_not_null())
    first = bad.unique("record", keep="first", maintain_order=True).join(given, on="record", maintain_order="left")
    offsets = pl.format("{} {}", "START", "END")
    cells = {"token": pl.col("FORM"), "offsets": offsets, "tag": pl.col("TAG"), "span": pl.col("SPAN")}
    cell = pl.coalesce(pl.when(pl.col("which") == name).then(shown) for name, shown in cells.items())
    shown = first.with_columns(cell=cell)
    for number, size, text, fault, value in shown.select("number", "size", "given", "which", "cell").iter_rows():
        if fault == "fields":
            findings.lose(RAGGED_ROW, None, number + 1, text, fields=size, width=width)
        else:
            findings.lose(BAD_VALUE, None, number + 1, text, which=fault, value=value)
    return first["record"].to_list()


def _slice(text: pl.Expr, start: pl.Expr, end: pl.Expr) -> pl.Expr:
    return text.str.slice(start.clip(0), (end - start).clip(0))


def _read_spans(tokens: pl.DataFrame) -> pl.DataFrame:
    """`record` and its list of raw `spans`. A span begins at B-, and at an I- that continues nothing."""
    label = pl.col("TAG").str.extract(r"^[BI]-(.*)$", 1)
    goes_on = pl.col("TAG").str.starts_with("I-") & (label == label.shift().over("record")).fill_null(value=False)
    inside = tokens.with_columns(label=label, chunk=(~goes_on).cum_sum()).drop_nulls("label")
    whole = inside.group_by("record", "chunk", maintain_order=True).agg(
        pl.col("label", "text", "SPAN").first(),
        start=pl.col("START").first(),
        end=pl.col("END").last(),
        reliability=pl.col("RELIABILITY").first(),
    )
    edges = [pl.col("SPAN").str.extract(r"^([0-9]+)-([0-9]+)$", group) for group in (1, 2)]
    spans = whole.with_columns(
        start=pl.coalesce(edges[0], "start"),
        end=pl.coalesce(edges[1], "end"),
        reliability=pl.when(pl.col("reliability") != NONE).then(
            pl.col("reliability").str.replace_all(NONE, " ", literal=True)
        ),
    )
    start, end = (pl.col(name).cast(pl.Int64) for name in ("start", "end"))
    spans = spans.with_columns(_slice(pl.col("text"), start, end).alias(SPAN_TEXT))
    return spans.group_by("record", maintain_order=True).agg(spans=pl.struct(FIELDS))
