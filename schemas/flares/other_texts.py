"""What tools make of a text before they count on it, each as a change of a column of texts."""

import html
import json
from collections.abc import Callable
from functools import partial

import polars as pl

Change = Callable[[pl.Expr], pl.Expr]


def each_distinct(change: Callable[[str], str]) -> Change:
    """A change for which there is no expression, made once for each distinct text of a batch."""

    def changed(texts: pl.Series) -> pl.Series:
        distinct = texts.drop_nulls().unique()
        known = pl.DataFrame(
            {"text": distinct, "changed": [change(one) for one in distinct]},
            schema={"text": pl.String, "changed": pl.String},
        )
        return texts.to_frame("text").join(known, on="text", how="left", maintain_order="left")["changed"]

    return lambda text: text.map_batches(changed, return_dtype=pl.String)


def normalized(form: str) -> Change:
    """The normal form of this name."""
    return lambda text: text.str.normalize(form)  # type: ignore[arg-type]


def collapsed(text: pl.Expr) -> pl.Expr:
    """One space for each run of white space."""
    return text.str.replace_all(r"\s+", " ")


def with_line_feeds(text: pl.Expr) -> pl.Expr:
    """LF for CRLF."""
    return text.str.replace_all("\r\n", "\n", literal=True)


def with_returns(text: pl.Expr) -> pl.Expr:
    """CRLF for LF."""
    return with_line_feeds(text).str.replace_all("\n", "\r\n", literal=True)


def as_json(*, ascii_only: bool, slashes: bool = False) -> Change:
    r"""The text as a JSON string has it: `\n`, `\"`, `\u00e1` where only ASCII is written, `\/` with `slashes`."""

    def escaped(text: str) -> str:
        return json.dumps(text, ensure_ascii=ascii_only)[1:-1].replace("/", "\\/" if slashes else "/")

    return each_distinct(escaped)


def as_html(*, quotes: bool) -> Change:
    """The text as HTML has it: `&amp;`, and `&quot;` and `&#x27;` where quotes are escaped, too."""
    return each_distinct(partial(html.escape, quote=quotes))


unescaped = each_distinct(html.unescape)
"""The text that HTML stands for."""
