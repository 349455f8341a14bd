"""Options that several commands share, and the way a report leaves the tool."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sharedtask.pipelines.inputs.progress import Progress, no_progress
from sharedtask.pipelines.render import FORMATS, render
from sharedtask.pipelines.report import Report
from sharedtask.schemas.rule import Severity

Command = TypeVar("Command", bound=Callable[..., Any])


def report_options(command: Command) -> Command:
    """The options of every verb that reports."""
    options = [
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help="How the report is written.",
        ),
        click.option(
            "--output-file",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write the report here, not to stdout.",
        ),
        click.option(
            "--max-findings", type=click.IntRange(0), default=20, show_default=True, help="Samples shown of each rule."
        ),
        click.option("--max-bytes", type=click.IntRange(1), help="Largest field, in bytes.  [default: 64 MiB]"),
        click.option(
            "--fail-on",
            type=click.Choice(["error", "warning"]),
            default="error",
            show_default=True,
            help="What makes the exit status 1.",
        ),
        click.option(
            "-v", "--verbose", is_flag=True, help="In a text report, say what each rule means and what to do."
        ),
        click.option("-q", "--quiet", is_flag=True, help="No progress, and no report unless something fails."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def progress_on_terminal(*, quiet: bool) -> Progress:
    """Show on stderr which file is being read, if a person is looking."""
    if quiet or not sys.stderr.isatty():
        return no_progress

    def show(path: str, number: int, total: int) -> None:
        done = "█" * (20 * number // total) + "░" * (20 - 20 * number // total)
        click.echo(f"\r\x1b[K{done} {number + 1}/{total} {path}", nl=False, err=True)

    return show


def clear_progress(*, quiet: bool) -> None:
    """Take the progress line away again."""
    if not quiet and sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)


def finish(
    report: Report, form: str, output_file: Path | None, fail_on: str, *, quiet: bool, verbose: bool = False
) -> int:
    """Write the report and return the exit status."""
    clear_progress(quiet=quiet)
    report.verbose = verbose
    report.fail_on = Severity(fail_on)
    if report.failed or not quiet:
        write_text(render(report, form), output_file)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        _append(Path(summary), render(report, "markdown"))
    return int(report.failed)


def write_text(text: str, output_file: Path | None) -> None:
    """Write a result to a file, to stdout where none is given."""
    if output_file is None:
        click.echo(text if sys.stdout.isatty() else text.encode(), nl=False)
        return
    from sharedtask.converters.atomic import whole_file

    with whole_file(output_file) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _append(summary: Path, text: str) -> None:
    """Add to the summary that GitHub Actions shows of a step. A report does not fail for the want of it."""
    try:
        with summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
    except OSError as error:
        told = f"sharedtask: no step summary: {summary}: {(error.strerror or str(error)).lower()}"
        click.echo(" ".join(told.split()), err=True)
