"""FLARES files come out with the bytes of the release and with the literals that Python writes."""

import ast
import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.converters.flares.write import (
    subtask1_csv,
    subtask1_lines,
    subtask1_run,
    subtask2_lines,
    subtask2_run,
)

RELEASE = Path(__file__).resolve().parents[3] / "shared" / "data" / "flares"  # beside the repository; may be absent
NAMES = {
    "start": "Tag_Start",
    "end": "Tag_End",
    "label": "5W1H_Label",
    "reliability": "Reliability_Label",
    "span_text": "Tag_Text",
}
LABELS = pl.Enum(["WHAT", "WHEN", "WHERE", "WHO", "WHY", "HOW"])
RELIABILITIES = pl.Enum(["confiable", "semiconfiable", "no confiable"])
SPAN = pl.Struct(
    {"start": pl.Int64, "end": pl.Int64, "label": LABELS, "reliability": RELIABILITIES, "span_text": pl.String}
)
TEXTS = [
    "Año 24/7: «dos»\xa0y “tres”",
    "🔴 it's\u200b e\u0301 \U000e0001",
    "both ' and \"",
    'only "double"',
    "back\\slash \\u00e9 \\/ {} $1",
    "\t\n\r\x00\x0b\x1b\x7f\x85\u2028\ufeff\uffff",
    "",
    ',"Tag_Text":null',
]


def release_json(record: dict[str, Any]) -> str:
    """The byte recipe of facts/flares.md 1.1; pandas leaves DEL, which is ASCII, as it is."""
    plain = json.dumps(record, ensure_ascii=True, separators=(",", ":"))
    return plain.replace("/", "\\/").replace("\\u007f", "\x7f")


def tag(text: str, **more: Any) -> dict[str, Any]:
    values = {"start": 0, "end": len(text), "label": "WHO", "reliability": "no confiable", "span_text": text, **more}
    return {official: values[name] for name, official in NAMES.items() if values[name] is not None}


def canonical(records: list[dict[str, Any]]) -> pl.LazyFrame:
    columns: dict[str, Any] = {
        "id": [record["Id"] for record in records],
        "text": [record["Text"] for record in records],
    }
    schema: dict[str, Any] = {"id": pl.Int64, "text": pl.String}
    if "Tags" in records[0]:
        columns["spans"] = [
            [{name: one.get(official) for name, official in NAMES.items()} for one in record["Tags"]]
            for record in records
        ]
        schema["spans"] = pl.List(SPAN)
    return pl.LazyFrame(columns, schema=schema)


def records() -> list[dict[str, Any]]:
    tagged = [{"Id": number, "Text": text, "Tags": [tag(text)] * 2} for number, text in enumerate(TEXTS)]
    return [*tagged, {"Id": 99, "Text": "sin nada", "Tags": []}]


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_subtask1_lines_follow_the_byte_recipe() -> None:
    assert subtask1_lines(canonical(records())).collect()["line"].to_list() == [release_json(row) for row in records()]


def test_subtask1_lines_without_spans_have_two_keys() -> None:
    rows = [{"Id": 3, "Text": text} for text in TEXTS]
    assert subtask1_lines(canonical(rows)).collect()["line"].to_list() == [release_json(row) for row in rows]


def test_labels_may_be_strings_or_enums() -> None:
    plain = pl.Struct(
        {**{field.name: field.dtype for field in SPAN.fields}, "label": pl.String, "reliability": pl.String}
    )
    as_strings = canonical(records()).cast({"spans": pl.List(plain)})
    for write in (subtask1_lines, subtask1_csv, subtask1_run):
        assert write(as_strings).collect().equals(write(canonical(records())).collect())


@pytest.mark.parametrize("missing", ["reliability", "span_text"])
def test_a_value_that_is_absent_has_no_key(missing: str) -> None:
    rows = [{"Id": 1, "Text": text, "Tags": [tag(text, **{missing: None}), tag(text)]} for text in TEXTS]
    assert subtask1_lines(canonical(rows)).collect()["line"].to_list() == [release_json(row) for row in rows]
    assert subtask1_csv(canonical(rows)).collect()["Tags"].to_list() == [str(row["Tags"]) for row in rows]


def test_csv_tags_are_the_literal_that_python_writes() -> None:
    written = subtask1_csv(canonical(records())).collect()
    assert written.columns == ["Id", "Text", "Tags"]
    assert written["Tags"].to_list() == [str(row["Tags"]) for row in records()]
    assert [ast.literal_eval(cell) for cell in written["Tags"]] == [row["Tags"] for row in records()]


def test_subtask1_run_has_exactly_three_keys() -> None:
    spans = [[{"start": 0, "end": 4, "label": "WHY"}, {"start": 5, "end": 9, "label": "HOW"}], []]
    written = subtask1_run(pl.LazyFrame({"id": [8, 2], "spans": spans})).collect()
    tags = "[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': 'WHY'}, {'Tag_Start': 5, 'Tag_End': 9, '5W1H_Label': 'HOW'}]"
    assert written.to_dict(as_series=False) == {"Id": [8, 2], "Tags": [tags, "[]"]}


def test_subtask2_run() -> None:
    written = subtask2_run(pl.LazyFrame({"id": [4], "reliability": ["confiable"]}).cast({"reliability": RELIABILITIES}))
    assert written.collect().to_dict(as_series=False) == {"Id": [4], "Reliability_Label": ["confiable"]}


@pytest.mark.parametrize("labelled", [True, False])
def test_subtask2_lines_have_their_own_key_order(labelled: bool) -> None:
    record = {"Id": 7, "Text": "Fue Íñigo", "Reliability_Label": "confiable", "5W1H_Label": "WHO"}
    record |= {"Tag_Text": "Íñigo", "Tag_Start": 4, "Tag_End": 9}
    frame = pl.LazyFrame([record]).rename({"Id": "id", "Text": "text", **{new: old for old, new in NAMES.items()}})
    if not labelled:
        record.pop("Reliability_Label")
        frame = frame.drop("reliability")
    assert subtask2_lines(frame).collect()["line"].to_list() == [release_json(record)]


@pytest.mark.parametrize("name", ["5w1h_subtarea_1_train.json", "5w1h_subtarea_1_test.json"])
def test_the_released_files_of_subtask1_come_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    rows = read_lines(RELEASE / name)
    sink_lines(subtask1_lines(canonical(rows)), tmp_path / name)
    assert (tmp_path / name).read_bytes() == (RELEASE / name).read_bytes()


def test_the_released_file_of_subtask2_comes_back_byte_for_byte(tmp_path: Path) -> None:
    name = "5w1h_subtask_2_trial.json"
    frame = pl.LazyFrame(read_lines(RELEASE / name))
    canonical_names = {"Id": "id", "Text": "text", **{official: short for short, official in NAMES.items()}}
    sink_lines(subtask2_lines(frame.rename(canonical_names)), tmp_path / name)
    assert (tmp_path / name).read_bytes() == (RELEASE / name).read_bytes()


def test_the_released_train_as_csv_is_what_csv_and_str_write(tmp_path: Path) -> None:
    rows = read_lines(RELEASE / "5w1h_subtarea_1_train.json")
    expected = io.StringIO(newline="")
    writer = csv.writer(expected, lineterminator="\n")
    writer.writerow(["Id", "Text", "Tags"])
    writer.writerows([row["Id"], row["Text"], str(row["Tags"])] for row in rows)
    sink_delimited(subtask1_csv(canonical(rows)), tmp_path / "train.csv")
    assert (tmp_path / "train.csv").read_bytes() == expected.getvalue().encode()
