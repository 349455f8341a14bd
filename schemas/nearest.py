"""What to say of a word that is not known: the nearest one, and all of them."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, in any case; None where none is like it."""
    spelled = {one.lower(): one for one in known}
    near = get_close_matches(word.lower(), spelled, n=1, cutoff=0.5)
    return spelled[near[0]] if near else None


def expected(word: str, known: Iterable[str]) -> str:
    """What was expected in place of a word: `did you mean 'official'? Expected one of …`."""
    words = list(known)
    every = f"xpected one of {', '.join(words)}"
    near = nearest(word, words)
    return f"e{every}" if near is None else f"did you mean {near!r}? E{every}"


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """A sentence for a word that is not among the known ones: `there is no scorer 'offical'; did you mean …`."""
    return f"there is no {what} {word!r}; {expected(word, known)}"
