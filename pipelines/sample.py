"""The verb `sample`: synthetic files of a task, in its documented shapes and under its documented names."""

from importlib import import_module
from pathlib import Path

_MAKERS = {
    "flares": "sharedtask.pipelines.samples.flares",
    "cheers": "sharedtask.pipelines.samples.cheers",
    "reintel": "sharedtask.pipelines.samples.reintel",
}


def sample(task: str, out: Path, rows: int = 200, seed: int = 0) -> list[Path]:
    """Write synthetic files of `task` into the folder `out`, which is made where it is missing; their paths.

    `rows` is the number of records in each train file; the others are in proportion, with five records or more.
    The same `rows` and `seed` give the same bytes.
    """
    if task not in _MAKERS:
        raise ValueError(f"unknown task {task!r}; known tasks: {', '.join(_MAKERS)}")
    if rows < 1:
        raise ValueError(f"rows must be 1 or more, not {rows}")
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = import_module(_MAKERS[task]).write(out, rows, seed)
    return written
