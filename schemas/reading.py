"""How the raw text of a column is read, and which form rule a failed reading breaks.

Text sources are read as String throughout, so a reading is a pair of expressions over the raw column: one that gives
the value (null where there is no plain reading) and, in order, one for each form rule that says where it is broken. The
first rule that applies to a cell speaks. A reading never raises: casts are not strict.
"""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.fmt_values import BAD_VALUE, NULL_VALUE, SPREADSHEET_NUMBER
from sharedtask.schemas.rules.run import ID_FORM_DIFFERS

MOST_DIGITS = 19  # of a number of 64 bits
SCIENTIFIC = r"^\s*[+-]?[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]+\s*$"


@dataclass(frozen=True, slots=True)
class Fault:
    """A form rule of a column: `fails(raw, value)` is true where the cell breaks it, null counts as not broken.

    `mended` says that the reading gives the value that was meant all the same: any other fault is one of cells from
    which no value could be read (`unread`). `suspect(raw, value)` is a cheaper question that all cells which break a
    mended one answer with yes. `severity` is for a form milder than the rule's own, `which` is the key of its message.
    """

    rule: Rule
    fails: Callable[[pl.Expr, pl.Expr], pl.Expr]
    expected: str
    mended: bool = False
    severity: Severity | None = None
    which: str = ""
    suspect: Callable[[pl.Expr, pl.Expr], pl.Expr] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How a raw String column becomes a value of `dtype`; `expected` says in words what a cell may hold.

    `empty` is the rule that an empty cell breaks where a value is required. An `exact` cell is read with the spaces
    around it, since they make it another value for the official reader. An `untyped` one may be any JSON value, which
    is kept as its text. `canonical` reads the text of a canonical table, where that differs from the official one.
    """

    dtype: pl.DataType
    parse: Callable[[pl.Expr], pl.Expr]
    faults: tuple[Fault, ...]
    expected: str
    empty: Rule = NULL_VALUE
    exact: bool = False
    untyped: bool = False
    canonical: "Reading | None" = None


def item_type(dtype: pl.List | pl.Array) -> pl.DataType:
    """The type of the items of a list, which may have been given as a class."""
    return dtype.inner() if isinstance(dtype.inner, type) else dtype.inner


def text_where(condition: pl.Expr, text: pl.Expr) -> pl.Expr:
    """The text where the condition holds, else an empty one.

    A null would hide the text, and Polars would search it all the same.
    """
    return pl.when(condition).then(text).otherwise(pl.lit(""))


def filled(raw: pl.Expr, plain: pl.Expr, rest: Callable[[pl.Expr], pl.Expr], dtype: pl.DataType) -> pl.Expr:
    """`plain` where it has a value, else what `rest` makes of the raw text.

    It is asked for in batches only that have such cells.

    Nearly all cells of nearly all files are plain, and what reads the others costs a regular expression for each cell
    that it sees.
    """

    def fill(batch: pl.Series) -> pl.Series:
        cells = batch.struct.unnest()
        if cells["plain"].null_count() > cells["raw"].null_count():
            cells = cells.with_columns(
                plain=pl.coalesce("plain", text_where(pl.col("plain").is_null(), pl.col("raw")).pipe(rest))
            )
        return cells["plain"].cast(dtype)

    both = pl.struct(raw.alias("raw"), plain.alias("plain"))
    return both.map_batches(fill, return_dtype=dtype, is_elementwise=True)


def is_blank(raw: pl.Expr) -> pl.Expr:
    """True where a cell holds nothing."""
    return raw.is_null() | (raw == "")


def unread(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    """True where a cell holds something and no value could be read from it."""
    return value.is_null() & ~is_blank(raw)


def not_plain(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    """True where a whole number was read from another text than its plain digits: `+1`, `001`, `1.0`, ` 1`, `-0`.

    Digits are counted, which costs a sixth of writing each number out: what was read has fewer than its text has
    characters, unless the text is plain.
    """
    number, digits = value.cast(pl.Int64), raw.str.len_bytes().cast(pl.Int64) - (value < 0)
    least = pl.lit(10, pl.Int64).pow(digits.clip(1, MOST_DIGITS) - 1)
    return ((number.abs() < least) | (digits > MOST_DIGITS)) & (raw != "0")


def _scientific(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return text_where(unread(raw, value), raw).str.contains(SCIENTIFIC)


def a_date(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    """True where a cell is a date, which spreadsheets make of numbers such as 22.5."""
    odd = unread(raw, value)
    return odd & text_where(odd, raw).str.contains(_DATE)


_MONTH = r"\pL{3,10}\.?"
_DATE = (
    rf"^\s*(?:[0-9]{{1,2}}[. -]+{_MONTH}(?:[ -][0-9]{{2,4}})?|{_MONTH}[ -][0-9]{{1,4}}"
    r"|[0-9]{1,4}([./-])[0-9]{1,2}[./-][0-9]{2,4})\s*$"
)


def date_fault(expected: str) -> Fault:
    """The fault of a number that is a date."""
    return Fault(BAD_VALUE, a_date, expected, which="date")


def _unchanged(raw: pl.Expr) -> pl.Expr:
    return raw


def text() -> Reading:
    """Text, taken as it is."""
    return Reading(pl.String(), _unchanged, (), "text")


def anything() -> Reading:
    """The text of whatever is there, of which nothing is checked."""
    return Reading(pl.String(), _unchanged, (), "anything", untyped=True)


def boolean() -> Reading:
    """True or false, as a canonical table has it: no official file holds one."""

    def parse(raw: pl.Expr) -> pl.Expr:
        word = raw.str.to_lowercase()
        yes, no = word.is_in(["true", "1"]), word.is_in(["false", "0"])
        return pl.when(yes).then(statement=True).when(no).then(statement=False)

    return Reading(pl.Boolean(), parse, (Fault(BAD_VALUE, unread, "true or false"),), "true or false")


def integer(dtype: type[pl.DataType] = pl.Int64, *, bad: Rule = BAD_VALUE, expected: str = "a whole number") -> Reading:
    """A whole number in plain digits. A number in scientific form has lost digits, which is said apart."""

    def parse(raw: pl.Expr) -> pl.Expr:
        return raw.cast(dtype, strict=False)

    faults = (Fault(SPREADSHEET_NUMBER, _scientific, expected), date_fault(expected), Fault(bad, unread, expected))
    return Reading(dtype(), parse, faults, expected)


def choice(values: tuple[str, ...], *, bad: Rule = BAD_VALUE) -> Reading:
    """One of a closed set of labels, spelt exactly so; the canonical column is an Enum."""
    dtype = pl.Enum(values)

    def parse(raw: pl.Expr) -> pl.Expr:
        return raw.cast(dtype, strict=False)

    expected = ("one of " if len(values) > 1 else "") + ", ".join(values)
    return Reading(dtype, parse, (Fault(bad, unread, expected),), expected)


def spelt(values: tuple[str, ...], fold: Callable[[pl.Expr], pl.Expr], *, loose: Rule, bad: Rule) -> Reading:
    """One of a closed set of labels.

    A label that is right after `fold` is read and reported as `loose`, any other as `bad`.
    """
    dtype = pl.Enum(values)

    def parse(raw: pl.Expr) -> pl.Expr:
        return fold(raw).cast(dtype, strict=False)

    def misspelt(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
        return value.cast(pl.String) != raw

    expected = ("one of " if len(values) > 1 else "") + ", ".join(values)
    faults = (Fault(loose, misspelt, expected, mended=True), Fault(bad, unread, expected))
    return Reading(dtype, parse, faults, expected, exact=True)


_QUOTE = r"""(?:\\?["'])?\s*"""  # in JSON with a backslash
_OTHER_ID = rf"""^\s*"?\s*=?\s*{_QUOTE}([0-9]+)(?:\.0+)?\s*{_QUOTE}"?\s*$"""


def _in_other_form(raw: pl.Expr) -> pl.Expr:
    return raw.str.extract(_OTHER_ID, 1).cast(pl.Int64, strict=False)


def run_id(*, expected: str = "the id as in the reference") -> Reading:
    """An id of a run file.

    A whole number, read through `1.0`, `001`, spaces and quotes, and through `="1"` and `'1`, by which spreadsheets
    keep it as text. These are reported as another form.
    """

    def parse(raw: pl.Expr) -> pl.Expr:
        number = raw.cast(pl.Int64, strict=False)
        return filled(raw, pl.when(number >= 0).then(number), _in_other_form, pl.Int64())

    plain = integer()
    fault = Fault(ID_FORM_DIFFERS, not_plain, expected, mended=True)
    return Reading(pl.Int64(), parse, (fault, *plain.faults), plain.expected)
