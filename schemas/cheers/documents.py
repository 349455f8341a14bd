"""The CHEERS documents file, and the file of sector names."""

import polars as pl

from sharedtask.schemas.cheers.rules import UNKNOWN_COUNTRY, UNKNOWN_LANGUAGE, UNKNOWN_PROJECT, UNKNOWN_SECTOR
from sharedtask.schemas.cheers.vocabulary import COUNTRIES, DOCUMENTED_PROJECTS, LANGUAGES, SECTORS, sector_by_name
from sharedtask.schemas.duplicate_keys import duplicate_key
from sharedtask.schemas.kind import Check, Column, Kind
from sharedtask.schemas.reading import integer, text
from sharedtask.schemas.rule import Rule


def _undocumented(rule: Rule, column: str, values: tuple[str, ...]) -> Check:
    expected = ("one of " if len(values) > 1 else "") + ", ".join(values)
    return Check(rule, column, (pl.col(column) != "") & ~pl.col(column).is_in(values), expected)


DOCUMENTS = Kind(
    name="cheers/documents",
    title="CHEERS documents",
    description="One humanitarian document a row: the text from which the sentences of the same doc_id were split.",
    source="CHEERS challenge page, round 1; columns as on disk in documents_en_<split>.csv, lang_code is not on the page",
    columns=(
        Column("project_name", "project_name", text(), "The project, with its prefix IMMAP/DFS."),
        Column("country_code", "country_code", text(), "The country as three letters of ISO 3166."),
        Column("lang_code", "lang_code", text(), "The language; not in the list of the page.", optional=True),
        Column("doc_id", "doc_id", integer(), "The document, as in the sentences file."),
        Column("doc_text", "doc_text", text(), "The whole text, up to two million characters.", prose=True),
        Column("doc_url", "doc_url", text(), "Where the document was found.", nullable=True),
    ),
    key=("doc_id",),
    checks=(
        _undocumented(UNKNOWN_PROJECT, "project_name", DOCUMENTED_PROJECTS),
        _undocumented(UNKNOWN_COUNTRY, "country_code", COUNTRIES),
        _undocumented(UNKNOWN_LANGUAGE, "lang_code", LANGUAGES),
    ),
    table_checks=(duplicate_key(("doc_id",)),),
)

_sector, _named = pl.col("sector_id"), sector_by_name(pl.col("sector_name"))


def _in_any_case(title: str) -> str:
    """A pattern for a title in any case, which JSON Schema has no flag for."""
    return r"^\s*" + "".join(f"[{one.upper()}{one.lower()}]" if one.isalpha() else one for one in title) + r"\s*$"


SECTORS_FILE = Kind(
    name="cheers/sectors",
    title="CHEERS sectors",
    description="The ids of the eleven sectors by name; ids begin at 0.",
    source="immap_sector_name_to_id.json of the CHEERS data",
    columns=(
        Column("sector_id", "sector_id", integer(pl.Int8), "The id of the sector, 0 to 10."),
        Column("sector_name", "sector_name", text(), "The name of the sector."),
    ),
    key=("sector_id",),
    container="json",
    file_names="immap_sector_name_to_id",
    mapped=SECTORS,
    checks=(
        Check(
            UNKNOWN_SECTOR,
            "sector_id",
            _named.is_null() | (_named != _sector),
            "a documented sector and its id",
            says={
                "anyOf": [
                    {"properties": {"sector_id": {"const": sector_id}, "sector_name": {"pattern": _in_any_case(title)}}}
                    for sector_id, title in enumerate(SECTORS)
                ]
            },
        ),
    ),
    table_checks=(duplicate_key(("sector_id",)), duplicate_key(("sector_name",))),
)
