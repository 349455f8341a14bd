"""The files that one call reads: each is opened once, judged, and listed in the report."""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.converters.opening import Opened, open_input, sniff_input, unread_findings
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.source import STDIN, open_source
from sharedtask.pipelines.inputs.judge import Judged, judge_input, stopping
from sharedtask.pipelines.results.report import Input, Report
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Role

ROLES = {"run": Role.RUN, "reference": Role.REFERENCE, "also": Role.ALSO}


class Inputs:
    """Opens the files of one call, judges them, and adds what was found and a line for each file to the report.

    The lines are in the order in which files were opened. Every file is closed when the block ends.
    """

    def __init__(self, report: Report, limits: Limits) -> None:
        self.report, self.limits = report, limits
        self._files = ExitStack()
        self._lines: list[tuple[Sniffed, int]] = []  # the files, and the number of their line in the report

    def __enter__(self) -> "Inputs":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            for sniffed, at in self._lines:
                self.report.inputs[at] = replace(self.report.inputs[at], sha256=sniffed.source.sha256)
        self._files.__exit__(kind, error, trace)

    def sniff(self, path: str | Path, role: str, *, shown: str | None = None, listed: bool = True) -> Sniffed:
        """Open a file and find out what it holds; `shown` is its path in the report where that is another.

        Raises UnusableError where it cannot be read.
        """
        if str(path) == STDIN and any(sniffed.source.path == STDIN for sniffed, _ in self._lines):
            raise UnusableError("-: standard input can be read only once; name a file for the other input")
        source = self._files.enter_context(open_source(str(path), shown=shown, limit=self.limits.archive_bytes))
        sniffed = sniff_input(source, all_kinds(), self.limits)
        if listed:
            self._lines.append((sniffed, len(self.report.inputs)))
            self.report.inputs.append(Input(role, source.path, None, "", source.size, None))  # hashed meanwhile
        return sniffed

    def open(
        self,
        path: str | Path | Sniffed,
        role: str,
        kinds: Iterable[Kind] | None = None,
        *,
        kind: str | None = None,
        runs_first: bool = False,
    ) -> Opened | None:
        """A file as a table of one of `kinds`, or of any; `kind` names it, else it is detected.

        A file that was sniffed is not opened again.

        None where there is nothing to find in it, which is among the findings then. Raises UnusableError where it
        cannot be read or its kind cannot be detected.
        """
        sniffed = path if isinstance(path, Sniffed) else self.sniff(path, role)
        known = list(all_kinds() if kinds is None else kinds)
        if not sniffed.container:
            self.report.add(unread_findings(sniffed, known, kind), ROLES.get(role, Role.DATA), stops=True)
            self._list(sniffed, kind, 0)
            return None
        opened = open_input(sniffed, known, self.limits, kind=kind, runs_first=runs_first)
        self._list(sniffed, opened.kind.name, None)
        return opened

    def judge(
        self,
        path: str | Path | Sniffed,
        role: str,
        kinds: Iterable[Kind] | None = None,
        *,
        kind: str | None = None,
        runs_first: bool = False,
        only_structure: bool = False,
        **how: Any,
    ) -> Judged | None:
        """Open and judge a file.

        None where there is nothing in it, or, with `only_structure`, where its structure or its keys are wrong.

        What was found is in the report; with `only_structure` it is there only in that case. `how` are arguments of
        `judge_input`.
        """
        sniffed = path if isinstance(path, Sniffed) else self.sniff(path, role)
        opened = self.open(sniffed, role, kinds, kind=kind, runs_first=runs_first)
        if opened is None:
            return None
        return self.take(sniffed, judge_input(opened, **how), role, only_structure=only_structure)

    def judge_opened(self, sniffed: Sniffed, opened: Opened, role: str, **how: Any) -> Judged:
        """Judge a file that was opened; what was found in it is in the report."""
        judged = judge_input(opened, **how)
        self.take(sniffed, judged, role)
        return judged

    def judge_unreported(self, opened: Opened, **how: Any) -> Judged:
        """The same of which nothing is in the report until it is taken."""
        return judge_input(opened, **how)

    def judge_structure(self, sniffed: Sniffed, opened: Opened, role: str, **how: Any) -> Judged | None:
        """The same of which only wrong structure or keys are reported; None where they are wrong."""
        return self.take(sniffed, judge_input(opened, **how), role, only_structure=True)

    def take(self, sniffed: Sniffed, judged: Judged, role: str, *, only_structure: bool = False) -> Judged | None:
        """Add what was found in a judged file to the report, as `judge` does."""
        self._list(sniffed, judged.opened.kind.name, judged.rows)
        stops = stopping(judged)
        party = ROLES.get(role, Role.DATA)
        if only_structure and not stops:
            return judged
        if party is Role.REFERENCE:
            self.report.add([tally for tally in judged.tallies if tally not in stops], party)
            self.report.add(stops, party, stops=True)
        else:
            self.report.add(judged.tallies, party)
        return None if only_structure or (stops and party is Role.REFERENCE) else judged

    def _list(self, sniffed: Sniffed, kind: str | None, rows: int | None) -> None:
        """Say of a file in its line what it is, as far as that is known."""
        for one, at in self._lines:
            if one is sniffed:
                self.report.inputs[at] = replace(self.report.inputs[at], kind=kind, rows=rows)
