"""The explainer keeps whole records as they are, names exactly the broken ones, and knows the physical line of each."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.converters.csv import broken as module
from sharedtask.converters.csv.broken import Explained, explain
from sharedtask.converters.source import open_source
from sharedtask.schemas.kind import Kind

Rows = list[list[str]]

# Signs that a CSV file is made of, and some others; a lone carriage return ends no line here, so it stays out.
FIELDS = st.lists(st.sampled_from([*'ab",', '"', ",", "\n", "\r\n", " ", "é", "🔴", '""', '","']), max_size=5).map(
    "".join
)
QUOTING: Any = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
ENDS = st.sampled_from(["\n", "\r\n"])

TABLE = Kind("toy/table", "A toy", "A table.", "nowhere", (), ())


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, list[str]]:
    """Rows of two to four fields, and the text of each record with its line end."""
    width = draw(st.integers(2, 4))
    row = st.lists(FIELDS, min_size=width, max_size=width).filter(holds_something)
    rows = draw(st.lists(row, min_size=1, max_size=8))
    quoting, end = draw(QUOTING), draw(ENDS)
    return rows, [written(row, quoting, end) for row in rows]


def holds_something(row: list[str]) -> bool:
    """Whether a row is a record, and not one of nothing but delimiters and spaces."""
    return any(field.strip(" ") for field in row)


def written(row: list[str], quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting, lineterminator=end).writerow(row)
    return out.getvalue()


def lines_of(records: list[str]) -> list[int]:
    """The physical line on which each record begins."""
    lines, line = [], 1
    for record in records:
        lines.append(line)
        line += record.count("\n")
    return lines


def explained(
    folder: Path, text: str, width: int, *, delimiter: str = ",", has_header: bool = False
) -> tuple[Explained, Rows, list[tuple[int, str, str]]]:
    """What the explainer says, the records that it keeps, and line, rule and text of the others."""
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with open_source(str(path)) as source:
        told = explain(source, TABLE, delimiter, width, has_header=has_header, limit=100)
        with told.whole.open(encoding="utf-8", newline="") as file:
            kept = list(csv.reader(file, delimiter=delimiter))
        unread = told.unread().sort("line").collect()
    return told, kept, [(line, rules[0], record) for line, record, rules in unread.rows()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explain")


@pytest.fixture(params=[1, 2, 3, 1 << 18])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    lines: int = request.param
    monkeypatch.setattr(module, "LINES_A_BLOCK", lines)
    return lines


@given(table=tables())
def test_sound_records_are_kept_with_their_lines(folder: Path, table: tuple[Rows, list[str]]) -> None:
    rows, records = table
    told, kept, unread = explained(folder, "".join(records), len(rows[0]))
    assert told.tallies == []
    assert unread == []
    assert kept == rows
    assert told.lines(range(len(rows))) == lines_of(records)


@given(table=tables(), data=st.data())
def test_records_with_a_field_too_many_or_too_few_are_named(
    folder: Path, table: tuple[Rows, list[str]], data: st.DataObject
) -> None:
    rows, records = table
    width = len(rows[0])
    broken = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    for at in broken:
        short = rows[at][1:]
        row = [*rows[at], "more"] if width == 2 or not holds_something(short) or data.draw(st.booleans()) else short
        records[at] = written(row)
    told, kept, unread = explained(folder, "".join(records), width)
    lines = lines_of(records)
    assert kept == [row for at, row in enumerate(rows) if at not in broken]
    assert [(line, rule) for line, rule, _ in unread] == [(lines[at], "ragged-row") for at in sorted(broken)]
    assert {tally.rule.name: tally.count for tally in told.tallies} == ({"ragged-row": len(broken)} if broken else {})
    assert [one.at.line for tally in told.tallies for one in tally.samples] == [lines[at] for at in sorted(broken)]
    assert told.lines(range(len(kept))) == [line for at, line in enumerate(lines) if at not in broken]


MIXED = [
    ("id,text,label\n", None),
    ('1,"two\nlines",x\n', None),
    ("2,too,many,fields\n", "ragged-row"),
    ("3,plain,y\n", None),
    ("\n", "blank"),
    ('4,"a ""quoted"" word, and\n\n more",z\n', None),
    ("5,short\n", "ragged-row"),
    ('6,"never closed,z\n', "unbalanced-quote"),
    ('7,"sound, again",z\n', None),
    ('8,a "stray" quote,z\n', "unbalanced-quote"),
    ('9,"half" quoted,z\n', "unbalanced-quote"),
    ('10,"",""\n', None),
    ('11,"the end', "unbalanced-quote"),
]


def test_a_bit_of_everything(tmp_path: Path, block: int) -> None:
    records = [text for text, _ in MIXED]
    told, kept, unread = explained(tmp_path, "".join(records), 3, has_header=True)
    lines = lines_of(records)
    assert [row[0] for row in kept] == ["1", "3", "4", "7", "10"]
    assert kept[2] == ["4", 'a "quoted" word, and\n\n more', "z"]
    wanted = [(line, rule) for line, (_, rule) in zip(lines, MIXED, strict=True) if rule and rule != "blank"]
    assert [(line, rule) for line, rule, _ in unread] == wanted
    assert {tally.rule.name: tally.count for tally in told.tallies} == {
        "blank-record": 1,
        "ragged-row": 2,
        "unbalanced-quote": 4,
    }
    kept_lines = [line for line, (_, rule) in zip(lines[1:], MIXED[1:], strict=True) if rule is None]
    assert told.lines(range(5)) == kept_lines


def test_what_is_lost_is_kept_raw(tmp_path: Path) -> None:
    _, _, unread = explained(tmp_path, '1,"a\nb",x,y\n2,"open\n3,"s",z\n', 3)
    assert unread == [(1, "ragged-row", '1,"a\nb",x,y'), (3, "unbalanced-quote", '2,"open')]


@pytest.mark.parametrize("lines", [1, 2, 5])
@settings.get_profile("few")
@given(table=tables())
def test_blocks_change_nothing(folder: Path, lines: int, table: tuple[Rows, list[str]]) -> None:
    rows, records = table
    text = "".join(["x\n", *records, "x\n"])
    whole = explained(folder, text, len(rows[0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LINES_A_BLOCK", lines)
        told, kept, unread = explained(folder, text, len(rows[0]))
    assert (kept, unread) == whole[1:]
    assert told.lines(range(len(kept))) == whole[0].lines(range(len(kept)))
    assert [(tally.rule, tally.count) for tally in told.tallies] == [(one.rule, one.count) for one in whole[0].tallies]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = delimiter.join(["1", f'"a{delimiter}b"', "c,d"]) + "\n" + delimiter.join("2345") + "\n"
    _, kept, unread = explained(tmp_path, text, 3, delimiter=delimiter)
    assert kept == [["1", f"a{delimiter}b", "c,d"]]
    assert [(line, rule) for line, rule, _ in unread] == [(2, "ragged-row")]


def test_samples_are_bounded_and_counts_are_not(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1\n" * 500, encoding="utf-8")
    with open_source(str(path)) as source:
        told = explain(source, TABLE, ",", 2, has_header=True, limit=3)
    (tally,) = told.tallies
    assert tally.count == 500
    assert [one.at.line for one in tally.samples] == [2, 3, 4]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_carriage_returns_are_text_inside_a_field_and_no_text_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(module, "BLOCK", size)
    text = '1,"a\r\nb\nc\r\r\nd"\r\n2,e\r\n3\r\n"4","f\r\n"\n5,g\r'
    told, kept, unread = explained(tmp_path, text, 2)
    assert kept == [["1", "a\r\nb\nc\r\r\nd"], ["2", "e"], ["4", "f\r\n"], ["5", "g"]]
    assert unread == [(6, "ragged-row", "3")]
    assert told.lines(range(4)) == [1, 5, 7, 9]


def test_a_name_with_the_signs_of_a_pattern_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "run[1]*?.csv"
    path.write_text("a,b\n1\n2,3\n", encoding="utf-8")
    with open_source(str(path)) as source:
        told = explain(source, TABLE, ",", 2, has_header=True, limit=3)
        assert told.whole.read_text(encoding="utf-8") == "2,3\n"


def test_an_empty_file_has_nothing_to_explain(tmp_path: Path) -> None:
    told, kept, unread = explained(tmp_path, "a,b\n", 2, has_header=True)
    assert (kept, unread, told.tallies, told.lines([])) == ([], [], [], [])
