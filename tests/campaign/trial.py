"""One input of the campaign as data: the files, one of them damaged, the command that reads them, and what must hold."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.campaign.packing import PLAIN, pack


@dataclass(frozen=True, slots=True)
class File:
    """A file in the folder of a trial: its content, and the container that holds it."""

    content: bytes
    container: str = PLAIN
    member: str = ""

    @property
    def data(self) -> bytes:
        """The bytes on the disk."""
        return pack(self.content, self.container, self.member)


@dataclass(frozen=True, slots=True)
class Trial:
    """One input.

    `files` by name, of which `target` is the damaged one; `args` of the command, which runs in the folder of the files
    and may write below `out` and to the paths of `writes`. `invariant` is the one that is checked beside those of every
    call. `mutations` says what was done to the target, `kind` and `container` what it was.
    """

    seed: int
    number: int
    kind: str
    container: str
    verb: str
    invariant: str
    args: tuple[str, ...]
    files: Mapping[str, File]
    target: str
    mutations: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def with_content(self, content: bytes) -> "Trial":
        """The same with another content of the damaged file."""
        return replace(self, files={**self.files, self.target: replace(self.files[self.target], content=content)})

    def without(self, name: str) -> "Trial":
        """The same without a file."""
        return replace(self, files={other: file for other, file in self.files.items() if other != name})

    def to_json(self) -> dict[str, Any]:
        """Plain data, for a pipe."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "files"}
        files = {
            name: [base64.b64encode(file.content).decode(), file.container, file.member]
            for name, file in self.files.items()
        }
        return {**fields, "files": files}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Trial":
        """What `to_json` made."""
        files = {
            name: File(base64.b64decode(content), container, member)
            for name, (content, container, member) in plain["files"].items()
        }
        texts = {name: tuple(plain[name]) for name in ("args", "mutations", "writes")}
        return cls(**{**plain, **texts, "files": files})
