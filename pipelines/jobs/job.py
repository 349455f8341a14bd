"""A job file: what is read, what is done with it, and where it goes."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.toml_file import read_toml
from sharedtask.pipelines.tasks import TASKS
from sharedtask.schemas.nearest import expected, unknown

STEPS = ("validate", "convert", "check", "score")
DEFAULT_STEPS = ("validate", "convert")
AGAINST = ("check", "score")  # the steps that hold a run against a reference
CHOICES = {
    "task": ("auto", *(task.name for task in TASKS)),
    "on_error": ("quarantine", "stop"),
    "fail_on": ("error", "warning"),
    "table": ("none", "delta"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Its fields are the keys of the job file; local paths and globs are relative to `base`, the folder of that file.

    `steps` are those that are taken, in the order of `STEPS`. `reference` and `scorer` are null where no step needs
    them; a null `scorer` is the default of the kind of run. `on_error` says what becomes of an input with an error: its
    bad records go to the quarantine and the job goes on, or the job stops. One text stands for a list of it. Raises
    UnusableError for a value that no job can have.
    """

    inputs: tuple[str, ...]
    output: str
    task: str = "auto"
    steps: tuple[str, ...] = DEFAULT_STEPS
    reference: str | None = None
    scorer: str | None = None
    on_error: Literal["quarantine", "stop"] = "quarantine"
    fail_on: Literal["error", "warning"] = "error"
    table: Literal["none", "delta"] = "none"
    base: Path = Path()

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", _listed(self.inputs))
        object.__setattr__(self, "steps", _listed(self.steps))
        for key in KEYS:
            _refuse_wrong_type(key, getattr(self, key))
        for key, choices in CHOICES.items():
            _refuse_unknown(key, getattr(self, key), choices)
        for step in self.steps:
            _refuse_unknown("steps", step, STEPS)
        object.__setattr__(self, "steps", tuple(step for step in STEPS if step in self.steps))
        against = [step for step in AGAINST if step in self.steps]
        if against and self.reference is None:
            needs = "need" if len(against) > 1 else "needs"
            raise UnusableError(
                f"{' and '.join(against)} {needs} a reference: the data file that the runs are checked against"
            )


KEYS = tuple(field.name for field in fields(Job) if field.name != "base")


def read_job(path: Path) -> Job:
    """The job of a TOML file. Raises UnusableError, with what is wrong and the nearest right key or value."""
    settings = read_toml(path)
    for key in settings:
        if key not in KEYS:
            raise UnusableError(f"{path}: {unknown('key', key, KEYS)}")
    for key in ("inputs", "output"):
        if key not in settings:
            raise UnusableError(f"{path}: has no {key}, which every job needs")
    try:
        return Job(**settings, base=path.parent)
    except UnusableError as error:
        raise UnusableError(f"{path}: {error}") from None


def _listed(value: object) -> object:
    """One text as a list of it; anything else as it is."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list | tuple) else value


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def _refuse_wrong_type(key: str, value: object) -> None:
    if key in ("inputs", "steps"):
        sound = isinstance(value, tuple) and bool(value) and all(map(_is_name, value))
        expected = "a list of one or more strings"
    else:
        sound = _is_name(value) or (value is None and key in ("reference", "scorer"))
        expected = "a string"
    if not sound:
        found = list(value) if isinstance(value, tuple) else value
        raise UnusableError(f"{key} is {found!r}; expected {expected}")


def _refuse_unknown(key: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UnusableError(f"{key} is {str(value)!r}; {expected(str(value), choices)}")
