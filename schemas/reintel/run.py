"""The ReINTEL results file: one probability a post, without a header (facts/reintel.md 2)."""

import polars as pl

from sharedtask.schemas.duplicate_keys import duplicate_key
from sharedtask.schemas.kind import Check, Column, Kind, TableCheck, Upload, property_says
from sharedtask.schemas.reading import Fault, Reading, date_fault, run_id, text_where, unread
from sharedtask.schemas.reintel.rules import (
    CONSTANT_PROBABILITY,
    HARD_LABELS,
    PROBABILITY_NOT_FINITE,
    PROBABILITY_OUT_OF_RANGE,
    RESULTS_NAME,
    SEVERITIES,
    ZIP_EXTRA_MEMBER,
)
from sharedtask.schemas.rules.fmt_values import BAD_VALUE, DECIMAL_COMMA
from sharedtask.schemas.rules.run import DUPLICATE_ID
from sharedtask.schemas.table_checks import found

_NO_NUMBER = r"(?i)^\s*(?:[+-]?(?:nan|inf|infinity)|none|null|n/?a|<na>)?\s*$"
_COMMA_NUMBER = r"^\s*[+-]?[0-9]*,[0-9]+\s*$"
_EXPECTED = "a probability from 0 to 1"

_probability = pl.col("probability")


def _number(raw: pl.Expr) -> pl.Expr:
    """A finite number, with a decimal comma if need be; null for anything else."""
    comma = pl.when(raw.str.contains(_COMMA_NUMBER)).then(raw.str.replace(",", ".", literal=True)).otherwise(raw)
    number = comma.str.strip_chars().cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _with_comma(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return value.is_not_null() & raw.str.contains(",", literal=True)


def _not_finite(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    odd = unread(raw, value)
    text = text_where(odd, raw)
    return odd & (text.str.contains(_NO_NUMBER) | text.cast(pl.Float64, strict=False).is_infinite().fill_null(False))


def _telling_nothing(answers: pl.LazyFrame) -> pl.LazyFrame:
    """Runs that rank nothing, or hardly anything: one value for all posts, or only 0 and 1."""
    runs = (
        answers.filter(_probability.is_finite())
        .group_by("file")
        .agg(
            row=pl.col("row").min(),
            answers=pl.len(),
            low=_probability.min(),
            high=_probability.max(),
            hard=((_probability == 0) | (_probability == 1)).all(),
        )
    )
    constant = runs.filter(pl.col("answers") > 1, pl.col("low") == pl.col("high"))
    hard = runs.filter("hard", pl.col("low") < pl.col("high"))
    return pl.concat(
        [
            found(constant, CONSTANT_PROBABILITY, "probability", about=(), answers="answers", same="low"),
            found(hard, HARD_LABELS, "probability", about=(), answers="answers"),
        ]
    )


PROBABILITY = Reading(
    pl.Float64(),
    _number,
    (
        Fault(DECIMAL_COMMA, _with_comma, "a decimal point", mended=True),
        Fault(PROBABILITY_NOT_FINITE, _not_finite, _EXPECTED),
        date_fault(_EXPECTED),
        Fault(BAD_VALUE, unread, _EXPECTED),
    ),
    _EXPECTED,
    empty=PROBABILITY_NOT_FINITE,
)

RUN = Kind(
    name="reintel/run",
    title="ReINTEL results",
    description="The probability of each post of the test file that it is unreliable, in the order of that file.",
    source="VLSP 2020 ReINTEL, paper section 5.3; results.csv as the teams wrote it",
    columns=(
        Column("id", "id", run_id(), "The post, as in the test file."),
        Column("probability", "probability", PROBABILITY, "The probability of label 1, unreliable."),
    ),
    key=("id",),
    is_run=True,
    header=False,
    upload=Upload("results.csv", RESULTS_NAME, ZIP_EXTRA_MEMBER),
    severities=SEVERITIES["reintel/run"],
    checks=(
        Check(PROBABILITY_NOT_FINITE, "probability", ~_probability.is_finite(), _EXPECTED, typed=True),
        Check(
            PROBABILITY_OUT_OF_RANGE,
            "probability",
            _probability.is_finite() & ~_probability.is_between(0, 1),
            _EXPECTED,
            says=property_says("probability", {"minimum": 0, "maximum": 1}),
        ),
    ),
    table_checks=(
        duplicate_key(("id",), DUPLICATE_ID),
        TableCheck((HARD_LABELS, CONSTANT_PROBABILITY), ("probability",), _telling_nothing),
    ),
)
