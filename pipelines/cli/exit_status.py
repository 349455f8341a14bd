"""The exit status: 0 no error, 1 errors found, 2 usage error or the tool could not run, 130 interrupted.

What counts as failed (`--fail-on`) is decided in `results/verdict.py`.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress

import click

OK, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130


def status_of(*, failed: bool) -> int:
    """The status of a command that did its work."""
    return FAILED if failed else OK


def exit_status(command: Callable[[], object]) -> int:
    """Run a command that returns its status; what it raises is one line on stderr and the status for it."""
    try:
        status = command()
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return UNUSABLE
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return INTERRUPTED
    except Exception as error:
        click.echo(_one_line(error), err=True)
        return UNUSABLE
    return status if isinstance(status, int) else OK


def leave(status: int) -> None:
    """End the process with this status."""
    if status == INTERRUPTED:
        _leave_at_once(status)
    sys.exit(status)


def _leave_at_once(status: int) -> None:
    """End without waiting for the threads of a query that was interrupted.

    They would touch what is taken down around them, and crash.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a pipe that nobody reads any more
            stream.flush()
    os._exit(status)


def _one_line(error: Exception) -> str:
    from sharedtask.converters.errors import UnusableError
    from sharedtask.pipelines.render.phrases import visible

    text = visible(" ".join(str(error).split()), 500)
    if isinstance(error, UnusableError):
        return f"sharedtask: {text}"
    return f"sharedtask: internal error, please report it: {type(error).__name__}: {text}"
