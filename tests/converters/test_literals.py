"""Tags cells are read as data, whoever wrote them; nothing in them is ever run, and nothing stops the reading of the others."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharedtask.converters.canonical_table import canonical
from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.read import read_delimited
from sharedtask.converters.source import open_source
from sharedtask.converters.tag_cells import MAX_CELL, json_cells
from sharedtask.converters.tags_without_keys import TagForm
from sharedtask.schemas.flares.kinds import SUBTASK1_RUN
from sharedtask.schemas.flares.tag_rules import BAD_TAGS_CELL
from sharedtask.schemas.rule import At, finding
from sharedtask.schemas.spans import BAD, CELL_TEXT, JSON, LONE

Tag = dict[str, Any]
FORM_OF_TAGS = TagForm(
    "Tag_Start", "Tag_End", "5W1H_Label", "Tag_Text", frozenset({"who", "what"}), frozenset({"tags"})
)
WHO = "{'Tag_Start': 0, 'Tag_End': 5, '5W1H_Label': 'WHO'}"

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("'\"\\,:{}[]| \n\xa0\u2028🔴"), max_size=8)
SCALARS: Any = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
KEYS = st.text(st.characters(codec="utf-8", exclude_characters='"\\,:{}[]', min_codepoint=32), max_size=6)
TAGS = st.lists(st.dictionaries(KEYS, SCALARS, max_size=4), max_size=3)


def read(*cells: str | None) -> pl.DataFrame:
    frame = pl.LazyFrame({"cell": cells}, schema={"cell": pl.String})
    parsed, _ = json_cells(frame, "cell", [["Tag_Start"], ["Tag_End"], ["5W1H_Label"]], FORM_OF_TAGS)
    return parsed.collect()


def value(cell: str) -> Any:
    """What a cell holds; None where it cannot be read."""
    (text,) = read(cell)[CELL_TEXT]
    return None if text is None else json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 99 else 0)


def why(cell: str) -> str:
    (facts,) = read(cell)[BAD]
    return finding(BAD_TAGS_CELL, At(), subject="Tags", **json.loads(facts)).message


@given(tags=TAGS)
@example(tags=[{"a": "it's", "b": 'say "no"'}])
@example(tags=[{"a": "\x85\xa0\u200b"}])
def test_what_python_writes_is_read_as_it_was(tags: list[Tag]) -> None:
    assert value(str(tags)) == value(f" {tags}\n") == value(str(tuple(tags))) == tags


@given(tags=TAGS, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_what_a_json_writer_writes_is_read_as_it_was(tags: list[Tag], ascii_only: bool, indent: int | None) -> None:
    assert value(json.dumps(tags, ensure_ascii=ascii_only, indent=indent)) == tags


@given(tag=st.dictionaries(KEYS, SCALARS, max_size=4))
def test_one_dict_alone_is_a_list_of_one(tag: Tag) -> None:
    for cell in (str(tag), json.dumps(tag)):
        frame = read(cell)
        assert json.loads(frame[CELL_TEXT][0]) == [tag]
        assert frame[LONE].to_list() == [True]


@pytest.mark.parametrize(
    ("cell", "is_json"),
    [("[]", False), (f"[{WHO}]", False), (f"[{WHO}]".replace("'", '"'), True), ('{"a": 1}', True), ("{}", False)],
)
def test_json_is_told_from_python(cell: str, is_json: bool) -> None:
    assert read(cell)[JSON].to_list() == [is_json]


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ("[{'a':1,'b':'x'}]", [{"a": 1, "b": "x"}]),
        ("[ { 'a' : 1 } , { } ]", [{"a": 1}, {}]),
        ("[{'a': 1},]", [{"a": 1}]),
        ("[{'a': 1,}]", [{"a": 1}]),
        ("[{'a': 0x10, 'b': 1_000}]", [{"a": 16, "b": 1000}]),
        ("[{'a': 'x' 'y'}]", [{"a": "xy"}]),
        ("[{'a': r'\\d', 'b': '\\d'}]", [{"a": "\\d", "b": "\\d"}]),
        ("[{'a': '\\x41\\u00e9\\N{BULLET}'}]", [{"a": "Aé•"}]),
        ("[{'a': '''x'''}] # a note", [{"a": "x"}]),
        ("[{'a': -5}, {'a': -0.5}]", [{"a": -5}, {"a": -0.5}]),
        ("[{'a': True, 'b': None}]", [{"a": True, "b": None}]),
        ("[{'a': 1, 'a': 2}]", [{"a": 2}]),
        ("[\f{'a': 1}]", [{"a": 1}]),
    ],
)
def test_other_ways_to_write_it(cell: str, tags: list[Tag]) -> None:
    assert value(cell) == tags


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('os').mkdir('made')",
        "[__import__('os').mkdir('made')]",
        "[{'a': __import__('os').mkdir('made')}]",
        "[{'a': open('made', 'w')}]",
        "[{'a': 1 + 1}]",
        "[{'a': 'x' * 9}]",
        "[{'a': 9 ** 9 ** 9}]",
        "[{'a': (lambda: 1)()}]",
        "[{'a': f'{open}'}]",
        "[x for x in ()]",
        "[{'a': nan}]",
        "[{'a': null}]",
        "[*[{'a': 1}]]",
        "[{**{}}]",
        "[{'a': 1 if 1 else 2}]",
        "[{'a': 1}][0]",
        "a",
        "...",
        "exec('x')",
        "import os",
        "x = []",
    ],
)
def test_nothing_is_ever_run(cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert value(cell) is None
    assert why(cell)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        (f"[{WHO}", "character 1: "),
        ("[{‘Tag_Start’: 0]", "character 3: "),
        ("  [{'a': 1 2}]", "character 10: "),
        ("[{'a': 1},\n {'b': 2 3}]", "character 19: "),
        ("[{'a': 1}}", "character 10: "),
        ("[{'a': 'x}]", "character 8: "),
        ("[\xa0{'a': 1}]", "character 2: "),
        ("[{'a': 01}]", "character 8: "),
    ],
)
def test_the_character_is_named(cell: str, place: str) -> None:
    assert value(cell) is None
    assert place in why(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "  ",
        None,
        "5",
        "'text'",
        "None",
        "{1, 2}",
        "[1]",
        "[[]]",
        "['a']",
        "[{'a': [1]}]",
        "[{'a': {'b': 1}}]",
        "[{1: 2}]",
        "[{'a': b'x'}]",
        "[{'a': 1j}]",
        "[{'a': ()}]",
        "[{'a': '\\ud83d'}]",
        '[{"a": "\\ud83d"}]',
        "[{'a': 1}]\0",
        "[\xa0]",
        '[{"a":\u20031}]',
    ],
)
def test_what_is_no_list_of_flat_dicts_is_bad(cell: str | None) -> None:
    frame = read(cell)
    assert frame[CELL_TEXT].to_list() == [None]
    assert frame[BAD].null_count() == 0


MANY = 100_000


@pytest.mark.parametrize(
    "cell",
    [
        "[" * MANY,
        "[" * MANY + "]" * MANY,
        "{'a':" * MANY,
        "(" * MANY + ")" * MANY,
        "-" * MANY + "1",
        "[{'a': " + "-" * MANY + "1}]",
        "[{'a': " + "1" * MANY + "}]",
        "[" + "{'a': 1}+" * (MANY // 10) + "{}]",
        "[{'a': '" + "\\" * MANY,
        "x" * (MAX_CELL + 1),
        "not " * MANY + "1",
        "1" + ".a" * MANY,
        "~" * 5000 + "1",
    ],
    ids=lambda cell: cell[:12],
)
def test_a_bomb_is_a_bad_cell(cell: str) -> None:
    told = read(cell)[BAD][0]
    assert "1111" in cell if told is None else len(told) < 500


@pytest.mark.parametrize(
    "cell", ['[{"a": true}]', '[{"a": 1, "b": null}]', '{"a": false}', '[{"a:": null, "b": "\\ud83d\\udd34"}]']
)
def test_words_that_only_json_knows_are_bad(cell: str) -> None:
    """The official reader is Python's eval, which fails on them."""
    assert "null, true or false" in why(cell)


