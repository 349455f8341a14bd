"""Shapes that would take all memory are told without being read, and nothing else is."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.converters.csv import odd_shapes
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.rules.fmt_files import MAX_FIELD_BYTES


@settings(max_examples=60)
@given(st.lists(st.integers(0, 3000), max_size=30), st.booleans(), st.integers(1, 64))
def test_the_first_line_over_the_limit_is_found(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], newline: bool, window: int
) -> None:
    lines = [b"x" * length for length in lengths]
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes(b"\n".join(lines) + b"\n" * newline)
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    wanted = next((start for start, line in zip(starts, lines, strict=True) if len(line) > 1000), None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odd_shapes, "WINDOW", window)
        patch.setattr(odd_shapes, "BLOCK", 128)
        assert odd_shapes._long_line(path, 1000) == wanted


def test_a_line_of_more_than_a_field_may_have(tmp_path: Path) -> None:
    path = tmp_path / "sentences_en_val.csv"
    sound = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n1,0,Wells were dug.,0,[]\n"
    path.write_text(sound + "1,1," + "x" * MAX_FIELD_BYTES + ",0,[]\n")
    report = validate([path])
    (finding,) = report.findings()
    assert (finding.rule.name, finding.at.line) == ("field-too-large", 3)
    assert report.ok is False


def test_a_long_line_within_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sentences_en_val.csv"
    path.write_text(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n1,0," + "x" * (MAX_FIELD_BYTES - 100) + ",0,[]\n"
    )
    assert validate([path]).ok


@pytest.mark.parametrize("kind", [None, "cheers/sentences"])
def test_a_header_of_very_many_columns(tmp_path: Path, kind: str | None) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("doc_id,sentence_id,sentence_text," + ",".join(f"c{number}" for number in range(100_000)) + "\n")
    report = validate([path], kind=kind)
    (finding,) = report.findings()
    assert finding.rule.name == "extra-column"
    assert report.ok is False
