"""The ReINTEL posts file: social posts with user, time and counts.

Train has labels, the tests have none (facts/reintel.md 1).
"""

import datetime

import polars as pl

from sharedtask.schemas.duplicate_keys import duplicate_key
from sharedtask.schemas.kind import RAW, Check, Column, Kind, TableCheck, property_says
from sharedtask.schemas.reading import SCIENTIFIC, boolean, run_id, text
from sharedtask.schemas.reintel.post_readings import COUNT, IMAGES, LABEL, MOMENT, is_unknown
from sharedtask.schemas.reintel.rules import (
    COUNT_UNKNOWN,
    COUNT_WITH_UNIT,
    DISPLACED_ROW,
    DUPLICATE_POST,
    LABEL_NOT_BINARY,
    PLACEHOLDER_MESSAGE,
    TIMESTAMP_OUT_OF_RANGE,
    USER_NAME_LOST_DIGITS,
)
from sharedtask.schemas.table_checks import found

COUNTS = ("num_like_post", "num_comment_post", "num_share_post")
TIME = "posted_at"
PLACEHOLDER = "<URL>"
EARLIEST = datetime.datetime(2020, 3, 1, tzinfo=datetime.UTC)
LATEST = datetime.datetime(2020, 7, 1, tzinfo=datetime.UTC)
"""The paper says that all posts are from March to June 2020; LATEST is exclusive."""

# A count that is an epoch of the years 2001 to 2033; the highest count in the files is 101,282.
FIRST_EPOCH, LAST_EPOCH = 1_000_000_000, 1_999_999_999
_AFTER_A_COMMA = r"(?s)^\s.*\pL"  # the rest of a message that was split at ", " begins with the space
_PHRASE = r"^\s*[^0-9\s]\S*\s+\S+\s+\S"  # three words or more; fewer may be a word for nothing, such as "not known"
_DATE_TEXT = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}|^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}|^\s*[A-Z][a-z]{2,8} [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4}"
_SOME_DATE = r"[0-9]{4}|[0-9]:[0-9]{2}"
DOUBLE_LIMIT = 2**53  # above it not every whole number is a double

DISPLACED, UNIT = "mark.displaced", "mark.unit"


def _unread(name: str) -> pl.Expr:
    """The raw text of a cell that holds something and could not be read; null for all others, which are nearly all."""
    return pl.when(pl.col(name).is_null()).then(pl.col(RAW + name))


def _displaced() -> pl.Expr:
    """The first column of a record whose value plainly belongs to another column; null where there is none."""
    time = _unread(TIME)
    split = time.str.contains(_AFTER_A_COMMA) | (time.str.contains(_PHRASE) & ~time.str.contains(_SOME_DATE))
    firsts = [pl.when(split).then(pl.lit(TIME))]
    for name in COUNTS:
        cell = _unread(name)
        words = (
            (cell.str.contains(_AFTER_A_COMMA) & ~is_unknown(cell))
            | cell.str.contains(_PHRASE)
            | cell.str.contains(_DATE_TEXT)
        )
        epoch = pl.col(name).is_between(FIRST_EPOCH, LAST_EPOCH)
        firsts.append(pl.when(words.fill_null(False) | epoch).then(pl.lit(name)))
    return pl.coalesce(firsts)


def _with_unit() -> pl.Expr:
    """The first count of a record that is written with its unit; null where there is none."""
    firsts = []
    for name in COUNTS:
        raw = pl.col(RAW + name)
        no_number = pl.when(raw.cast(pl.Int64, strict=False).is_null()).then(raw)
        firsts.append(pl.when(pl.col(name).is_not_null() & no_number.str.contains(r"\pL")).then(pl.lit(name)))
    return pl.coalesce(firsts)


def _lost_digits() -> pl.Expr:
    """A number in scientific form, one beyond 2^53 that is exactly a double, or one of 15 digits and zeros.

    Of true 64-bit numbers hardly one in 500 is a double; a spreadsheet keeps 15 digits and writes zeros behind them.

    The hashes of the later phases have 32 characters, more than any such number.
    """
    name = pl.when(pl.col("user_name").str.len_bytes() < 32).then("user_name")
    number = pl.when(name.str.contains(r"^-?[0-9]{16,20}$")).then(name).cast(pl.Int128, strict=False)
    is_double = number.cast(pl.Float64).cast(pl.Int128, strict=False) == number
    rounded = name.str.contains(r"^-?[0-9]{15}0+$")
    return name.str.contains(SCIENTIFIC) | rounded | ((number.abs() > DOUBLE_LIMIT) & is_double)


