"""How the cells of a ReINTEL posts file are read.

Times, counts, labels, lists of images (facts/reintel.md 1.2 to 1.4).
"""

import polars as pl

from sharedtask.schemas.reading import Fault, Reading, integer, text_where, unread
from sharedtask.schemas.reintel.rules import LABEL_NOT_BINARY, TIMESTAMP_NOT_EPOCH
from sharedtask.schemas.rule import Severity
from sharedtask.schemas.rules.fmt_values import BAD_VALUE

UNKNOWN = "unknown"
"""The word for a count that is not known: neither 0 nor an empty cell."""

_LAST_SECOND = 10**10 - 1  # in the year 2286
_SECONDS = r"^\s*([0-9]{1,10}(?:\.[0-9]+)?)\s*$"
_DATE = r"^\s*([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)\s*(?:Z|UTC|([+-][0-9]{2})(?::?([0-9]{2}))?)?\s*$"
_COUNT = r'(?i)^"?\s*([0-9]+)(?:\.0+|\s+(?:like|comment|share)s?)?\s*"?$'  # in JSON with its quotes
_JSON_TEXT = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-cefA-CEF][0-9a-fA-F]{3}))*"'
_JSON_TEXTS = rf"^\[(?:{_JSON_TEXT}(?:, ?{_JSON_TEXT})*)?\]$"
_IMAGE = r"""[^\s"'\[\],;|]+"""


def _moment(raw: pl.Expr) -> pl.Expr:
    """Seconds since 1970 in UTC as a moment.

    Also seconds with decimals, milliseconds and finer, and dates with time of day.

    A number is taken for the unit that puts it between 2001 and 2286; a date without an offset is UTC, as those in the
    copies of the data are. Anything else has more than one reading, or none.
    """
    number = raw.cast(pl.Int64, strict=False)
    whole = (
        pl.when(number.is_between(0, _LAST_SECOND))
        .then(number * 1_000_000)
        .when(number.is_between(10**12, 10**13 - 1))
        .then(number * 1_000)
        .when(number.is_between(10**15, 10**16 - 1))
        .then(number)
        .when(number >= 10**18)
        .then(number // 1_000)
    )
    rest = pl.when(number.is_null()).then(raw)
    decimal = (rest.str.extract(_SECONDS, 1).cast(pl.Float64) * 1_000_000).round().cast(pl.Int64)
    return pl.coalesce(whole, decimal, _date(rest)).cast(pl.Datetime("us", "UTC"))


def _date(text: pl.Expr) -> pl.Expr:
    """`2020-04-05 10:00:00`, with T, decimals and an offset if need be, as microseconds since 1970."""
    clock = text.str.extract(_DATE, 1).str.replace("T", " ", literal=True)
    local = clock.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False).dt.epoch("us")
    hours, minutes = (text.str.extract(_DATE, group).cast(pl.Int64, strict=False) for group in (2, 3))
    east = pl.when(text.str.extract(_DATE, 2).str.starts_with("-")).then(-minutes).otherwise(minutes) + hours * 60
    return local - east.fill_null(0) * 60_000_000


def _not_plain_seconds(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    number = raw.cast(pl.Int64, strict=False)
    return value.is_not_null() & (number.is_null() | (number > _LAST_SECOND))


def is_unknown(raw: pl.Expr) -> pl.Expr:
    """Whether a cell is the word for a count that is not known."""
    return raw.str.strip_chars(' "') == UNKNOWN


def _count(raw: pl.Expr) -> pl.Expr:
    """A number of 0 or more, also with a unit (`54 like`) or as pandas writes a column with empty cells (`45.0`)."""
    plain = raw.cast(pl.Int64, strict=False)
    rest = text_where(plain.is_null(), raw).str.extract(_COUNT, 1).cast(pl.Int64, strict=False)
    return pl.when(plain >= 0).then(plain).otherwise(rest)


def _no_count(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return unread(raw, value) & ~is_unknown(raw)


def _label(raw: pl.Expr) -> pl.Expr:
    bare = raw.str.strip_suffix(".0")
    return pl.when(bare == "1").then(1).when(bare == "0").then(0).cast(pl.Int8)


def _decimal_label(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return value.is_not_null() & (raw != value.cast(pl.String))


def _images(raw: pl.Expr) -> pl.Expr:
    """Names or addresses, one or many: in a Python or JSON list, or separated by spaces, commas, semicolons or bars."""
    is_json = raw.str.contains(_JSON_TEXTS)
    listed = pl.when(is_json).then(raw).otherwise(pl.lit("[]")).str.json_decode(pl.List(pl.String()))
    found = pl.when(is_json).then(listed).otherwise(text_where(~is_json, raw).str.extract_all(_IMAGE))
    return pl.when(found.list.len() > 0).then(found)


_TIME_EXPECTED = "a date and time in UTC, such as 2020-04-05T10:00:00Z"
_SECONDS_EXPECTED = "whole seconds since 1970 in UTC"
MOMENT = Reading(
    pl.Datetime("us", "UTC"),
    _moment,
    (
        Fault(TIMESTAMP_NOT_EPOCH, _not_plain_seconds, _SECONDS_EXPECTED, mended=True),
        Fault(TIMESTAMP_NOT_EPOCH, unread, _SECONDS_EXPECTED),
    ),
    _SECONDS_EXPECTED,
    canonical=Reading(
        pl.Datetime("us", "UTC"), _moment, (Fault(TIMESTAMP_NOT_EPOCH, unread, _TIME_EXPECTED),), _TIME_EXPECTED
    ),
)
_SCIENTIFIC, *_ = integer().faults
_COUNT_EXPECTED = "a whole number of 0 or more, 'unknown' or an empty cell"
COUNT = Reading(pl.Int64(), _count, (_SCIENTIFIC, Fault(BAD_VALUE, _no_count, _COUNT_EXPECTED)), _COUNT_EXPECTED)
LABEL = Reading(
    pl.Int8(),
    _label,
    (
        # pandas and scikit-learn take 1.0 for 1; the warm-up workbook holds nothing else
        Fault(LABEL_NOT_BINARY, _decimal_label, "0 or 1", mended=True, severity=Severity.INFO),
        Fault(LABEL_NOT_BINARY, unread, "0 or 1"),
    ),
    "0 for reliable or 1 for unreliable",
)
IMAGES = Reading(pl.List(pl.String), _images, (), "names or addresses of images")
