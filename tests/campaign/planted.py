"""Faults that the tests of the campaign plant into the tool in a worker process: each has to be found."""

import os
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

MARK = b"poison"
"""What a file has to hold for a planted fault to show, so that there is something to minimise."""


def _before_validate(fault: Callable[[str], object]) -> None:
    """Call a function with each file that holds the mark before `validate` reads it."""
    files: Any = import_module("sharedtask.pipelines.cli.files")
    validate = files.run_validate

    def broken(paths: Any, **options: Any) -> Any:
        for path in paths:
            if MARK in Path(path).read_bytes():
                fault(path)
        return validate(paths, **options)

    files.run_validate = broken


def raises() -> None:
    """An exception that nobody expected."""

    def fault(path: str) -> None:
        raise ZeroDivisionError(f"about {path}")

    _before_validate(fault)


def sleeps() -> None:
    """A call that never ends."""
    _before_validate(lambda path: time.sleep(1000))


def dies() -> None:
    """A crash of native code."""
    _before_validate(lambda path: os.abort())


def warns() -> None:
    """A warning that a user sees."""
    _before_validate(lambda path: warnings.warn("old", UserWarning, stacklevel=1))


def writes_beside() -> None:
    """A file beside the outputs."""
    _before_validate(lambda path: Path("stray").write_bytes(b"x"))


def spoils_its_input() -> None:
    """The input is changed."""
    _before_validate(lambda path: Path(path).write_bytes(b"x"))


def takes_memory() -> None:
    """Far more memory than the file has."""
    _before_validate(lambda path: bytearray(b"x") * 1_200_000_000)


def hides() -> None:
    """`fix` reports no error, and no repair."""
    from sharedtask.pipelines.results import report
    from sharedtask.schemas.rule import Severity

    rules = report.Report.rules

    def fewer(self: Any) -> Any:
        return [one for one in rules(self) if self.verb == "check" or one.severity is not Severity.ERROR]

    report.Report.rules = fewer  # type: ignore[method-assign]


def miscounts() -> None:
    """One format leaves a finding out."""
    options: Any = import_module("sharedtask.pipelines.cli.options")
    render = options.render
    options.render = lambda report, form: "" if form == "jsonl" else render(report, form)
