"""Tags that are no dicts of their fields: sequences of offsets and label, pairs or dicts of label and text.

Each is read only where it can be one tag alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharedtask.schemas.spans import BY_LABEL, LABELLED

_DIGITS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class TagForm:
    """What a tag that is given as a sequence is read by: the keys that it gets, and the labels by which one is known.

    `labels` are folded, and so are `lists`, the names of the column that holds the tags.
    """

    start: str
    end: str
    label: str
    text: str
    labels: frozenset[str]
    lists: frozenset[str]


class TextsAlone(NamedTuple):
    """Tags of which only label and text were given, and the form in which they were."""

    tags: list[dict[str, object]]
    form: str


def texts_alone(value: object, tag: TagForm) -> TextsAlone | None:
    """The tags of a dict whose keys are labels and whose values are texts, or of a list of such dicts or of pairs of both."""
    parts = value if isinstance(value, list | tuple) else [value]
    pairs = [_labelled(part, tag) for part in parts]
    found = [pair for some in pairs if some is not None for pair in some]
    if not pairs or None in pairs:
        return None
    tags: list[dict[str, object]] = [{tag.label: label, tag.text: text} for label, text in found if text]
    in_order = all(len(some or ()) <= 1 for some in pairs)
    return TextsAlone(tags, LABELLED if in_order else BY_LABEL)


def _labelled(part: object, tag: TagForm) -> list[tuple[str, str | None]] | None:
    """The labels and texts of a dict of them, or of one pair; None for anything else."""
    if isinstance(part, list | tuple) and len(part) == 2 and all(isinstance(item, str) for item in part):
        labels = [is_label(item, tag) for item in part]
        return [(part[0], part[1]) if labels[0] else (part[1], part[0])] if sum(labels) == 1 else None
    if not isinstance(part, dict) or not part or not all(is_label(key, tag) for key in part):
        return None
    texts = [(key, text) for key, one in part.items() for text in (one if isinstance(one, list | tuple) else [one])]
    return texts if all(text is None or isinstance(text, str) for _, text in texts) else None


def is_label(word: object, tag: TagForm) -> bool:
    """Whether a word is one of the labels, in any case."""
    return isinstance(word, str) and word.strip().casefold() in tag.labels


def tag_in(items: Sequence[object], tag: TagForm) -> dict[str, object]:
    """A tag given as start, end, label and perhaps its text; raises ValueError where it could be another one.

    An array of texts has its numbers as texts, too.
    """
    offsets = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
    texts = [item for item in items if isinstance(item, str)]
    digits = [] if offsets else [text for text in texts if _DIGITS.fullmatch(text)]
    labels = [text for text in texts if text.strip().casefold() in tag.labels]
    others = [text for text in texts if text not in labels and text not in digits]
    numbers = offsets or [int(text) for text in digits]
    if len(items) != 3 + len(others) or len(numbers) != 2 or len(labels) != 1 or len(others) > 1:
        raise ValueError("not two offsets and one label")
    start, end = numbers
    if any(number != number // 1 for number in numbers) or not start < end:
        raise ValueError("not a start and an end")
    first, last = offsets or digits
    made: dict[str, object] = {tag.start: first, tag.end: last, tag.label: labels[0]}
    return made | ({tag.text: others[0]} if others else {})
