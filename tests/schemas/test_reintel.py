"""ReINTEL cells and rows: what is read, what is said about it, and what is left alone."""

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.reintel.post_readings import COUNT, IMAGES, LABEL, MOMENT
from sharedtask.schemas.reintel.run import PROBABILITY
from tests.opened import opened

POST = {
    "id": "4373",
    "user_name": "9f1c27d0b3e84a6655aa0c7d18e2f943",
    "post_message": "Chợ mở cửa.",
    "timestamp_post": "1585720800",
    "num_like_post": "3",
    "num_comment_post": "2",
    "num_share_post": "1",
    "label": "0",
}
SIX = datetime.datetime(2020, 4, 1, 6, tzinfo=datetime.UTC)


def quoted(cell: str) -> str:
    return f'"{cell}"' if any(mark in cell for mark in ',"\n') else cell


def rules_of(text: str, folder: Path, name: str = "data.csv", kind: str | None = None) -> dict[str, int]:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return {one.rule.name: one.count for one in validate([path], kind=kind).rules()}


def posts(*changes: Mapping[str, str]) -> str:
    rows = [POST, *({**POST, "id": str(5000 + at), **change} for at, change in enumerate(changes))]
    for at, row in enumerate(rows):
        row["post_message"] += f" {at}" if row["post_message"] == POST["post_message"] and at else ""
    return "".join(",".join(map(quoted, row)) + "\n" for row in [tuple(POST), *(tuple(row.values()) for row in rows)])


def read_cell(parse: Any, cell: str | None) -> object:
    return pl.DataFrame({"raw": [cell]}, schema={"raw": pl.String}).select(parse(pl.col("raw"))).item()


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1585720800", SIX),
        ("1585720800.0", SIX),
        ("1585720800.5", SIX + datetime.timedelta(milliseconds=500)),
        ("1585720800000", SIX),
        ("1585720800000000", SIX),
        ("1585720800000000000", SIX),
        ("2020-04-01 06:00:00", SIX),
        ("2020-04-01T06:00:00Z", SIX),
        ("2020-04-01T06:00:00.250", SIX + datetime.timedelta(milliseconds=250)),
        ("2020-04-01 13:00:00+07:00", SIX),
        ("2020-04-01 02:30:00-0330", SIX),
        ("2020-04-01", None),
        ("01/04/2020 06:00:00", None),
        ("2020-13-01 06:00:00", None),
        ("1.58572E+09", None),
        ("158572080000", None),
        ("-1585720800", None),
        ("unknown", None),
        ("", None),
        (None, None),
    ],
)
def test_moments(cell: str | None, value: datetime.datetime | None) -> None:
    assert read_cell(MOMENT.parse, cell) == value


@pytest.mark.parametrize(
    ("cell", "value"),
    [("0", 0), ("101282", 101282), ("54 like", 54), ("1 comment", 1), ("2 Shares", 2), ("45.0", 45), ("unknown", None)]
    + [(bad, None) for bad in ("-1", "2.5", "1K", "1,2K", "1,200", "1 view", "like 5", "1e3", "Unknown", "", None)],
)
def test_counts(cell: str | None, value: int | None) -> None:
    assert read_cell(COUNT.parse, cell) == value


@pytest.mark.parametrize(
    ("cell", "value"), [("0", 0), ("1", 1), ("1.0", 1), ("2", None), ("-1", None), ("1.5", None), ("true", None)]
)
def test_labels(cell: str, value: int | None) -> None:
    assert read_cell(LABEL.parse, cell) == value


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("", None),
        ("[]", None),
        ("4373.jpg", ["4373.jpg"]),
        ("['a.jpg', 'https://x.org/b.png?s=1']", ["a.jpg", "https://x.org/b.png?s=1"]),
        ('["a.jpg"]', ["a.jpg"]),
        ("a.jpg;b.jpg c.jpg", ["a.jpg", "b.jpg", "c.jpg"]),
    ],
)
def test_images(cell: str, value: list[str] | None) -> None:
    shown = read_cell(IMAGES.parse, cell)
    assert (shown.to_list() if isinstance(shown, pl.Series) else shown) == value


