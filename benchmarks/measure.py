"""Run whole commands in turns, and tell their time and peak memory.

This process must stay small: on Linux a child that has just been started counts the peak of its parent as its own, so inputs
are made in a process of their own too, and nothing heavy is imported here.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer


@dataclass(frozen=True, slots=True)
class Case:
    """A command with the exit status that it must have, None for any.

    A command that is `timed_inside` loads its data first and prints the seconds of what counts as JSON. `clears` is a folder that is
    removed before each run, so that no run finds what the one before has done. After `limit` seconds the command is stopped.
    """

    name: str
    command: Sequence[str]
    status: int | None = 0
    timed_inside: bool = False
    clears: Path | None = None
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command: seconds on the clock, seconds of the processors, peak memory in bytes, and the exit status."""

    wall: float
    cpu: float
    peak: int
    status: int = 0


def tool() -> str:
    """The `sharedtask` of this Python."""
    return str(Path(sysconfig.get_path("scripts")) / "sharedtask")


def run_once(case: Case) -> Run:
    """Run a command to its end. Raises RuntimeError where its exit status is not the one that is wanted."""
    if case.clears:
        shutil.rmtree(case.clears, ignore_errors=True)
    wanted = subprocess.PIPE if case.timed_inside else subprocess.DEVNULL
    started = time.perf_counter()
    # What is not kept compiled would be compiled in each run, which no installed package is.
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(case.command, stdout=wanted, stderr=subprocess.PIPE, env=surroundings) as process:
        stopper = Timer(case.limit or 0, process.kill)  # which does nothing where the process has ended
        if case.limit:
            stopper.start()
        told = process.stderr.read() if process.stderr else b""
        printed = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        stopper.cancel()
    if case.status is not None and process.returncode != case.status:
        raise RuntimeError(f"{case.name} ended with {process.returncode}, not {case.status}: {told.decode()[-2000:]}")
    seconds = float(json.loads(printed)) if case.timed_inside else wall
    per_unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * per_unit, process.returncode)


def interleaved(cases: Sequence[Case], rounds: int) -> dict[str, list[Run]]:
    """Run each case once a round, so that a change of the machine's load meets all of them."""
    runs: dict[str, list[Run]] = {case.name: [] for case in cases}
    for number in range(rounds):
        for case in cases:
            print(f"round {number + 1} of {rounds}: {case.name}", file=sys.stderr, flush=True)
            runs[case.name].append(run_once(case))
    return runs


def ratios(runs: Sequence[Run], yardstick: Sequence[Run]) -> list[float]:
    """The time of each run over that of the yardstick in the same round."""
    return [run.wall / other.wall for run, other in zip(runs, yardstick, strict=True)]
