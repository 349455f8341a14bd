"""What native code prints of its panics is kept off stderr, and nothing else is."""

import os
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.native_traces import without_traces
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

TRACE = b"""
thread 'async-executor-0' (31001) panicked at crates/polars-arrow/src/bitmap/immutable.rs:329:9:
assertion failed: offset + length <= self.length
stack backtrace:
   0: __rustc::rust_begin_unwind
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""


def test_a_page_that_ends_polars_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "labels.csv"
    source.write_text("id,label\n" + "".join(f"{number},{number % 2}\n" for number in range(7)), encoding="utf-8")
    convert([source], tmp_path / "tables")
    table = tmp_path / "tables" / "labels.parquet"
    whole = table.read_bytes()
    loud = []
    for at in range(60, 160, 4):
        table.write_bytes(whole[:at] + bytes(20) + whole[at + 20 :])
        with suppress(UnusableError):
            validate([table])
        assert capfd.readouterr().err == ""
        try:
            pl.read_parquet(table)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            loud.append("panicked" in capfd.readouterr().err)
    assert any(loud), "Polars says nothing any more: the traces need not be kept away"


@pytest.mark.parametrize("fails", [True, False])
def test_all_else_is_printed(capfd: pytest.CaptureFixture[str], fails: bool) -> None:
    try:
        with without_traces(), without_traces():
            os.write(2, b"before\n" + TRACE + TRACE + b"after\n")
            if fails:
                raise ValueError
    except ValueError:
        pass
    said = capfd.readouterr().err.encode()
    assert said == (b"before\nafter\n" if fails else b"before\n" + TRACE + TRACE + b"after\n")
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "later\n"
