"""Make CHEERS sentences files of any length, clean or with the same faults in every row, and a run for them.

    python benchmarks/inputs/sentences.py --rows 5000000 --out FOLDER clean value run

The text is invented; lengths, labels and documents are about those of the released files (170 characters a sentence, 95
sentences a document, one sentence in six relevant). The same number of rows gives the same bytes.
"""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import polars as pl

from sharedtask.pipelines.samples.text import Dice, english

ROWS_A_BLOCK = 200_000
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
_HEADER = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids"
# Mojibake, a control, a replacement character, a line separator, and a letter that is not NFC.
_ODD = "Ã©\x07\ufffd\u2028e\u0301"


def blocks(rows: int) -> Iterator[pl.DataFrame]:
    """The parts of the records as CSV text, a block of records at a time."""
    for first in range(0, rows, ROWS_A_BLOCK):
        row = pl.int_range(first, min(rows, first + ROWS_A_BLOCK), eager=True)
        yield pl.DataFrame({"row": row}).select(*_columns())


def _columns() -> list[pl.Expr]:
    row, dice = pl.col("row"), Dice(seed=0)
    first, second = dice.pick("first", _SENTENCES), dice.pick("second", _SENTENCES)
    text = pl.concat_str(first, dice.pick("between", _BETWEEN), second, pl.format(" (note {}).", row))
    doubled = text.str.replace_all('"', '""', literal=True)
    relevant, predicted = dice.below("relevant", 6) == 0, dice.below("predicted", 6) == 0
    return [
        row,
        pl.format("{},{},", 30_000 + row // ROWS_A_DOCUMENT, row % ROWS_A_DOCUMENT).alias("keys"),
        pl.when(text.str.contains('[,"]')).then(pl.format('"{}"', doubled)).otherwise(text).alias("text"),
        pl.format('"{}{}"', pl.lit(_ODD), doubled).alias("odd text"),
        pl.when(relevant).then(pl.lit(",1,")).otherwise(pl.lit(",0,")).alias("is_relevant"),
        pl.when(relevant).then(dice.pick("sectors", _SECTORS)).otherwise(pl.lit("[]")).alias("sector_ids"),
        pl.when(predicted).then(pl.lit("1,3")).otherwise(pl.lit("0,-1")).alias("prediction"),
    ]


FORMS = {
    "clean": pl.concat_str("keys", "text", "is_relevant", "sector_ids"),
    "value": pl.concat_str("keys", "text", pl.lit(",yes,"), "sector_ids"),  # is_relevant is neither 0 nor 1
    "long": pl.concat_str("keys", "text", "is_relevant", "sector_ids", pl.lit(",x")),  # a field too many
    "short": pl.concat_str("keys", "text", pl.col("is_relevant").str.head(2)),  # a field too few
    "sector": pl.concat_str("keys", "text", pl.lit(",0,[3]")),  # a sector where is_relevant is 0
    "odd": pl.concat_str("keys", "odd text", "is_relevant", "sector_ids"),  # five rules about characters
    "repeated": pl.concat_str(pl.lit("30000,0,"), "text", "is_relevant", "sector_ids"),  # one key in every row
    "values": pl.format("{}{},v{},{}", "keys", "text", "row", "sector_ids"),  # another wrong value in every row
    "ten": pl.format('{}.5E+03,,{},0,"[11, 3, 3]"', "row", "odd text"),  # two keys, five characters, three of sectors
    "run": pl.concat_str("keys", "prediction"),
}


def write(out: Path, rows: int, forms: list[str]) -> None:
    """Write `<form>.csv` for each form into `out`."""
    with ExitStack() as stack:
        files = {name: stack.enter_context((out / f"{name}.csv").open("wb")) for name in forms}
        for name, file in files.items():
            header = "doc_id,sentence_id,is_relevant,sector_id" if name == "run" else _HEADER
            file.write(f"{header}\n".encode())
        for block in blocks(rows):
            for name, file in files.items():
                block.select(FORMS[name]).write_csv(file, include_header=False, quote_style="never")


def write_canonical(source: Path) -> None:
    """Write the canonical table of a file of this script that can be read, beside it as Parquet."""
    ids = pl.col("sector_ids").str.extract_all(r"\d+").cast(pl.List(pl.Int8))
    rows = pl.scan_csv(source).with_columns(pl.col("is_relevant").cast(pl.Boolean), ids)
    rows.sink_parquet(source.with_suffix(".parquet"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make CHEERS sentences files, clean and with faults in every row.")
    parser.add_argument("forms", nargs="+", choices=FORMS)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--canonical", action="store_true", help="make the canonical tables of these files, too")
    parser.add_argument("--out", type=Path, required=True, help="an existing folder to write to")
    given = parser.parse_args()
    write(given.out, given.rows, given.forms)
    if given.canonical:
        for form in given.forms:
            write_canonical(given.out / f"{form}.csv")


if __name__ == "__main__":
    main()