@pytest.mark.parametrize(
    ("cell", "value"),
    [("0.5", 0.5), ("1", 1.0), (".5", 0.5), ("1e-05", 1e-05), (" 0.5", 0.5), ("0,03", 0.03), ("-0,5", -0.5)]
    + [(bad, None) for bad in ("nan", "inf", "-Infinity", "1e999", "87%", "0.5.1", "1,000.5", "half", "", None)],
)
def test_probabilities(cell: str | None, value: float | None) -> None:
    assert read_cell(PROBABILITY.parse, cell) == value


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ({}, {}),
        ({"post_message": "", "timestamp_post": "", "num_like_post": "", "num_share_post": ""}, {}),
        ({"num_like_post": "45.0"}, {}),
        ({"num_like_post": "54 like", "num_comment_post": "1 comment"}, {"count-with-unit": 1}),
        ({name: "unknown" for name in POST if name.startswith("num_")}, {"count-unknown": 1}),
        ({"num_share_post": "many"}, {"bad-value": 1}),
        ({"num_share_post": "-1", "num_like_post": "x"}, {"bad-value": 2}),
        ({"num_share_post": "1.2E+07"}, {"spreadsheet-number": 1}),
        ({"timestamp_post": "2020-04-16 06:00:00"}, {"timestamp-not-epoch": 1}),
        ({"timestamp_post": "16/04/2020"}, {"timestamp-not-epoch": 1}),
        ({"timestamp_post": "1579046400"}, {"timestamp-out-of-range": 1}),
        ({"timestamp_post": "1593561599"}, {}),  # the last second of June
        ({"timestamp_post": "1593561600"}, {"timestamp-out-of-range": 1}),
        ({"label": "2"}, {"label-not-binary": 1}),
        ({"label": ""}, {"null-value": 1}),
        ({"label": "1.0"}, {"label-not-binary": 1}),
        ({"id": "5007.0"}, {"id-form-differs": 1}),
        ({"id": "5.00E+03"}, {"spreadsheet-number": 1}),
        ({"id": "4373"}, {"duplicate-key": 1}),
        ({"user_name": ""}, {"null-value": 1}),
        ({"user_name": "-4.81903367120945E+018"}, {"user-name-lost-digits": 1}),
        ({"user_name": "-4.81903367120945e+18"}, {"user-name-lost-digits": 1}),
        ({"user_name": "-4819033671209450496"}, {"user-name-lost-digits": 1}),
        ({"user_name": "-4819033671209450123"}, {}),  # no double has this value
        ({"user_name": "9007199254740991"}, {}),
        ({"user_name": "12345678901234567890123456789e12"}, {}),  # 32 hexadecimal digits
        ({"post_message": " <URL>\n"}, {"placeholder-message": 1}),
        ({"post_message": POST["post_message"] + " "}, {}),  # not the same message
    ],
)
def test_one_post(change: dict[str, str], rules: dict[str, int], tmp_path: Path) -> None:
    assert rules_of(posts(change), tmp_path) == rules


@pytest.mark.parametrize(
    "change",
    [
        {"timestamp_post": " phần hai của tin", "num_like_post": " và hết", "num_comment_post": "1586080800"},
        {"num_like_post": "1586080800"},
        {"num_comment_post": "1586080800.0"},
        {"num_share_post": "May 25th 2020, 21:57:58.000"},
        {"num_share_post": "2020-04-05 10:00:00"},
        {"num_like_post": "Cầu treo đã sửa xong"},
        {"timestamp_post": "Cầu treo đã sửa xong", "num_like_post": "x", "num_share_post": "3 share"},
    ],
)
def test_a_displaced_row_is_one_finding_and_no_other(change: dict[str, str], tmp_path: Path) -> None:
    assert rules_of(posts(change), tmp_path) == {"displaced-row": 1}


@pytest.mark.parametrize("cell", ["not known", "n/a", "Sat Apr 04 2020 10:00:00", "4 ngày trước"])
def test_words_for_a_time_are_no_displaced_row(cell: str, tmp_path: Path) -> None:
    assert rules_of(posts({"timestamp_post": cell}), tmp_path) == {"timestamp-not-epoch": 1}


def test_each_further_copy_of_a_message(tmp_path: Path) -> None:
    one, two, link = {"post_message": "một"}, {"post_message": "hai"}, {"post_message": "<URL>"}
    text = posts(one, two, one, link, link, two, one, {"post_message": ""}, {"post_message": ""})
    assert rules_of(text, tmp_path) == {"duplicate-post": 3, "placeholder-message": 2}


@pytest.mark.parametrize(
    ("header", "cells", "rules"),
    [
        ("id,uid,text,timestamp,nb_likes,nb_comments,nb_shares,label", "", {"misnamed-column": 6}),
        ("id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label", "", {}),
        (
            ",id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label",
            "0,",
            "index",
        ),
        (
            "\ufeffColumn1,id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post",
            "0,",
            "bom",
        ),
        (
            "Unnamed: 0,id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post",
            "0,",
            "index",
        ),
    ],
)
def test_headers_of_posts(header: str, cells: str, rules: Any, tmp_path: Path) -> None:
    named = {"index": {"index-column": 1}, "bom": {"index-column": 1, "utf8-bom": 1}}
    row = ",".join(POST.values()) if header.endswith("label") else ",".join([*POST.values()][:-1])
    assert rules_of(f"{header}\n{cells}{row}\n", tmp_path) == named.get(rules if isinstance(rules, str) else "", rules)


def test_nine_columns(tmp_path: Path) -> None:
    names, values = [*POST], [*POST.values()]
    text = ",".join([*names[:7], "image", "label"]) + "\n" + ",".join([*values[:7], "4373.jpg", "0"]) + "\n"
    assert rules_of(text, tmp_path) == {}


@pytest.mark.parametrize("width", [7, 8])
def test_posts_without_header(width: int, tmp_path: Path) -> None:
    row = ",".join([*POST.values()][:width]) + "\n"
    assert rules_of(row, tmp_path, kind="reintel/posts") == {"header-missing": 1}
    with opened(tmp_path / "data.csv", "reintel/posts") as one:
        assert ("label" in one.frame().collect_schema()) == (width == 8)


