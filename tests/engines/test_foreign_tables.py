"""A table is the same whatever container it is in and whatever engine wrote it: the same findings, the same canonical table."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sharedtask.converters.canonical_table import canonical_table
from sharedtask.converters.limits import USUAL_LIMITS
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.results.report import Report
from tests.engines.tables import WRITERS, Made, made, write_csv, write_json_lines

for engine in ("pandas", "duckdb", "datasets"):
    pytest.importorskip(engine, reason=f"{engine} is not installed (group engines)")

TABLES, SHARDS = 200, 10
# What is said of the container itself, or of how a list of tags is written in it.
OF_THE_CONTAINER = {"json-tags", "json-array", "crlf-line-ends"}
Seen = tuple[list[tuple[str, str, str | None, int]], pl.DataFrame]


def seen(path: Path, kind: str) -> Seen:
    """What is found in a file, and its canonical table."""
    report = Report("validate")
    with Inputs(report, USUAL_LIMITS) as inputs:
        judged = inputs.judge(path, "data", kind=kind)
        assert judged is not None
        table = canonical_table(judged.frame, judged.opened.kind).collect()
    found = [
        (one.rule.name, str(one.severity), one.column, one.count)
        for one in report.tallies
        if one.rule.name not in OF_THE_CONTAINER
    ]
    return sorted(found, key=str), table


def forms(table: Made, folder: Path, seed: int) -> Iterator[Path]:
    """The table in other containers, by other engines: typed and as text."""
    lines = folder / "table.jsonl"
    write_json_lines(table, lines)
    yield lines
    names = list(WRITERS)
    for turn, (columns, ending) in enumerate(
        ((table.typed(), "parquet"), (table.as_text(), "parquet"), (table.typed(), "arrow"), (table.as_text(), "arrow"))
    ):
        name = names[(seed // 11 + turn) % len(names)]
        path = folder / f"{name}-{turn}.{ending}"
        WRITERS[name](columns, path)
        yield path


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_container_and_engine_reads_the_same(shard: int, tmp_path: Path) -> None:
    for seed in range(shard, TABLES, SHARDS):
        table, folder = made(seed), tmp_path / str(seed)
        folder.mkdir()
        source = folder / table.shape.name
        write_csv(table, source)
        found, expected = seen(source, table.kind)
        for path in forms(table, folder, seed):
            also_found, got = seen(path, table.kind)
            assert also_found == found, (seed, path.name)
            assert_frame_equal(got, expected)
