"""The exceptions that users meet, and the words for an error of the operating system."""


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


def reason(error: OSError) -> str:
    """Why the operating system refused, in lower case: `permission denied`."""
    return (error.strerror or str(error)).lower()
