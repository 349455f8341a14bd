"""Make labels and scores for ROC-AUC: `score` has nearly no two values equal, `rounded` has 4 decimals.

    python benchmarks/inputs/scores.py --rows 10000000 --out FOLDER

The same number of rows gives the same table.
"""

import argparse
from pathlib import Path

import polars as pl

from sharedtask.pipelines.samples.text import Dice, numbered


def main() -> None:
    parser = argparse.ArgumentParser(description="Make scores.parquet.")
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="an existing folder to write to")
    given = parser.parse_args()
    dice = Dice(seed=0)
    label = dice.chance("label", 17).cast(pl.Int8)
    fraction = dice.bits("score") / 2.0**64
    rows = numbered(given.rows).lazy().select(label=label, score=(fraction * 0.8 + label * 0.2).clip(0, 1))
    rows.with_columns(rounded=pl.col("score").round(4)).sink_parquet(given.out / "scores.parquet")


if __name__ == "__main__":
    main()
