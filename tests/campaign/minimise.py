"""Makes the damaged file of a failure smaller while it still fails in the same way: delta debugging within a limit of tries."""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from tests.campaign.trial import Trial

TRIES = 250
SECONDS = 45.0

Fails = Callable[[Trial], bool]


class _Limit:
    """Counts the tries."""

    def __init__(self, fails: Fails, tries: int, seconds: float) -> None:
        self.fails, self.left, self.end = fails, tries, monotonic() + seconds

    def __call__(self, trial: Trial) -> bool:
        if self.left <= 0 or monotonic() > self.end:
            return False
        self.left -= 1
        return self.fails(trial)


def minimised(trial: Trial, fails: Fails, tries: int = TRIES, seconds: float = SECONDS) -> Trial:
    """The smallest trial that was found: fewer files, fewer lines, fewer bytes, fewer options."""
    limit = _Limit(fails, tries, seconds)
    for name in list(trial.files):
        if name != trial.target and name not in trial.args and limit(trial.without(name)):
            trial = trial.without(name)
    for split in (_lines, _cells, _bytes):
        parts = split(trial.files[trial.target].content)
        kept = _reduced(parts, lambda parts: limit(trial.with_content(b"".join(parts))))  # noqa: B023 - called at once
        trial = trial.with_content(b"".join(kept))
    return trial


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def _cells(content: bytes) -> list[bytes]:
    """Pieces that end with a sign between values."""
    pieces, start = [], 0
    for place, one in enumerate(content):
        if one in b',;\t\n}]"':
            pieces.append(content[start : place + 1])
            start = place + 1
    return [*pieces, content[start:]] if len(pieces) < 4000 else [content]


def _bytes(content: bytes) -> list[bytes]:
    return [content[place : place + 1] for place in range(len(content))]


def _reduced(parts: Sequence[bytes], fails: Callable[[Sequence[bytes]], bool]) -> Sequence[bytes]:
    """Delta debugging: leave out ever smaller blocks as long as it still fails."""
    size = max(1, len(parts) // 2)
    while size and parts:
        for smaller in _without_a_block(parts, size):
            if fails(smaller):
                parts = smaller
                break
        else:
            size //= 2
            continue
        size = min(size, max(1, len(parts) // 2))
    return parts


def _without_a_block(parts: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(parts), size):
        yield [*parts[:start], *parts[start + size :]]
