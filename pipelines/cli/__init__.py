"""The command line.

Click lives here and nowhere else, a module a group of commands, each a few lines over one public function.
"""

import atexit
import gc
import os
import signal
import sys
from importlib import import_module

import click

from sharedtask.pipelines.cli.exit_status import exit_status
from sharedtask.pipelines.cli.signals import Interrupted, end, watching

# Command -> its module and the line that `--help` shows. Nothing heavy is imported until a command is called.
COMMANDS = {
    "validate": ("files", "Check files against the rules for their kinds."),
    "convert": ("files", "Check files and write them as canonical tables."),
    "export": ("releases", "Write a table back in a published format."),
    "derive": ("releases", "Derive a file from other files of the task, following the published rule."),
    "diff": ("releases", "List what changed between two releases of a file."),
    "check": ("runs", "Check a run against its reference before upload."),
    "fix": ("runs", "Apply the safe repairs to a run."),
    "template": ("runs", "Write a valid run that predicts nothing."),
    "pack": ("runs", "Pack a run into the archive that its task expects."),
    "score": ("scores", "Score a run against its gold with a published scorer."),
    "compare": ("scores", "Compare two runs against the same gold."),
    "baseline": ("scores", "Make a baseline run, without a model, to compare against."),
    "splits": ("splits", "Find leaks between splits, or make leak-free splits."),
    "card": ("card", "Write a data set card for a folder of files."),
    "job": ("job", "Run a job file: many inputs through several steps."),
    "schemas": ("catalogue", "List the file kinds, or describe one."),
    "rules": ("catalogue", "List the rules."),
    "explain": ("catalogue", "Explain a rule: what it means, why it matters, what to do."),
    "sample": ("sample", "Make synthetic files in the documented formats."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            if ctx.resilient_parsing:
                return None
            raise click.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx)
        command = getattr(import_module(f"sharedtask.pipelines.cli.{COMMANDS[name][0]}"), name.replace("-", "_"))
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        _check_threads(os.environ.get("POLARS_MAX_THREADS"))
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # click would write an empty line
            raise Interrupted(signal.SIGINT) from None
        except BrokenPipeError:  # click would leave with status 1
            raise Interrupted(signal.SIGPIPE) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from sharedtask.pipelines.results.report import tool_version

        click.echo(f"sharedtask {tool_version()}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Check, convert, repair and score the files of shared tasks: FLARES, CHEERS, ReINTEL."""


def main() -> None:
    """Run the command line; a user sees one line for what cannot be done, and never a traceback."""
    atexit.register(gc.freeze)  # the interpreter takes leave in half the time if it does not look for garbage first
    _fill_closed_streams()
    try:
        with watching() as watch:
            status = exit_status(lambda: cli.main(standalone_mode=False), watch)
    except Interrupted as ended:
        end(watch.received or ended.number)
    sys.exit(status)


def _check_threads(number: str | None) -> None:
    """Polars panics at 0, and ignores what is not a number."""
    if number is not None and not (number.isascii() and number.isdigit() and int(number)):
        raise click.UsageError(f"POLARS_MAX_THREADS is {number!r}; expected a number from 1")


def _fill_closed_streams() -> None:
    """Put something in the place of standard streams that the caller closed.

    Else the next file that is opened gets the number of one of them, and what a library says ends up in that file.
    """
    for number, way in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)):  # so that it cannot be used by mistake
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, way)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives
