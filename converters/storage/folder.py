"""What the rest knows of a place where files lie, whichever kind of storage it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """An input: `path` as a user would write it, `bytes` its size."""

    path: str
    bytes: int


class Folder(Protocol):
    """Where outputs go.

    A name is relative to the folder, with `/` between its parts; a file is whole or absent at any moment.

    Every method raises UnusableError, one line with the place and the cause, where the storage refuses or does not
    answer.
    """

    path: str  # as the user gave it

    def place(self, name: str) -> str:
        """The full path or URL of a file, for messages and for `open_source`."""
        ...

    def read(self, name: str) -> tuple[bytes, str] | None:
        """The content of a file and its stamp, which `swap` takes; None where there is no such file."""
        ...

    def download(self, name: str, local: Path) -> None:
        """Copy a file to a local one."""
        ...

    def put(self, name: str, local: Path) -> None:
        """Move a finished local file to this name, in place of what is there."""
        ...

    def put_bytes(self, name: str, data: bytes) -> None:
        """Write a file, in place of what is there."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file; a missing one is not an error."""
        ...

    def names(self, under: str = "") -> list[str]:
        """The names of all files in the folder `under` and below it, sorted; hidden ones are left out."""
        ...

    def swap(self, name: str, data: bytes, expected: str | None) -> str:
        """Write a file if it still has the stamp `expected` (None: it does not exist), and return its new stamp.

        Of several writers with the same `expected` one wins. Raises ConflictError for the others.
        """
        ...
