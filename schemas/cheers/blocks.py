"""The blocks of rows of CHEERS files: sentences of one document, each followed by the next."""

import polars as pl

KEY = ("doc_id", "sentence_id")


def begins(keys: pl.LazyFrame) -> pl.LazyFrame:
    """The rows that begin a block: those with a `doc_id` and a `sentence_id` that do not follow the row before.

    `keys` has `file`, `row` (null for a record that cannot be read, which begins nothing), `doc_id` and `sentence_id`.
    """
    ids, row = pl.col("sentence_id"), pl.col("row")
    same = pl.col("file").eq(pl.col("file").shift()) & pl.col("doc_id").eq(pl.col("doc_id").shift())
    follows = same & (ids == ids.shift() + 1) & (row == row.shift() + 1)
    return keys.filter(~follows.fill_null(False), row.is_not_null()).drop_nulls(KEY)


def rows_of(documents: pl.DataFrame, keys: pl.LazyFrame) -> pl.LazyFrame:
    """The rows of `keys` that belong to these documents (`file`, `doc_id`), in memory, since they are used twice."""
    rows = keys.join(documents.lazy(), on=["file", "doc_id"], how="semi", maintain_order="left")
    return rows.collect(engine="streaming").lazy()
