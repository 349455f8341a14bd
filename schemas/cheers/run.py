"""The CHEERS run file: one predicted relevance and sector a sentence."""

import polars as pl

from sharedtask.schemas.cheers.blocks import KEY, begins, rows_of
from sharedtask.schemas.cheers.rules import (
    SECTOR_MISSING_ON_RELEVANT,
    SECTOR_ON_IRRELEVANT,
    SEVERAL_SECTORS,
    UNKNOWN_SECTOR,
)
from sharedtask.schemas.cheers.vocabulary import LAST_SECTOR, NO_SECTOR, RELEVANCE, sector_by_name
from sharedtask.schemas.duplicate_keys import repeated_keys
from sharedtask.schemas.kind import Check, Column, Kind, TableCheck, property_says
from sharedtask.schemas.reading import Fault, Reading, filled, integer, not_plain, run_id, text_where, unread
from sharedtask.schemas.rules.run import DUPLICATE_ID, ID_FORM_DIFFERS
from sharedtask.schemas.table_checks import NOTHING_FOUND

LONGEST_ID = 4  # characters, as of -100


def _sector_id(raw: pl.Expr) -> pl.Expr:
    """An id, `10.0`, or the name of a sector as its id; null for anything else, a list of ids too."""
    plain = pl.when(raw.str.len_bytes() <= LONGEST_ID).then(raw.cast(pl.Int8, strict=False))
    return filled(raw, plain, _sector_in_other_form, pl.Int8())


def _sector_in_other_form(raw: pl.Expr) -> pl.Expr:
    number = raw.str.extract(r"^\s*(-?[0-9]{1,3})(?:\.0+)?\s*$", 1).cast(pl.Int8, strict=False)
    return pl.coalesce(number, sector_by_name(raw.str.strip_chars('"')))  # in JSON with its quotes


def _long(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    """No sector has a shorter name, and hardly any id is longer."""
    return value.is_not_null() & (raw.str.len_bytes() > 2)


def _by_name(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    named = _long(raw, value)
    return named & text_where(named, raw).str.contains(r"\pL")


def _list(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return value.is_null() & text_where(value.is_null(), raw).str.contains(r"[0-9]\s*[,;|]\s*[0-9]|^\s*\[")


def _far_id(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    odd = unread(raw, value)
    return odd & text_where(odd, raw).str.contains(r"^\s*-?[0-9]+(?:\.0+)?\s*$")


RUN_SECTOR = Reading(
    pl.Int8(),
    _sector_id,
    (
        Fault(UNKNOWN_SECTOR, _by_name, "the id of the sector", mended=True, suspect=_long),
        Fault(ID_FORM_DIFFERS, not_plain, "the id in plain digits", mended=True),
        Fault(SEVERAL_SECTORS, _list, "one sector id"),
        Fault(UNKNOWN_SECTOR, _far_id, "the id of a sector"),
        *integer(pl.Int8).faults,
    ),
    f"one sector id from 0 to {LAST_SECTOR}, or -1",
)


def _repeated_ids(keys: pl.LazyFrame) -> pl.LazyFrame:
    """Repeated keys, looked for in documents that begin more than once.

    Within a block of sentences none is repeated.
    """
    blocks = begins(keys).group_by("file", "doc_id").len()
    broken = blocks.filter(pl.col("len") > 1).collect(engine="streaming")
    return NOTHING_FOUND.lazy() if broken.is_empty() else repeated_keys(rows_of(broken, keys), KEY, DUPLICATE_ID)


_relevant, _sector = pl.col("is_relevant"), pl.col("sector_id")

RUN = Kind(
    name="cheers/run",
    title="CHEERS run",
    description="The predicted relevance and sector of each sentence of a split.",
    source="CHEERS challenge page, round 1; evaluation.py of its repository",
    columns=(
        Column("doc_id", "doc_id", run_id(), "The document, as in the sentences file."),
        Column("sentence_id", "sentence_id", run_id(), "The sentence in its document."),
        Column("is_relevant", "is_relevant", RELEVANCE, "Whether the sentence is predicted to be relevant."),
        Column("sector_id", "sector_id", RUN_SECTOR, "The predicted sector, -1 for a sentence that is not relevant."),
    ),
    key=KEY,
    is_run=True,
    checks=(
        Check(
            SECTOR_ON_IRRELEVANT,
            "sector_id",
            ~_relevant & (_sector != NO_SECTOR),
            "-1 where is_relevant is 0",
            repair={"sector_id": pl.lit(NO_SECTOR, pl.Int8)},
            says={
                "if": property_says("is_relevant", {"const": False}),
                "then": property_says("sector_id", {"const": NO_SECTOR}),
            },
        ),
        Check(
            SECTOR_MISSING_ON_RELEVANT,
            "sector_id",
            _relevant & (_sector == NO_SECTOR),
            "a sector where is_relevant is 1",
            says={
                "if": property_says("is_relevant", {"const": True}),
                "then": property_says("sector_id", {"not": {"const": NO_SECTOR}}),
            },
        ),
        Check(
            UNKNOWN_SECTOR,
            "sector_id",
            _relevant.fill_null(True) & ((_sector > LAST_SECTOR) | (_sector < NO_SECTOR)),
            f"an id from 0 to {LAST_SECTOR}; 'no sector' has no id",
            says=property_says("sector_id", {"minimum": NO_SECTOR, "maximum": LAST_SECTOR}),
        ),
    ),
    table_checks=(TableCheck((DUPLICATE_ID,), KEY, _repeated_ids),),
)
