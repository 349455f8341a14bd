"""`fix --place`: texts of spans are put where they are, and nothing is moved that has no certain place."""

import csv
import json
import random
import unicodedata
from ast import literal_eval
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.fix_result import FixResult
from sharedtask.pipelines.runs.folded_text import FOLDS, Folds, folded
from sharedtask.pipelines.runs.fragment_places import FIRST, LAST, LEVEL, STATUS, places
from sharedtask.pipelines.runs.span_order import places_in_order
from sharedtask.pipelines.verbs.fix import fix

TEXT = "El coro cantó. Ana aplaudió al coro, y el coro volvió; Ana, no. Lo vio “la radio”."
Tag = dict[str, Any]


def view(text: str, fragments: list[str], starts: list[int | None] | None = None) -> pl.DataFrame:
    """A span view of one record with these texts and offsets."""
    schema = {"row": pl.UInt32, "span": pl.UInt32, "text": pl.String, "span_text": pl.String, "start": pl.Int64}
    given = starts or [None] * len(fragments)
    rows = [(0, number, text, one, start) for number, (one, start) in enumerate(zip(fragments, given, strict=True))]
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return made.with_columns(end=pl.col("start") + pl.col("span_text").str.len_chars().cast(pl.Int64))


def found(
    text: str, fragments: list[str], choice: str = "exact", starts: list[int | None] | None = None
) -> pl.DataFrame:
    return places(view(text, fragments, starts), choice, pl.lit(None, pl.String)).sort("span")


def starts_of(text: str, *fragments: str) -> list[int | None]:
    return found(text, [*fragments])[FIRST].to_list()


def placed(
    folder: Path, tags: list[Tag] | str, place: Literal["exact", "nearest"] = "exact", text: str = TEXT
) -> tuple[FixResult, list[Tag]]:
    """What `fix` makes of a run of one record."""
    run, reference, out = folder / "run.csv", folder / "test.json", folder / "fixed.csv"
    reference.write_text(json.dumps({"Id": 7, "Text": text}) + "\n", "utf-8")
    with run.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["Id", "Tags"], [7, str(tags)]])
    done = fix(run, reference, out, place=place, diff=True)
    with out.open(encoding="utf-8", newline="") as file:
        return done, literal_eval(next(csv.DictReader(file))["Tags"])


def told(done: FixResult) -> dict[str, str]:
    return {one.rule.name: one.extent for one in done.repairs}


def tag(text: str, start: int | None = None, end: int | None = None, label: str = "WHO") -> Tag:
    offsets = {} if start is None else {"Tag_Start": start, "Tag_End": end}
    return {**offsets, "5W1H_Label": label, "Tag_Text": text}


words = st.sampled_from(["el", "coro", "él", "Ana", "cantó", "ﬁn", "cafe\u0301", "“a”", "ß", "가", "–", "ﾊﾞ", "İ"])
gaps = st.sampled_from([" ", "  ", "\n", "\u00a0", ", "])
texts = st.lists(st.tuples(words, gaps), min_size=1, max_size=12).map(lambda parts: "".join(map("".join, parts)))


@given(texts, st.data())
def test_what_is_placed_reads_as_its_text_under_the_fold(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text) - 1))
    piece = text[first : data.draw(st.integers(first + 1, len(text)))]
    changes = (str.upper, str.lower, lambda one: unicodedata.normalize("NFKD", one), lambda one: f" {one} ")
    for change in (str, *changes):
        for row in found(text, [change(piece)]).iter_rows(named=True):
            if row[STATUS] == "placed":
                there = text[row[FIRST] : row[LAST]]
                assert folded(there, row[LEVEL]) == folded(change(piece), row[LEVEL])


@given(texts)
def test_a_folded_text_knows_where_each_character_came_from(text: str) -> None:
    folds = Folds(text)
    for level in range(len(FOLDS) + 1):
        one = folds.at(level)
        assert len(one.text) == len(one.starts) == len(one.ends)
        assert [*one.starts] == sorted(one.starts)
        assert all(first < last for first, last in zip(one.starts, one.ends, strict=True))
        assert (one.starts[0], one.ends[-1]) == (0, len(text))


