"""The explainer of broken delimited files: which records are broken, why, and on which physical line.

Only a file in which the fast reader met a fault comes here, so this must name lines and still be fast where every
record is broken. It works on whole columns of lines, in blocks. Each line is a function on two states (outside or
inside a quoted field when it begins):

- it may be read from outside, and leaves a quoted field open or not;
- it may be read from inside, and closes the field, stays inside, or makes no sense. A line that makes no sense from
  inside shows that the quote was never closed: the open record ends before it, and it is read from outside.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sharedtask.converters.csv.delimiter import in_pattern
from sharedtask.converters.csv.no_records import NO_RECORDS, NoRecords, is_blank
from sharedtask.converters.encoding.byte_facts import BLOCK
from sharedtask.converters.raw_table import LineFinder, nothing_unread
from sharedtask.converters.source import Source
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.messages import plural
from sharedtask.schemas.reading import text_where
from sharedtask.schemas.rule import At, Finding, Rule, Tally, finding
from sharedtask.schemas.rules.fmt_damage import BLANK_RECORD, REPEATED_HEADER
from sharedtask.schemas.rules.fmt_files import RAGGED_ROW, UNBALANCED_QUOTE

LINES_A_BLOCK = 1 << 16
LONGEST_HEADER = 1000  # characters of a header that is looked for in other quotes; no documented one has a fifth


@dataclass(frozen=True, slots=True)
class Explained:
    """`whole` is a file of the records that can be read.

    `unread` gives the `unread_rows` others, raw, with their findings in `tallies`.
    """

    whole: Path
    lines: LineFinder
    tallies: list[Tally]
    unread_rows: int
    unread: Callable[[], pl.LazyFrame]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The regular expressions of lines and records for one delimiter."""

    outside_opens: str
    inside_stays: str
    inside_closes: str
    inside_reopens: str
    quoted: str
    loose_quote: str

    @classmethod
    def of(cls, delimiter: str) -> "Grammar":
        d = in_pattern(delimiter)
        body = r'(?:[^"]|"")*'
        quoted = f'"{body}"'
        loose = f'(?:{quoted}|[^"{d}][^{d}]*|)'
        opening = f'"{body}'
        return cls(
            outside_opens=f"^(?:{loose}{d})*{opening}$",
            inside_stays=f"^{body}$",
            inside_closes=f'^{body}"(?:{d}{loose})*$',
            inside_reopens=f'^{body}"(?:{d}{loose})*{d}{opening}$',
            quoted=f"(?s){quoted}",
            loose_quote=f'[^{d}]"|"[^{d}]',
        )


def explain(source: Source, kind: Kind, delimiter: str, width: int, *, has_header: bool, limit: int) -> Explained:
    """Read a delimited file line by line.

    `width` is the number of fields expected, `limit` bounds the samples of each finding.
    """
    header = _first_line(source) if has_header else delimiter.join(column.official for column in kind.official)
    rules = RecordRules(Grammar.of(delimiter), delimiter, width, header)
    none = NoRecords(kind, source.path, "again" if has_header else "inside", limit)
    path, whole = _with_returns(source), source.scratch / "whole.csv"
    starts: list[pl.Series] = []
    counters = [_Counter(rule, kind, source.path, width, limit) for rule in (RAGGED_ROW, UNBALANCED_QUOTE)]
    with whole.open("wb") as out:
        for judged in _judged(path, rules, has_header=has_header):
            good, faults = judged.filter(pl.col("rule").is_null()), judged.filter(pl.col("rule").is_not_null())
            good.select("record").write_csv(out, include_header=False, quote_style="never")
            starts.append(good["line"])
            none.add(judged)
            for counter in counters:
                counter.add(faults.filter(pl.col("rule") == counter.rule.name))

    def unread() -> pl.LazyFrame:
        return _unread(_judged(path, rules, has_header=has_header), source.scratch)

    lines = pl.concat(starts) if starts else pl.Series([], dtype=pl.UInt32)
    tallies = [*none.tallies(), *(counter.tally() for counter in counters if counter.count)]
    return Explained(whole, _finder(lines), tallies, sum(counter.count for counter in counters), unread)


def _unread(judged: Iterator[pl.DataFrame], scratch: Path) -> pl.LazyFrame:
    """The broken records of all blocks.

    On disk, so that a file broken in every record needs no more memory than a whole one.
    """
    parts: list[pl.LazyFrame] = []
    for number, block in enumerate(judged):
        faults = block.filter(~pl.col("rule").is_in(NO_RECORDS))
        if faults.height:
            kept = scratch / f"unread-{number}.arrow"
            faults.select("line", "record", rules=pl.concat_list("rule")).write_ipc(kept)
            parts.append(pl.scan_ipc(kept))
    return pl.concat(parts) if parts else nothing_unread()


def _finder(lines: pl.Series) -> LineFinder:
    def find(rows: Sequence[int]) -> list[int | None]:
        return lines.gather(list(rows)).to_list()

    return find


def _first_line(source: Source) -> str:
    return source.head.decode("utf-8-sig", "ignore").partition("\n")[0].rstrip("\r")


