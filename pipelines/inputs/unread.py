"""Files of a call that cannot be read: the others are reported all the same."""

from collections.abc import Iterator
from contextlib import contextmanager

from sharedtask.converters.errors import UnknownKindError, UnusableError, UnwritableError
from sharedtask.pipelines.inputs.paths import Named
from sharedtask.pipelines.results.report import Report
from sharedtask.schemas.rule import At, Severity, tally_one
from sharedtask.schemas.rules.fmt_damage import UNREAD


class UnreadError(UnusableError):
    """Some of the named files could not be read; `report` has what was found in the others."""

    def __init__(self, why: str, report: Report) -> None:
        super().__init__(why)
        self.report = report


class Unread:
    """Collects what cannot be read: a finding for each file, and an error at the end for those that were named."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.named: list[UnusableError] = []

    @contextmanager
    def noted(self, file: Named) -> Iterator[None]:
        """Go on where this file cannot be read; lets UnwritableError through, which is no fault of the file."""
        try:
            yield
        except UnwritableError:
            raise
        except UnusableError as error:
            is_named = file.place is None
            if is_named:
                self.named.append(error)
            is_foreign = isinstance(error, UnknownKindError) and not is_named
            severity = Severity.WARNING if is_foreign else Severity.ERROR
            why = str(error).removeprefix(f"{file.path}: ")
            self.report.add([tally_one(UNREAD, At(file.path), severity=severity, why=why)])

    def raise_named(self, files: int) -> None:
        """Raise the error of the named files that could not be read, if there are any; of one file it is its own."""
        if not self.named:
            return
        if files == 1:
            raise self.named[0]
        why = "; ".join(map(str, self.named))
        raise UnreadError(why, self.report) from None
