"""Make a FLARES train file as CSV and as its canonical table.

    python benchmarks/inputs/articles.py --rows 1585 --out FOLDER

The same number of rows gives the same bytes.
"""

import argparse
from pathlib import Path

from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.sample import sample


def main() -> None:
    parser = argparse.ArgumentParser(description="Make 5w1h_subtask_1_train.csv and 5w1h_subtask_1_train.parquet.")
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    given = parser.parse_args()
    sample("flares", given.out, given.rows)
    convert([given.out / "5w1h_subtask_1_train.csv"], given.out)


if __name__ == "__main__":
    main()
