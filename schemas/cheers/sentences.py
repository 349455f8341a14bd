"""The CHEERS sentences file: one sentence a row, in blocks of documents."""

from collections.abc import Collection
from typing import Any

import polars as pl

from sharedtask.schemas.cheers.blocks import KEY, begins, rows_of
from sharedtask.schemas.cheers.rules import (
    BAD_SECTOR_LIST,
    DEBRIS_SENTENCE,
    DOCUMENT_WITHOUT_SENTENCE,
    LABELS_IN_TEST,
    ORPHAN_SENTENCE,
    SECTOR_ON_IRRELEVANT,
    SENTENCE_GAP,
    SPLIT_DOCUMENT,
    UNKNOWN_SECTOR,
    UNSORTED_SECTOR_IDS,
)
from sharedtask.schemas.cheers.vocabulary import LAST_SECTOR, RELEVANCE
from sharedtask.schemas.duplicate_keys import repeated_keys
from sharedtask.schemas.kind import Check, Column, Kind, Link, NameFault, TableCheck, property_says
from sharedtask.schemas.reading import Fault, Reading, integer, text, text_where, unread
from sharedtask.schemas.rules.fmt_columns import MISSING_COLUMN
from sharedtask.schemas.rules.fmt_values import DUPLICATE_KEY
from sharedtask.schemas.split_names import split_of
from sharedtask.schemas.table_checks import NOTHING_FOUND, found

SECTOR_LIST = r"^\s*\[\s*(?:0*[0-9]{1,2}(?:\s*,\s*0*[0-9]{1,2})*)?\s*\]\s*$"
NUMBER_LIST = r"^\s*\[\s*-?[0-9]+(?:\s*,\s*-?[0-9]+)*\s*\]\s*$"  # ids that a canonical list need not have room for


def _sector_ids(raw: pl.Expr) -> pl.Expr:
    """`[]`, `[3]`, `[2, 3, 4]` as lists; null for what is not a list of ids."""
    empty = raw == "[]"  # nearly all cells
    rest = text_where(~empty, raw)
    ids = pl.when(empty | rest.str.contains(SECTOR_LIST)).then(rest.str.extract_all(r"[0-9]+"))
    return ids.cast(pl.List(pl.Int8), strict=False)