def _with_returns(source: Source) -> Path:
    """The file, or a copy in which each CRLF has one more carriage return.

    The reader of lines takes one away, also inside a field.
    """
    with source.local.open("rb") as file:
        crlf, last = False, b""
        while not crlf and (block := file.read(BLOCK)):
            crlf, last = b"\r\n" in block or (last == b"\r" and block.startswith(b"\n")), block[-1:]
    if not crlf:
        return source.local
    copy = source.scratch / "returns.csv"
    with source.local.open("rb") as file, copy.open("wb") as out:
        held = b""
        while block := file.read(BLOCK):
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""
            out.write(block[: len(block) - len(held)].replace(b"\r\n", b"\r\r\n"))
        out.write(held)
    return copy


def _judged(path: Path, rules: "RecordRules", *, has_header: bool) -> Iterator[pl.DataFrame]:
    """Blocks of records in file order.

    `line`, `record`, its `height` in lines, `cut` (it was broken off), and the `rule` that it breaks or null.

    Each line is judged as a record of its own by all threads; what lies in a block with fields of several lines is
    judged again.
    """
    scan = pl.scan_lines(path, name="text", row_index_name="line", glob=False)
    numbered = scan.with_columns((pl.col("line") + 1).cast(pl.UInt32), record=_without_end(pl.col("text")))
    lines = rules.judged(numbered.with_columns(height=pl.lit(1, pl.UInt32), cut=pl.lit(value=False)))
    body = pl.col("line") > 1 if has_header else pl.lit(value=True)
    carried = pl.DataFrame(schema={"line": pl.UInt32, "text": pl.String})
    for block in lines.collect_batches(chunk_size=LINES_A_BLOCK, maintain_order=True):
        if not carried.height and not block["odd"].any():
            yield block.filter(body)
            continue
        marked, inside = _states(pl.concat([carried, block.select("line", "text")]), rules.grammar)
        last_start = marked.select(pl.col("begins").arg_true().last()).item()
        carried = marked.slice(last_start).select("line", "text") if inside else carried.clear()
        whole = _group(marked.head(last_start) if inside else marked)
        yield rules.judged(whole.filter(body).lazy()).collect()
    if carried.height:  # the file ends inside a quoted field
        cut = _group(_states(carried, rules.grammar)[0]).with_columns(cut=pl.lit(value=True))
        yield rules.judged(cut.filter(body).lazy()).collect()


def _states(lines: pl.DataFrame, grammar: Grammar) -> tuple[pl.DataFrame, bool]:
    """Which lines begin a record, and which were broken off by the next one, read from outside.

    Also whether the last one ends inside a field.
    """
    if not lines.select(_is_odd(pl.col("text").str.count_matches('"', literal=True)).any()).item():
        return lines.select("line", "text", begins=pl.lit(value=True), cut=pl.lit(value=False)), False
    text = pl.col("text").str.strip_suffix("\r")
    quotes = pl.when(text.str.contains('"', literal=True)).then(text)
    opens = quotes.str.contains(grammar.outside_opens).fill_null(False)
    stays = quotes.str.contains(grammar.inside_stays).fill_null(True)
    closes = quotes.str.contains(grammar.inside_closes).fill_null(False)
    reopens = quotes.str.contains(grammar.inside_reopens).fill_null(False)
    steps = lines.with_columns(opens=opens, senseless=~(stays | closes | reopens), stays=stays | reopens)
    # A line is a constant function where both states lead to the same one, else the identity or a swap.
    after_inside = pl.when("senseless").then("opens").otherwise("stays")
    steps = steps.with_columns(after_inside=after_inside).with_columns(
        fixed=pl.col("opens") == pl.col("after_inside"), swaps=pl.col("opens") & ~pl.col("after_inside")
    )
    run = steps.with_columns(run=pl.col("fixed").cum_sum())
    base = pl.when("fixed").then("opens").otherwise(None).forward_fill().fill_null(False)
    turned = pl.when("fixed").then(0).otherwise(pl.col("swaps").cast(pl.Int32)).cum_sum().over("run") % 2 == 1
    marked = run.with_columns(inside_after=base ^ turned).with_columns(
        inside=pl.col("inside_after").shift(fill_value=False)
    )
    marked = marked.with_columns(
        begins=~pl.col("inside") | pl.col("senseless"), cuts=pl.col("inside") & pl.col("senseless")
    )
    inside = bool(marked["inside_after"].tail(1).sum())
    return marked.select("line", "text", "begins", cut=pl.col("cuts").shift(-1, fill_value=False)), inside


def _group(marked: pl.DataFrame) -> pl.DataFrame:
    numbered = marked.with_columns(number=pl.col("begins").cum_sum())
    if numbered["begins"].all():  # one line a record: nothing to join
        return numbered.select("line", record=_without_end(pl.col("text")), height=pl.lit(1, pl.UInt32), cut="cut")
    return (
        numbered.group_by("number", maintain_order=True)
        .agg(
            pl.col("line").first(),
            record=_without_end(pl.col("text").str.join("\n")),
            height=pl.len().cast(pl.UInt32),
            cut=pl.col("cut").any(),
        )
        .drop("number")
    )


