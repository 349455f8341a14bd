"""What a person at a terminal sees: colours, and how far a command has come."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

import click

from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.render.colour import COLOURED, PLAIN, Palette

BAR = 20  # characters
COUNTS = 20  # characters of the numbers and brackets around the bar
SHOW_CURSOR = "\x1b[?25h"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written to a stream, which may be closed."""
    return stream is not None and stream.isatty()


def palette_for(stream: TextIO | None) -> Palette:
    """Colours on a terminal that is not dumb, and anywhere if FORCE_COLOR is set; nowhere if NO_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return PLAIN
    shows_colours = is_terminal(stream) and os.environ.get("TERM") != "dumb"
    return COLOURED if os.environ.get("FORCE_COLOR") or shows_colours else PLAIN


@contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Progress]:
    """A bar on stderr with the file that is read, if a person is looking. It is drawn from the first call on."""
    if quiet or not is_terminal(sys.stderr):
        yield no_progress
        return
    with ExitStack() as stack:
        bar = None

        def show(path: str, number: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                drawn = click.progressbar(
                    length=total, item_show_func=_shown, show_pos=True, show_eta=False, width=BAR, file=sys.stderr
                )
                bar = stack.enter_context(drawn)
            bar.update(number + 1 - bar.pos, path)
            click.echo(SHOW_CURSOR, nl=False, err=True)  # click hides it, and a process that is killed leaves it so

        yield show


def _shown(path: str | None) -> str | None:
    """A path that acts on no terminal, cut from the left to what a line has room for."""
    room = max(shutil.get_terminal_size().columns - BAR - COUNTS, 8)
    shown = path and "".join(one if one.isprintable() else "?" for one in path)
    return shown if not shown or len(shown) <= room else "…" + shown[1 - room :]