def test_counts_unknown_is_no_column_of_a_file(tmp_path: Path) -> None:
    text = posts().replace("label\n", "label,counts_unknown\n").replace(",0\n", ",0,false\n")
    assert rules_of(text, tmp_path) == {"extra-column": 1}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("4373,0.1\n4374,0.7\n", {}),
        ("4373,nan\n4374,\n4375,inf\n4376,0.2\n4377,0.3\n", {"probability-not-finite": 3}),
        ("4373,-0.1\n4374,1.5\n4375,1\n4376,0\n", {"probability-out-of-range": 2}),
        ("4373,0.1\n4374,high\n4375,87%\n", {"bad-value": 2}),
        ('4373,"0,1"\n4374,0.7\n', {"decimal-comma": 1}),
        ("4373;0,1\n4374;0,7\n", {"wrong-delimiter": 1, "decimal-comma": 2}),
        ("4373;0,1\n4374;1,7\n", {"wrong-delimiter": 1, "decimal-comma": 2, "probability-out-of-range": 1}),
        ("4373\t0.1\n4374\t0.7\n", {"wrong-delimiter": 1}),
        ("4373, 0.1\n4374, 0.7\n", {"space-after-delimiter": 1}),
        ("4373.0,0.1\n04374,0.7\n4375,0.2\n", {"id-form-differs": 2}),
        ("4373,0.1\n4373,0.7\n", {"duplicate-id": 1}),
        ("4373,0\n4374,1\n4375,1.0\n", {"hard-labels": 1}),
        ("4373,0\n4374,0\n", {"constant-probability": 1}),
        ("4373,0.5\n4374,0.5\n4375,0.50\n", {"constant-probability": 1}),
        ("4373,0.5\n", {}),
        ("id,probability\n4373,0.1\n4374,0.7\n", {"header-unexpected": 1}),
        ("Id,Prob\n4373,0.1\n4374,0.7\n", {"header-unexpected": 1}),
        (",id,probability\n0,4373,0.1\n1,4374,0.7\n", {"header-unexpected": 1, "index-column": 1}),
        ("0,4373,0.1\n1,4374,0.7\n", {"index-column": 1}),
        ("4373,0.1,x\n4374,0.7,y\n", {"extra-column": 1}),
        ("4373,0.1\n4374\n4375,0.2\n", {"ragged-row": 1}),
        ("id,probability\n", {"header-unexpected": 1, "empty-run": 1}),
        ("\ufeff4373,0.1\r\n4374,0.7\r\n", {"utf8-bom": 1, "crlf-line-ends": 1}),
    ],
)
def test_results(text: str, rules: dict[str, int], tmp_path: Path) -> None:
    assert rules_of(text, tmp_path, name="results.csv") == rules


def test_what_is_said_of_the_whole_run_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("4373,0\n4374,1\n", encoding="utf-8")
    (finding,) = validate([path]).findings()
    assert (finding.at.line, finding.at.row, finding.at.key) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("any.csv", "4373,0.1\n", "reintel/run"),
        ("any.csv", "4373,nan\n", "reintel/run"),
        ("any.csv", "4373;0,1\n", "reintel/run"),
        ("any.csv", "id,probability\n4373,0.1\n", "reintel/run"),
        ("results.csv", "Id,Prob\n4373,0.1\n", "reintel/run"),
        ("results.csv", "4373,high\n", "reintel/run"),
        ("any.jsonl", '{"id":4373,"probability":0.1}\n{"id":4374,"probability":0.2}\n', "reintel/run"),
        ("any.csv", "id,annotator_id,score\n1,a,3\n", "reintel/annotations"),
        ("any.csv", "user_name,post_message,timestamp_post,num_like_post,label\nu,m,1,2,0\n", "reintel/posts"),
    ],
)
def test_how_the_kind_is_found(name: str, text: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with opened(tmp_path / name) as one:
        assert one.kind.name == kind


@pytest.mark.parametrize(
    ("votes", "rules"),
    [
        ("1,a,0\n1,b,5\n1,c,3\n", {}),
        ("1,a,6\n1,b,-1\n1,c,2.5\n", {"annotation-score": 3}),
        ("1,a,4\n1,b,\n1,c,3\n", {"null-value": 1}),
        ("1,a,4\n1,b,4\n2,a,1\n2,b,1\n2,c,1\n2,d,1\n", {"annotation-count": 2}),
        ("1,a,4\n1,a,4\n1,b,3\n", {"annotation-count": 1}),
        ("1,a,4\n2,a,4\n1,b,4\n2,b,4\n2,c,4\n1,c,4\n", {}),  # in any order
        ("1,a,4\n1,b,4\n1,,4\n", {"null-value": 1}),
    ],
)
def test_annotations(votes: str, rules: dict[str, int], tmp_path: Path) -> None:
    assert rules_of(f"id,annotator_id,score\n{votes}", tmp_path) == rules
