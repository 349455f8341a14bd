"""ReINTEL files come out as distributed: epochs in seconds, `unknown` in all three counts, empty cells kept empty."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.csv.write import sink_delimited
from sharedtask.converters.reintel.write import annotations, posts, results

POSTS = pl.LazyFrame(
    {
        "id": [1, 2, 3],
        "user_name": ["0a", "0b", "0c"],
        "post_message": ["Một\nhai", None, ' "ba" '],
        "posted_at": [datetime(2020, 3, 1, tzinfo=UTC), None, datetime(2020, 6, 30, 23, 59, 59, tzinfo=UTC)],
        "num_like_post": [0, None, None],
        "num_comment_post": [12, None, None],
        "num_share_post": [None, None, 3],
        "counts_unknown": [False, True, False],
        "image": [["a.jpg"], None, None],
        "label": [1, 0, 0],
    },
    schema_overrides={"posted_at": pl.Datetime("us", "UTC"), "label": pl.Int8},
)
HEADER = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post"


@pytest.mark.parametrize("labelled", [True, False])
def test_posts(tmp_path: Path, labelled: bool) -> None:
    sink_delimited(posts(POSTS if labelled else POSTS.drop("label")), tmp_path / "p.csv", final_newline=False)
    rows = [
        (f"{HEADER}", ",label"),
        ('1,0a,"Một\nhai",1583020800,0,12,', ",1"),
        ("2,0b,,,unknown,unknown,unknown", ",0"),
        ('3,0c," ""ba"" ",1593561599,,,3', ",0"),
    ]
    assert (tmp_path / "p.csv").read_text() == "\n".join(row + (label if labelled else "") for row, label in rows)


def test_annotations() -> None:
    frame = pl.LazyFrame({"score": [5], "annotator_id": [23], "id": [1]})
    assert annotations(frame).collect().to_dict(as_series=False) == {"id": [1], "annotator_id": [23], "score": [5]}


def test_results(tmp_path: Path) -> None:
    frame = pl.LazyFrame({"id": [4373, 4374, 4375], "probability": [0.0012, 1.0, 1e-9]})
    sink_delimited(results(frame), tmp_path / "results.csv", header=False)
    fields = [line.split(",") for line in (tmp_path / "results.csv").read_text().splitlines()]
    assert [(int(number), float(value)) for number, value in fields] == [(4373, 0.0012), (4374, 1.0), (4375, 1e-9)]