@given(texts, st.data())
def test_a_text_that_occurs_once_is_always_placed(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text) - 1))
    piece = text[first : data.draw(st.integers(first + 1, len(text)))]
    if piece.strip() and text.find(piece, text.find(piece) + 1) < 0:
        for choice in ("exact", "nearest"):
            row = found(text, ["nada de esto", piece, piece], choice, [0, 0, 5])
            assert row[STATUS].to_list() == ["absent", "placed", "placed"]
            assert row[FIRST].to_list() == [None, text.find(piece), text.find(piece)]


candidate_lists = st.lists(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(1, 3)), min_size=1, max_size=4, unique_by=lambda one: one[0]
    ).map(lambda some: sorted((start, start + some[0][1]) for start, _ in some)),
    min_size=1,
    max_size=4,
)


@given(candidate_lists)
def test_the_order_decides_where_one_assignment_keeps_it(candidates: list[list[tuple[int, int]]]) -> None:
    every: list[list[tuple[int, int]]] = [[]]
    for some in candidates:
        every = [[*one, place] for one in every for place in some if not one or place[0] >= one[-1][1]]
    if every:
        expected = [{one[at] for one in every} for at in range(len(candidates))]
        unique = [next(iter(some)) if len(some) == 1 else None for some in expected]
        assert places_in_order(candidates) == unique


@given(candidate_lists)
def test_no_place_of_several_is_given_twice(candidates: list[list[tuple[int, int]]]) -> None:
    chosen = [place for place, some in zip(places_in_order(candidates), candidates, strict=True) if len(some) > 1]
    some = [place for place in chosen if place]
    assert len(set(some)) == len(some)
    assert some == sorted(some)


def test_the_order_decides_between_the_places_of_repeated_texts() -> None:
    assert starts_of(TEXT, "coro", "Ana", "coro", "coro", "Ana") == [3, 15, 31, 42, 55]
    assert starts_of(TEXT, "coro", "aplaudió", "coro", "volvió") == [3, 19, None, 47]


def test_the_order_says_nothing_where_it_is_not_kept() -> None:
    assert starts_of(TEXT, "volvió", "aplaudió", "coro") == [47, 19, None]


def test_whole_words_come_before_parts_of_words() -> None:
    assert starts_of("Anabel y Ana; bananas", "Ana") == [9]
    assert starts_of("Anabel baila", "Ana") == [0]


def test_the_nearest_place_counts_and_a_tie_is_left_to_the_order() -> None:
    text = "no, sí, no; no"
    assert found(text, ["no"], "nearest", [9])[FIRST].to_list() == [8]
    assert found(text, ["no"], "nearest", [4])[FIRST].to_list() == [None]
    assert found(text, ["sí", "no"], "nearest", [0, 4])[FIRST].to_list() == [4, 8]


def test_texts_and_offsets_become_those_of_the_place(tmp_path: Path) -> None:
    done, out = placed(tmp_path, [tag("EL CORO"), tag("aplaudió", 0, 900), tag("Ana", 3, 7), tag('"la radio"', 2, 2)])
    assert [(one["Tag_Start"], one["Tag_End"]) for one in out] == [(0, 7), (19, 27), (55, 58), (71, 81)]
    assert told(done)["tag-key-missing"] == "1 span"
    assert told(done)["span-out-of-bounds"] == "1 span"
    assert told(done)["span-empty"] == "1 span"


def test_a_span_that_stands_at_its_text_stays(tmp_path: Path) -> None:
    for texts in ((tag("aplaudió", 19, 27, "WHAT"), tag("Ana", 15, 18)), (tag("Ana", 55, 58), tag("Ana", 15, 18))):
        done, out = placed(tmp_path, list(texts))
        assert {(one["Tag_Start"], one["Tag_End"]) for one in out} == {
            (one["Tag_Start"], one["Tag_End"]) for one in texts
        }
        assert "fragment-placed" not in told(done)


