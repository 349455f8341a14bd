"""Synthetic ReINTEL files under the names that participants give (facts/reintel.md 1, 2 and 4)."""

import datetime
import shutil
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from sharedtask.converters.csv.write import sink_delimited
from sharedtask.converters.reintel import write as official
from sharedtask.pipelines.samples.text import Dice, numbered, vietnamese

_SENTENCES = vietnamese()
_STARTS = [*[""] * 4, " ", "“Tin mới”\n", "Chia sẻ ngay!!! ", "😷 "]
_ENDS = [*[""] * 4, " ", "\n\nXem thêm: <URL>", "\n#tintuc #suckhoe", " 🙏🏽❤️", "\n- một\n- hai\n\n- ba"]
_ENDS += [' Bà Tư nói: "Vui quá, cảm ơn nhé"']
_MARCH, _JULY = 1_583_020_800, 1_593_561_600  # 2020-03-01 and 2020-07-01 in seconds since 1970
_EARLIEST, _LATEST = 1_451_606_400, 1_601_510_400  # 2016-01-01 and 2020-10-01
_HIGHEST = {"num_like_post": 100_000, "num_comment_post": 2_000, "num_share_post": 5_000}
_EMPTY, _EMPTY_PRIVATE = (3, 1, 17), (37, 41, 45)  # percentage of empty cells, in the order of _HIGHEST
_ANNOTATORS = 23
_RELEASED = (2020, 11, 28)


