"""What goes to the quarantine: all that is bad, nothing stale, and what its file says of itself is right."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

HEADER = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
GOOD = "1,0,The well is dry.,0,[]\n1,1,The road is open.,0,[]\n"
BAD = "1,2,Maybe.,maybe,[]\n" + "1,3,Too many,0,[],x\n" * 3


@pytest.mark.parametrize("threads", ["1", "2", "4"])
def test_its_metadata_are_right_at_any_number_of_threads(tmp_path: Path, threads: str) -> None:
    (tmp_path / "sentences_en_val.csv").write_text(HEADER + GOOD + BAD, encoding="utf-8")
    command = [sys.executable, "-m", "sharedtask", "convert", "sentences_en_val.csv", "--out", "out"]
    environment = {**os.environ, "POLARS_MAX_THREADS": threads}
    done = subprocess.run([*command, "--on-error", "quarantine"], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 1
    kept = tmp_path / "out" / "quarantine" / "sentences_en_val.parquet"
    assert pl.read_parquet(kept).height == 4
    assert pl.read_parquet_metadata(kept)["sharedtask.rows"] == "4"


def test_nothing_stale_is_left(tmp_path: Path) -> None:
    source, kept = tmp_path / "sentences_en_val.csv", tmp_path / "out" / "quarantine" / "sentences_en_val.parquet"
    source.write_text(HEADER + GOOD + BAD, encoding="utf-8")
    convert(source, tmp_path / "out", on_error="quarantine")
    validate(source, quarantine=tmp_path / "aside")
    assert kept.exists()
    source.write_text(HEADER + GOOD, encoding="utf-8")
    convert(source, tmp_path / "out", on_error="quarantine")
    validate(source, quarantine=tmp_path / "aside")
    assert not kept.exists()
    assert not list((tmp_path / "aside").iterdir())


def test_a_file_without_a_usable_record_has_no_table(tmp_path: Path) -> None:
    source = tmp_path / "sentences_en_val.csv"
    source.write_text(HEADER + BAD, encoding="utf-8")
    report = convert(source, tmp_path / "out", on_error="quarantine")
    assert report.outputs == []
    assert pl.read_parquet(tmp_path / "out" / "quarantine" / "sentences_en_val.parquet").height == 4


def test_a_file_that_cannot_be_read_is_kept_whole(tmp_path: Path) -> None:
    source = tmp_path / "immap_sector_name_to_id.json"
    source.write_text('{\n"Agriculture": 0,\n"Cross" 1\n}\n', encoding="utf-8")
    convert(source, tmp_path / "out", on_error="quarantine")
    kept = pl.read_parquet(tmp_path / "out" / "quarantine" / "immap_sector_name_to_id.parquet")
    assert kept["record"].to_list() == [source.read_text(encoding="utf-8")]
    assert kept["rules"].to_list() == [["bad-json"]]
