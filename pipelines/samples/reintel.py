"""Synthetic ReINTEL files under the names that participants give (facts/reintel.md 1, 2 and 4)."""

import datetime
import shutil
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from sharedtask.converters.delimited_writer import sink_delimited
from sharedtask.converters.reintel import write as official
from sharedtask.pipelines.samples.text import Dice, numbered, vietnamese

_SENTENCES = vietnamese()
_STARTS = ["", "", "", "", " ", "“Tin mới”\n", "Chia sẻ ngay!!! ", "😷 "]
_ENDS = ["", "", "", "", " ", "\n\nXem thêm: <URL>", "\n#tintuc #suckhoe", ' Bà Tư nói: "Vui quá, cảm ơn nhé"', " 🙏🏽❤️", "\n- một\n- hai\n\n- ba"]
_MARCH, _JULY = 1_583_020_800, 1_593_561_600  # 2020-03-01 and 2020-07-01 in seconds since 1970
_OTHER_TIMES = 1_451_606_400, 1_601_510_400  # 2016-01-01 and 2020-10-01
_COUNTS = {"num_like_post": 100_000, "num_comment_post": 2_000, "num_share_post": 5_000}  # the highest values
_NO_COUNT = (3, 1, 17)  # how many of 100 cells are empty, in the order of _COUNTS
_NO_COUNT_PRIVATE = (37, 41, 45)
_ANNOTATORS = 23
_RELEASED = (2020, 11, 28, 0, 0, 0)


