"""The progress of a verb with many files, as a callback."""

from collections.abc import Callable

# Called with the file that is begun, its number from 0, and how many files there are.
Progress = Callable[[str, int, int], None]


def no_progress(path: str, number: int, total: int) -> None:
    """Show nothing."""