def test_two_spans_at_one_place_of_their_text_are_placed_by_their_order(tmp_path: Path) -> None:
    done, out = placed(tmp_path, [tag("Ana", 15, 18), tag("Ana", 15, 18)])
    assert [one["Tag_Start"] for one in out] == [15, 55]
    assert told(done) == {"fragment-placed": "1 span"}


def test_an_offset_outside_the_text_is_near_nothing() -> None:
    text = "no, sí, no; no"
    assert found(text, ["no"], "nearest", [-1])[FIRST].to_list() == [None]
    assert found(text, ["no"], "nearest", [400])[FIRST].to_list() == [None]
    assert found(text, ["sí"], "nearest", [400])[FIRST].to_list() == [4]


def test_a_span_without_a_place_keeps_its_text_beside_those_that_have_one(tmp_path: Path) -> None:
    done, out = placed(tmp_path, [tag("nadie"), tag("aplaudió")])
    assert out == [tag("nadie"), tag("aplaudió", 19, 27)]
    assert {one.rule.name for one in done.report.rules()} == {"fragment-absent", "tag-key-missing"}


def test_spans_without_a_place_are_no_copies_of_one_another(tmp_path: Path) -> None:
    done, out = placed(tmp_path, [tag("coro", 0, 2), tag("coro", 0, 2)])
    assert len(out) == 2
    assert "duplicate-span" not in told(done)


def test_the_json_has_the_repairs(tmp_path: Path) -> None:
    done, _ = placed(tmp_path, "{'WHO': ['Ana', 'EL CORO volvió'], 'WHAT': 'aplaudió'}")
    assert done.to_dict()["repairs"] == [
        {"code": "FLA104", "name": "tag-key-missing", "count": 3, "unit": "span", "how": "repaired"},
        {"code": "FLA208", "name": "unsorted-spans", "count": 1, "unit": "record", "how": "repaired"},
        {"code": "FLA101", "name": "bad-tags-cell", "count": 1, "unit": "cell", "how": "repaired"},
    ]


def test_blank_texts_have_no_place(tmp_path: Path) -> None:
    done, _ = placed(tmp_path, [tag("  ", 0, 2), tag("", 0, 2)])
    assert {one.rule.name: one.count for one in done.report.rules()}["fragment-absent"] == 2


def test_a_run_without_spans_is_refused(tmp_path: Path) -> None:
    (run := tmp_path / "run.csv").write_text("Id,Reliability_Label\n1,confiable\n", "utf-8")
    record = {"Id": 1, "Text": "Ana", "5W1H_Label": "WHO", "Tag_Text": "Ana", "Tag_Start": 0, "Tag_End": 3}
    (reference := tmp_path / "test.json").write_text(json.dumps(record) + "\n", "utf-8")
    with pytest.raises(UnusableError, match="flares/subtask2-run, which has no spans to place"):
        fix(run, reference, tmp_path / "fixed.csv", place="exact")


@pytest.mark.parametrize(
    "piece", ["a", "ab", "a" * 99 + "b", "a" * 7000 + "b" + "a" * 7000, "a" * 50_000, "A" * 50_000]
)
def test_hostile_repetition_is_fast(piece: str) -> None:
    text = ("a" * 100_000) if "b" not in piece else (piece + "a") * (100_000 // len(piece))
    began = perf_counter()
    found(text, [piece, piece.upper(), f" {piece}\n", piece + "x"] * 5)
    assert perf_counter() - began < 20


def test_a_long_text_with_many_repeated_spans_is_fast() -> None:
    chance = random.Random(7)
    parts = [chance.choice(["el", "coro", "Ana", "no"]) for _ in range(20_000)]
    began = perf_counter()
    found("  ".join(parts), [f"{one} {other}" for one, other in pairwise(parts)][:5000])
    assert perf_counter() - began < 20
