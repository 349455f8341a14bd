"""One input opened for a test, as a verb would open it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sharedtask.converters.limits import USUAL_LIMITS
from sharedtask.converters.opening import Opened, open_input, sniff_input
from sharedtask.converters.source import open_source
from sharedtask.pipelines.tasks import all_kinds


@contextmanager
def opened(path: Path, kind: str | None = None) -> Iterator[Opened]:
    """The input while the block runs; `kind` names its kind, which its columns tell otherwise."""
    kinds = list(all_kinds())
    with open_source(str(path)) as source:
        yield open_input(sniff_input(source, kinds, USUAL_LIMITS), kinds, USUAL_LIMITS, kind=kind)
