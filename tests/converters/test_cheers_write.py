"""CHEERS files come out with the columns and texts that are on disk."""

from pathlib import Path

import polars as pl

from sharedtask.converters.cheers.write import documents, run, sectors, sentences
from sharedtask.converters.csv.write import sink_delimited, sink_lines

LABELLED = pl.LazyFrame(
    {
        "doc_id": [5, 5, 5, 7],
        "sentence_id": [0, 1, 2, 0],
        "sentence_text": ["One, two.", 'A "b"', ".", "NA"],
        "is_relevant": [False, True, True, True],
        "sector_ids": [[], [3], [2, 3, 10], []],
    },
    schema_overrides={"sector_ids": pl.List(pl.Int8)},
)


def test_sentences(tmp_path: Path) -> None:
    sink_delimited(sentences(LABELLED), tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == (
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
        '5,0,"One, two.",0,[]\n'
        '5,1,"A ""b""",1,[3]\n'
        '5,2,.,1,"[2, 3, 10]"\n'
        "7,0,NA,1,[]\n"
    )


def test_sentences_of_a_test_file_have_no_labels() -> None:
    unlabelled = sentences(LABELLED.drop("is_relevant", "sector_ids")).collect()
    assert unlabelled.columns == ["doc_id", "sentence_id", "sentence_text"]


def test_documents_have_six_columns_in_their_order(tmp_path: Path) -> None:
    frame = pl.LazyFrame(
        {
            "doc_id": [1, 2],
            "doc_text": ["a\nb\x0c", "c"],
            "doc_url": [None, "https://www.example.org/"],
            "project_name": ["IMMAP/DFS Syria", "IMMAP/DFS RDC"],
            "country_code": ["SYR", "COD"],
            "lang_code": ["en", "en"],
        }
    )
    sink_delimited(documents(frame), tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text() == (
        "project_name,country_code,lang_code,doc_id,doc_text,doc_url\n"
        'IMMAP/DFS Syria,SYR,en,1,"a\nb\x0c",\n'
        "IMMAP/DFS RDC,COD,en,2,c,https://www.example.org/\n"
    )


def test_run() -> None:
    frame = pl.LazyFrame({"sector_id": [-1, 0], "is_relevant": [False, True], "doc_id": [1, 1], "sentence_id": [0, 1]})
    assert run(frame).collect().to_dict(as_series=False) == {
        "doc_id": [1, 1],
        "sentence_id": [0, 1],
        "is_relevant": [0, 1],
        "sector_id": [-1, 0],
    }


def test_sectors(tmp_path: Path) -> None:
    frame = pl.LazyFrame({"sector_id": [0, 10], "sector_name": ["Agriculture", 'W"ASH']})
    sink_lines(sectors(frame), tmp_path / "s.json", final_newline=False)
    assert (tmp_path / "s.json").read_bytes() == b'{\n    "Agriculture": 0,\n    "W\\"ASH": 10\n}'
