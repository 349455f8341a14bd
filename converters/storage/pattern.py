"""Globs, with one meaning for local paths and for the keys of objects.

`*`, `?` and `[…]` stay inside a name, `**` is any folders.
"""

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass

IGNORED_NAMES = {"__MACOSX"}
_WILD = re.compile(r"[*?\[]")
_ANY_FOLDERS = "**"

States = frozenset[int]  # how many parts of a pattern a path may have used up; empty: it does not match


def is_pattern(path: str) -> bool:
    """Whether a path has a character that a glob gives a meaning."""
    return bool(_WILD.search(path))


def is_ignored(name: str) -> bool:
    """Whether a name is never found: hidden ones, and what a Mac adds to archives."""
    return name.startswith(".") or name in IGNORED_NAMES or not name


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob, read part by part, so that a walk enters only folders in which something may match."""

    parts: tuple[re.Pattern[str] | None, ...]  # None is `**`

    @classmethod
    def of(cls, parts: Iterable[str]) -> "Glob":
        return cls(tuple(None if part == _ANY_FOLDERS else re.compile(fnmatch.translate(part)) for part in parts))

    @property
    def start(self) -> States:
        return self._closed({0})

    def after(self, states: States, name: str) -> States:
        """How far a path matches the pattern when `name` has been added to it."""
        staying = {at for at in states if at < len(self.parts) and self.parts[at] is None}
        return self._closed(staying | self._advanced(states, name))

    def after_link(self, states: States, name: str) -> States:
        """The same where `name` is a link to a folder, which `**` does not enter: it may lead round in a circle."""
        return self._closed(self._advanced(states, name))

    def is_whole(self, states: States) -> bool:
        """Whether a path that stands there matches."""
        return len(self.parts) in states

    def matches(self, names: Iterable[str]) -> bool:
        """Whether a path, given by its parts, is one that is found."""
        states = self.start
        for name in names:
            states = frozenset() if is_ignored(name) else self.after(states, name)
        return self.is_whole(states)

    def _advanced(self, states: States, name: str) -> set[int]:
        return {at + 1 for at in states if at < len(self.parts) and (part := self.parts[at]) and part.match(name)}

    def _closed(self, states: set[int]) -> States:
        """With the states that are reached because `**` may also be no folder at all."""
        reached, at = set(states), min(states, default=0)
        while at < len(self.parts):
            if at in reached and self.parts[at] is None:
                reached.add(at + 1)
            at += 1
        return frozenset(reached)
