"""Make CHEERS sentences files of any size, clean or with the same fault in every row.

    python benchmarks/sentences.py --size 1.0 --out FOLDER

The text is invented; lengths, labels and documents are about those of the released files (170 characters a sentence, 95
sentences a document, one sentence in six relevant). The same size gives the same bytes.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from sharedtask.pipelines.samples.text import Dice, english

ROWS_A_BLOCK = 200_000
BYTES_A_ROW = 198  # as it comes out
ROWS_A_DOCUMENT = 95
_SENTENCES = english()
_BETWEEN = [
    ", and in the same week of the survey ",
    "; for the second month in a row ",
    " while access remained difficult and ",
    " (see annex 2 for the method), ",
    ' - "we need more of it now", one of them said - ',
]
_SECTORS = ["[]", "[3]", "[4]", "[8]", "[10]", '"[2, 3, 4]"', '"[1, 9]"']


def blocks(rows: int) -> Iterator[pl.DataFrame]:
    """The parts of the records as CSV text, a block of records at a time."""
    for first in range(0, rows, ROWS_A_BLOCK):
        row = pl.int_range(first, min(rows, first + ROWS_A_BLOCK), eager=True)
        yield pl.DataFrame({"row": row}).select(*_columns())


def _columns() -> list[pl.Expr]:
    row, dice = pl.col("row"), Dice(seed=0)
    first, second = dice.pick("first", _SENTENCES), dice.pick("second", _SENTENCES)
    text = pl.concat_str(first, dice.pick("between", _BETWEEN), second, pl.format(" (note {}).", row))
    quoted = pl.format('"{}"', text.str.replace_all('"', '""', literal=True))
    relevant = dice.below("relevant", 6) == 0
    return [
        pl.format("{},{},", 30_000 + row // ROWS_A_DOCUMENT, row % ROWS_A_DOCUMENT).alias("keys"),
        pl.when(text.str.contains('[,"]')).then(quoted).otherwise(text).alias("text"),
        pl.when(relevant).then(pl.lit(",1,")).otherwise(pl.lit(",0,")).alias("is_relevant"),
        pl.when(relevant).then(dice.pick("sectors", _SECTORS)).otherwise(pl.lit("[]")).alias("sector_ids"),
    ]


FAULTS = {
    "clean": pl.concat_str("keys", "text", "is_relevant", "sector_ids"),
    "value": pl.concat_str("keys", "text", pl.lit(",yes,"), "sector_ids"),  # is_relevant is neither 0 nor 1
    "long": pl.concat_str("keys", "text", "is_relevant", "sector_ids", pl.lit(",x")),  # a field too many
    "short": pl.concat_str("keys", "text", pl.col("is_relevant").str.head(2)),  # a field too few
}


def write(out: Path, size: float) -> None:
    """Write `<fault>.csv` for each of `FAULTS` into `out`, each of about `size` GB."""
    rows = max(1, int(size * 1e9 / BYTES_A_ROW))
    files = {name: (out / f"{name}.csv").open("wb") for name in FAULTS}
    try:
        for file in files.values():
            file.write(b"doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n")
        for block in blocks(rows):
            for name, fault in FAULTS.items():
                block.select(fault).write_csv(files[name], include_header=False, quote_style="never")
    finally:
        for file in files.values():
            file.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Make CHEERS sentences files, clean and with a fault in every row.")
    parser.add_argument("--size", type=float, default=1.0, help="GB of each file")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    write(given.out, given.size)


if __name__ == "__main__":
    main()