def _repeated_messages(messages: pl.LazyFrame) -> pl.LazyFrame:
    """One finding for each copy of a message beyond the first. Texts are compared only where their hashes meet."""
    message = pl.col("post_message")
    hashed = messages.filter(message.str.strip_chars() != "", message.str.strip_chars() != PLACEHOLDER).with_columns(
        hash=message.hash()
    )
    repeated = hashed.group_by("file", "hash").len().filter(pl.col("len") > 1)
    suspect = hashed.join(repeated, on=["file", "hash"], how="semi", maintain_order="left")
    many = suspect.group_by("file", "post_message").agg(first=pl.col("row").min(), row=pl.col("row").sort().slice(1))
    copies = many.filter(pl.col("row").list.len() > 0).explode("row").sort("file", "row")
    return found(copies, DUPLICATE_POST, "post_message", first=pl.col("first") + 1)


_NUMBER_FIELDS = (TIME, *COUNTS)
_displaced_checks = tuple(
    Check(
        DISPLACED_ROW,
        name,
        pl.col(DISPLACED) == name,
        MOMENT.expected if name == TIME else COUNT.expected,
        instead_of=_NUMBER_FIELDS,
    )
    for name in _NUMBER_FIELDS
)
_unit_checks = tuple(
    Check(
        COUNT_WITH_UNIT,
        name,
        (pl.col(UNIT) == name) & pl.col(DISPLACED).is_null(),
        "the number alone",
        mended=True,
    )
    for name in COUNTS
)

_unknown = [is_unknown(pl.col(RAW + name)).fill_null(False) for name in COUNTS]
_said = pl.col("counts_unknown") & ~pl.any_horizontal(_unknown)  # by a canonical table
_unknown_checks = tuple(
    Check(COUNT_UNKNOWN, name, is_so & ~pl.any_horizontal(False, *_unknown[:at]))
    for at, (name, is_so) in enumerate(zip(COUNTS, [_unknown[0] | _said, *_unknown[1:]], strict=True))
)

POSTS = Kind(
    name="reintel/posts",
    title="ReINTEL posts",
    description=(
        "One Vietnamese social post a row; ids are unique in one phase of the task only. The train files have a label, the tests none, "
        "and no distributed file has images."
    ),
    source="VLSP 2020 ReINTEL, paper table 2; columns as in the distributed public_train.csv, public_test.csv and warm-up workbook",
    columns=(
        Column("id", "id", run_id(expected="a plain whole number"), "The post; images and results refer to it."),
        Column("user_name", "user_name", text(), "The user as a hash: 32 hexadecimal digits.", aliases=("uid",)),
        Column(
            "post_message",
            "post_message",
            text(),
            "The text, with its line breaks; links are written as <URL>.",
            aliases=("text",),
            nullable=True,
            prose=True,
        ),
        Column(TIME, "timestamp_post", MOMENT, "When it was posted.", aliases=("timestamp",), nullable=True),
        *(
            Column(name, name, COUNT, f"The number of {what}s.", aliases=(f"nb_{what}s",), nullable=True)
            for name, what in zip(COUNTS, ("like", "comment", "share"), strict=True)
        ),
        Column(
            "counts_unknown",
            "counts_unknown",
            boolean(),
            "Whether the counts are the word unknown in the file, which is neither 0 nor an empty cell.",
        ),
        Column(
            "image",
            "image",
            IMAGES,
            "Its images; in no distributed file.",
            aliases=("image_links",),
            nullable=True,
            optional=True,
        ),
        Column("label", "label", LABEL, "0 for reliable, 1 for unreliable.", optional=True),
    ),
    key=("id",),
    derived={
        "counts_unknown": pl.any_horizontal(is_unknown(pl.col(RAW + name)).fill_null(False) for name in COUNTS),
        DISPLACED: _displaced(),
        UNIT: _with_unit(),
    },
    checks=(
        *_displaced_checks,
        *_unit_checks,
        *_unknown_checks,
        Check(COUNT_UNKNOWN, COUNTS[0], pl.col("counts_unknown"), typed=True),
        Check(
            TIMESTAMP_OUT_OF_RANGE,
            TIME,
            ~pl.col(TIME).is_between(EARLIEST, LATEST, closed="left"),
            "a time from March to June 2020",
        ),
        Check(
            LABEL_NOT_BINARY,
            "label",
            ~pl.col("label").is_between(0, 1),
            "0 or 1",
            typed=True,
            says=property_says("label", {"enum": [0, 1]}),
        ),
        Check(
            USER_NAME_LOST_DIGITS,
            "user_name",
            _lost_digits(),
            "the name as text",
        ),
        Check(
            PLACEHOLDER_MESSAGE,
            "post_message",
            pl.col("post_message").str.strip_chars() == PLACEHOLDER,
            "a text",
        ),
    ),
    table_checks=(duplicate_key(("id",)), TableCheck((DUPLICATE_POST,), ("post_message",), _repeated_messages)),
)
