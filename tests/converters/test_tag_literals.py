"""Tags cells with one reading are read as what they say, whoever wrote them; what could mean two things stays unread."""

import ast
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharedtask.converters.spans import names_of_fields, tag_form
from sharedtask.converters.tag_cells import MAX_CELL, Parsed, parse_cell
from sharedtask.schemas.column_names import fold
from sharedtask.schemas.flares.kinds import SUBTASK1_RUN

Tag = dict[str, Any]

SPANS = SUBTASK1_RUN.spans
assert SPANS is not None
FIELDS = {fold(name): names[0] for names in names_of_fields(SPANS) for name in names}
FORM = tag_form(SUBTASK1_RUN)

LABELS = st.sampled_from(["WHAT", "WHO", "WHERE", "WHEN", "HOW", "WHY"])
TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("'\"\\,:{}[]() \n\xa0`‘’“”"), max_size=10)
WORDS = st.text(st.sampled_from("abñ '’,.:"), max_size=12).map(str.strip)


@st.composite
def tags(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> Tag:
    start = draw(st.integers(0, 900))
    tag: Tag = {"Tag_Start": start, "Tag_End": start + draw(st.integers(1, 99)), "5W1H_Label": draw(LABELS)}
    return {**tag, "Tag_Text": draw(texts)} if draw(st.booleans()) else tag


LISTS = st.lists(tags(), min_size=1, max_size=4)


def read(cell: str) -> Parsed:
    return parse_cell(cell, FIELDS, FORM)


def value(cell: str) -> Any:
    parsed = read(cell)
    assert (parsed.text is None) == (parsed.why is not None)
    return None if parsed.text is None else json.loads(parsed.text)


def as_numpy(tag: Tag, integer: str, text: str = "") -> str:
    def written(part: Any) -> str:
        name = integer if isinstance(part, int) else text
        return f"{name}({part!r})" if name else repr(part)

    return "{" + ", ".join(f"{key!r}: {written(part)}" for key, part in tag.items()) + "}"


WRITERS: dict[str, Callable[[list[Tag]], str]] = {
    "NumPy 2": lambda some: f"[{', '.join(as_numpy(tag, 'np.int64', 'np.str_') for tag in some)}]",
    "NumPy by its name": lambda some: f"[{', '.join(as_numpy(tag, 'numpy.int32') for tag in some)}]",
    "no module": lambda some: f"[{', '.join(as_numpy(tag, 'int64') for tag in some)}]",
    "an array": lambda some: f"array({some}, dtype=object)",
    "an array with its module": lambda some: f"np.array({some})",
    "a list of an array": lambda some: f"[array({some}, dtype=object)]",
    "str of an array": lambda some: "[" + "\n ".join(map(str, some)) + "]",
    "str of an array of NumPy's": lambda some: "[" + "\n ".join(as_numpy(tag, "np.int64") for tag in some) + "]",
    "a fence": lambda some: f"```python\n{some}\n```",
    "a fence of JSON": lambda some: f"```json\n{json.dumps(some, indent=1)}\n```",
    "a fence without a name": lambda some: f"```\n{json.dumps(some)}\n```",
    "a fence on one line": lambda some: f"```{some}```",
    "an assignment": lambda some: f"Tags = {some}",
    "a key": lambda some: f"tags: {json.dumps(some)}",
    "a fence and an assignment": lambda some: f"```py\ntags = {some}\n```",
    "an object": lambda some: json.dumps({"Tags": some}),
    "a list in a list": lambda some: str([some]),
    "quotes around": lambda some: json.dumps(json.dumps(some)),
    "quotes around each": lambda some: json.dumps([json.dumps(tag) for tag in some]),
    "Python in quotes": lambda some: json.dumps([str(tag) for tag in some]),
}


@pytest.mark.parametrize("writer", WRITERS)
@given(some=LISTS)
@example(some=[{"Tag_Start": 0, "Tag_End": 8, "5W1H_Label": "WHO", "Tag_Text": "l'Escala"}])
@example(some=[{"Tag_Start": 0, "Tag_End": 8, "5W1H_Label": "WHO", "Tag_Text": "'\"'}, {\"a\": '\\"}])
def test_each_writer_is_read_back(writer: str, some: list[Tag]) -> None:
    cell = WRITERS[writer](some)
    assert value(cell) in (some, None)  # a text may look like the end of a list
    if not any(sign in tag.get("Tag_Text", "") for tag in some for sign in "'\"{}\\"):
        assert value(cell) == some
        assert read(cell).forms or len(some) == 1


@given(some=LISTS)
def test_what_python_can_read_is_read_back_whatever_is_in_the_texts(some: list[Tag]) -> None:
    for writer in (
        "NumPy 2",
        "an array",
        "a list of an array",
        "a fence",
        "an assignment",
        "quotes around",
        "an object",
    ):
        assert value(WRITERS[writer](some)) == some


@given(some=LISTS)
def test_what_is_written_plainly_has_no_form(some: list[Tag]) -> None:
    for cell in (str(some), json.dumps(some), str(tuple(some)), f" {some}\n"):
        assert value(cell) == some
        assert read(cell).forms == ()


def in_single_quotes(tag: Tag, quote: str = "'", end: str = "'") -> str:
    parts = [
        f"{quote}{key}{end}: " + (f"{quote}{part}{end}" if isinstance(part, str) else str(part))
        for key, part in tag.items()
    ]
    return "{" + ", ".join(parts) + "}"


@given(some=st.lists(tags(WORDS), min_size=1, max_size=4), comma=st.sampled_from([", ", "\n ", ",\n"]))
def test_bare_apostrophes_are_read_back_or_not_at_all(some: list[Tag], comma: str) -> None:
    cell = f"[{comma.join(map(in_single_quotes, some))}]"
    told = value(cell)
    with suppress(SyntaxError, ValueError):  # quotes side by side may be those of Python's long strings
        assert told in (None, ast.literal_eval(cell))
        return
    doubled = any("'" in tag.get("Tag_Text", "") for tag in some)
    assert (
        told in (some, None)
        if not doubled
        else told is None or [one["Tag_Start"] for one in told] == [one["Tag_Start"] for one in some]
    )


@pytest.mark.parametrize(
    "text", ["l'Escala", "d'Artagnan", "dijo 'sí', y se fue", "'hoy'", "l'alcalde d'ahir", "rock 'n' roll", "hoy'"]
)
def test_an_apostrophe_is_part_of_its_text(text: str) -> None:
    tag = {"Tag_Start": 0, "Tag_End": 8, "5W1H_Label": "WHO", "Tag_Text": text}
    for order in (tag, dict(reversed(tag.items()))):
        assert value(f"[{in_single_quotes(order)}]") == [order]
        assert value(f"[{in_single_quotes(order)}, {order}]") == [order, order]


@pytest.mark.parametrize(("quote", "end"), ["‘’", "“”", "’’", "””", "«»", "„“", "´´"])
def test_typographic_quotes_are_quotes(quote: str, end: str) -> None:
    tag = {"Tag_Start": 0, "Tag_End": 8, "5W1H_Label": "WHO", "Tag_Text": 'la "jefa"'}
    assert value(f"[{in_single_quotes(tag, quote, end)}]") == [tag]


@given(
    start=st.integers(0, 99),
    length=st.integers(-9, 99),
    label=LABELS | st.just("who"),
    text=st.none() | TEXTS,
    first=st.booleans(),
    as_list=st.booleans(),
)
def test_a_tuple_is_a_tag_where_it_is_one_tag(
    start: int, length: int, label: str, text: str | None, first: bool, as_list: bool
) -> None:
    items: list[Any] = [label, start, start + length] if first else [start, start + length, label]
    items += [] if text is None else [text]
    cell = str([items]) if as_list else str([tuple(items)])
    tag = {"Tag_Start": start, "Tag_End": start + length, "5W1H_Label": label}
    tag |= {} if text is None else {"Tag_Text": text}
    is_label = text is not None and text.strip().casefold() in FORM.labels
    assert value(cell) == ([tag] if length > 0 and not is_label else None)


@pytest.mark.parametrize(
    "cell",
    [
        "[(9, 0, 'WHO')]",
        "[(3, 3, 'WHO')]",
        "[(0, 9, 'WHO', 'WHAT')]",
        "[(0, 9, 'PLACE')]",
        "[(0, 9)]",
        "[(0, 9, 12, 'WHO')]",
        "[(0, 9, 'WHO', 'a', 'b')]",
        "[(0, 9, 'WHO', None)]",
        "[(True, 9, 'WHO')]",
        "[(0.5, 9, 'WHO')]",
        "[('0', '9', 'WHO', '12')]",
        "[{'Tag_Start': 0, 'Tag_End': 9, '5W1H_Label': 'WHO'}",
        "{'Tag_Start': 0, 'Tag_End': 9, '5W1H_Label': 'WHO'}]",
        "[{'Tag_Start': 0, 'Tag_End': 9, '5W1H_Label': 'WHO']",
        "[{'Tag_Start': np.int64(0), 'Tag_End': 9, '5W1H_Label': 'WHO'}",
        "array([{'Tag_Start': 0}], dtype=object",
        "array([{'Tag_Start': 0},\n       ...,\n       {'Tag_Start': 9}], dtype=object)",
        "[{'Tag_Start': 0}\n ...\n {'Tag_Start': 9}]",
        "[{'Tag_Start': 0}; {'Tag_Start': 9}]",
        "```python\n[{'Tag_Start': 0}]",
        "[{'Tag_Start': 0}]\n```",
        "Here: [{'Tag_Start': 0}]",
        "Tags == [{'Tag_Start': 0}]",
        "[{'Tag_Start': np.nan}]",
        "[{'Tag_Start': np.float64(nan)}]",
        "[{'Tag_Start': np.int64('3')}]",
        "[{'Tag_Start': np.int64(3.5)}]",
        "[{'Tag_Start': np.int64(3, 4)}]",
        "[{'Tag_Start': np.int64(x=3)}]",
        "[{'Tag_Start': np.int64(np.add(1, 2))}]",
        "[{'Tag_Start': np.zeros(3)}]",
        "[{'Tag_Start': os.int64(3)}]",
        "[{'Tag_Start': array([1, 2])}]",
        "array([{'Tag_Start': 0}], dtype=open('made'))",
        "array(*[{'Tag_Start': 0}])",
        "dict(Tag_Start=0)",
        "[{'Tag_Text': 'l'Escala', 'score': 0.5, 'Tag_Start': 1}]",
        "[{'Tag_Text': 'l'Escala' , Tag_Start: 1}, {'Tag_Text': 'x', 'Tag_Start': 3}]",
        "[{'Tag_Text': 'l'Escala', '5W1H_Label: 'WHO', 'Tag_Start': 0}]",
        "[{'Tag_Text': 'it's' 'two', 'Tag_Start': 0, 'Tag_End': -x}]",
        "[{'Tag_Text': 'l'Escala}]",
        "[[{'Tag_Start': 0}], [{'Tag_Start': 1}]]",
        "[{'Tag_Start': 0, 'start': np.int64(1)}]",
    ],
)
def test_what_is_not_certain_stays_unread(cell: str) -> None:
    assert value(cell) is None
    assert read(cell).forms == ()


PIECES = st.sampled_from([*"[]{}()'\",:=`~ \n\\0a‘’“”", "'a': ", "np.int64(", "array(", "```", "tags"])


@given(cell=st.text() | st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_read_or_named(cell: str) -> None:
    parsed = read(cell)
    assert parsed.text is not None or parsed.why is not None


SIZE = 1 << 17  # where each character is looked at once for each other, this takes minutes
MOST_SECONDS = 5
BOMBS = {
    "quotes": "'" * SIZE,
    "curly quotes": "‘" * SIZE,
    "braces": "{" * SIZE,
    "backticks": "`" * SIZE,
    "a text that never ends": "[{'a': '" + "'," * (SIZE // 2 - 9),
    "ends that are none": "[{'a': '" + "'} " * (SIZE // 3 - 9),
    "blanks behind quotes": "[{'a': 'x" + "'    " * (SIZE // 5 - 9),
    "blanks": "[{'a': 'x'" + " " * (SIZE - 20),
    "keys that are none": "[{'a': '" + f"', '{'a' * 58}" * (SIZE // 62 - 9),
    "backslashes": "[{'a': '" + "\\" * (SIZE - 20),
    "scalars in scalars": "np.int64(" * (SIZE // 9),
    "arrays in arrays": "np.array(" * 80 + "[]" + ")" * 80,
    "names": "Tags=" * (SIZE // 5),
    "a text of a scalar": "[{'a': np.str_('" + "\\'" * (SIZE // 2 - 20),
    "one long word": "[{'tag_text': 'a'b" + "b" * (SIZE - 30) + "'}]",
    "texts": "[" + "'5'," * (SIZE // 4 - 9) + "]",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_cell_takes_bounded_time(name: str) -> None:
    begun = time.process_time()
    read(BOMBS[name])
    assert time.process_time() - begun < MOST_SECONDS


def test_a_cell_beyond_the_limit_is_not_looked_at() -> None:
    assert value("[{'Tag_Start': np.int64(0)}]" + " " * MAX_CELL) is None
