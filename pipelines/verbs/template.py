"""The verbs `template` (a valid run that predicts nothing) and `pack` (the upload container)."""

from pathlib import Path

from sharedtask.converters.atomic import whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.opening import Intake, take_in
from sharedtask.converters.source import open_source
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.pipelines.tasks import all_kinds, run_kinds


def template(against: str | Path, out: str | Path) -> RunKind:
    """Write a valid run that predicts nothing, with the ids of the reference in its order. Raises UnusableError where that cannot be."""
    target = Path(out)
    ending = container_of(target)
    with open_source(str(against)) as source:
        taken = take_in(source, all_kinds(), None)
        if not isinstance(taken, Intake):
            raise UnusableError(f"{against}: holds nothing to make a run for")
        how = next((one for one in run_kinds() if one.reference.name == taken.kind.name), None)
        if how is None:
            raise UnusableError(f"{against}: is a {taken.kind.name} file, for which there are no runs")
        with whole_file(target) as temporary:
            once = how.empty(taken.frame()).unique(how.run.key, keep="first", maintain_order=True)
            write_upload(how.official(once), temporary, ending, how)
    return how
