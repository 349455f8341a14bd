"""When two texts count as the same, and which texts say too little to be compared.

A text is compared folded: lower case, NFC, without URLs and the placeholder `<URL>`, marks without width and
punctuation, one space between words. What is blank after that is never a leak. A text of fewer than three words and
sixteen characters (the `2020.` and `Conclusion` of a sentence splitter) is one only under the same id: anybody may
write it.
"""

import polars as pl

FEWEST_WORDS = 3
FEWEST_CHARACTERS = 16

_URL = r"<url>|(?:https?://|www\.)\S+"
_NO_WORD = r"[^\p{L}\p{M}\p{N}]+"
_UNSEEN = r"\p{Cf}+"


def folded(text: pl.Expr) -> pl.Expr:
    """The words of a text, as they are compared.

    Nothing but white space and punctuation is an empty string, null is null.
    """
    lower = text.str.to_lowercase()
    # Hardly any text has one of these marks, and normalising costs more than all the rest.
    marked = pl.when(lower.str.contains(r"[\p{M}\p{Cf}]")).then(lower).str.normalize("NFC").str.replace_all(_UNSEEN, "")
    words = pl.coalesce(marked, lower).str.replace_all(_URL, " ").str.replace_all(_NO_WORD, " ")
    return words.str.strip_chars(" ")


def says_enough(words: pl.Expr) -> pl.Expr:
    """Whether a folded text is long enough that two people would hardly write it by chance."""
    spaces = words.str.count_matches(" ", literal=True)
    return (spaces >= FEWEST_WORDS - 1) | (words.str.len_chars() >= FEWEST_CHARACTERS)