def _without_end(record: pl.Expr) -> pl.Expr:
    """The record without the carriage return of its line end; those inside its fields are text."""
    return record.str.strip_suffix("\r")


class RecordRules:
    """What a record of `width` fields has to be."""

    def __init__(self, grammar: Grammar, delimiter: str, width: int, header: str | None) -> None:
        self.grammar, self.delimiter, self.width, self.header = grammar, delimiter, width, header

    def judged(self, records: pl.LazyFrame) -> pl.LazyFrame:
        """The frame with the number of `fields` of each `record`, its `odd` quotes, and the `rule` that it breaks.

        Quotes are sound where each quoted part is a whole field. Most records have one such field at most, which is
        seen when they are split at the quotes, five times faster than a regular expression sees it: nothing stands
        between its doubled quotes.
        """
        d, record, parts = self.delimiter, pl.col("record"), pl.col("parts")
        before, after, pieces = parts.list.first(), parts.list.last(), parts.list.len()
        inner_ends = (parts.list.get(1, null_on_oob=True) != "") & (parts.list.get(-2, null_on_oob=True) != "")
        doubled = text_where(pieces > 3, record).str.count_matches('""', literal=True)
        is_one = (pieces == 3) | ((pieces > 3) & inner_ends & (pieces == 3 + 2 * doubled))
        is_field = ((before == "") | before.str.ends_with(d)) & ((after == "") | after.str.starts_with(d))
        marked = text_where((pieces > 1) & ~pl.col("one"), record).str.replace_all(self.grammar.quoted, '"')
        loose = pl.col("odd") | pl.col("marked").str.contains(self.grammar.loose_quote)
        outside = pl.when(pieces == 1).then(record).otherwise("marked")
        fields = (
            pl.when("one").then(self._delimiters(before) + self._delimiters(after)).otherwise(self._delimiters(outside))
        )
        return (
            records.with_columns(parts=text_where(record.str.contains('"', literal=True), record).str.split('"'))
            .with_columns(one=is_one.fill_null(False) & is_field, odd=_is_odd(pieces - 1))
            .with_columns(marked=marked)
            .with_columns(fields=pl.when(record == "").then(0).otherwise(fields + 1))
            .with_columns(
                rule=pl.when(is_blank(record, d))
                .then(pl.lit(BLANK_RECORD.name))
                .when(self._is_header(record))
                .then(pl.lit(REPEATED_HEADER.name))
                .when(pl.col("cut") | loose)
                .then(pl.lit(UNBALANCED_QUOTE.name))
                .when(pl.col("fields") != self.width)
                .then(pl.lit(RAGGED_ROW.name))
            )
            .drop("parts", "one", "marked")
        )

    def _is_header(self, record: pl.Expr) -> pl.Expr:
        """Whether a record is the header, whatever quotes and spaces are around its names."""
        header = self.header or "\n"
        d, names = in_pattern(self.delimiter), [name.strip(' "') for name in header.split(self.delimiter)]
        if header == "\n" or not any(names) or len(header) > LONGEST_HEADER:
            return record == header
        longest = len(header.encode()) + 4 * len(names)
        short = text_where(record.str.len_bytes() <= longest, record)
        pattern = d.join(rf' *"?{pl.escape_regex(name)}"? *' for name in names)
        return short.str.contains(rf"^{pattern}$")

    def _delimiters(self, text: pl.Expr) -> pl.Expr:
        return text.str.count_matches(self.delimiter, literal=True)


def _is_odd(quotes: pl.Expr) -> pl.Expr:
    """Whether a line with so many quotes may leave a field open."""
    return quotes % 2 == 1


class _Counter:
    """Counts the broken records of one rule, and keeps the first ones as findings."""

    def __init__(self, rule: Rule, kind: Kind, path: str, width: int, limit: int) -> None:
        self.rule, self.kind, self.path, self.width, self.limit = rule, kind, path, width, limit
        self.count = 0
        self.samples: list[Finding] = []

    def add(self, faults: pl.DataFrame) -> None:
        self.count += faults.height
        for fault in faults.head(self.limit - len(self.samples)).iter_rows(named=True):
            at, value = At(self.path, fault["line"]), fault["record"][:200]
            self.samples.append(finding(self.rule, at, kind=self.kind, value=value, **self._facts(fault)))

    def _facts(self, fault: dict[str, Any]) -> dict[str, Any]:
        """The message of a broken record, what was expected, and what the message shows."""
        if self.rule is RAGGED_ROW:
            return {"expected": plural(self.width, "field"), "fields": fault["fields"], "width": self.width}
        if not fault["cut"]:
            return {"which": "inside", "expected": "quotes around the whole field, doubled inside it"}
        swallowed = int(fault["height"]) - 1
        return {"which": "swallows" if swallowed else "open", "expected": "a closing quote", "swallowed": swallowed}

    def tally(self) -> Tally:
        return Tally.counted(self.rule, self.rule.severity_for(self.kind), self.count, self.samples)
