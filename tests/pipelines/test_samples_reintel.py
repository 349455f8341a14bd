"""The ReINTEL sample, read back with Python's own readers."""

import csv
import unicodedata
import zipfile
from itertools import groupby
from pathlib import Path

import polars as pl
import pytest

from sharedtask.pipelines.verbs.sample import sample

ROWS = (1, 5, 30, 200)


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def column(rows: list[dict[str, str]], name: str) -> list[str]:
    return [row[name] for row in rows]


@pytest.mark.parametrize("rows", ROWS)
def test_reintel(tmp_path: Path, rows: int) -> None:
    sample("reintel", tmp_path, rows)
    names = ["id", "user_name", "post_message", "timestamp_post", "num_like_post", "num_comment_post", "num_share_post"]
    train, public = read_csv(tmp_path / "public_train.csv"), read_csv(tmp_path / "public_test.csv")
    private = read_csv(tmp_path / "final_private_test_dropped_no_label.csv")
    assert [*train[0]] == [*names, "label"]
    assert [*public[0]] == [*private[0]] == names
    assert len(train) == rows
    assert [int(row["id"]) for row in (*train, *public, *private)] == list(
        range(1, rows + len(public) + len(private) + 1)
    )
    messages = [row["post_message"] for row in (*train, *public, *private) if row["post_message"]]
    assert len({*messages}) == len(messages)
    assert all(unicodedata.is_normalized("NFC", message) for message in messages)
    for row in (*train, *public, *private):
        assert len(row["user_name"]) == 32
        assert row["timestamp_post"] == "" or (row["timestamp_post"].isdigit() and len(row["timestamp_post"]) == 10)
        counts = [row[name].removesuffix(" comment") for name in names[4:]]
        assert counts == ["unknown"] * 3 or all(count == "" or count.isdigit() for count in counts)
    assert not any("unknown" in row.values() for row in private)
    assert {*column(train, "label")} <= {"0", "1"}
    assert "1" in column(train, "label")
    assert not (tmp_path / "final_private_test_dropped_no_label.csv").read_bytes().endswith(b"\n")

    results = [line.split(",") for line in (tmp_path / "results.csv").read_text().splitlines()]
    assert [number for number, _ in results] == column(public, "id")
    assert all(0 < float(probability) < 1 for _, probability in results)
    with zipfile.ZipFile(tmp_path / "submission.zip") as archive:
        assert archive.namelist() == ["results.csv"]
        assert archive.read("results.csv") == (tmp_path / "results.csv").read_bytes()


@pytest.mark.parametrize("rows", ROWS)
def test_reintel_annotations_give_the_labels_of_train(tmp_path: Path, rows: int) -> None:
    sample("reintel", tmp_path, rows)
    votes = read_csv(tmp_path / "annotations.csv")
    assert [*votes[0]] == ["id", "annotator_id", "score"]
    assert len(votes) == 3 * rows
    merged = {"0": "opinion", "1": "1", "2": "1", "3": "neutral", "4": "0", "5": "0"}
    labels = []
    for number, group in groupby(votes, key=lambda vote: vote["id"]):
        three = [*group]
        assert len({int(vote["annotator_id"]) for vote in three} & {*range(1, 24)}) == 3
        classes = [merged[vote["score"]] for vote in three]
        labels.append((number, max(classes, key=classes.count)))
    assert labels == [(row["id"], row["label"]) for row in read_csv(tmp_path / "public_train.csv")]


def test_reintel_has_the_quirks_of_the_release(tmp_path: Path) -> None:
    sample("reintel", tmp_path)
    train = read_csv(tmp_path / "public_train.csv")
    messages = column(train, "post_message")
    assert all(any(mark in message for message in messages) for mark in ("\n", '"', ",", "😷", "<URL>"))
    assert any(message.startswith(" ") for message in messages)
    assert any(message.endswith(" ") for message in messages)
    assert "" in messages
    assert "1 comment" in column(train, "num_comment_post")
    assert any(row["num_like_post"] == row["num_share_post"] == "unknown" for row in train)
    assert all("" in column(train, name) for name in ("timestamp_post", "num_like_post", "num_share_post"))
    times = [int(row["timestamp_post"]) for row in train if row["timestamp_post"]]
    assert 0.88 < sum(1_583_020_800 <= time < 1_593_561_600 for time in times) / len(times) < 1
    assert 0.1 < column(train, "label").count("1") / len(train) < 0.25


def test_reintel_warmup_workbook(tmp_path: Path) -> None:
    sample("reintel", tmp_path)
    table = pl.read_excel(tmp_path / "warmup_training_dataset.xlsx", sheet_name="Sheet1", infer_schema_length=None)
    assert table.columns[0] == "id"
    assert table.columns[-1] == "label"
    assert table["id"].to_list() == list(range(36))
    assert table["label"].to_list() == [1] * 9 + [0] * 27
    assert all(abs(float(user)) > 2**53 for user in table["user_name"])


def test_rows_do_not_depend_on_where_a_batch_ends(tmp_path: Path) -> None:
    sample("reintel", tmp_path / "large", 250_000)
    sample("reintel", tmp_path / "small", 100)
    large, small = (
        pl.read_csv(tmp_path / name / "public_train.csv", infer_schema=False) for name in ("large", "small")
    )
    assert large["id"].to_list() == [str(number) for number in range(1, 250_001)]
    numbers = large.drop_nulls("post_message").select("id", inside=pl.col("post_message").str.extract(r"tin số (\d+)"))
    assert numbers["id"].equals(numbers["inside"])
    assert large.head(100).drop("label").equals(small.drop("label"))
