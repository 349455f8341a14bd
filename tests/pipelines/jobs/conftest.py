"""A folder with runs of CHEERS and their reference, sound and broken in all the dull ways."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

Rows = list[list[str]]
SECTORS = 11
KEYS = [(50_000 + number // 5, number % 5) for number in range(40)]


def gold(seed: int = 0) -> str:
    """A reference with every sector, so that none is unseen."""
    dice = random.Random(seed)
    lines = ["doc_id,sentence_id,sentence_text,is_relevant,sector_ids"]
    for number, (document, sentence) in enumerate(KEYS):
        sectors = [number % SECTORS] if number < SECTORS else sorted(dice.sample(range(SECTORS), dice.randrange(3)))
        listed = f'"[{", ".join(map(str, sectors))}]"'
        lines.append(f"{document},{sentence},Sentence {sentence} of document {document}.,{int(bool(sectors))},{listed}")
    return "\n".join(lines) + "\n"


def run_rows(seed: int) -> Rows:
    dice = random.Random(seed)
    rows = []
    for document, sentence in KEYS:
        relevant = dice.random() < 0.5
        rows.append(
            [str(document), str(sentence), str(int(relevant)), str(dice.randrange(SECTORS) if relevant else -1)]
        )
    return rows


def as_text(rows: Rows, end: str = "\n") -> str:
    return "".join(",".join(cells) + end for cells in [["doc_id", "sentence_id", "is_relevant", "sector_id"], *rows])


def _without_a_row(rows: Rows) -> str:
    return as_text(rows[:7] + rows[8:])


def _in_another_order(rows: Rows) -> str:
    return as_text(rows[::-1])


def _bad_value(rows: Rows) -> str:
    rows[3][2] = "7"
    return as_text(rows)


def _short_row(rows: Rows) -> str:
    rows[5] = rows[5][:2]
    return as_text(rows)


def _long_row(rows: Rows) -> str:
    rows[5] = [*rows[5], "9"]
    return as_text(rows)


def _twice(rows: Rows) -> str:
    return as_text([*rows, rows[0]])


def _crlf(rows: Rows) -> str:
    return as_text(rows, "\r\n")


def _unknown_sector(rows: Rows) -> str:
    rows[2][2:] = ["1", "40"]
    return as_text(rows)


def _floats(rows: Rows) -> str:
    return as_text([[cells[0], cells[1], cells[2], f"{cells[3]}.0"] for cells in rows])


def _another_header(rows: Rows) -> str:
    return as_text(rows).replace("sector_id", "Sector", 1)


def _blank_line(rows: Rows) -> str:
    return as_text(rows).replace("\n", "\n\n", 2)


def _semicolons(rows: Rows) -> str:
    return as_text(rows).replace(",", ";")


FAULTS: dict[str, Callable[[Rows], str]] = {
    name.removeprefix("_"): fault
    for name, fault in globals().items()
    if name.startswith("_") and callable(fault) and getattr(fault, "__module__", "") == __name__
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs `runs/sound_*.csv`, one for each fault, and the reference."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "sentences_en_val.csv").write_text(gold())
    for seed in range(6):
        (tmp_path / f"runs/sound_{seed}.csv").write_text(as_text(run_rows(seed)))
    for seed, (name, fault) in enumerate(FAULTS.items()):
        (tmp_path / f"runs/{name}.csv").write_text(fault(run_rows(100 + seed)), newline="")
    return tmp_path
