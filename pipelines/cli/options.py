"""Options that several commands share, and the way a result leaves the tool."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sharedtask.converters.errors import UnwritableError, reason
from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.configuration import ignored_rules
from sharedtask.pipelines.cli.exit_status import status_of
from sharedtask.pipelines.cli.terminal import palette_for
from sharedtask.pipelines.render import FORMATS, render
from sharedtask.pipelines.render.colour import PLAIN
from sharedtask.pipelines.render.phrases import visible
from sharedtask.pipelines.render.text import render as render_text
from sharedtask.pipelines.render.text import render_verdict
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.rule import Severity

Command = Callable[..., Any]
Option = Callable[[Command], Command]

MOST = 10**9  # of what is counted in an option
OUTPUT_FILE = click.option(
    "--output-file",
    type=click.Path(),
    metavar="FILE",
    help="Write the result to FILE, not to stdout.",
)

ESCAPE_FORMULAS = click.option(
    "--escape-formulas",
    is_flag=True,
    help="In a CSV, write an apostrophe before each text that a spreadsheet would take for a formula.",
)


def _stacked(options: Sequence[Option], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def limit_options(command: Command) -> Command:
    """`--max-findings`, `--max-bytes` and `--sheet`, which the command gets as one object, `limits`."""

    @wraps(command)
    def limited(max_findings: int, max_bytes: int | None, sheet: str | None, **options: Any) -> Any:
        return command(limits=Limits.of(max_findings, max_bytes, sheet), **options)

    samples, size = "Most findings that are listed for each rule.", "Largest field, in bytes.  [default: 64 MiB]"
    options = [
        click.option("--max-findings", type=click.IntRange(0, MOST), default=20, show_default=True, help=samples),
        click.option("--max-bytes", type=click.IntRange(1, 2**40), help=size),
        click.option(
            "--sheet", metavar="NAME", help="Sheet of a workbook: its name, or its number from 1.  [default: the first]"
        ),
    ]
    return _stacked(options, limited)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and how: `path` is a file, stdout where it is None.

    It is checked before any work is done.
    """

    form: str
    path: str | None
    fail_on: str = Severity.ERROR
    quiet: bool = False
    verbose: bool = False
    ignored: Sequence[str] = ()

    def spare(self, *read: str | Path | None, out: str | Path | None = None) -> None:
        """Raise UnusableError if the result cannot be written, or would overwrite an input or the output `out`."""
        if self.path is not None:
            from sharedtask.converters.outputs import Outputs  # here only: most results go to stdout

            outputs = Outputs(path for path in read if path is not None)
            for path in (out, self.path):
                if path is not None:
                    outputs.file(path)


def report_options(command: Command) -> Command:
    """The options of every verb that reports. The command gets `limits` and a `Destination`, `output`."""

    @wraps(command)
    def reporting(
        form: str,
        output_file: str | None,
        fail_on: str,
        verbose: bool,
        quiet: bool,
        ignore: tuple[str, ...],
        config: str | None,
        **options: Any,
    ) -> Any:
        ignored = [*ignore, *ignored_rules(config)]
        if ignored:
            Report("").ignore(ignored)  # raises for a rule that there is not, before any work is done
        return command(output=Destination(form, output_file, fail_on, quiet, verbose, ignored), **options)

    how, severe = "Format of the report.", "Lowest severity that makes the exit status 1."
    options = [
        click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help=how),
        OUTPUT_FILE,
        click.option(
            "--fail-on", type=click.Choice(["error", "warning"]), default="error", show_default=True, help=severe
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="RULE",
            help="Count the findings of RULE apart, and show none of them. What makes a file does not pass an error by it. May be repeated.",
        ),
        click.option(
            "--config",
            metavar="FILE",
            help="Settings.  [default: sharedtask.toml, or [tool.sharedtask] of pyproject.toml, in the working directory]",
        ),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="In a text report, list findings without grouping them, and explain each rule.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="Show no progress, and only the verdict of a text report."),
    ]
    return limit_options(_stacked(options, reporting))


def result_options(formats: Sequence[str]) -> Option:
    """`--format` and `--output-file` of a verb whose result is more than a report.

    The command gets a `Destination`, `output`.
    """

    def decorated(command: Command) -> Command:
        @wraps(command)
        def writing(form: str, output_file: str | None, **options: Any) -> Any:
            return command(output=Destination(form, output_file), **options)

        how = "Format of the result."
        options = [
            click.option("--format", "form", type=click.Choice(formats), default="text", show_default=True, help=how),
            OUTPUT_FILE,
        ]
        return _stacked(options, writing)

    return decorated


def finish(report: Report, output: Destination) -> int:
    """Write the report and return the exit status."""
    report.verbose = output.verbose
    report.fail_on = Severity(output.fail_on)
    report.ignore(output.ignored)
    palette = palette_for(sys.stdout) if output.path is None else PLAIN
    if output.form != "text":
        shown = render(report, output.form)
    elif output.quiet:
        shown = render_verdict(report, palette)
    else:
        shown = render_text(report, palette)
    write_text(shown, output, [one.path for one in report.inputs], report.written)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        _append(Path(summary), render(report, "markdown"))
    return status_of(failed=report.failed)


def write_text(text: str, output: Destination, read: Iterable[str] = (), written: Iterable[str] = ()) -> None:
    """Write a result; never over a file that the call has read, or has written before."""
    if output.path is None:
        _print(text)
        return
    from sharedtask.converters.outputs import Outputs  # here only: most results go to stdout

    outputs = Outputs(read)
    for path in written:
        outputs.file(path)
    with outputs.file(output.path).open() as temporary:
        temporary.write_text(text, encoding="utf-8")


def _print(text: str) -> None:
    """Write to stdout, as text on a terminal, which may not know UTF-8, and as UTF-8 elsewhere."""
    if sys.stdout is None:
        raise UnwritableError("standard output is closed; write the report to a file with --output-file")
    try:
        if sys.stdout.isatty():
            text = text.encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)
            click.echo(text, nl=False, color=True)
        else:
            click.echo(text.encode(), nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnwritableError(f"standard output cannot be written: {reason(error)}") from None


def _append(summary: Path, text: str) -> None:
    """Add to the summary that GitHub Actions shows of a step. A report does not fail for the want of it."""
    try:
        with summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
    except OSError as error:
        click.echo(visible(f"sharedtask: no step summary: {summary}: {reason(error)}"), err=True)
