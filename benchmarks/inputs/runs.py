"""Make many run files of about 400 rows for one reference, all of them different.

    python benchmarks/inputs/runs.py cheers --runs 2000 --out FOLDER

This makes `reference.csv` (`.jsonl` for FLARES, and without labels `test.jsonl`), the folder `runs` and, for CHEERS, the folder
`faulty`, where each run has one fault.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import polars as pl

from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.converters.flares import write as official
from sharedtask.pipelines.samples.text import Dice
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.sample import sample

CHEERS_ROWS = 400
FLARES_ROWS = 402
SECOND_SPANS = 37  # of 100 rows, which makes about 551 spans, as in the trial data
_LABELS = ["WHAT", "WHO", "WHERE", "WHEN", "HOW", "WHY"]


def cheers(out: Path, runs: int) -> None:
    """Sentences, and runs that each predict something else; their sectors occur in the reference."""
    files = {path.name: path for path in map(Path, sample("cheers", out / "sample", CHEERS_ROWS))}
    sentences = files["sentences_en_train.csv"].rename(out / "reference.csv")
    keys = pl.read_csv(sentences, columns=["doc_id", "sentence_id"]).with_row_index("row")
    seen = pl.read_csv(sentences)["sector_ids"].str.extract_all(r"\d+").explode().drop_nulls().unique().sort()
    for number in range(runs):
        dice = Dice(seed=number)
        relevant, sector = dice.chance("relevant", 16), dice.pick("sector", seen.to_list())
        run = keys.select(
            "row",
            "doc_id",
            "sentence_id",
            is_relevant=relevant.cast(pl.Int8).cast(pl.String),
            sector_id=pl.when(relevant).then(sector).otherwise(pl.lit("-1")),
        )
        fault = pl.when(pl.col("row") == number % CHEERS_ROWS).then(pl.lit("yes")).otherwise("is_relevant")
        run.drop("row").write_csv(out / "runs" / f"run_{number:05}.csv")
        run.with_columns(is_relevant=fault).drop("row").write_csv(out / "faulty" / f"run_{number:05}.csv")


def flares(out: Path, runs: int) -> None:
    """Gold with about 551 spans as JSON Lines, and runs in which some spans lack their last word and some have another label.

    Only long spans are cut: what is left of a short one would stand in the text more than once, which is a finding.
    """
    files = {path.name: path for path in map(Path, sample("flares", out / "sample", FLARES_ROWS))}
    convert([files["5w1h_subtask_1_train.csv"]], out / "sample")
    gold = pl.read_parquet(out / "sample" / "5w1h_subtask_1_train.parquet").with_row_index("row")
    # The last spans of each row: were they the first, none would stand at a second place of its text, which is a finding.
    gold = gold.with_columns(pl.col("spans").list.tail(1 + Dice(0).chance("second span", SECOND_SPANS).cast(pl.Int64)))
    sink_lines(official.subtask1_lines(gold.drop("row").lazy()), out / "reference.jsonl")
    sink_lines(official.subtask1_lines(gold.drop("row", "spans").lazy()), out / "test.jsonl")
    for number in range(runs):
        dice = Dice(seed=number)
        shorter = pl.col("start") + pl.col("span_text").str.replace(r" \S+$", "").str.len_chars().cast(pl.Int64)
        end = pl.when((pl.col("label") == "WHAT") & dice.chance("shorter", 50)).then(shorter).otherwise("end")
        label = pl.when(dice.chance("other label", 20)).then(dice.pick("label", _LABELS)).otherwise("label")
        flat = gold.select("row", "id", "spans").explode("spans").unnest("spans")
        span = pl.struct("start", end.alias("end"), label.cast(pl.String).alias("label"))
        run = flat.group_by("row", maintain_order=True).agg(pl.col("id").first(), span.alias("spans"))
        sink_delimited(official.subtask1_run(run.drop("row").lazy()), out / "runs" / f"run_{number:05}.csv")


TASKS: dict[str, Callable[[Path, int], None]] = {"cheers": cheers, "flares": flares}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a reference and many runs for it.")
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="an existing folder to write to")
    given = parser.parse_args()
    for folder in ("sample", "runs", "faulty"):
        (given.out / folder).mkdir()
    TASKS[given.task](given.out, given.runs)


if __name__ == "__main__":
    main()
