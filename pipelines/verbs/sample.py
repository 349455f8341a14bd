"""The verb `sample`: synthetic files of a task, in its documented shapes and under its documented names."""

from importlib import import_module
from pathlib import Path

from sharedtask.pipelines.tasks import TASKS


def sample(task: str, out: str | Path, rows: int = 200, seed: int = 0) -> list[Path]:
    """Write synthetic files of `task` into the folder `out`, which is made where it is missing; their paths.

    `rows` is the number of records in each train file; the others are in proportion, with five records or more.
    The same `rows` and `seed` give the same bytes.
    """
    makers = {one.name: one.sampled_by for one in TASKS if one.sampled_by}
    if task not in makers:
        raise ValueError(f"unknown task {task!r}; known tasks: {', '.join(makers)}")
    if rows < 1:
        raise ValueError(f"rows must be 1 or more, not {rows}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = import_module(makers[task]).write(folder, rows, seed)
    return written
