"""Keys of CHEERS files, against the definitions of the rules, row by row."""

from collections import defaultdict
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.schemas.cheers.run import RUN
from sharedtask.schemas.cheers.sentences import SENTENCES
from sharedtask.schemas.kind import Kind

Key = tuple[int | None, int | None]
IDS = st.integers(0, 3)
WHOLE = st.lists(st.tuples(st.integers(7, 9), IDS), max_size=14)
# Whole documents and single rows, in blocks and apart.
BLOCKS = st.lists(st.tuples(st.integers(7, 9), st.integers(0, 2), st.integers(1, 4)), max_size=5).map(
    lambda blocks: [(doc, first + step) for doc, first, rows in blocks for step in range(rows)]
)
HOLES = st.lists(st.tuples(st.none() | st.integers(7, 9), st.none() | IDS), max_size=14)


def found(kind: Kind, keys: Sequence[Key]) -> pl.DataFrame:
    frame = pl.DataFrame(
        {"doc_id": [doc for doc, _ in keys], "sentence_id": [sentence for _, sentence in keys]},
        schema={"doc_id": pl.Int64, "sentence_id": pl.Int64},
    )
    placed = frame.lazy().with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    (check,) = kind.table_checks
    return check.find(placed).collect()


def rows_of(seen: pl.DataFrame, rule: str) -> list[list[int]]:
    return sorted(sorted(rows) for rows in seen.filter(pl.col("rule") == rule)["rows"])


def repeated(keys: Sequence[Key]) -> list[list[int]]:
    """The rows of each key without a null that stands more than once."""
    places = defaultdict(list)
    for row, key in enumerate(keys):
        if None not in key:
            places[key].append(row)
    return sorted(rows for rows in places.values() if len(rows) > 1)


@given(keys=WHOLE | BLOCKS | HOLES)
def test_keys_that_stand_twice_are_found(keys: list[Key]) -> None:
    assert rows_of(found(RUN, keys), "duplicate-id") == repeated(keys)
    assert rows_of(found(SENTENCES, keys), "duplicate-key") == repeated(keys)


@given(keys=WHOLE | BLOCKS)
def test_documents_in_several_blocks_and_with_gaps_are_found(keys: list[tuple[int, int]]) -> None:
    sentences, rows = defaultdict(set), defaultdict(list)
    for row, (doc, sentence) in enumerate(keys):
        sentences[doc].add(sentence)
        rows[doc].append(row)
    apart = sorted(of for of in rows.values() if of[-1] - of[0] + 1 > len(of))
    gaps = sorted(rows[doc] for doc, ids in sentences.items() if ids != set(range(len(ids))))
    seen = found(SENTENCES, keys)
    assert rows_of(seen, "split-document") == apart
    assert rows_of(seen, "sentence-gap") == gaps


@pytest.mark.parametrize(
    ("keys", "gaps"),
    [
        ([(7, 1), (7, 2)], [[0, 1]]),
        ([(None, 0), (7, 1), (7, 2)], []),
        ([(7, 0), (None, 1), (7, 2)], []),
        ([(7, 0), (7, 2), (None, 1)], [[0, 1]]),
        ([(7, 0), (7, None), (7, 2)], []),
    ],
)
def test_what_cannot_be_read_is_not_missing(keys: list[Key], gaps: list[list[int]]) -> None:
    """A record without a doc_id may belong to the document around it or right behind it, one without a sentence_id fills a gap."""
    assert rows_of(found(SENTENCES, keys), "sentence-gap") == gaps
