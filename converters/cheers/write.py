"""Canonical CHEERS tables as the files that are on disk (facts/cheers.md 1.2 to 1.4, and 2.3 for runs). All lazy."""

import json

import polars as pl

_DOCUMENTS = ("project_name", "country_code", "lang_code", "doc_id", "doc_text", "doc_url")


def sentences(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`doc_id, sentence_id, sentence_text` and, if present, `is_relevant` as 0/1 and `sector_ids` as `[2, 3, 4]`."""
    columns = [pl.col("doc_id", "sentence_id", "sentence_text")]
    present = frame.collect_schema()
    if "is_relevant" in present:
        columns.append(_zero_or_one())
    if "sector_ids" in present:
        ids = pl.col("sector_ids").list.eval(pl.element().cast(pl.String)).list.join(", ")
        columns.append(pl.concat_str(pl.lit("["), ids, pl.lit("]")).alias("sector_ids"))
    return frame.select(columns)


def documents(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The six columns of the documents file, in its order.

    A table without `lang_code`, which the page does not know, has five.
    """
    present = frame.collect_schema()
    return frame.select(name for name in _DOCUMENTS if name in present)


def run(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`doc_id, sentence_id, is_relevant` as 0/1 and `sector_id`, -1 where nothing is relevant."""
    return frame.select("doc_id", "sentence_id", _zero_or_one(), "sector_id")


def sectors(frame: pl.LazyFrame) -> pl.LazyFrame:
    """`sector_id, sector_name` as the lines of one JSON object, name to id: four spaces, rows in their order.

    One column `line`, to be written without a final newline.
    """
    return frame.select("sector_name", "sector_id").map_batches(_object_lines, schema={"line": pl.String})


def _object_lines(named: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"line": json.dumps(dict(named.rows()), indent=4).split("\n")})


def _zero_or_one() -> pl.Expr:
    return pl.col("is_relevant").cast(pl.Int8)
