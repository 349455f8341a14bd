"""A job file: what is read, what is done with it, and where it goes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from sharedtask.converters.source import UnusableError
from sharedtask.pipelines.tasks import TASKS

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
    """One job. Its fields are the keys of the job file; local paths and globs are relative to `base`, the folder of that file.

    `steps` are those that are taken, in the order of `STEPS`. `reference` and `scorer` are null where no step needs them; a null `scorer` is
    the default of the kind of run. `on_error` says what becomes of an input with an error: its bad records go to the quarantine and the
    job goes on, or the job stops.
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


KEYS = tuple(field.name for field in fields(Job) if field.name != "base")


def read_job(path: Path) -> Job:
    """The job of a TOML file. Raises UnusableError, with what is wrong and the nearest right key or value."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnusableError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    try:
        given = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnusableError(f"{path}: is no TOML file: {error}") from None
    return make_job(given, str(path), path.parent)


def make_job(given: Mapping[str, object], where: str, base: Path) -> Job:
    """The job of these keys; `where` is what messages call them. Raises as `read_job`."""
    for key in given:
        if key not in KEYS:
            raise UnusableError(
                f"{where}: there is no key {key!r}{_nearest(key, KEYS)}; the keys are {', '.join(KEYS)}"
            )
    for key in ("inputs", "output"):
        if key not in given:
            raise UnusableError(f"{where}: has no {key}, which every job needs")
    for key in KEYS:
        if key in given:
            _refuse_wrong_type(key, given[key], where)
    for key, choices in CHOICES.items():
        _refuse_unknown(key, given.get(key, choices[0]), choices, where)
    steps = given.get("steps", DEFAULT_STEPS)
    assert isinstance(steps, list | tuple)  # noqa: S101 - looked at above
    for step in steps:
        _refuse_unknown("steps", step, STEPS, where)
    if not steps or not given["inputs"]:
        raise UnusableError(f"{where}: {'inputs' if steps else 'steps'} is an empty list, so there is nothing to do")
    against = [step for step in AGAINST if step in steps]
    if against and "reference" not in given:
        raise UnusableError(f"{where}: {' and '.join(against)} need a reference, the data file that the runs answer")
    values = dict(given) | {"steps": tuple(step for step in STEPS if step in steps), "inputs": _listed(given["inputs"])}
    return Job(**values, base=base)  # type: ignore[arg-type]


def _listed(inputs: object) -> tuple[str, ...]:
    return (inputs,) if isinstance(inputs, str) else tuple(inputs)  # type: ignore[arg-type]


def _refuse_wrong_type(key: str, value: object, where: str) -> None:
    is_list = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    listed = key in ("inputs", "steps")
    if not (is_list if listed and not (key == "inputs" and isinstance(value, str)) else isinstance(value, str)):
        wanted = "a list of texts" if listed else "a text"
        raise UnusableError(f"{where}: {key} is {value!r}, wanted {wanted} in quotes")


def _refuse_unknown(key: str, value: object, choices: tuple[str, ...], where: str) -> None:
    if value not in choices:
        near = _nearest(str(value), choices)
        raise UnusableError(f"{where}: {key} is {value!r}{near}; wanted {', '.join(choices)}")


def _nearest(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}" if near else ""
