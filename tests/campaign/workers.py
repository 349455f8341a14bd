"""Worker processes as the parent sees them: each trial within its time and memory, a new process after a crash."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.campaign.invariants import THREADS, Broken
from tests.campaign.trial import Trial

CALL_SECONDS = 10.0
"""The time limit of one call: of the processor, so that a busy machine breaks nothing; a call that waits has six times as long."""
WAITING = 6
MOST_MB = 3072  # a process that takes more is ended at once
LIFE = 400  # trials; then a new process, so that what one leaves behind does not add up
START_SECONDS = 120.0
LOOK_SECONDS = 0.25
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a trial; `about` says what it covered, `calls` how often the tool was called for it."""

    about: dict[str, str] = field(default_factory=dict)
    broken: tuple[Broken, ...] = ()
    digest: str = ""
    calls: int = 0
    status: int | None = None


class Worker:
    """One process with a number of query threads, started when it is first needed."""

    def __init__(
        self, material: Path, threads: int = 1, faults: Sequence[str] = (), seconds: float = CALL_SECONDS
    ) -> None:
        self.material, self.threads, self.faults, self.seconds = material, threads, faults, seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.served = 0
        self.rest = b""

    def ask(self, what: dict[str, Any]) -> Outcome:
        """Send a trial, or its seed and number, and wait for what came of it."""
        process = self._running()
        about: dict[str, str] = {}
        calls = 0
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(what).encode() + b"\n")
            process.stdin.flush()
        started, used = time.monotonic(), self._processor_seconds(process)
        while True:
            line = self._line(process)
            if line is None:
                failed = self._overrun(process, time.monotonic() - started, self._processor_seconds(process) - used)
                if failed is not None:
                    self.close()
                    return Outcome(about, (failed,), calls=calls)
            elif line == b"":
                return Outcome(about, (self._crashed(process),), calls=calls)
            else:
                said = json.loads(line)
                if "broken" in said:
                    self.served += 1
                    broken = tuple(Broken(**one) for one in said["broken"])
                    return Outcome(about, broken, said["digest"], calls, said["status"])
                about, calls = said.get("about", about), calls + ("started" in said)
                started, used = time.monotonic(), self._processor_seconds(process)

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()
            self.process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.served >= LIFE:
            self.close()
            self.served, self.rest = 0, b""
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.campaign.worker", str(self.material), *self.faults],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env={**_environment(), "POLARS_MAX_THREADS": str(self.threads), "PYTHONPATH": path},
            )
        return self.process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """The next line, None where there is none yet, empty at the end."""
        assert process.stdout is not None
        if b"\n" not in self.rest:
            if not select.select([process.stdout], [], [], LOOK_SECONDS)[0]:
                return None
            more = os.read(process.stdout.fileno(), 1 << 16)
            if not more:
                return b""
            self.rest += more
        if b"\n" not in self.rest:
            return None
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def _overrun(self, process: subprocess.Popen[bytes], waited: float, worked: float) -> Broken | None:
        allowed = self.seconds if self.served else max(self.seconds, START_SECONDS)
        if worked > allowed or waited > allowed * WAITING:
            return Broken("time", f"{worked:.0f} s of work in {waited:.0f} s", "slow" if worked > allowed else "waits")
        if (megabytes := self._megabytes(process)) > MOST_MB:
            return Broken("memory", f"{megabytes} MB", "ended")
        return None

    def _crashed(self, process: subprocess.Popen[bytes]) -> Broken:
        status = process.wait()
        self.close()
        return Broken("crash", f"the process ended with status {status}", str(status))

    @staticmethod
    def _processor_seconds(process: subprocess.Popen[bytes]) -> float:
        with suppress(OSError, IndexError, ValueError):
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0

    @staticmethod
    def _megabytes(process: subprocess.Popen[bytes]) -> int:
        with suppress(OSError, IndexError, ValueError):
            return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
        return 0


class Lane:
    """A worker, and beside it one with more query threads, for trials that compare the two."""

    def __init__(self, material: Path, faults: Sequence[str] = (), seconds: float = CALL_SECONDS) -> None:
        self.one = Worker(material, 1, faults, seconds)
        self.four = Worker(material, 4, faults, seconds)

    def try_number(self, seed: int, number: int) -> Outcome:
        """The outcome of the trial that a seed and a number make."""
        return self._tried({"seed": seed, "number": number})

    def try_trial(self, trial: Trial) -> Outcome:
        """The outcome of a trial."""
        return self._tried({"trial": trial.to_json()})

    def _tried(self, what: dict[str, Any]) -> Outcome:
        outcome = self.one.ask(what)
        if outcome.broken or outcome.about.get("invariant") != THREADS:
            return outcome
        other = self.four.ask(what)
        both = replace(other, calls=other.calls + outcome.calls)
        if other.broken or other.digest == outcome.digest:
            return both
        message = "another result with four threads than with one"
        return replace(both, broken=(Broken(THREADS, message, outcome.about["verb"]),))

    def close(self) -> None:
        """End both processes."""
        self.one.close()
        self.four.close()


def _environment() -> dict[str, str]:
    """The environment without what changes the output of the tool."""
    changing = ("GITHUB_", "NO_COLOR", "FORCE_COLOR", "POLARS_", "COLUMNS", "SHAREDTASK")
    return {name: value for name, value in os.environ.items() if not name.startswith(changing)}
