"""A Parquet file that cannot be read is one line with its name; what it says about itself may be damaged, too."""

import json
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.source_form import SourceForm
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.export import export
from sharedtask.pipelines.verbs.validate import validate

SENTENCES = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n" + "".join(
    f"{number},0,Sentence {number} of a file.,0,[]\n" for number in range(500)
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    source = tmp_path / "sentences_en_train.csv"
    source.write_text(SENTENCES, encoding="utf-8")
    convert([source], tmp_path / "tables")
    return tmp_path / "tables" / "sentences_en_train.parquet"


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda _: b"PAR1" + b"x" * 60,
        lambda _: b"PAR1",
        lambda whole: whole[:4] + b"\xff" * 400 + whole[404:],
        lambda whole: whole[:-8] + b"\xff\xff\xff\x7fPAR1",
    ],
    ids=["half", "without its last byte", "no table", "the first bytes alone", "a broken page", "a broken footer"],
)
def test_a_damaged_file_is_named(table: Path, damage: object) -> None:
    table.write_bytes(damage(table.read_bytes()))  # type: ignore[operator]
    with pytest.raises(
        UnusableError, match=r"sentences_en_train\.parquet: cannot be read as Parquet; the file is damaged"
    ):
        validate([table])


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:400] + whole[1400:],
        lambda whole: whole[:1000] + b"\xff" * 400 + whole[1400:],
        lambda whole: whole[: len(whole) // 2],
    ],
    ids=["shorter than its footer says", "broken offsets", "half"],
)
def test_a_damaged_arrow_file_is_named_and_nothing_else_is_printed(
    table: Path, damage: object, capfd: pytest.CaptureFixture[str]
) -> None:
    convert([table], table.parent / "arrow", to="ipc")
    path = table.parent / "arrow" / "sentences_en_train.arrow"
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(UnusableError, match=r"train\.arrow: cannot be read as Arrow IPC; the file is damaged"):
        validate([path])
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["run[1].parquet", "a*b.parquet", "what?.parquet"])
def test_a_name_that_looks_like_a_pattern_is_a_name(table: Path, name: str) -> None:
    odd = table.parent / "in [x]" / name
    odd.parent.mkdir()
    table.rename(odd)
    report = validate([odd])
    assert report.ok
    assert report.inputs[0].rows == 500


def with_form(table: Path, form: str) -> Path:
    metadata = {**pl.read_parquet_metadata(table), "sharedtask.source_form": form}
    metadata.pop("ARROW:schema", None)
    pl.read_parquet(table).write_parquet(table, metadata=metadata)
    return table


@pytest.mark.parametrize(
    "form",
    [
        "",
        "[]",
        "1",
        "{",
        '{"container": 1}',
        '{"columns": "abc"}',
        '{"columns": [1]}',
        '{"array": "x"}',
        '{"found": [1]}',
        '{"found": {"a": "b"}}',
        '{"header": "no"}',
        '{"records": "many"}',
        '{"delimiter": "ab"}',
        "[" * 100_000,
    ],
)
def test_a_damaged_form_of_the_source_is_no_form(table: Path, tmp_path: Path, form: str) -> None:
    assert SourceForm.from_json(form) is None
    export(with_form(table, form), tmp_path / "back.csv")
    assert (tmp_path / "back.csv").read_text(encoding="utf-8") == SENTENCES


def test_a_sound_form_is_read_as_it_was_written() -> None:
    form = SourceForm(columns=("a", "b"), found={"x": 1}, records=4, delimiter=";", array=("[", ",", "]"), bom=True)
    assert SourceForm.from_json(form.as_json()) == form
    assert SourceForm.from_json(json.dumps({**json.loads(form.as_json()), "later": 1})) == form


def columns_found(path: Path) -> list[tuple[str, str, str]]:
    """The findings about columns: rule, severity, column."""
    report = validate([path])
    return [(one.rule.name, str(one.severity), str(one.at.column)) for one in report.findings()]


@pytest.mark.parametrize("name", ["doc_id", "sentence_id", "sentence_text"])
def test_a_table_without_a_column_is_not_ok(table: Path, name: str) -> None:
    pl.read_parquet(table).drop(name).write_parquet(table)
    assert columns_found(table) == [("missing-column", "error", name)]


def test_a_column_that_may_be_absent_is_not_missed(table: Path) -> None:
    test = table.with_name("sentences_en_test.parquet")
    pl.read_parquet(table).drop("is_relevant", "sector_ids").write_parquet(test)
    assert columns_found(test) == []


def test_a_column_that_the_kind_does_not_have_is_named(table: Path) -> None:
    pl.read_parquet(table).with_columns(note=pl.lit("x")).write_parquet(table)
    assert columns_found(table) == [("extra-column", "warning", "note")]


def test_nothing_is_converted_from_a_table_without_its_key(table: Path, tmp_path: Path) -> None:
    pl.read_parquet(table).drop("doc_id").write_parquet(table)
    report = convert([table], tmp_path / "again")
    assert not report.ok
    assert not list((tmp_path / "again").rglob("*.parquet"))
