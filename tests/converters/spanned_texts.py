"""Texts with spans, for the forms that hold them."""

from typing import Any

import polars as pl
from hypothesis import strategies as st

from sharedtask.schemas.flares.kinds import SPAN_TYPE
from sharedtask.schemas.flares.tag_rules import LABELS, RELIABILITIES

Row = tuple[str, list[tuple[int, int, str, str | None]]]

# Letters that combine, cut, join, break lines for some program, or look like what the forms are made of.
ALPHABET = st.sampled_from(
    "aB9 ñé_-.,:;\t\xa0\u200b\u200d\u0301\u2028\x85\x0b\x0c\x1c🔴🏽'\"\\/#|()[]{}\ufeff"
) | st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\x00")


@st.composite
def rows(draw: st.DrawFn, alphabet: st.SearchStrategy[str] = ALPHABET) -> Row:
    """A text with spans that neither overlap nor are empty, in the order of their starts."""
    text = draw(st.text(alphabet, min_size=1, max_size=40))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    label, reliability = st.sampled_from(LABELS), st.sampled_from(RELIABILITIES) | st.none()
    spans = [(start, end, draw(label), draw(reliability)) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, spans


def canonical(given: list[Row], *, labelled: bool = True) -> pl.DataFrame:
    """The canonical table of these rows with ids that are not in order."""
    records: list[dict[str, Any]] = [
        {
            "id": (7 * place) % 101,
            "text": text,
            "spans": [
                {"start": start, "end": end, "label": label, "reliability": word, "span_text": text[start:end]}
                for start, end, label, word in spans
            ],
        }
        for place, (text, spans) in enumerate(given)
    ]
    table = pl.DataFrame(records, schema={"id": pl.Int64, "text": pl.String, "spans": SPAN_TYPE})
    return table if labelled else table.drop("spans")
