"""`python -m tests.campaign`: damages files by chance and holds the tool to what docs/reliability.md promises.

    python -m tests.campaign --minutes 60 --seed 1 --state campaign.json --workers 2
    python -m tests.campaign --inputs 2000 --seed 7
    python -m tests.campaign --seed 1 --only 4711     one input again, with all that is known of it

It goes on from its state file. The exit status is 1 if anything failed.
"""

import argparse
import shlex
import sys
from pathlib import Path

from tests.campaign.campaign import Campaign, Settings, State
from tests.campaign.coverage import render
from tests.campaign.draw import draw
from tests.campaign.failures import Failure, write_case
from tests.campaign.material import make_material


def main() -> int:
    """Read the arguments, run, and print the failures and the table."""
    options = _parser().parse_args()
    if options.only is not None:
        return _one(options.seed, options.only, options.failures)
    if options.inputs is None and options.minutes is None:
        options.minutes = 60.0
    settings = Settings(options.seed, options.inputs, options.minutes, options.workers, options.state, options.failures)
    state = Campaign(settings, lambda line: print(line, flush=True)).run()
    print("\n".join(["", *(one.line() for one in state.failures.values()), "", render(state)]))
    if state.seconds:
        rates = f"{state.next / state.seconds:.1f} inputs and {state.calls / state.seconds:.1f} calls a second"
        print(f"{rates} with {options.workers} workers in {state.seconds:.0f} s")
    return 1 if state.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign", description="Damage files and hold the tool to its promises."
    )
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same inputs (1)")
    parser.add_argument("--inputs", type=int, metavar="N", help="end before input number N")
    parser.add_argument("--minutes", type=float, help="end after this time (60, without --inputs)")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--state", type=Path, metavar="FILE", help="where to go on from, and to keep how far it is")
    parser.add_argument(
        "--failures",
        type=Path,
        metavar="FOLDER",
        default=Path("campaign-failures"),
        help="where a case is written for each distinct failure (campaign-failures)",
    )
    parser.add_argument(
        "--only", type=int, metavar="N", help="write the files of input N, as they were drawn, and run it"
    )
    return parser


def _one(seed: int, number: int, folder: Path) -> int:
    """One input as it was drawn: its files in a folder, and what is broken."""
    trial = draw(make_material(), seed, number)
    shown = Failure(trial.invariant, "", "", seed, number, trial.verb, trial.kind, trial.container)
    print(f"{write_case(folder, trial, shown)}: sharedtask {shlex.join(trial.args)}")
    print(f"{trial.target}: {', '.join(trial.mutations) or 'nothing done'}; invariant: {trial.invariant}")
    state: State = Campaign(Settings(seed, number + 1, failures=folder), print).run_one(number)
    return 1 if state.failures else 0


if __name__ == "__main__":
    sys.exit(main())
