"""Samples, read back with Python's own readers: documented names and shapes, no fault, the same bytes for a seed."""

import ast
import csv
import json
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.sample import sample

ROWS = (1, 5, 30, 200)
FILES = {
    "flares": {
        "5w1h_subtarea_1_train.json",
        "5w1h_subtarea_1_test.json",
        "5w1h_subtask_1_train.csv",
        "5w1h_subtarea_2_train.json",
        "5w1h_subtarea_2_test.json",
        "subtask_1_run.csv",
        "subtask_2_run.csv",
    },
    "cheers": {
        *(f"{kind}_en_{split}.csv" for kind in ("sentences", "documents") for split in ("train", "val", "test")),
        "immap_sector_name_to_id.json",
        "run_en_val.csv",
    },
    "reintel": {
        "public_train.csv",
        "public_test.csv",
        "final_private_test_dropped_no_label.csv",
        "warmup_training_dataset.xlsx",
        "annotations.csv",
        "results.csv",
        "submission.zip",
    },
}
Record = dict[str, Any]


@pytest.fixture(autouse=True)
def large_csv_fields() -> Iterator[None]:
    before = csv.field_size_limit(1 << 24)
    yield
    csv.field_size_limit(before)


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def read_lines(path: Path) -> list[Record]:
    text = path.read_text(encoding="ascii")
    records = [json.loads(line) for line in text.split("\n")[:-1]]
    recipe = [json.dumps(record, separators=(",", ":")).replace("/", "\\/") + "\n" for record in records]
    assert text == "".join(recipe)
    return records


def column(rows: list[Any], name: str) -> list[Any]:
    return [row[name] for row in rows]


@pytest.mark.parametrize("task", FILES)
def test_the_documented_files_are_written(tmp_path: Path, task: str) -> None:
    paths = [Path(path) for path in sample(task, tmp_path / "new" / "folder")]
    assert {path.name for path in paths} == FILES[task]
    assert sorted((tmp_path / "new" / "folder").iterdir()) == sorted(paths)


@pytest.mark.parametrize("task", FILES)
def test_the_seed_decides_every_byte(tmp_path: Path, task: str) -> None:
    first, again, other = (
        {path.name: path.read_bytes() for path in map(Path, sample(task, tmp_path / name, 40, seed))}
        for name, seed in (("first", 3), ("again", 3), ("other", 4))
    )
    assert first == again
    assert {name for name in first if first[name] == other[name]} <= {"immap_sector_name_to_id.json"}


def test_bad_calls_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="flares, cheers, reintel"):
        sample("nonsense", tmp_path)
    with pytest.raises(UnusableError, match="rows is 0; expected 1 or more"):
        sample("flares", tmp_path, 0)


def check_spans(text: str, tags: list[Record]) -> None:
    end = 0
    for place, tag in enumerate(tags):
        start, part = tag["Tag_Start"], tag["Tag_Text"]
        assert start > end or place == 0
        end = tag["Tag_End"]
        assert part == text[start:end] == part.strip() != ""
        assert not (text[start - 1 : start].isalnum() and part[0].isalnum())
        assert not (text[end : end + 1].isalnum() and part[-1].isalnum())
        assert tag["5W1H_Label"] in {"WHAT", "WHO", "WHERE", "WHEN", "HOW", "WHY"}
        assert tag["Reliability_Label"] in {"confiable", "semiconfiable", "no confiable"}


@pytest.mark.parametrize("rows", ROWS)
def test_flares_subtask_1(tmp_path: Path, rows: int) -> None:
    sample("flares", tmp_path, rows)
    train, test = (read_lines(tmp_path / f"5w1h_subtarea_1_{split}.json") for split in ("train", "test"))
    assert sorted(column(train, "Id")) == list(range(rows))
    assert {*map(tuple, test)} == {("Id", "Text")}
    assert len({*column(test, "Id")}) == len(test) < max(column(test, "Id"))
    assert len({*column(train, "Text"), *column(test, "Text")}) == rows + len(test)
    for record in train:
        assert record["Tags"]
        check_spans(record["Text"], record["Tags"])
    as_csv = [{**row, "Id": int(row["Id"]), "Tags": ast.literal_eval(row["Tags"])} for row in read_csv_tags(tmp_path)]
    assert as_csv == train
    run = read_csv(tmp_path / "subtask_1_run.csv")
    texts = {record["Id"]: record["Text"] for record in test}
    assert [int(row["Id"]) for row in run] == list(texts)
    for row in run:
        ends = [(0, 0), *((tag["Tag_Start"], tag["Tag_End"]) for tag in ast.literal_eval(row["Tags"]))]
        assert all(before[1] <= start < end <= len(texts[int(row["Id"])]) for before, (start, end) in pairwise(ends))
        assert all(list(tag) == ["Tag_Start", "Tag_End", "5W1H_Label"] for tag in ast.literal_eval(row["Tags"]))


def read_csv_tags(folder: Path) -> list[Record]:
    rows: list[Record] = [*read_csv(folder / "5w1h_subtask_1_train.csv")]
    assert all(row["Tags"] == str(ast.literal_eval(row["Tags"])) for row in rows)
    return rows


