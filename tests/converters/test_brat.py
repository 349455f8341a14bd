"""brat standoff comes back as it went out, and what another program writes into it is read or named."""

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.converters import brat
from sharedtask.converters.csv.write import sink_lines
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.convert import convert
from tests.converters.spanned_texts import Row, canonical, rows

TEXTS = ["Ayer 24/7 llovió.", "🔴 Nadie (dijo) nada. "]
SPANS: list[Row] = [
    (TEXTS[0], [(0, 4, "WHEN", "no confiable"), (5, 9, "WHAT", None)]),
    (TEXTS[1], [(2, 7, "WHO", "confiable")]),
]
DOCUMENT = "\n".join(TEXTS) + "\n"
ANNOTATIONS = """T1\tRecord 0 17\tAyer 24/7 llovió.
#1\tAnnotatorNotes T1\t0
T2\tWHEN 0 4\tAyer
A1\tReliability_Label T2 no_confiable
T3\tWHAT 5 9\t24/7
T4\tRecord 18 39\t🔴 Nadie (dijo) nada.\x20
#2\tAnnotatorNotes T4\t7
T5\tWHO 20 25\tNadie
A2\tReliability_Label T5 confiable
"""


def written(table: pl.DataFrame, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    sink_lines(brat.annotations(table.lazy()), folder / "train.ann")
    sink_lines(brat.texts(table.lazy()), folder / "train.txt")
    return folder / "train.ann"


def read(path: Path) -> tuple[pl.DataFrame, dict[str, int]]:
    """The canonical table of a document, and the rules that were broken."""
    report = convert([path], path.parent / "out", on_error="quarantine")
    assert [one.kind for one in report.inputs] == ["flares/subtask1"]
    return pl.read_parquet(path.parent / "out" / "train.parquet"), {one.rule.name: one.count for one in report.rules()}


def pair(folder: Path, annotations: str, document: str = DOCUMENT) -> Path:
    (folder / "train.ann").write_bytes(annotations.encode())
    (folder / "train.txt").write_bytes(document.encode())
    return folder / "train.ann"


def test_a_document_has_a_text_a_line_and_offsets_of_its_own(tmp_path: Path) -> None:
    path = written(canonical(SPANS), tmp_path)
    assert path.read_text("utf-8") == ANNOTATIONS
    assert (tmp_path / "train.txt").read_text("utf-8") == DOCUMENT


@settings(settings.get_profile("few"))
@given(st.lists(rows(), min_size=1, max_size=5))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, given_rows: list[Row]) -> None:
    table = canonical(given_rows)
    if table["spans"].list.len().sum() == 0:
        table = table.drop("spans")  # a document without any span is one that nobody has annotated
    back, _ = read(written(table, tmp_path_factory.mktemp("brat")))
    assert back.equals(table)
    assert back.schema.names() == table.schema.names()  # labels are plain text in files


def test_a_text_with_a_line_break_does_not_fit() -> None:
    table = canonical([("eins", []), ("zwei\ndrei", []), ("vier\rfünf", []), ("sechs\u2028sieben", [])])
    found = brat.unfit(table.with_row_index("row").lazy()).collect()
    assert found["row"].to_list() == [1, 2]
    assert set(found["column"]) == {"text"}


def test_what_brat_saves_in_another_order_is_read(tmp_path: Path) -> None:
    """New annotations come last in the file, ids have gaps, comments hang on spans, lines end with CRLF."""
    lines = ANNOTATIONS.splitlines()
    moved = [lines[0], *lines[5:], *lines[1:5], "T19\tHOW 27 31\tdijo", "#3\tAnnotatorNotes T19\tsure?"]
    back, rules = read(pair(tmp_path, "\r\n".join(moved) + "\r\n"))
    assert not set(rules) - {"crlf-line-ends"}
    assert back["id"].to_list() == [0, 7]
    assert [span["span_text"] for span in back["spans"][1]] == ["Nadie", "dijo"]
    assert back["spans"][0].to_list() == canonical(SPANS)["spans"][0].to_list()


@pytest.mark.parametrize(
    "line",
    [
        "R1\tSubject Arg1:T2 Arg2:T3",
        "E1\tWHO:T5 What:T2",
        "T6\tWHAT 0 4;5 9\tAyer 24/7",
        "A9\tNegated T5",
        "nothing of the kind",
    ],
)
def test_what_a_table_of_spans_does_not_hold_is_an_error(tmp_path: Path, line: str) -> None:
    path = pair(tmp_path, f"{ANNOTATIONS}{line}\n")
    report = convert([path], tmp_path / "stopped")
    assert not report.ok
    assert [(one.rule.name, one.at.line, one.value) for one in report.findings()] == [("bad-value", 10, line)]
    back, _ = read(path)
    assert back.equals(canonical(SPANS))
    assert pl.read_parquet(tmp_path / "out" / "quarantine" / "train.parquet")["record"].to_list() == [line]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("#2\tAnnotatorNotes T4\t7\n", "", "null-value"),
        ("T4\t7", "T4\tseven", "bad-value"),
        ("20 25\tNadie", "20 25\tNunca", "span-text-differs"),
        ("20 25\tNadie", "20 40\tNadie", "span-out-of-bounds"),
        ("WHO 20 25", "PERSON 20 25", "unknown-label"),
        ("T5 confiable", "T5 dudoso", "unknown-reliability"),
    ],
)
def test_the_rules_of_the_kind_hold(tmp_path: Path, old: str, new: str, rule: str) -> None:
    report = convert([pair(tmp_path, ANNOTATIONS.replace(old, new))], tmp_path / "out")
    assert [one.rule.name for one in report.rules()] == [rule]
    assert [one.at.line for one in report.findings()] == [6]


def test_the_text_has_to_be_there(tmp_path: Path) -> None:
    path = pair(tmp_path, ANNOTATIONS)
    (tmp_path / "train.txt").unlink()
    with pytest.raises(UnusableError, match=r"beside them, as .*train\.txt"):
        convert([path], tmp_path / "out")
    (tmp_path / "train.txt").write_bytes("Señor".encode("cp1252"))
    with pytest.raises(UnusableError, match="cannot be read as UTF-8 text"):
        convert([path], tmp_path / "out")


def test_compressed_annotations_have_a_plain_text_beside_them(tmp_path: Path) -> None:
    path = pair(tmp_path, ANNOTATIONS)
    (tmp_path / "train.ann.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    back, _ = read(tmp_path / "train.ann.gz")
    assert back.equals(canonical(SPANS))


def test_a_folder_with_a_document_is_one_input(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    pair(folder, ANNOTATIONS)
    report = convert([folder], tmp_path / "out")
    assert [Path(one.path).name for one in report.inputs] == ["train.ann"]
