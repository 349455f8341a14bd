"""Make ReINTEL posts files: `clean.csv`, and `many.csv`, where every row breaks ten rules or more.

    python benchmarks/inputs/posts.py --rows 1000000 --out FOLDER

The same number of rows gives the same bytes.
"""

import argparse
from pathlib import Path

import polars as pl

from sharedtask.pipelines.verbs.sample import sample

# Mojibake, a control, a replacement character, a line separator, and a letter that is not NFC.
_ODD = "Tin má»›i\x07 \ufffd\u2028e\u0323 "
FAULTS = {
    "id": pl.format("{}.5E+03", "id"),
    "user_name": pl.lit("1.5E+18"),
    "post_message": pl.concat_str(pl.lit(_ODD), pl.col("post_message").fill_null("")),
    "timestamp_post": pl.lit("1494087868000"),  # milliseconds, and not in the months of the task
    "num_like_post": pl.lit("54 like"),
    "num_comment_post": pl.lit("unknown"),
    "num_share_post": pl.lit("x y"),
    "label": pl.lit("2"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make clean.csv and many.csv.")
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="an existing folder to write to")
    given = parser.parse_args()
    sample("reintel", given.out, given.rows)
    clean = (given.out / "public_train.csv").rename(given.out / "clean.csv")
    pl.scan_csv(clean, infer_schema=False).with_columns(**FAULTS).sink_csv(given.out / "many.csv")


if __name__ == "__main__":
    main()
