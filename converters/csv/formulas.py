"""Text cells that a spreadsheet would take for formulas, with an apostrophe before them, as OWASP has it."""

import polars as pl
import polars.selectors as cs

_BEGINS = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def escape_formulas(frame: pl.LazyFrame, escaped: list[int]) -> pl.LazyFrame:
    """The frame with an apostrophe before each text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return.

    Numbers are left, also those that are written as text. How many cells were escaped in each batch of the query is
    appended to `escaped`.
    """

    def escape(texts: pl.Series) -> pl.Series:
        acts = (texts.str.contains(_BEGINS) & ~texts.str.contains(_NUMBER)).fill_null(False)
        escaped.append(int(acts.sum()))
        return pl.select(pl.when(acts).then(pl.lit("'") + texts).otherwise(texts)).to_series().alias(texts.name)

    return frame.with_columns(cs.string().map_batches(escape, return_dtype=pl.String, is_elementwise=True))
