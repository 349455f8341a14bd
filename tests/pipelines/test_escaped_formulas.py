"""`--escape-formulas`: what a spreadsheet would run is text, numbers stay, and the report counts the cells."""

from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.export import export

TEXTS = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "a=1", "-5", "+1.5e3", "'=x", "minus -1"]
ACTS = 4  # of these
HEAD = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "sentences_en_val.csv"
    path.write_text(HEAD + "".join(f'7,{number},"{text}",0,[]\n' for number, text in enumerate(TEXTS)))
    return path


def texts_of(path: Path) -> list[str]:
    return [line.split(",")[2].strip('"') for line in path.read_text().splitlines()[1:]]


@pytest.mark.parametrize("verb", ["convert", "export"])
def test_texts_that_begin_a_formula_are_escaped_and_counted(source: Path, tmp_path: Path, verb: str) -> None:
    out = tmp_path / "out" / source.name
    calls = {
        "convert": lambda: convert(source, out.parent, to="csv", escape_formulas=True),
        "export": lambda: export(source, out, escape_formulas=True),
    }
    report = calls[verb]()
    assert texts_of(out) == [f"'{text}" if number < ACTS else text for number, text in enumerate(TEXTS)]
    assert report.measures == {"escaped_cells": ACTS}


def test_texts_are_written_as_they_are_without_it(source: Path, tmp_path: Path) -> None:
    report = convert(source, tmp_path / "out", to="csv")
    assert texts_of(tmp_path / "out" / source.name) == TEXTS
    assert report.measures == {}


def test_it_is_for_csv_alone(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="only CSV tables have formulas to escape; convert to csv"):
        convert(source, tmp_path / "out", escape_formulas=True)