def write(out: Path, rows: int, seed: int) -> list[Path]:
    """Write the files into `out`, with `rows` posts in train; their paths. The xlsx is left out without xlsxwriter."""
    dice = Dice(seed)
    test_rows = max(5, rows * 3 // 8)
    train_ids, public_ids = numbered(rows, 1), numbered(test_rows, rows + 1)
    private_ids = numbered(test_rows, rows + test_rows + 1)
    message = pl.when(dice.chance("message", 98)).then("post_message")
    train = _posts(dice, train_ids).with_columns(post_message=message, label=_label(dice, rows))
    private = _posts(dice, private_ids, _EMPTY_PRIVATE).with_columns(counts_unknown=False)
    probability = (dice.below("probability", 9_999) + 1) / 10_000
    results, archive = out / "results.csv", out / "submission.zip"
    last = out / "final_private_test_dropped_no_label.csv"
    tables = {
        out / "public_train.csv": _with_units(dice, official.posts(train)),
        out / "public_test.csv": _with_units(dice, official.posts(_posts(dice, public_ids))),
        out / "annotations.csv": official.annotations(_annotations(dice, train_ids, rows)),
    }
    for path, table in tables.items():
        sink_delimited(table, path)
    sink_delimited(official.posts(private), last, final_newline=False)
    sink_delimited(official.results(public_ids.lazy().select(id="row", probability=probability)), results, header=False)
    _zip(results, archive)
    paths = [*tables, last, results, archive]
    if find_spec("xlsxwriter"):
        paths.append(out / "warmup_training_dataset.xlsx")
        _write_warmup(Dice(seed + 1), min(800, max(5, rows * 800 // 4372)), paths[-1])
    return paths


def _posts(dice: Dice, ids: pl.DataFrame, empty: Iterable[int] = _EMPTY) -> pl.LazyFrame:
    """The canonical posts table without label, one post for each `row`, which is its id; no message is there twice."""
    users = [sha256(f"user {number} of {dice.seed}".encode()).hexdigest()[:32] for number in range(2000)]
    first, second = dice.pick("first", _SENTENCES), dice.pick("second", _SENTENCES)
    body = pl.format("{} (tin số {}). {}", first, "row", second)
    usual = _MARCH + dice.below("time", _JULY - _MARCH)
    other = _EARLIEST + dice.below("other time", _LATEST - _EARLIEST)
    seconds = pl.when(dice.chance("usual time", 94)).then(usual).otherwise(other)
    unknown = dice.chance("unknown", 3)
    counts = {
        name: pl.when(~unknown & ~dice.chance(f"no {name}", percent)).then(_count(dice, name, highest))
        for (name, highest), percent in zip(_HIGHEST.items(), empty, strict=True)
    }
    return ids.lazy().select(
        id="row",
        row="row",
        user_name=dice.pick("user", users),
        post_message=pl.concat_str(dice.pick("start", _STARTS), body, dice.pick("end", _ENDS)),
        posted_at=pl.when(~dice.chance("no time", 2)).then(seconds * 1_000_000).cast(pl.Datetime("us", "UTC")),
        **counts,
        counts_unknown=unknown,
    )


def _count(dice: Dice, name: str, highest: int) -> pl.Expr:
    """Mostly a small number, now and then a large one."""
    return dice.below(name, highest) // (1 + dice.below(f"{name} divisor", highest // 4))


def _label(dice: Dice, rows: int) -> pl.Expr:
    """1 in about 17 of 100 rows, and in the one in the middle, so that some post is unreliable."""
    return (dice.chance("label", 17) | (pl.col("row") == rows // 2 + 1)).cast(pl.Int8)


def _with_units(dice: Dice, posts: pl.LazyFrame) -> pl.LazyFrame:
    """Some comment counts of 1 written `1 comment`, as in the distributed files."""
    unit = (pl.col("num_comment_post") == "1") & Dice(dice.seed, "id").chance("unit", 20)
    return posts.with_columns(num_comment_post=pl.when(unit).then(pl.lit("1 comment")).otherwise("num_comment_post"))


def _annotations(dice: Dice, ids: pl.DataFrame, rows: int) -> pl.LazyFrame:
    """Three annotations a post by different people, two of whom agree with its label in train (facts 4)."""
    first = dice.below("annotator", _ANNOTATORS)
    people = [first, first + 1 + dice.below("second annotator", 11), first + 12 + dice.below("third annotator", 11)]
    low = pl.when(_label(dice, rows) == 1).then(1).otherwise(4)
    dissent, any_score = dice.below("dissent", 3), dice.below("any score", 6)
    agreed = [low + dice.below(f"score {place}", 2) for place in range(3)]
    scores = [pl.when(dissent == place).then(any_score).otherwise(score) for place, score in enumerate(agreed)]
    annotators = [person % _ANNOTATORS + 1 for person in people]
    votes = ids.lazy().select(id="row", annotator_id=pl.concat_list(annotators), score=pl.concat_list(scores))
    return votes.explode("annotator_id", "score")


def _zip(file: Path, archive: Path) -> None:
    """An archive with `file` alone, stored at the root, with the same bytes wherever and whenever it is made."""
    member = zipfile.ZipInfo(file.name, (*_RELEASED, 0, 0, 0))
    member.create_system = 3
    member.file_size = file.stat().st_size
    with zipfile.ZipFile(archive, "w") as target, file.open("rb") as source, target.open(member, "w") as copy:
        shutil.copyfileobj(source, copy)


def _write_warmup(dice: Dice, rows: int, path: Path) -> None:
    """The warm-up workbook: float cells, user names as 64-bit hashes that went through a double, label 1 first."""
    label = (pl.col("row") < max(1, rows // 4)).cast(pl.Int8)
    user = Dice(dice.seed, "id").bits("user").reinterpret(signed=True).cast(pl.Float64)
    table = (
        official.posts(_posts(dice, numbered(rows)).with_columns(label=label)).with_columns(user_name=user).collect()
    )
    options = {"strings_to_urls": False, "strings_to_formulas": False}
    with import_module("xlsxwriter").Workbook(path, options) as book:
        book.set_properties({"created": datetime.datetime(*_RELEASED, tzinfo=datetime.UTC)})
        sheet = book.add_worksheet("Sheet1")
        sheet.write_row(0, 0, table.columns)
        for column, name in enumerate(table.columns):
            sheet.write_column(1, column, _cells(table[name]))


def _cells(values: pl.Series) -> list[float | str | None]:
    """Numbers as floats, also those in a column of texts; other texts as they are."""
    numbers = values.cast(pl.Float64, strict=False).to_list()
    return [value if number is None else number for number, value in zip(numbers, values.to_list(), strict=True)]
