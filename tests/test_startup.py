"""What is imported when: a command pays only for what it uses."""

import subprocess
import sys
from pathlib import Path

import pytest

SENTENCES = """doc_id,sentence_id,sentence_text,is_relevant,sector_ids
50311,0,Two boreholes were drilled for the host community.,1,[10]
50311,1,The office moves to another street next week.,0,[]
"""
RUN_CLI = "import sys; from sharedtask.pipelines.cli import cli; cli.main(sys.argv[1:], standalone_mode=False)"


def imported_by(code: str, *arguments: str) -> set[str]:
    """The top-level modules that a fresh Python has after this code; the code must come to its end."""
    tell = f"{code}\nimport sys; print('|'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", tell, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split("|")}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["job", "--help"]])
def test_help_needs_no_engine(arguments: list[str]) -> None:
    names = imported_by(RUN_CLI, *arguments)
    assert "click" in names
    assert not names & {"polars", "pandera", "pyarrow", "pandas", "numpy", "orjson"}


def test_rules_are_told_without_an_engine() -> None:
    names = imported_by(RUN_CLI, "explain", "span-cuts-word")
    assert not names & {"polars", "pandera", "pyarrow", "pandas", "numpy"}


def test_importing_the_package_needs_no_engine() -> None:
    names = imported_by("import sharedtask")
    assert not names & {"polars", "pandera", "pyarrow", "pandas", "numpy", "orjson", "click"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_validating_a_small_file_needs_polars_alone(tmp_path: Path, form: str) -> None:
    file = tmp_path / "sentences_en_val.csv"
    file.write_text(SENTENCES, encoding="utf-8")
    names = imported_by(RUN_CLI, "validate", str(file), "--format", form)
    assert "polars" in names
    assert not names & {"pyarrow", "pandas", "pandera", "numpy"}
