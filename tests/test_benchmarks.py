"""The benchmarks run; how fast is not judged here."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


def test_convert_sentences_runs(tmp_path: Path) -> None:
    results = tmp_path / "results.md"
    options = ["--size", "0.001", "--rounds", "1", "--scratch", str(tmp_path), "--results", str(results)]
    command = [sys.executable, str(BENCHMARKS / "convert_sentences.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == results.read_text(encoding="utf-8")
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:]] == [
        "| bare Polars",
        "| clean",
        "| a wrong value in every row",
        "| a field too many in every row",
        "| a field too few in every row",
    ]
    assert list(tmp_path.iterdir()) == [results]  # the inputs are gone
