"""A posts file shaped like the real public test (facts/reintel.md 1.1 to 1.3), judged rule by rule, and nothing of it lost."""

import csv
import datetime
import io
from collections.abc import Sequence
from hashlib import md5
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

HEADER = ["id", "user_name", "post_message", "timestamp_post", "num_like_post", "num_comment_post", "num_share_post"]
ROWS, FIRST_ID, DISPLACED_ID = 1642, 4373, 5835
DISPLACED = DISPLACED_ID - FIRST_ID
MULTI_LINE, SPACED = 906, range(900, 1186)
UNKNOWN = range(29)
UNITS = {30: (5, "1 comment"), 31: (5, "19 comment"), 32: (6, "1 share"), 33: (6, "1 share"), 34: (6, "1 share")}
NO_TIME, NO_LIKE, NO_COMMENT, NO_SHARE = range(40, 68), range(500, 541), range(500, 506), range(500, 779)
ZERO_LIKES = range(800, 840)
PLACEHOLDERS = range(200, 225)
COPIES = {place: place - 50 for place in range(300, 307)}
NOT_NFC, CONTROL = range(400, 442), 450
JANUARY, AUGUST, YEAR_2018 = range(100, 173), range(173, 184), range(184, 191)

COUNTS = {
    "displaced-row": 1,
    "count-unknown": len(UNKNOWN),
    "count-with-unit": len(UNITS),
    "timestamp-out-of-range": 91,
    "placeholder-message": len(PLACEHOLDERS),
    "duplicate-post": len(COPIES),
    "text-not-nfc": len(NOT_NFC),
    "control-character": 1,
}


def seconds(place: int) -> str:
    """The time of a post: April 2020, but for the 91 posts that are outside March to June."""
    start = datetime.datetime(2020, 4, 1, tzinfo=datetime.UTC)
    if place in JANUARY:
        start = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
    elif place in AUGUST:
        start = datetime.datetime(2020, 8, 2, tzinfo=datetime.UTC)
    elif place in YEAR_2018:
        start = datetime.datetime(2018, 5, 1, tzinfo=datetime.UTC)
    return "" if place in NO_TIME else str(int(start.timestamp()) + 1000 * place)


def message(place: int) -> str:
    if place in COPIES:
        return message(COPIES[place])
    if place in PLACEHOLDERS:
        return "<URL>"
    text = f"Bản tin số {place}: chợ phường mở cửa lúc sáu giờ, bà con nhớ mang khẩu trang."
    if place in NOT_NFC:
        text += " Nha\u0323\u0302n quà."
    if place == CONTROL:
        text += " \x07"
    if place >= ROWS - MULTI_LINE - 1:
        text += '\n\nAnh Ba nói: "đông lắm", <URL>'
    return f" {text} " if place in SPACED else text


def record(place: int) -> list[str]:
    """One post of the file as its cells."""
    user = md5(str(place % 1245).encode(), usedforsecurity=False).hexdigest()
    cells = [str(FIRST_ID + place), user, message(place), seconds(place), str(1 + place % 90), str(place % 7), "3"]
    if place in UNKNOWN:
        cells[4:] = ["unknown"] * 3
    if place in UNITS:
        column, cell = UNITS[place]
        cells[column] = cell
    if place in ZERO_LIKES:
        cells[4] = "0"
    for column, empty in ((4, NO_LIKE), (5, NO_COMMENT), (6, NO_SHARE)):
        if place in empty:
            cells[column] = ""
    if place == DISPLACED:
        cells[2:] = ["Thông tin nóng", " nghe nói mai mưa", " mọi người nhớ mang ô\nvà áo", "1583646231", "52"]
    return cells


