"""Which of several places each span of a record has, if the spans are in the order of the text."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

Place = tuple[int, int]  # start, and end exclusive


def places_in_order(candidates: Sequence[Sequence[Place]]) -> list[Place | None]:
    """The place of each span that is the same in every assignment that keeps the order; None where there are several.

    `candidates` are the places that a span may have, sorted. Spans do not overlap, as the guideline of the annotation
    says; where that cannot be, each only has to start after the one before it. Where that cannot be either, the order
    says nothing, and only spans with a single place have one.
    """
    for apart in (True, False):
        earliest, latest = _earliest(candidates, apart=apart), _latest(candidates, apart=apart)
        if earliest is not None and latest is not None:
            return [first if first == last else None for first, last in zip(earliest, latest, strict=True)]
    return [places[0] if len(places) == 1 else None for places in candidates]


def _earliest(candidates: Sequence[Sequence[Place]], *, apart: bool) -> list[Place] | None:
    """The first place that each span can have behind those before it; None where one has none."""
    chosen: list[Place] = []
    for at, places in enumerate(candidates):
        index = 0
        if chosen:
            first, last = chosen[-1]
            least = last if apart else first + _more(candidates, at)
            index = bisect_left(places, (least, 0))
        if index == len(places):
            return None
        chosen.append(places[index])
    return chosen


def _latest(candidates: Sequence[Sequence[Place]], *, apart: bool) -> list[Place] | None:
    """The last place that each span can have before those behind it; None where one has none."""
    chosen: list[Place] = []
    for at in range(len(candidates) - 1, -1, -1):
        places = candidates[at]
        index = len(places)
        if chosen:
            limit = chosen[-1][0] if apart else chosen[-1][0] - _more(candidates, at + 1)
            index = bisect_right(places, limit, key=(lambda place: place[1]) if apart else (lambda place: place[0]))
        if not index:
            return None
        chosen.append(places[index - 1])
    return chosen[::-1]


def _more(candidates: Sequence[Sequence[Place]], at: int) -> int:
    """How far a span starts from the one before it at least: two that have no other place may start together."""
    return int(len(candidates[at]) > 1 or len(candidates[at - 1]) > 1)