def write(out: Path, rows: int, seed: int) -> list[Path]:
    """Write the files into `out`, with `rows` posts in train; their paths. The warm-up xlsx is left out where xlsxwriter is not installed."""
    dice = Dice(seed)
    test_rows, warmup_rows = max(5, rows * 3 // 8), min(800, max(5, rows * 800 // 4372))
    train_ids, public_ids = numbered(rows, 1), numbered(test_rows, rows + 1)
    private_ids = numbered(test_rows, rows + test_rows + 1)
    train = _posts(dice, train_ids).with_columns(
        post_message=pl.when(dice.below("message", 200) > 0).then("post_message"), label=_label(dice, rows)
    )
    private = _posts(dice, private_ids, _NO_COUNT_PRIVATE).with_columns(counts_unknown=False)
    results = public_ids.lazy().select(id="row", probability=(dice.below("probability", 9_999) + 1) / 10_000)

    sink_delimited(_with_units(dice, official.posts(train)), out / "public_train.csv")
    sink_delimited(_with_units(dice, official.posts(_posts(dice, public_ids))), out / "public_test.csv")
    without_label = out / "final_private_test_dropped_no_label.csv"
    sink_delimited(official.posts(private), without_label, final_newline=False)
    sink_delimited(official.annotations(_annotations(dice, train_ids, rows)), out / "annotations.csv")
    sink_delimited(official.results(results), out / "results.csv", header=False)
    _zip(out / "results.csv", out / "submission.zip")
    paths = [out / name for name in ("public_train.csv", "public_test.csv", "annotations.csv", "results.csv", "submission.zip")]
    paths.append(without_label)
    if find_spec("xlsxwriter"):
        paths.append(out / "warmup_training_dataset.xlsx")
        _write_warmup(Dice(seed + 1), warmup_rows, paths[-1])
    return paths


def _posts(dice: Dice, ids: pl.DataFrame, no_count: Iterable[int] = _NO_COUNT) -> pl.LazyFrame:
    """The canonical posts table without label, one post for each `row`, which is its id; no message is there twice."""
    users = [sha256(f"user {number} of {dice.seed}".encode()).hexdigest()[:32] for number in range(2000)]
    parts = [dice.pick("start", _STARTS), dice.pick("first", _SENTENCES), pl.format(" (tin số {}). ", "row"), dice.pick("second", _SENTENCES)]
    usual = _MARCH + dice.below("time", _JULY - _MARCH)
    other = _OTHER_TIMES[0] + dice.below("other time", _OTHER_TIMES[1] - _OTHER_TIMES[0])
    seconds = pl.when(dice.chance("usual time", 94)).then(usual).otherwise(other)
    unknown = dice.chance("unknown", 3)
    counts = {
        name: pl.when(~unknown & ~dice.chance(f"no {name}", empty)).then(dice.below(name, top) // (1 + dice.below(f"{name} by", top // 4)))
        for (name, top), empty in zip(_COUNTS.items(), no_count, strict=True)
    }
    return ids.lazy().select(
        "row",
        id="row",
        user_name=dice.pick("user", users),
        post_message=pl.concat_str(*parts, dice.pick("end", _ENDS)),
        posted_at=pl.when(~dice.chance("no time", 2)).then(seconds * 1_000_000).cast(pl.Datetime("us", "UTC")),
        **counts,
        counts_unknown=unknown,
    )


def _label(dice: Dice, rows: int) -> pl.Expr:
    """1 in about 17 of 100 rows, and in the one in the middle, so that some post is unreliable."""
    return (dice.chance("label", 17) | (pl.col("row") == rows // 2 + 1)).cast(pl.Int8)


def _with_units(dice: Dice, posts: pl.LazyFrame) -> pl.LazyFrame:
    """Some comment counts of 1 written `1 comment`, as in the distributed files."""
    unit = (pl.col("num_comment_post") == "1") & Dice(dice.seed, "id").chance("unit", 20)
    return posts.with_columns(num_comment_post=pl.when(unit).then(pl.lit("1 comment")).otherwise("num_comment_post"))


def _annotations(dice: Dice, ids: pl.DataFrame, rows: int) -> pl.LazyFrame:
    """Three annotations a post by different people, of whom two agree with the post's label in train (facts 4, lines 1 and 2)."""
    first = dice.below("annotator", _ANNOTATORS)
    people = [first, first + 1 + dice.below("second annotator", 11), first + 12 + dice.below("third annotator", 11)]
    low = pl.when(_label(dice, rows) == 1).then(1).otherwise(4)
    scores = [
        pl.when(dice.below("other voice", 3) == place).then(dice.below("other score", 6)).otherwise(low + dice.below(f"score {place}", 2))
        for place in range(3)
    ]
    votes = ids.lazy().select(id="row", annotator_id=pl.concat_list(person % _ANNOTATORS + 1 for person in people), score=pl.concat_list(scores))
    return votes.explode("annotator_id", "score")


def _zip(file: Path, archive: Path) -> None:
    """An archive with `file` alone, stored at the root, with the same bytes wherever and whenever it is made."""
    member = zipfile.ZipInfo(file.name, _RELEASED)
    member.create_system = 3
    member.file_size = file.stat().st_size
    with zipfile.ZipFile(archive, "w") as target, file.open("rb") as source, target.open(member, "w") as copy:
        shutil.copyfileobj(source, copy)


def _write_warmup(dice: Dice, rows: int, path: Path) -> None:
    """The warm-up workbook: ids, counts and labels are float cells, user names 64-bit hashes that went through a double, label 1 first."""
    import xlsxwriter

    posts = official.posts(_posts(dice, numbered(rows)).with_columns(label=(pl.col("row") < max(1, rows // 4)).cast(pl.Int8)))
    user = Dice(dice.seed, "id").bits("user").reinterpret(signed=True).cast(pl.Float64)
    table = posts.with_columns(user_name=user).collect()
    with xlsxwriter.Workbook(path, {"strings_to_urls": False, "strings_to_formulas": False}) as book:
        book.set_properties({"created": datetime.datetime(*_RELEASED, tzinfo=datetime.UTC)})
        sheet = book.add_worksheet("Sheet1")
        sheet.write_row(0, 0, table.columns)
        for column, name in enumerate(table.columns):
            for row, cell in enumerate(_cells(table[name]), 1):
                sheet.write(row, column, cell)


def _cells(values: pl.Series) -> list[float | str | None]:
    """Numbers as floats, whether or not they stand in a column of texts; other texts as they are."""
    if not values.dtype == pl.String:
        return values.cast(pl.Float64).to_list()
    numbers = values.cast(pl.Float64, strict=False).to_list()
    return [text if number is None else number for number, text in zip(numbers, values.to_list(), strict=True)]
