"""The verb `sample`: synthetic files of a task, in its documented shapes and under its documented names."""

import shutil
from importlib import import_module
from pathlib import Path

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.outputs import Outputs, join
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.pipelines.tasks import TASKS
from sharedtask.schemas.nearest import unknown


def sample(task: str, out: str | Path, rows: int = 200, seed: int = 0) -> list[str]:
    """Write synthetic files of `task` into the folder `out`, which is made where it is missing; their paths.

    `rows` is the number of records in each train file; the others are in proportion, with five records or more. The
    same `rows` and `seed` give the same bytes. Raises UnusableError where there is no such task or number, or a file
    cannot be written.
    """
    makers = {one.name: one.sampled_by for one in TASKS if one.sampled_by}
    if task not in makers:
        raise UnusableError(unknown("task", task, makers))
    if rows < 1:
        raise UnusableError(f"rows is {rows}; expected 1 or more")
    outputs = Outputs()
    outputs.file(join(out, "a"))  # nothing is made for an output that cannot be written
    with scratch_folder() as scratch:
        made: list[Path] = import_module(makers[task]).write(scratch, rows, seed)
        targets = [outputs.file(join(out, path.name)) for path in made]
        for path, target in zip(made, targets, strict=True):
            with target.open() as temporary:
                shutil.move(path, temporary)
    return [target.path for target in targets]
