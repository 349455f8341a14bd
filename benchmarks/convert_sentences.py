"""How long `sharedtask convert` takes on a sentences file, beside a bare Polars scan and sink of the same file.

    python benchmarks/convert_sentences.py --size 1.0

The file is made first (see `sentences.py`), clean and with the same fault in every row. Then each command is run as a whole process,
in turns, and the medians are printed as a table: the time of the clean file over that of bare Polars (at most 1.75, the aim is 1.5), that
of a faulty file over that of the clean one (at most 1.3), and the peak memory (at most 1 GB).
"""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import Case, interleaved, machine, run_once, table, tool

BARE = "import sys, polars as pl; pl.scan_csv(sys.argv[1]).sink_parquet(sys.argv[2])"
FAULTS = {
    "value": "a wrong value in every row",
    "long": "a field too many in every row",
    "short": "a field too few in every row",
}


def report(folder: Path, size: float, rounds: int) -> str:
    """Make the inputs in `folder`, measure, and tell it as Markdown."""
    maker = Path(__file__).with_name("sentences.py")
    run_once(Case("making the inputs", [sys.executable, str(maker), "--size", str(size), "--out", str(folder)]))
    clean = folder / "clean.csv"
    cases = [
        Case("bare Polars", [sys.executable, "-c", BARE, str(clean), str(folder / "bare.parquet")]),
        Case("clean", _convert(clean)),
        *(Case(told, _convert(folder / f"{name}.csv"), status=1) for name, told in FAULTS.items()),
    ]
    interleaved(cases[:1], rounds=1)  # so that the clean file is in the memory of the system for the first round, too
    runs = interleaved(cases, rounds)
    yardsticks = {"clean": ["bare Polars"], **{told: ["clean"] for told in FAULTS.values()}}
    heading = f"convert of a sentences CSV, {clean.stat().st_size / 1e9:.2f} GB, median of {rounds} rounds\n"
    return f"{heading}{machine('polars', 'pandera', 'sharedtask')}\n\n{table(runs, yardsticks)}"


def _convert(file: Path) -> list[str]:
    return [tool(), "convert", str(file), "--out", str(file.parent / "out"), "--quiet"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time `sharedtask convert` beside bare Polars.")
    parser.add_argument("--size", type=float, default=1.0, help="GB of the input (default 1.0)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each command is run (default 3)")
    parser.add_argument("--scratch", type=Path, help="an existing folder for the inputs; they are deleted either way")
    parser.add_argument("--results", type=Path, help="write the table to this file, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.scratch, prefix="sharedtask-benchmark-") as folder:
        text = report(Path(folder), given.size, given.rounds)
    print(text, end="")
    if given.results:
        given.results.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
