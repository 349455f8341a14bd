"""The exit status: 0 no error, 1 errors found, 2 usage error or the tool could not run, 128 + the number of a signal.

What counts as failed (`--fail-on`) is decided in `results/verdict.py`, what a signal does in `signals.py`.
"""

import signal
from collections.abc import Callable
from io import StringIO

import click

from sharedtask.pipelines.cli.signals import Interrupted, Watch

OK, FAILED, UNUSABLE = 0, 1, 2


def status_of(*, failed: bool) -> int:
    """The status of a command that did its work."""
    return FAILED if failed else OK


def exit_status(command: Callable[[], object], watch: Watch) -> int:
    """Run a command that returns its status; what it raises is one line on stderr and the status for it.

    Raises Interrupted where a signal ended the command.
    """
    try:
        status = command()
    except click.ClickException as error:
        said = StringIO()
        error.show(said)
        click.echo(_shown(said.getvalue()), err=True)
        return UNUSABLE
    except (KeyboardInterrupt, click.exceptions.Abort):
        raise Interrupted(watch.received or signal.SIGINT) from None
    except BrokenPipeError:
        raise Interrupted(signal.SIGPIPE) from None
    except BaseException as error:
        if isinstance(error, Interrupted | SystemExit | GeneratorExit):
            raise
        if watch.noticed:  # a library made this of the interrupt
            raise Interrupted(watch.received) from None
        click.echo(_one_line(error), err=True)
        return UNUSABLE
    return status if isinstance(status, int) else OK


def _shown(message: str) -> str:
    """What click says, which may repeat an argument."""
    lines = message.rstrip("\n").split("\n")
    if not all(line.isprintable() and "##[" not in line for line in lines):
        from sharedtask.pipelines.render.phrases import visible  # here only, since it imports much

        lines = list(map(visible, lines))
    return "\n".join(lines)


def _one_line(error: BaseException) -> str:
    from sharedtask.converters.errors import UnusableError, of_the_world
    from sharedtask.pipelines.render.phrases import visible

    known = str(error) if isinstance(error, UnusableError) else of_the_world(error)
    text = visible(" ".join((known or str(error)).split()), 500)
    if known:
        return f"sharedtask: {text}"
    return f"sharedtask: internal error, please report it: {type(error).__name__}: {text}"
