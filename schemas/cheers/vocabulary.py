"""The closed sets of CHEERS round 1, and how relevance is written in its data and run files."""

import polars as pl

from sharedtask.schemas.cheers.rules import RELEVANCE_NOT_BINARY
from sharedtask.schemas.reading import Fault, Reading, text_where, unread
from sharedtask.schemas.rule import Severity

SECTORS = (
    "Agriculture",
    "Cross",
    "Education",
    "Food Security",
    "Health",
    "Livelihoods",
    "Logistics",
    "Nutrition",
    "Protection",
    "Shelter",
    "WASH",
)
"""The sectors in the order of their ids, 0 to 10; 0 is a sector, and there is no id for "no sector" (immap_sector_name_to_id.json)."""

LAST_SECTOR = len(SECTORS) - 1
NO_SECTOR = -1
PROJECTS = ("Syria", "Bangladesh", "Nigeria", "Burkina Faso", "RDC", "Colombia")
COUNTRIES = ("SYR", "BGD", "NGA", "BFA", "COD", "COL")
LANGUAGES = ("en",)
DOCUMENTED_PROJECTS = tuple(f"IMMAP/DFS {project}" for project in PROJECTS)


# Beside the digits, and with a space as after a comma.
_YES = ("true", "1.0", " true", " 1.0", " 1")
_NO = ("false", "0.0", " false", " 0.0", " 0")


def _relevance(raw: pl.Expr) -> pl.Expr:
    one, zero = raw == "1", raw == "0"
    word = text_where(~(one | zero), raw).str.to_lowercase()  # hardly any cell
    return (
        pl.when(one)
        .then(statement=True)
        .when(zero)
        .then(statement=False)
        .when(word.is_in(_YES))
        .then(statement=True)
        .when(word.is_in(_NO))
        .then(statement=False)
    )


def _no_digit(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    """Nothing but the digits that can be read has one character."""
    return value.is_not_null() & (raw.str.len_bytes() > 1)


def _other_relevance(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return _no_digit(raw, value) & ~raw.is_in(["true", "false"])  # which is how a canonical table has it


RELEVANCE = Reading(
    pl.Boolean(),
    _relevance,
    (
        # The evaluator takes True, False, 1.0 and a blank in front without a word.
        Fault(RELEVANCE_NOT_BINARY, _other_relevance, "0 or 1", mended=True, severity=Severity.INFO, suspect=_no_digit),
        Fault(RELEVANCE_NOT_BINARY, unread, "0 or 1"),
    ),
    "0 or 1",
)


def sector_by_name(name: pl.Expr) -> pl.Expr:
    """The id of the sector that a text names, whatever its case; null for any other text."""
    folded = name.str.strip_chars().str.to_lowercase()
    return pl.coalesce(
        pl.when(folded == title.lower()).then(pl.lit(number, pl.Int8)) for number, title in enumerate(SECTORS)
    )
