"""A file is equal to itself, and of seeded changes exactly these are told."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.metrics.span_changes import span_changes
from sharedtask.pipelines.render.diff import render_changes
from sharedtask.pipelines.results.diff_result import DiffResult
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.diff import diff
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.schemas.rules.example_files import CHEERS_SENTENCES, FLARES_TRAIN, REINTEL_POSTS

RECORDS: list[dict[str, Any]] = [json.loads(line) for line in str(FLARES_TRAIN.right).splitlines()]
SENTENCES = str(CHEERS_SENTENCES.right)
Record = dict[str, Any]


def lines(records: list[Record], **how: Any) -> str:
    return "".join(f"{json.dumps(record, **how)}\n" for record in records)


def compared(folder: Path, old: str, new: str, name: str = "train.json", **how: Any) -> DiffResult:
    for side, content in (("old", old), ("new", new)):
        (folder / side).mkdir(exist_ok=True)
        (folder / side / name).write_text(content, "utf-8", newline="")
    return diff(folder / "old" / name, folder / "new" / name, **how)


@pytest.mark.parametrize("task", ["flares", "cheers", "reintel"])
def test_a_file_is_equal_to_itself(tmp_path: Path, task: str) -> None:
    for path in map(Path, sample(task, tmp_path, rows=20)):
        changes = diff(path, path)
        assert changes.equal
        assert (changes.added, changes.removed, changes.changed) == (0, 0, 0)
        assert changes.difference == "none"
        assert (changes.columns, changes.spans) == ({}, {})
        assert not changes.added_keys
        assert not changes.removed_keys
        assert not changes.changed_rows
        assert changes.unchanged == changes.inputs[0].rows


def test_the_same_bytes_are_equal_without_a_key_and_others_are_refused(tmp_path: Path) -> None:
    votes = "id,id,score\n1,2,4\n1,9,2\n1,3,5\n"
    changes = compared(tmp_path, votes, votes, "annotations.csv")
    assert (changes.equal, changes.unchanged) == (True, 3)
    with pytest.raises(
        UnusableError, match=r"annotations.csv has no column annotator_id; rows are compared by id, annot"
    ):
        compared(tmp_path, votes, votes.replace("5", "4"), "annotations.csv")


def test_bytes_alone(tmp_path: Path) -> None:
    for new in (lines(RECORDS, indent=None), f"[{','.join(map(json.dumps, RECORDS))}]"):
        changes = compared(tmp_path, lines(RECORDS, separators=(",", ":")), new)
        assert (changes.difference, changes.equal, changes.unchanged) == ("bytes", False, 4)
    convert([tmp_path / "old" / "train.json"], tmp_path)
    assert diff(tmp_path / "old" / "train.json", tmp_path / "train.parquet").difference == "bytes"


def test_order_alone(tmp_path: Path) -> None:
    changes = compared(tmp_path, lines(RECORDS), lines([RECORDS[0], RECORDS[2], RECORDS[1], RECORDS[3]]))
    assert (changes.difference, changes.unchanged) == ("order", 4)
    assert changes.out_of_order == {"Id": RECORDS[2]["Id"]}


def edit(record: Record, span: int, **more: Any) -> None:
    tag = record["Tags"][span]
    tag.update({name.replace("_5W1H", "5W1H"): value for name, value in more.items()})
    tag["Tag_Text"] = record["Text"][tag["Tag_Start"] : tag["Tag_End"]]


def add_span(record: Record) -> None:
    last = record["Tags"][-1]
    record["Tags"].append({**last, "Tag_Start": last["Tag_End"], "Tag_End": last["Tag_End"] + 1})
    edit(record, -1)


SPAN_EDITS: dict[str, Callable[[Record], None]] = {
    "relabelled": lambda record: edit(record, 0, _5W1H_Label="WHY"),
    "moved": lambda record: edit(record, 1, Tag_End=record["Tags"][1]["Tag_End"] - 2),
    "reliability_changed": lambda record: edit(record, 1, Reliability_Label="no confiable"),
    "span_text_changed": lambda record: record["Tags"][0].update(Tag_Text="otra cosa"),
    "removed": lambda record: record["Tags"].pop(),
    "added": add_span,
    "reordered": lambda record: record["Tags"].reverse(),
}


@pytest.mark.parametrize("change", SPAN_EDITS)
def test_what_became_of_a_span(tmp_path: Path, change: str) -> None:
    new = deepcopy(RECORDS)
    SPAN_EDITS[change](new[2])
    changes = compared(tmp_path, lines(RECORDS), lines(new))
    assert changes.spans == {change: 1}
    assert (changes.added, changes.removed, changes.changed, changes.unchanged) == (0, 0, 1, 3)
    assert changes.columns == {"Tags": 1}
    (row,) = changes.changed_rows
    assert row.key == {"Id": RECORDS[2]["Id"]}
    (span,) = row.spans
    assert span.change == change
    old_tags, new_tags = (records[2]["Tags"] for records in (RECORDS, new))
    wanted = {
        "removed": (old_tags[-1], None),
        "added": (None, new_tags[-1]),
        "reordered": (None, None),
    }.get(change)
    if wanted is None:
        place = next(at for at, (a, b) in enumerate(zip(old_tags, new_tags, strict=True)) if a != b)
        wanted = (old_tags[place], new_tags[place])
    assert (span.old, span.new) == wanted


def test_seeded_changes_are_told_exactly(tmp_path: Path) -> None:
    """Rows are taken out, put in and edited at random; what is told is what was done."""
    sample("flares", tmp_path, rows=300)
    old = [json.loads(line) for line in (tmp_path / "5w1h_subtarea_1_train.json").read_text("ascii").splitlines()]
    dice, new = random.Random(7), deepcopy(old)
    picked = dice.sample(range(len(new)), 60)
    edits = [name for name in SPAN_EDITS if name != "added"]
    wanted: dict[str, int] = {}
    for at in picked[:40]:
        change = dice.choice(edits)
        if len(new[at]["Tags"]) < 2:
            continue
        before = deepcopy(new[at])
        SPAN_EDITS[change](new[at])
        if new[at] != before:
            wanted[change] = wanted.get(change, 0) + 1
    spanned = sum(wanted.values())
    for at in picked[40:50]:
        new[at]["Text"] += " y más"
    gone = {new[at]["Id"] for at in picked[50:]}
    come = [{**deepcopy(old[0]), "Id": 10_000 + number} for number in range(7)]
    new = [record for record in new if record["Id"] not in gone] + come
    changes = compared(tmp_path, lines(old), lines(new), max_items=1000)
    assert changes.spans == wanted
    assert (changes.added, changes.removed, changes.changed) == (7, 10, spanned + 10)
    assert changes.columns == {"Text": 10, "Tags": spanned}
    assert {key["Id"] for key in changes.removed_keys} == gone
    assert [key["Id"] for key in changes.added_keys] == [record["Id"] for record in come]
    by_id = {record["Id"]: record for record in new}
    differing = [record["Id"] for record in old if record["Id"] in by_id and by_id[record["Id"]] != record]
    assert [row.key["Id"] for row in changes.changed_rows] == differing
    assert changes.out_of_order is None


def test_columns_of_plain_tables(tmp_path: Path) -> None:
    new = SENTENCES.replace('1,"[4, 8]"', "1,[8]").replace("two b", "2 b").replace("Two boreholes", "Three boreholes")
    changes = compared(tmp_path, SENTENCES, new, "sentences_en_val.csv")
    assert changes.columns == {"sentence_text": 1, "sector_ids": 1}
    assert [(row.key, row.columns) for row in changes.changed_rows] == [
        (
            {"doc_id": 50311, "sentence_id": 0},
            {
                "sentence_text": (
                    "Two boreholes were drilled for the host community.",
                    "Three boreholes were drilled for the host community.",
                )
            },
        ),
        ({"doc_id": 50311, "sentence_id": 2}, {"sector_ids": ([4, 8], [8])}),
    ]


def test_a_label_that_is_new_in_the_file(tmp_path: Path) -> None:
    unlabelled = "".join(line.rpartition(",")[0] + "\n" for line in str(REINTEL_POSTS.right).splitlines())
    changes = compared(tmp_path, unlabelled, str(REINTEL_POSTS.right), "public.csv")
    assert (changes.columns_added, changes.columns_removed) == (("label",), ())
    assert (changes.difference, changes.changed, changes.unchanged) == ("content", 0, 4)
    back = compared(tmp_path, str(REINTEL_POSTS.right), unlabelled, "public.csv")
    assert (back.columns_added, back.columns_removed) == ((), ("label",))


def test_repeated_keys_are_matched_one_by_one(tmp_path: Path) -> None:
    twice = [RECORDS[0], {**RECORDS[1], "Id": RECORDS[0]["Id"]}]
    changes = compared(tmp_path, lines(twice), lines(twice[:1]))
    assert (changes.added, changes.removed, changes.changed, changes.unchanged) == (0, 1, 0, 1)
    assert any("1 error;" in note for note in changes.notes)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    broken = lines(RECORDS[:2]) + "{half a rec\n"
    changes = compared(tmp_path, lines(RECORDS), broken)
    assert (changes.removed, changes.unchanged) == (2, 2)
    assert any("1 record of" in note and "left out" in note for note in changes.notes)


def test_lists_are_bounded_and_counts_are_not(tmp_path: Path) -> None:
    new = deepcopy(RECORDS)
    for record in new:
        record["Text"] += "."
    changes = compared(tmp_path, lines(RECORDS), lines(new), max_items=1)
    assert changes.changed == 4
    assert len(changes.changed_rows) == 1
    assert "  and 3 more changed\n" in render_changes(changes, "text")
    assert compared(tmp_path, lines(RECORDS), lines(new[::-1]), max_items=0).out_of_order is not None


def test_long_texts_are_cut_to_where_they_part(tmp_path: Path) -> None:
    body = "palabra " * 100
    old, new = ({"Id": 1, "Text": body + word + body, "Tags": []} for word in ("antes ", "después "))
    changes = compared(tmp_path, lines([old]), lines([new]))
    (values,) = changes.changed_rows[0].columns.values()
    assert values[0] != values[1]
    for value, word in zip(values, ("antes", "después"), strict=True):
        assert word in str(value)
        assert len(str(value)) < 70


def test_two_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(lines(RECORDS), "utf-8")
    (tmp_path / "b.csv").write_text(SENTENCES, "utf-8")
    (tmp_path / "c.json").touch()
    with pytest.raises(UnusableError, match="expected two files of one kind"):
        diff(tmp_path / "a.json", tmp_path / "b.csv")
    with pytest.raises(UnusableError, match="has nothing to compare"):
        diff(tmp_path / "a.json", tmp_path / "c.json")


def test_text_tells_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new = deepcopy([RECORDS[0], RECORDS[2], RECORDS[1], {**RECORDS[3], "Id": 403}])
    SPAN_EDITS["relabelled"](new[0])
    changes = compared(Path(), lines(RECORDS), lines(new))
    first = RECORDS[0]["Tags"][0]["Tag_Text"]
    assert render_changes(changes, "text") == (
        "- removed Id 402\n"
        "+ added Id 403\n"
        "~ changed Id 31\n"
        "    span relabelled: Tag_Start 0, Tag_End 28, 5W1H_Label 'WHO', Reliability_Label 'confiable', "
        f"Tag_Text '{first}' -> 5W1H_Label 'WHY'\n"
        "old old/train.json: flares/subtask1, 4 records\n"
        "new new/train.json: flares/subtask1, 4 records\n"
        "rows: 1 added, 1 removed, 1 changed, 2 the same\n"
        "columns: 1 Tags\n"
        "spans: 1 relabelled\n"
        "order: differs, first at Id 88\n"
        "the content differs\n"
    )


def test_json_holds_the_same(tmp_path: Path) -> None:
    new = deepcopy(RECORDS)
    SPAN_EDITS["removed"](new[0])
    changes = compared(tmp_path, lines(RECORDS), lines(new))
    told = json.loads(render_changes(changes, "json"))
    assert (told["verb"], told["task"], told["kind"]) == ("diff", "flares", "flares/subtask1")
    assert told["counts"] == {"added": 0, "removed": 0, "changed": 1, "unchanged": 3}
    assert (told["equal"], told["difference"]) == (False, "content")
    assert told["changed"][0]["spans"] == [{"change": "removed", "old": RECORDS[0]["Tags"][-1], "new": None}]


def test_spans_are_matched_by_place_before_label_and_by_label_before_overlap() -> None:
    def table(*spans: tuple[int, int, str]) -> pl.DataFrame:
        columns = pl.DataFrame(spans, schema={"start": pl.Int64, "end": pl.Int64, "label": pl.String}, orient="row")
        return columns.with_columns(pair=pl.lit(0), span=pl.format("{}-{} {}", "start", "end", "label"))

    old = table((0, 5, "WHO"), (0, 5, "WHAT"), (8, 12, "WHEN"), (20, 25, "HOW"), (30, 35, "WHY"), (30, 35, "WHY"))
    new = table((0, 5, "WHAT"), (0, 5, "WHERE"), (10, 14, "WHEN"), (21, 24, "WHO"), (30, 35, "WHY"))
    assert span_changes(old, new).drop("pair").rows() == [
        ("relabelled", "0-5 WHO", "0-5 WHERE"),
        ("moved", "8-12 WHEN", "10-14 WHEN"),
        ("removed", "20-25 HOW", None),
        ("removed", "30-35 WHY", None),
        ("added", None, "21-24 WHO"),
    ]
