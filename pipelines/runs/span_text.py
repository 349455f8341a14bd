"""Expressions over a span view about the text of a span in its record."""

import polars as pl

from sharedtask.schemas.spans import END, START, TEXT


def text_at(start: pl.Expr = pl.col(START), end: pl.Expr = pl.col(END)) -> pl.Expr:  # noqa: B008 - expressions are immutable
    """The text between two offsets, in code points. An offset that is null or negative counts as 0, since `slice` needs one."""
    return pl.col(TEXT).str.slice(start.fill_null(0).clip(0), (end - start).fill_null(0).clip(0))


def is_repeated() -> pl.Expr:
    """Whether the text of a span occurs more than once in its record."""
    return (text_at() != "") & (pl.col(TEXT).str.count_matches(text_at(), literal=True) > 1)


def is_first_place() -> pl.Expr:
    """Whether a span is at the first place at which its text occurs in its record."""
    before = pl.col(TEXT).str.slice(0, pl.col(START).fill_null(0).clip(0))
    return pl.col(TEXT).str.find(text_at(), literal=True) == before.str.len_bytes()
