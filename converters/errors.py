"""The exceptions that users meet, and the words for an error of the operating system."""

import re

_OF_THE_SYSTEM = re.compile(r"([A-Z][\w '-]+) \(os error \d+\)")  # as Rust writes it


class UnusableError(Exception):
    """The call cannot be carried out: no such file, no permission, a wrong option. One line, for exit status 2."""


class UnknownKindError(UnusableError):
    """A file can be read, and is of no known kind."""


class UnwritableError(UnusableError):
    """An output cannot be written: no permission, no space. One line, for exit status 2."""


class ConflictError(UnusableError):
    """A file was not replaced, since somebody else has written it since it was read."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place}: was left as it is, since another writer has changed it in the meantime; run again")


class StoppedError(UnusableError):
    """A job stopped before its end, as it or its caller asked, since an input, or too many of them, had errors."""


def of_the_world(error: BaseException) -> str | None:
    """One line for an error of the machine, not of the tool, wherever it came up: no space, no memory; else None.

    Polars and others put the words of the system into their own.
    """
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.filename}: {reason(error)}" if error.filename else f"cannot go on: {reason(error)}"
    found = _OF_THE_SYSTEM.search(str(error))
    return f"cannot go on: {found[1].lower()}" if found else None


def reason(error: OSError) -> str:
    """Why the operating system refused, in lower case: `permission denied`."""
    return (error.strerror or str(error)).lower()