def test_one_bad_cell_does_not_stop_the_others() -> None:
    cells = [f"[{WHO}]", None, "[{", "[]", "[{'a': 1+1}]", '[{"b": 2}]', "[" * 3000, "[{'c': \"it's\"}]"]
    frame = read(*cells)
    assert [text is not None for text in frame[CELL_TEXT]] == [True, False, False, True, False, True, False, True]
    assert [told is None for told in frame[BAD]] == [True, False, False, True, False, True, False, True]
    assert frame["cell"].to_list() == cells


# ---------------------------------------------------------------- as the column of a file

ODD_KEYS = st.text(st.sampled_from("ab\"'\\,:{}[] é"), max_size=5)
SPANS = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {
                "Tag_Start": st.integers(0, 9),
                "Tag_End": st.integers(0, 9),
                "5W1H_Label": st.sampled_from(["WHAT", "WHY"]),
            },
            optional={"Reliability_Label": st.just("no confiable"), "Tag_Text": TEXTS},
        ),
        st.dictionaries(ODD_KEYS, SCALARS, max_size=2),
        st.booleans(),
    ),
    max_size=3,
)


@given(rows=st.lists(st.tuples(SPANS, st.booleans()), min_size=1, max_size=4))
def test_spans_of_a_run_are_read_as_they_were_whatever_else_is_in_a_tag(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[list[tuple[Tag, Tag, bool]], bool]]
) -> None:
    tags = [[{**odd, **tag} if first else {**tag, **odd} for tag, odd, first in spans] for spans, _ in rows]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["Id", "Tags"])
    for at, (listed, (_, as_json)) in enumerate(zip(tags, rows, strict=True)):
        writer.writerow([at, json.dumps(listed) if as_json else str(listed)])
    path = tmp_path_factory.getbasetemp() / "run.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    with open_source(str(path)) as source:
        table = read_delimited(source, SUBTASK1_RUN, Layout(source.head))
        frame = canonical(table, SUBTASK1_RUN).collect()
    wanted = [
        [
            {
                "start": tag["Tag_Start"],
                "end": tag["Tag_End"],
                "label": tag["5W1H_Label"],
                "reliability": tag.get("Reliability_Label"),
                "span_text": tag.get("Tag_Text"),
            }
            for tag in listed
        ]
        for listed in tags
    ]
    assert [spans.to_list() for spans in frame["spans"]] == wanted
