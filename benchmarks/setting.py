"""How large the inputs are, and what every section needs: a folder, its inputs, and runs in turns."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from measure import Case, Run, interleaved, run_once, tool

HERE = Path(__file__).resolve().parent
SENTENCE_BYTES = 198  # of a row of a sentences file, as it comes out


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of rows, unless the name says otherwise."""

    sentences: int
    large: int
    run: int
    articles: int
    scores: int
    failing: int
    read_by_frictionless: int
    run_files: int
    processes: int
    growth: tuple[int, ...]
    dense: int
    line_bytes: int
    columns: int
    values: int


SIZES = {
    "smoke": Size(
        sentences=5_000,
        large=20_000,
        run=10_000,
        articles=60,
        scores=20_000,
        failing=1_000,
        read_by_frictionless=500,
        run_files=20,
        processes=2,
        growth=(1_000, 10_000),
        dense=2_000,
        line_bytes=70_000_000,  # above the limit of a field
        columns=1_000,
        values=1_000,
    ),
    "full": Size(
        sentences=10**9 // SENTENCE_BYTES,
        large=10**10 // SENTENCE_BYTES,
        run=10**7,
        articles=1_585,
        scores=10**7,
        failing=10**6,
        read_by_frictionless=10**5,
        run_files=2_000,
        processes=20,
        growth=(10**4, 10**5, 10**6, 10**7),
        dense=10**6,
        line_bytes=500_000_000,
        columns=10**6,
        values=10**5,
    ),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a section works, how large, and how often."""

    folder: Path
    size: Size
    rounds: int
    large: bool = False

    def make(self, maker: str, *options: object, out: str = ".") -> Path:
        """Have a script of `inputs/` make files in a folder; the folder."""
        folder = self.folder / out
        folder.mkdir(parents=True, exist_ok=True)
        command = [*script(f"inputs/{maker}.py"), *map(str, options), "--out", str(folder)]
        print(f"making: {maker} {' '.join(map(str, options))}", file=sys.stderr, flush=True)
        run_once(Case(f"making {maker}", command))
        return folder

    def warm_up(self, cases: Sequence[Case]) -> None:
        """Run cases once and forget it, so that files are in the memory of the system and modules are compiled for the first round, too."""
        interleaved(cases, 1)

    def measure(self, cases: Sequence[Case], *, times: int = 1) -> dict[str, list[Run]]:
        """Run cases in turns, `times` as many rounds as are wanted elsewhere: short commands vary more."""
        return interleaved(cases, self.rounds * times)


def script(name: str) -> list[str]:
    """The command that runs a script of this folder."""
    return [sys.executable, str(HERE / name)]


def ours(verb: str, *options: object) -> list[str]:
    """The command that runs a verb of `sharedtask`."""
    return [tool(), verb, *map(str, options)]


def is_installed(package: str) -> bool:
    """Whether a yardstick that is a package of its own can be run."""
    return find_spec(package) is not None


def left_out(package: str) -> str:
    """The line of the results for a yardstick that cannot be run."""
    return f"{package} is not installed, so its rows are left out.\n"
