"""The verb `fix`: the safe repairs of a run, each with the number of places that it changed."""

import shutil
from pathlib import Path
from typing import Literal

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.converters.own_folder import scratch_folder
from sharedtask.pipelines.results.fix_result import FixResult
from sharedtask.pipelines.results.report import Output
from sharedtask.pipelines.runs.repair import Repairing
from sharedtask.pipelines.runs.repair_values import Wishes
from sharedtask.pipelines.runs.upload import container_of


def fix(
    run: str | Path,
    against: str | Path,
    out: str | Path,
    *,
    kind: str | None = None,
    diff: bool = False,
    fill_missing: bool = False,
    unreadable_as_empty: bool = False,
    place: Literal["exact", "nearest", "none"] = "none",
    limits: Limits = USUAL_LIMITS,
) -> FixResult:
    """Apply the safe repairs to a run and write it in the official upload form to `out` (.csv or .zip).

    Never in place, and never with a value that the run does not hold: a cell that cannot be read is written as it was,
    and a record that cannot be read stays where it was. What was not repaired stays reported, also where the upload form
    leaves out what shows it. Nothing is written of a run that lacks a column, has one twice, or has records that cannot
    be read in another form than comma-separated text.

    `fill_missing` answers ids that the run lacks as `template` does, `unreadable_as_empty` answers and records that
    cannot be read; both are counted among the repairs. With `place` the texts of spans are the truth and their offsets
    are guesses: a text that occurs once in its record is placed there, a repeated one where the order of the spans leaves
    it one place (`exact`), or where it is nearest to its offset (`nearest`); what has no place is reported and stays.
    `diff` adds a line for each change. Raises UnusableError like
    `check`, where `out` is the run or has another ending, and where there is nothing to `place`.
    """
    target = Outputs([run, against]).file(out)
    ending = container_of(target.path)
    with scratch_folder() as folder:
        wishes = Wishes(fill_missing=fill_missing, unreadable_as_empty=unreadable_as_empty, place=place)
        repairing = Repairing(str(against), folder, ending, target.path, limits, wishes)
        done = repairing.repaired(str(run), kind)
        done.before.repairs, done.before.outputs = (), []
        if done.path is None or done.after is None or done.kind is None:
            return FixResult(done.before, (), None)
        with target.open() as temporary:
            shutil.copyfile(done.path, temporary)
            digest = file_sha256(temporary)
    after, changes = done.after, tuple(done.lines()) if diff else None
    after.outputs = [Output(target.path, done.kind.name, done.rows, digest, str(run))]
    after.written.append(target.path)
    after.repairs, after.changes = done.repairs, changes
    return FixResult(done.before, done.repairs, after, changes or ())