def write_csv(path: Path, records: Sequence[Sequence[str]]) -> None:
    """As the distributed files: comma, LF, quotes where needed, no newline at the end."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([HEADER, *records])
    path.write_bytes(text.getvalue().removesuffix("\n").encode())


@pytest.fixture(scope="module")
def records() -> list[list[str]]:
    return [record(place) for place in range(ROWS)]


@pytest.fixture(scope="module")
def posts(records: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reintel") / "public_test.csv"
    write_csv(path, records)
    return path


def test_the_file_is_shaped_like_the_real_one(records: list[list[str]]) -> None:
    assert sum("\n" in cells[2] for cells in records) == MULTI_LINE
    assert sum(cells[4] == "" for cells in records) == 41
    assert sum(cells[5] == "" for cells in records) == 6
    assert sum(cells[6] == "" for cells in records) == 279
    assert sum(cells[2] != cells[2].strip() for cells in records) == len(SPACED)


def test_each_rule_and_its_count(posts: Path) -> None:
    report = validate([posts])
    assert {one.rule.name: one.count for one in report.rules()} == COUNTS
    assert report.inputs[0].kind == "reintel/posts"
    assert report.inputs[0].rows == ROWS
    assert report.counts["error"] == 1


def test_places_are_physical_lines(records: list[list[str]], posts: Path) -> None:
    report = validate([posts], limits=Limits(findings=ROWS))
    before = sum(1 + "".join(cells).count("\n") for cells in records[:DISPLACED])
    (displaced,) = (one for one in report.findings() if one.rule.name == "displaced-row")
    assert (displaced.at.line, displaced.at.row) == (before + 2, DISPLACED + 1)
    assert displaced.at.key == {"id": DISPLACED_ID}
    assert (displaced.at.column, displaced.value) == ("timestamp_post", " nghe nói mai mưa")
    units = {(one.at.row, one.at.column, one.value) for one in report.findings() if one.rule.name == "count-with-unit"}
    assert units == {(place + 1, HEADER[column], cell) for place, (column, cell) in UNITS.items()}
    copies = [one.at.row for one in report.findings() if one.rule.name == "duplicate-post"]
    assert copies == [place + 1 for place in COPIES]


def test_an_error_stops_the_conversion(posts: Path, tmp_path: Path) -> None:
    report = convert([posts], tmp_path / "out")
    assert not report.ok
    assert report.outputs == []
    assert not list((tmp_path / "out").rglob("*.parquet"))


def test_good_rows_and_quarantine_are_all_rows(records: list[list[str]], posts: Path, tmp_path: Path) -> None:
    convert([posts], tmp_path, on_error="quarantine")
    good = pl.read_parquet(tmp_path / "public_test.parquet")
    aside = pl.read_parquet(tmp_path / "quarantine" / "public_test.parquet")
    assert good.height + aside.height == ROWS
    assert aside.select(HEADER).rows() == [tuple(records[DISPLACED])]
    assert aside["rules"].to_list() == [["displaced-row"]]

    kept = [cells for cells in records if cells[0] != str(DISPLACED_ID)]
    assert good["id"].cast(pl.String).to_list() == [cells[0] for cells in kept]
    assert good["post_message"].to_list() == [cells[2] for cells in kept]
    assert good["posted_at"].dt.epoch("s").to_list() == [int(cells[3]) if cells[3] else None for cells in kept]
    for column, name in enumerate(HEADER[4:], 4):
        wanted = [int(cells[column].split()[0]) if cells[column][:1].isdigit() else None for cells in kept]
        assert good[name].to_list() == wanted


def test_three_kinds_of_no_value_stay_apart(posts: Path, tmp_path: Path) -> None:
    convert([posts], tmp_path, on_error="quarantine")
    good = pl.read_parquet(tmp_path / "public_test.parquet")
    likes = good.select("num_like_post", "counts_unknown")
    assert likes.filter("counts_unknown").height == len(UNKNOWN)
    assert likes.filter("counts_unknown")["num_like_post"].null_count() == len(UNKNOWN)
    assert likes.filter(~pl.col("counts_unknown"))["num_like_post"].null_count() == len(NO_LIKE)
    assert likes.filter(pl.col("num_like_post") == 0).height == len(ZERO_LIKES)
