"""How the facts of a finding are put into words: templates filled in, plurals, and values cut to a readable length."""

import string
from collections.abc import Mapping

LONGEST_VALUE = 120  # characters of a value that a finding shows


def worded(template: str, facts: Mapping[str, object]) -> str:
    """A template of a rule with the facts of a finding. Raises KeyError for a fact that is missing."""
    return _WORDS.vformat(template, (), facts)


class _Words(string.Formatter):
    """Fills templates in: `{lines:line}` is `1 line` or `3 lines`, a list is joined by commas."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(map(_item, value))
        if isinstance(value, int) and format_spec[:1].isalpha():
            return plural(value, format_spec)
        return str(super().format_field("" if value is None else value, "" if value is None else format_spec))


def _item(value: object) -> str:
    """An item of a list in a message; one that could not be seen is shown in quotes."""
    if value is None:
        return "nothing"
    return str(value) if str(value).strip() else repr(value)


_WORDS = _Words()


def plural(count: int, noun: str) -> str:
    """A number with its noun: `1 line`, `3 lines`. A noun with an irregular plural is given as `entry/entries`."""
    single, _, several = noun.partition("/")
    return f"{count} {single if count == 1 else several or single + 's'}"


def shown(value: object) -> str:
    """A value as a message shows it: text in quotes, cut at a readable length; nothing is `empty`."""
    if value is None or value == "":
        return "empty"
    is_short = isinstance(value, str) and len(value) <= LONGEST_VALUE + 2  # an excerpt may have … at both ends
    kept = value if is_short else clipped(value)
    return repr(kept) if isinstance(kept, str) else str(kept)


def first_difference(one: str, other: str) -> int:
    """The place at which two texts begin to differ: the length of the shorter one where it begins the other."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def excerpt(text: str, at: int) -> str:
    """A text cut at a readable length around a place in it; `…` stands for what is left out."""
    if len(text) <= LONGEST_VALUE:
        return text
    start = max(0, min(at - LONGEST_VALUE // 3, len(text) - LONGEST_VALUE))
    end = start + LONGEST_VALUE
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def clipped(value: object) -> object:
    """A value as a finding keeps it: text is cut at a readable length, structures are shown as text."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + "…"
    if value is None or isinstance(value, bool | int | float | Mapping):
        return value
    return clipped(str(value))
