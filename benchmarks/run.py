"""Measure what design and issues promise of speed, beside what others need for the same work, and write it down.

    python benchmarks/run.py                        # all of it, at full size, into benchmarks/RESULTS.md
    python benchmarks/run.py --size smoke           # only whether it runs
    python benchmarks/run.py --only converting jobs # parts of it, to standard output

The inputs are made first, in a folder that is deleted again. Commands that are compared run in turns, and a ratio is taken round by
round. A section that fails is told in the results, the others are measured all the same, and the exit status is 1.
"""

import argparse
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from machine import machine
from report import Budget, Section
from sections.checking import checking
from sections.converting import converting, converting_large
from sections.faults import posts_faults, sentences_faults, shape_faults
from sections.growing import growing
from sections.jobs import cheers_job, flares_job
from sections.peers import frictionless, pandera
from sections.scoring import matching, ranking
from sections.starting import starting
from setting import HERE, SIZES, Setting

SECTIONS: dict[str, Callable[[Setting], Section]] = {
    "converting": converting,
    "converting-large": converting_large,
    "checking": checking,
    "matching": matching,
    "ranking": ranking,
    "starting": starting,
    "pandera": pandera,
    "frictionless": frictionless,
    "cheers-job": cheers_job,
    "flares-job": flares_job,
    "growing": growing,
    "sentences-faults": sentences_faults,
    "posts-faults": posts_faults,
    "shape-faults": shape_faults,
}
LARGE = {"converting-large"}
RESULTS = HERE / "RESULTS.md"
HOW = """Made by `python benchmarks/run.py{options}` on invented data. Each number is the median of {rounds} rounds, unless a section says
otherwise, with the range behind it; memory is the highest peak of a process. Commands that are compared ran in turns, on files that were in
the memory of the system, and ratios were taken round by round."""


def markdown(given: argparse.Namespace, sections: list[Section]) -> str:
    """All results so far."""
    options = "".join(
        [
            f" --size {given.size}" if given.size != "full" else "",
            " --large" if given.large else "",
            f" --only {' '.join(given.only)}" if given.only else "",
        ]
    )
    budgets: list[Budget] = [budget for section in sections for budget in section.budgets]
    met = f"{sum(budget.met for budget in budgets)} of {len(budgets)} budgets are met.\n"
    if given.size != "full":
        met = "The inputs are far too small for the budgets: this tells only that everything runs.\n"
    head = [
        "# How fast, and how much memory\n",
        machine(),
        HOW.format(options=options, rounds=given.rounds) + "\n",
        met,
    ]
    return "\n".join([*head, *(section.markdown() for section in sections)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure sharedtask beside other tools.")
    parser.add_argument("--size", choices=SIZES, default="full", help="how large the inputs are (default full)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="NAME", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--large", action="store_true", help="the 10 GB file, too: 20 GB of disk, some minutes")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command is run (default 5)")
    parser.add_argument("--scratch", type=Path, help="an existing folder for the inputs; they are deleted either way")
    parser.add_argument(
        "--results", type=Path, help="the file to write (default RESULTS.md here, unless --only is given)"
    )
    given = parser.parse_args()
    results = given.results or (None if given.only or given.size != "full" else RESULTS)
    wanted = given.only or [name for name in SECTIONS if given.large or name not in LARGE]
    done: list[Section] = []
    failed = False
    for name in wanted:
        print(f"== {name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=given.scratch, prefix="sharedtask-benchmark-") as folder:
            setting = Setting(Path(folder), SIZES[given.size], given.rounds)
            try:
                done.append(SECTIONS[name](setting))
            except Exception as error:
                traceback.print_exc()
                done.append(Section(name, f"This section failed: {error}"))
                failed = True
        if results:
            results.write_text(markdown(given, done), encoding="utf-8")
    print(markdown(given, done), end="")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
