"""THE task table: the only file that lists the tasks."""

from collections.abc import Iterable
from dataclasses import dataclass

from sharedtask.schemas.cheers import kinds as cheers
from sharedtask.schemas.flares import kinds as flares
from sharedtask.schemas.kind import Kind


@dataclass(frozen=True, slots=True)
class Task:
    """One shared task and its kinds of file."""

    name: str
    kinds: tuple[Kind, ...]


TASKS: tuple[Task, ...] = (
    Task("flares", flares.KINDS),
    Task("cheers", cheers.KINDS),
)


def all_kinds() -> Iterable[Kind]:
    """The kinds of all tasks."""
    return (kind for task in TASKS for kind in task.kinds)


def kind_named(name: str) -> Kind:
    """The kind of this name. Raises KeyError with the known names."""
    for kind in all_kinds():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in all_kinds())
    raise KeyError(f"no kind of file is called {name!r}; the kinds are {known}")