@pytest.mark.parametrize("rows", ROWS)
def test_flares_subtask_2(tmp_path: Path, rows: int) -> None:
    sample("flares", tmp_path, rows)
    train = read_lines(tmp_path / "5w1h_subtarea_2_train.json")
    articles = read_lines(tmp_path / "5w1h_subtarea_1_train.json")
    exploded = [{"Text": article["Text"], **tag} for article in articles for tag in article["Tags"]]
    by_id = sorted(train, key=lambda record: record["Id"])
    assert by_id == [{"Id": number, **record} for number, record in enumerate(exploded)]
    assert rows < 5 or train != by_id

    test = read_lines(tmp_path / "5w1h_subtarea_2_test.json")
    assert {*map(tuple, test)} == {("Id", "Text", "5W1H_Label", "Tag_Text", "Tag_Start", "Tag_End")}
    assert sorted(column(test, "Id")) == list(range(len(test)))
    runs = groupby(sorted(test, key=lambda record: record["Id"]), key=lambda record: record["Text"])
    texts = [(text, [{**tag, "Reliability_Label": "confiable"} for tag in tags]) for text, tags in runs]
    assert len({text for text, _ in texts}) == len(texts)
    assert not {text for text, _ in texts} & {*column(articles, "Text")}
    for text, tags in texts:
        check_spans(text, tags)
    run = read_csv(tmp_path / "subtask_2_run.csv")
    assert [int(row["Id"]) for row in run] == column(test, "Id")
    assert {*column(run, "Reliability_Label")} <= {"confiable", "semiconfiable", "no confiable"}


def test_flares_has_the_quirks_of_the_release(tmp_path: Path) -> None:
    sample("flares", tmp_path)
    train = read_lines(tmp_path / "5w1h_subtarea_1_train.json")
    text = "\n".join(column(train, "Text"))
    assert all(mark in text for mark in ("\xa0", "“", "/", "🔴", "\u200b", "'", '"'))
    assert column(train, "Id") != sorted(column(train, "Id"))
    assert any(record["Text"][0] == " " for record in train)
    assert any(record["Text"][-1] == "\xa0" for record in train)
    cells = column(read_csv_tags(tmp_path), "Tags")
    assert any("\\xa0" in cell for cell in cells)
    assert any("\\'" in cell for cell in cells)
    assert any('"El club O\'Donnell"' in cell for cell in cells)
    assert "[]" in column(read_csv(tmp_path / "subtask_1_run.csv"), "Tags")


@pytest.mark.parametrize("rows", ROWS)
def test_cheers(tmp_path: Path, rows: int) -> None:
    sample("cheers", tmp_path, rows)
    sectors = json.loads((tmp_path / "immap_sector_name_to_id.json").read_bytes())
    assert [*sectors.values()] == list(range(11))
    assert (tmp_path / "immap_sector_name_to_id.json").stat().st_size == 218
    seen: set[str] = set()
    for split in ("train", "val", "test"):
        sentences = read_csv(tmp_path / f"sentences_en_{split}.csv")
        assert split != "train" or len(sentences) == rows
        check_labels(sentences, labelled=split != "test")
        blocks = [(key, [*block]) for key, block in groupby(sentences, key=lambda row: row["doc_id"])]
        for _, block in blocks:
            assert [int(row["sentence_id"]) for row in block] == list(range(len(block)))
        ids = {key for key, _ in blocks}
        assert len(ids) == len(blocks)
        assert not ids & seen
        seen |= ids
        assert all(row["sentence_text"].isascii() and row["sentence_text"] for row in sentences)
        documents = read_csv(tmp_path / f"documents_en_{split}.csv")
        assert [*documents[0]] == ["project_name", "country_code", "lang_code", "doc_id", "doc_text", "doc_url"]
        assert sorted(column(documents, "doc_id")) == sorted(ids)


def check_labels(sentences: list[dict[str, str]], *, labelled: bool) -> None:
    names = ["doc_id", "sentence_id", "sentence_text", *(["is_relevant", "sector_ids"] if labelled else [])]
    assert [*sentences[0]] == names
    for row in sentences if labelled else []:
        ids = ast.literal_eval(row["sector_ids"])
        assert row["sector_ids"] == str(ids)
        assert ids == sorted({*ids} & {*range(11)})
        assert row["is_relevant"] == "1" or (row["is_relevant"] == "0" and ids == [])


@pytest.mark.parametrize("rows", [*ROWS, 3000])
def test_cheers_run_is_valid_for_val(tmp_path: Path, rows: int) -> None:
    sample("cheers", tmp_path, rows)
    val, run = read_csv(tmp_path / "sentences_en_val.csv"), read_csv(tmp_path / "run_en_val.csv")
    assert [*run[0]] == ["doc_id", "sentence_id", "is_relevant", "sector_id"]
    assert [(row["doc_id"], row["sentence_id"]) for row in run] == [(row["doc_id"], row["sentence_id"]) for row in val]
    seen = {str(sector) for row in val for sector in ast.literal_eval(row["sector_ids"])}
    assert all(row["sector_id"] in seen if row["is_relevant"] == "1" else row["sector_id"] == "-1" for row in run)


def test_cheers_has_the_quirks_of_the_release(tmp_path: Path) -> None:
    sample("cheers", tmp_path, 3000)
    sentences = read_csv(tmp_path / "sentences_en_train.csv")
    relevant = [row for row in sentences if row["is_relevant"] == "1"]
    assert 0.13 < len(relevant) / len(sentences) < 0.19
    assert 0.22 < sum(row["sector_ids"] == "[]" for row in relevant) / len(relevant) < 0.38
    assert "." in column(relevant, "sentence_text")
    order = [*dict.fromkeys(column(sentences, "doc_id"))]
    documents = read_csv(tmp_path / "documents_en_train.csv")
    assert order != sorted(order, key=int)
    assert column(documents, "doc_id") not in (order, sorted(order, key=int))
    assert sum(len(row["doc_text"]) > 131_072 for row in documents) == 1
    assert all("\n" in row["doc_text"] and "\x0c" in row["doc_text"] for row in documents)
    assert any('"' in row["doc_text"] for row in documents)
    assert {row["doc_url"] == "" for row in documents} == {True, False}
