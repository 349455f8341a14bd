"""Run whole commands in turns, and tell their time and peak memory.

This process must stay small: on Linux a child that has just been started counts the peak of its parent as its own, so inputs
are made in a process of their own too, and nothing heavy is imported here.
"""

import os
import platform
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Case:
    """A command with the exit status that it must have."""

    name: str
    command: Sequence[str]
    status: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command: seconds on the clock, seconds of the processors, and peak memory in bytes."""

    wall: float
    cpu: float
    peak: int


def tool() -> str:
    """The `sharedtask` of this Python."""
    return str(Path(sysconfig.get_path("scripts")) / "sharedtask")


def run_once(case: Case) -> Run:
    """Run a command to its end. Raises RuntimeError where its exit status is not the one that is wanted."""
    started = time.perf_counter()
    with subprocess.Popen(case.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        told = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != case.status:
        raise RuntimeError(f"{case.name} ended with {process.returncode}, not {case.status}: {told.decode()[-2000:]}")
    per_unit = 1 if sys.platform == "darwin" else 1024
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * per_unit)


def interleaved(cases: Sequence[Case], rounds: int) -> dict[str, list[Run]]:
    """Run each case once a round, so that a change of the machine's load meets all of them."""
    runs: dict[str, list[Run]] = {case.name: [] for case in cases}
    for number in range(rounds):
        for case in cases:
            print(f"round {number + 1} of {rounds}: {case.name}", file=sys.stderr)
            runs[case.name].append(run_once(case))
    return runs


def table(runs: Mapping[str, Sequence[Run]], yardsticks: Mapping[str, Sequence[str]]) -> str:
    """The medians as a Markdown table; `yardsticks` names the cases that a case is divided by, round by round."""
    compared = list(dict.fromkeys(name for names in yardsticks.values() for name in names))
    heads = ["command", "seconds", "range", "CPU seconds", "peak MB", *(f"/ {name}" for name in compared)]
    lines = [" | ".join(heads), " | ".join("---" for _ in heads)]
    for name, some in runs.items():
        walls = [run.wall for run in some]
        cells = [
            name,
            f"{median(walls):.2f}",
            f"{min(walls):.2f}-{max(walls):.2f}",
            f"{median(run.cpu for run in some):.2f}",
            f"{max(run.peak for run in some) / 1e6:.0f}",
        ]
        for other in compared:
            wanted = other in yardsticks.get(name, ())
            cells.append(_ratio(some, runs[other]) if wanted else "")
        lines.append(" | ".join(cells))
    return "\n".join(f"| {line} |" for line in lines) + "\n"


def _ratio(runs: Sequence[Run], yardstick: Sequence[Run]) -> str:
    ratios = [run.wall / other.wall for run, other in zip(runs, yardstick, strict=True)]
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def machine(*packages: str) -> str:
    """What the numbers were measured on."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}, {versions}"
