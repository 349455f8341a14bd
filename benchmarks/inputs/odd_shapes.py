"""Make CHEERS sentences files of one record and an odd shape: `line.csv`, one very long line, or `columns.csv`, very many columns.

    python benchmarks/inputs/odd_shapes.py line 500000000 --out FOLDER
    python benchmarks/inputs/odd_shapes.py columns 1000000 --out FOLDER

Beside its shape the file is clean.
"""

import argparse
from pathlib import Path

HEADER = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids"


def line(count: int) -> tuple[str, str]:
    """Header and record, the record with a text of about `count` bytes."""
    return HEADER, f"30000,0,{'word ' * (count // 5)},0,[]"


def columns(count: int) -> tuple[str, str]:
    """Header and record with `count` columns beside those of the kind."""
    return f"{HEADER},{','.join(f'c{number}' for number in range(count))}", f"30000,0,A sentence.,0,[]{',x' * count}"


SHAPES = {"line": line, "columns": columns}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make line.csv or columns.csv.")
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("count", type=int, help="bytes of the line, or columns")
    parser.add_argument("--out", type=Path, required=True, help="an existing folder to write to")
    given = parser.parse_args()
    header, record = SHAPES[given.shape](given.count)
    (given.out / f"{given.shape}.csv").write_text(f"{header}\n{record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
