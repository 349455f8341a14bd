"""The examples of the rules about causes: runs in which offsets are counted in another way.

Most have the same four texts, each with what the cause trips over in front; offsets are counted, not typed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from sharedtask.schemas.rule import Example
from sharedtask.schemas.rules.example_files import FLARES_MARKED, FLARES_TEST, flares_run, flares_test, unmark

KEYS = ("Tag_Start", "Tag_End", "5W1H_Label", "Tag_Text")


Count = Callable[[str, int], int]


def cause_example(marked: Mapping[int, str], start: Count, end: Count | None = None) -> Example:
    """The run for these marked texts in which start and end are counted in these ways."""
    wrong, right = {}, {}
    for key, (text, tags) in ((key, unmark(text)) for key, text in marked.items()):
        right[key] = tags
        wrong[key] = [
            {
                **tag,
                "Tag_Start": start(text, int(tag["Tag_Start"])),
                "Tag_End": (end or start)(text, int(tag["Tag_End"])),
            }
            for tag in tags
        ]
    return Example(
        "flares/subtask1-run",
        "run.csv",
        flares_run(wrong, KEYS),
        flares_run(right, KEYS),
        flares_test(marked),
        FLARES_TEST.name,
    )


def behind(*openings: str) -> dict[int, str]:
    """The four texts, each behind one of these openings."""
    return {key: opening + text for opening, (key, text) in zip(openings, FLARES_MARKED.items(), strict=True)}


def as_given(text: str, place: int) -> int:
    return place


def plus(shift: int) -> Count:
    return lambda text, place: place + shift


def on(change: Callable[[str], str]) -> Count:
    """The place in the changed text."""
    return lambda text, place: len(change(text[:place]))


def word_at(text: str, place: int) -> int:
    """The number of the word or punctuation mark in which a place lies."""
    return sum(match.start() <= place for match in re.finditer(r"\w+|[^\w\s]", text)) - 1


_REPEATED = {
    31: "Cerca de la ermita crece el musgo, y [WHERE la ermita] sigue cerrada.",
    157: "Ni el alcalde contestó ni [WHO el alcalde] firmó el recibo.",
    88: "Primero hubo una rifa y después [WHAT una rifa] más grande.",
    402: "Llovió el lunes, y volverá a llover [WHEN el lunes] siguiente.",
    264: "Quien empieza con calma termina [HOW con calma].",
}


def first_occurrence() -> Example:
    """The run in which each span was searched for from the start of its text."""
    found = {}
    for key, (text, (tag,)) in ((key, unmark(text)) for key, text in _REPEATED.items()):
        start = text.index(str(tag["Tag_Text"]))
        found[key] = [{**tag, "Tag_Start": start, "Tag_End": start + len(str(tag["Tag_Text"]))}]
    return replace(cause_example(_REPEATED, as_given), wrong=flares_run(found, KEYS))
