"""JSON Lines and arrays: every value as it stands, with its type, and the line on which its record begins."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharedtask.converters.canonical_table import canonical
from sharedtask.converters.json.records import first_keys, read_json_records
from sharedtask.converters.source import open_source
from sharedtask.schemas.flares.kinds import SUBTASK1
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.reading import integer, text
from sharedtask.schemas.spans import KEY

Json = dict[str, Any]

TOY = Kind(
    name="toy/records",
    title="",
    description="",
    source="",
    columns=(
        Column("number", "Number", integer(), "", aliases=("NUM",)),
        Column("words", "Words", text(), "", nullable=True, optional=True),
    ),
    key=("number",),
    container="jsonl",
)


class Read:
    """A JSON file that has been read: its canonical frame, lines, findings, and what could not be read."""

    def __init__(self, path: Path, content: str, kind: Kind = TOY) -> None:
        path.write_text(content, encoding="utf-8", newline="")
        with open_source(str(path)) as source:
            table = read_json_records(source, kind, 20)
            self.raw = table.frame.collect()
            self.frame = canonical(table, kind).collect()
            self.lines = table.lines(range(self.frame.height))
            self.found: dict[str, int] = {}
            for tally in table.tallies:
                self.found[tally.rule.name] = self.found.get(tally.rule.name, 0) + tally.count
            self.samples = [one for tally in table.tallies for one in tally.samples]
            self.unread = table.unread.collect().rows()
            self.names = table.names


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("json") / "records.json"


# ---------------------------------------------------------------- single values


@pytest.mark.parametrize(
    ("token", "raw"),
    [
        ("5", "5"),
        ('"5"', '"5"'),
        ("5.0", "5.0"),
        ("-0", "-0"),
        ("5e3", "5e3"),
        ("1.2316E+18", "1.2316E+18"),
        ("true", "true"),
        ("null", None),
        ('""', '""'),
        ('"a|b"', '"a|b"'),
        ('"|"', '"|"'),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_a_number_is_kept_as_it_is_written(path: Path, token: str, raw: str | None) -> None:
    read = Read(path, f'{{"Number":{token},"Words":"w"}}\n')
    assert read.raw["raw.number"].to_list() == [raw]


@pytest.mark.parametrize(
    ("token", "words", "mistyped"),
    [
        ('"w"', "w", False),
        ('""', "", False),
        ('"null"', "null", False),
        ('"5"', "5", False),
        ("5", "5", True),
        ("5.0", "5.0", True),
        ("false", "false", True),
        ("null", None, False),
        ('"|"', "|", False),
        ('"a|"', "a|", False),
        (r'"\"\\\/\b\f\n\r\t"', '"\\/\b\f\n\r\t', False),
        (r'"\u00e9\u00E9"', "éé", False),
        (r'"\ud83d\udd34"', "🔴", False),
        (r'"\\ud83d"', r"\ud83d", False),
        (r'"\u0000"', "\0", False),
        (r'"{\"Number\":1,\"x\":[{\":\":2}]}"', '{"Number":1,"x":[{":":2}]}', False),
        ('"\u2028\u0085\x7f"', "\u2028\u0085\x7f", False),
        ('"${1}$0 $$"', "${1}$0 $$", False),
    ],
)
def test_a_text_is_kept_with_its_type(path: Path, token: str, words: str | None, mistyped: bool) -> None:
    read = Read(path, f'{{"Number":1,"Words":{token}}}\n')
    assert read.frame["words"].to_list() == [words]
    assert read.raw["mistyped.words"].to_list() == [mistyped]
    assert read.found == {}


@pytest.mark.parametrize(
    "line",
    [
        '{"Number":1,"Words":"cut',
        '{"Number":1,"Words":"w",}',
        "{'Number':1}",
        '{"Number":01}',
        '{"Number":.5}',
        '{"Number":+5}',
        '{"Number":NaN}',
        '{"Number":-Infinity}',
        '{"Number":1} {"Number":2}',
        '{"Number":1,"Words":"a\tb"}',
        r'{"Number":1,"Words":"\x41"}',
        r'{"Number":1,"Words":"\ud83d"}',
        r'{"Number":1,"Words":"\udd34\ud83d"}',
        '{"Number":\u00a01}',
        '{"Number":\u0661}',
        '{"Number":1\u0661}',
        '{"Number":True}',
        '{"Number":1,"x":' + "[" * 100_000,
        '{"Number":1,"x":' + '{"x":' * 100_000,
        "\x00",
    ],
    ids=lambda line: line[:40],
)
def test_what_is_no_json_is_one_lost_line(path: Path, line: str) -> None:
    read = Read(path, f'{{"Number":1,"Words":"a"}}\n{line}\n{{"Number":3,"Words":"c"}}\n')
    assert read.found == {"bad-json": 1}
    assert read.unread == [(2, line, ["bad-json"])]
    assert read.frame["number"].to_list() == [1, 3]
    assert read.lines == [1, 3]
    assert [one.at.line for one in read.samples] == [2]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[1]", {"json-not-records": 1}),
        ("1", {"json-not-records": 1}),
        ('"Number"', {"json-not-records": 1}),
        ("null", {"json-not-records": 1}),
        ('{"Number":2,"Words":["w"]}', {"json-not-records": 1}),
        ('{"Number":2,"Words":{}}', {"json-not-records": 1}),
        ('{"Number":2,"Number":3}', {"duplicate-json-key": 1}),
        (r'{"Number":2,"\u004eumber":3}', {"duplicate-json-key": 1}),
        ('{"Number":2,"NUM":3}', {"duplicate-json-key": 1, "misnamed-column": 1}),
        ('{"Number":2,"x":1,"x":1}', {"duplicate-json-key": 1, "unknown-json-key": 1}),
    ],
)
def test_a_record_that_cannot_be_used_is_lost_and_named(path: Path, line: str, found: dict[str, int]) -> None:
    read = Read(path, f'{{"Number":1,"Words":"a"}}\n{line}\n')
    assert read.found == found
    assert read.frame["number"].to_list() == [1]
    assert [(at, record) for at, record, _ in read.unread] == [(2, line)]


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize(
    ("line", "found", "number"),
    [
        ('{"Number":2}', {}, 2),
        ('{ "Words" : "w" ,\t"Number" : 2 }', {}, 2),
        (r'{"\u004eumber":2}', {}, 2),
        ('{"number":2}', {"misnamed-column": 1}, 2),
        ('{"Number ":2}', {"misnamed-column": 1}, 2),
        ('{"NUM":2}', {"misnamed-column": 1}, 2),
        ('{"Number":2,"x":[[{"y":null}],{}]}', {"unknown-json-key": 1}, 2),
        ('{"Number":2,"a b":1}', {"unknown-json-key": 1}, 2),
        ('{"Number":2,"x,":[{":":1}]}', {"unknown-json-key": 1}, 2),
        (r'{"Number":2,"{\"":{"}":"{"}}', {"unknown-json-key": 1}, 2),
        ('{"Number":2,"":1}', {"unknown-json-key": 1}, 2),
        ("{}", {}, None),
    ],
)
def test_keys(path: Path, line: str, found: dict[str, int], number: int | None) -> None:
    read = Read(path, f'{{"Number":1,"Words":"a"}}\n{line}\n')
    assert read.found == found
    assert read.frame["number"].to_list() == [1, number]


def test_an_unknown_key_is_named_as_it_is_written(path: Path) -> None:
    read = Read(path, '{"Number":1,"a b":1}\n{"Number":2,"x":[1]}\n{"Number":3,"x":2,"a b":2}\n')
    assert [(one.at.column, one.at.line) for one in read.samples if one.rule.name == "unknown-json-key"] == [
        ("a b", 1),
        ("x", 2),
    ]


def test_a_key_that_no_record_has_is_missing_once(path: Path) -> None:
    assert Read(path, '{"Words":"a"}\n{"Words":"b"}\n').found == {"missing-column": 1}


def test_the_documented_name_is_the_name_of_the_column_where_several_are_used(path: Path) -> None:
    assert Read(path, '{"NUM":1}\n{"Number":2}\n').names["number"] == "Number"
    assert Read(path, '{"NUM":1}\n{"NUM":2}\n').names["number"] == "NUM"


# ---------------------------------------------------------------- lines and arrays


def test_blank_lines_are_no_records_but_count_as_lines(path: Path) -> None:
    read = Read(path, '\n{"Number":1}\n  \n\n{"Number":2}')
    assert (read.frame["number"].to_list(), read.lines, read.found) == ([1, 2], [2, 5], {})


def test_carriage_returns_before_newlines_are_line_ends(path: Path) -> None:
    read = Read(path, '{"Number":1,"Words":"a"}\r\n\r\n{"Number":2,"Words":"b"}\r\n')
    assert (read.frame["words"].to_list(), read.lines, read.found) == (["a", "b"], [1, 3], {})


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_array_as_an_editor_formats_it(path: Path, mark: str) -> None:
    records = [{"Number": 1, "Words": "a\n[{"}, {"Number": 2, "Words": None}, {"Number": 3, "Words": "c"}]
    read = Read(path, mark + json.dumps(records, indent=2) + "\n\n")
    assert read.frame["words"].to_list() == ["a\n[{", None, "c"]
    assert read.lines == [2, 6, 10]
    assert read.found == {"json-array": 1}


@pytest.mark.parametrize(
    ("array", "numbers", "line"),
    [
        ('[\n{"Number":1}\n{"Number":2}]', [1], 3),
        ('[\n{"Number":1},\n,{"Number":2}]', [1], 3),
        ('[\n{"Number":1},\n]', [1], 3),
        ('[\n{"Number":1},\n{"Number":2}\n', [1, 2], 4),
        ('[\n{"Number":1}\n]\n{"Number":2}', [1], 4),
        ('[\n{"Number":1},\n{"Number":', [1], 3),
        ('[{"Number":1},\n' + "[" * 100_000, [1], 2),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_array_that_breaks(path: Path, array: str, numbers: list[int], line: int) -> None:
    read = Read(path, array)
    assert read.found == {"json-array": 1, "bad-json": 1}
    assert read.frame["number"].to_list() == numbers
    assert [one.at.line for one in read.samples if one.rule.name == "bad-json"] == [line]
    assert len(read.unread) == 1


def test_an_array_that_is_sound_but_for_single_records(path: Path) -> None:
    read = Read(path, '[{"Number":1},\n7,\n{"Number":NaN},\n{"Number":' + "9" * 5000 + '},\n{"Number":5}]')
    assert read.found == {"json-array": 1, "json-not-records": 1, "bad-json": 1}
    assert read.frame["number"].to_list() == [1, None, 5]
    assert read.lines == [1, 4, 5]


def test_an_empty_array_lacks_no_column(path: Path) -> None:
    assert Read(path, " [ ]\n").found == {"json-array": 1}


@pytest.mark.parametrize(
    ("head", "keys"),
    [
        ('{"a":1,"b":2}\n{"c":3}', ["a", "b"]),
        ('[\n {"a":1}', ["a"]),
        ('\ufeff{"a":1}', ["a"]),
        ('{"a":1,"a":2}', ["a", "a"]),
        ('{"a":' + "9" * 5000 + "}", ["a"]),
        ('{"a":' + "[" * 100_000, []),
        ('{"cut\n{"b":1}\n', ["b"]),
        ("[1,2]", []),
        ("", []),
    ],
    ids=lambda value: str(value)[:20],
)
def test_first_keys(head: str, keys: list[str]) -> None:
    assert first_keys(head.encode()) == keys


# ---------------------------------------------------------------- whatever a JSON writer may write

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/{}[]:,|$ \n\u2028🔴'), max_size=12)
KEYS = TEXTS.filter(lambda key: "".join(key.split()).strip("\ufeff_-").lower() not in ("id", "text", "tags", ""))
ANY: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
TAG = st.fixed_dictionaries(
    {"Tag_Start": st.integers(0, 9), "Tag_End": st.integers(0, 9), "5W1H_Label": st.sampled_from(["WHAT", "WHO"])},
    optional={"Reliability_Label": st.sampled_from(["confiable", "no confiable"]), "Tag_Text": TEXTS},
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[Json], str, list[int]]:
    """FLARES records with more keys than documented, a JSON text of them, and the line on which each begins."""
    records: list[Json] = []
    for _ in range(draw(st.integers(1, 4))):
        record = {
            "Id": draw(st.integers(-(2**63), 2**63 - 1)),
            "Text": draw(TEXTS),
            "Tags": draw(st.lists(TAG, max_size=3)),
            **draw(st.dictionaries(KEYS, ANY, max_size=2)),
        }
        order = draw(st.permutations(list(record)))
        records.append({key: record[key] for key in order})
    comma, colon = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :  ")]))
    ascii_only = draw(st.booleans())
    if draw(st.booleans()):
        texts = [json.dumps(one, separators=(comma, colon), ensure_ascii=ascii_only) for one in records]
        return records, "\n".join(texts), list(range(1, len(texts) + 1))
    indent = draw(st.sampled_from([None, 0, 2]))
    written = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    if indent is None:
        return records, written, [1] * len(records)
    lines, at = [], 2
    for one in records:
        lines.append(at)
        at += json.dumps(one, indent=indent, ensure_ascii=ascii_only).count("\n") + 1
    return records, written, lines


@given(document=documents())
@example(document=([{"Id": 1, "Text": "", "Tags": []}], '{"Id":1,"Text":"","Tags":[ ] }', [1]))
def test_what_a_json_writer_writes_is_read_as_it_was(path: Path, document: tuple[list[Json], str, list[int]]) -> None:
    records, written, lines = document
    read = Read(path, written, SUBTASK1)
    assert set(read.found) <= {"json-array", "unknown-json-key"}
    assert read.unread == []
    assert read.frame["id"].to_list() == [one["Id"] for one in records]
    assert read.frame["text"].to_list() == [one["Text"] for one in records]
    assert [spans.to_list() for spans in read.frame["spans"]] == [
        [
            {
                "start": tag["Tag_Start"],
                "end": tag["Tag_End"],
                "label": tag["5W1H_Label"],
                "reliability": tag.get("Reliability_Label"),
                "span_text": tag.get("Tag_Text"),
            }
            for tag in one["Tags"]
        ]
        for one in records
    ]
    assert read.lines == lines
    assert not any(name.startswith(KEY) for name in read.frame.columns)
    assert read.frame["raw.spans"].dtype == pl.List(pl.Struct(dict.fromkeys(SPAN_FIELDS, pl.String)))


SPAN_FIELDS = ("start", "end", "label", "reliability", "span_text")