def _far_ids(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    odd = unread(raw, value)
    return odd & text_where(odd, raw).str.contains(NUMBER_LIST)


SECTOR_IDS = Reading(
    pl.List(pl.Int8),
    _sector_ids,
    (
        Fault(UNKNOWN_SECTOR, _far_ids, f"ids from 0 to {LAST_SECTOR}"),
        Fault(BAD_SECTOR_LIST, unread, "a list of sector ids such as [2, 3]"),
    ),
    "a list of sector ids",
)


def _documents(keys: pl.LazyFrame) -> pl.LazyFrame:
    """Sentence gaps, split documents and repeated keys, from one group_by over the documents.

    A document is sound where it begins once, with sentence 0, and each of its other rows follows the row before. Only
    documents that are not meet the rest; which these are is asked first, in a query of its own, so that the source of
    `keys` is read once where all are sound. What cannot be read is not missing: keys without a row, a row without its
    sentence_id, and the rows without a doc_id between those of a document or right before them, which may be its own.
    """
    ids, row, read = pl.col("sentence_id"), pl.col("row"), pl.col("row").is_not_null()
    per_document = begins(keys).group_by("file", "doc_id").agg(first=ids.first(), times=pl.len())
    unsound = per_document.filter((pl.col("first") != 0) | (pl.col("times") > 1)).collect(engine="streaming")
    if unsound.is_empty():
        return NOTHING_FOUND.lazy()
    nameless, same_file = pl.col("doc_id").is_null(), pl.col("file").eq(pl.col("file").shift())
    marked = keys.with_columns(nameless=pl.when(read).then(nameless.cum_sum()), led=same_file & nameless.shift())
    suspect = rows_of(unsound, marked)
    documents = suspect.group_by("file", "doc_id").agg(
        row=row.min(),
        last=row.max(),
        rows=row.drop_nulls(),
        low=ids.min(),
        high=ids.max(),
        distinct=ids.drop_nulls().n_unique(),
        unread=ids.null_count(),
        between=pl.col("nameless").max() - pl.col("nameless").min(),
        led=pl.col("led").first(),
    )
    before = pl.when("led").then("low").otherwise(0)
    missing = pl.col("high") + 1 - pl.col("distinct").cast(pl.Int64)
    gap = documents.filter((pl.col("low") < 0) | (missing > pl.col("unread") + pl.col("between") + before))
    ends = pl.format("{} to {}", "low", "high")
    numbers = pl.when(pl.col("low") == pl.col("high")).then(pl.col("low").cast(pl.String)).otherwise(ends)
    numbered: dict[str, Any] = {"doc_id": "doc_id", "sentences": "distinct", "numbers": numbers}
    split = documents.filter(pl.col("last") - pl.col("row") + 1 != pl.col("rows").list.len() + pl.col("between"))
    return pl.concat(
        [
            found(gap, SENTENCE_GAP, "sentence_id", about=("doc_id",), **numbered),
            found(split, SPLIT_DOCUMENT, "doc_id", about=("doc_id",), doc_id="doc_id"),
            repeated_keys(suspect.filter(read), KEY),
        ]
    )


ids = pl.col("sector_ids")
several = pl.when(ids.list.len() > 1).then(ids)  # hardly any list
short = pl.col("sentence_text").str.len_bytes() <= 8  # what has two characters has no more bytes
followers, leaders = several.list.slice(1), several.list.head(several.list.len() - 1)


def _split_promises(name: str, columns: Collection[str]) -> list[NameFault]:
    """What the name of a split promises: labels in train and val, none in test."""
    split = split_of(name)
    labels = [column for column in SENTENCES.columns if column.optional]
    there = [column for column in labels if column.name in columns]
    if split == "test":
        return [NameFault(LABELS_IN_TEST, column.official, split) for column in there[:1]]
    if split not in ("train", "val"):
        return []
    return [NameFault(MISSING_COLUMN, column.official, split, "split") for column in labels if column not in there]


SENTENCES = Kind(
    name="cheers/sentences",
    title="CHEERS sentences",
    description="One sentence of a humanitarian document a row, in document order, with its relevance and sectors; the test file has no labels.",
    source="CHEERS challenge page, round 1; columns as on disk in sentences_en_<split>.csv",
    columns=(
        Column("doc_id", "doc_id", integer(), "The document, as in the documents file."),
        Column(
            "sentence_id",
            "sentence_id",
            integer(),
            "The place of the sentence in its document, from 0; unique only with doc_id.",
        ),
        Column("sentence_text", "sentence_text", text(), "The sentence; ASCII in the published files.", prose=True),
        Column(
            "is_relevant",
            "is_relevant",
            RELEVANCE,
            "Whether the sentence matters to an analyst (1) or not (0).",
            optional=True,
        ),
        Column(
            "sector_ids",
            "sector_ids",
            SECTOR_IDS,
            "The sectors of a relevant sentence, ascending; may be empty.",
            optional=True,
        ),
    ),
    key=KEY,
    links=(Link("doc_id", "cheers/documents", ORPHAN_SENTENCE, DOCUMENT_WITHOUT_SENTENCE),),
    name_faults=_split_promises,
    checks=(
        Check(
            SECTOR_ON_IRRELEVANT,
            "sector_ids",
            ~pl.col("is_relevant") & (ids.list.len() > 0),
            "[] where is_relevant is 0",
            repair={"sector_ids": pl.lit([], pl.List(pl.Int8))},
            says={
                "if": {"properties": {"is_relevant": {"const": False}}, "required": ["is_relevant"]},
                "then": property_says("sector_ids", {"maxItems": 0}),
            },
        ),
        Check(
            UNKNOWN_SECTOR,
            "sector_ids",
            (ids.list.max() > LAST_SECTOR) | (ids.list.min() < 0),
            f"ids from 0 to {LAST_SECTOR}",
            says=property_says("sector_ids", {"items": {"minimum": 0, "maximum": LAST_SECTOR}}),
        ),
        Check(
            UNSORTED_SECTOR_IDS,
            "sector_ids",
            (followers - leaders).list.min() <= 0,
            "ids in ascending order, each once",
        ),
        Check(
            DEBRIS_SENTENCE,
            "sentence_text",
            pl.col("is_relevant") & short & (text_where(short, pl.col("sentence_text")).str.len_chars() <= 2),
            "a sentence",
        ),
    ),
    table_checks=(TableCheck((DUPLICATE_KEY, SENTENCE_GAP, SPLIT_DOCUMENT), KEY, _documents, needs_unread=True),),
)
