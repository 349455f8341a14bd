"""Other engines read what a job and `convert` write: every column, label and row, in plain types, without being told anything."""

import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from sharedtask.pipelines.tasks import all_kinds
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.job import run_job
from sharedtask.pipelines.verbs.sample import sample

for engine in ("pandas", "duckdb", "datasets", "deltalake"):
    pytest.importorskip(engine, reason=f"{engine} is not installed (group engines)")

LABELS = {
    "task=cheers/kind=sentences": {"is_relevant", "sector_ids"},
    "task=reintel/kind=posts": {"label"},
    "task=flares/kind=subtask1": {"spans"},
    "task=flares/kind=subtask2": {"reliability"},
}
Rows = Callable[[Path, str], tuple[list[str], int, int]]
"""The columns of a folder of Parquet files, its rows, and how many of them have a label."""


def by_duckdb(folder: Path, label: str) -> tuple[list[str], int, int]:
    import duckdb

    files = f"read_parquet('{folder}/**/*.parquet')"
    with duckdb.connect() as connection:
        columns = [row[0] for row in connection.execute(f"describe from {files}").fetchall()]
        rows, labelled = connection.execute(f"select count(*), count({label}) from {files}").fetchone() or (0, 0)
    return columns, rows, labelled


def by_pandas(folder: Path, label: str) -> tuple[list[str], int, int]:
    import pandas

    frame = pandas.read_parquet(folder)
    return list(frame.columns), len(frame), int(frame[label].notna().sum())


def by_pyarrow(folder: Path, label: str) -> tuple[list[str], int, int]:
    table = pa.dataset.dataset(folder, format="parquet", partitioning="hive").to_table()
    return table.column_names, table.num_rows, table.num_rows - table[label].null_count


def by_concatenation(folder: Path, label: str) -> tuple[list[str], int, int]:
    """Files read one by one and put together, which wants the very same schema of all."""
    table = pa.concat_tables([pq.read_table(path, partitioning=None) for path in sorted(folder.rglob("*.parquet"))])
    return table.column_names, table.num_rows, table.num_rows - table[label].null_count


def by_polars(folder: Path, label: str) -> tuple[list[str], int, int]:
    frame = pl.scan_parquet(folder).collect()
    return frame.columns, frame.height, frame.height - frame[label].null_count()


def by_datasets(folder: Path, label: str) -> tuple[list[str], int, int]:
    import datasets

    files = [str(path) for path in sorted(folder.rglob("*.parquet"))]
    made = datasets.Dataset.from_parquet(files, cache_dir=str(folder.parent / "cache"))
    return made.column_names, len(made), sum(value is not None for value in made[label])


READERS = (by_duckdb, by_pandas, by_pyarrow, by_concatenation, by_polars, by_datasets)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a job writes for the sample files of all tasks, those of tests without labels first."""
    made = tmp_path_factory.mktemp("made")
    for task in ("cheers", "flares", "reintel"):
        sample(task, made / "in" / task, rows=30, seed=5)
    (made / "job.toml").write_text('inputs = ["in/**/*"]\noutput = "out"\nsteps = ["convert"]\n', encoding="utf-8")
    run_job(made / "job.toml")
    return made / "out" / "data"


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_kind_of_a_job_is_one_table(folder: Path, kind: str, read: Rows) -> None:
    parts = [pl.read_parquet(path, hive_partitioning=False) for path in sorted((folder / kind).rglob("*.parquet"))]
    task, _, name = kind.partition("/")
    named = f"{task.removeprefix('task=')}/{name.removeprefix('kind=')}"
    columns = next([column.name for column in one.columns] for one in all_kinds() if one.name == named)
    for label in sorted(LABELS[kind]):
        labelled = sum(part.height - part[label].null_count() for part in parts)
        assert 0 < labelled < sum(part.height for part in parts)  # a test file has none
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = read(folder / kind, label)
        assert not told
        names, rows, with_label = found
        assert set(columns) <= set(names)
        assert (rows, with_label) == (sum(part.height for part in parts), labelled)


def plain(dtype: pa.DataType) -> bool:
    """Whether a type is one that every reader has."""
    if pa.types.is_list(dtype):
        return plain(dtype.value_type)
    if pa.types.is_struct(dtype):
        return all(plain(field.type) for field in dtype)
    usual = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string, pa.types.is_timestamp)
    return any(is_one(dtype) for is_one in usual)


def test_every_table_has_plain_types(folder: Path) -> None:
    for path in folder.parent.rglob("*.parquet"):
        schema = pq.read_schema(path)
        assert all(plain(field.type) for field in schema), (path.name, schema)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_converted_table_is_read_alike_by_all(tmp_path: Path, ending: str) -> None:
    import pandas

    sample("flares", tmp_path, rows=20)
    convert([tmp_path / "5w1h_subtarea_1_train.json"], tmp_path / "out", to="parquet" if ending == "parquet" else "ipc")
    path = tmp_path / "out" / f"5w1h_subtarea_1_train.{ending}"
    own = pl.read_parquet(path) if ending == "parquet" else pl.read_ipc(path)
    table = pq.read_table(path) if ending == "parquet" else pa.ipc.open_file(path).read_all()
    frame = pandas.read_parquet(path) if ending == "parquet" else pandas.read_feather(path)
    assert all(plain(field.type) for field in table.schema)
    assert table.to_pylist() == own.to_dicts()
    assert [list(spans) for spans in frame["spans"]] == own["spans"].to_list()
    assert frame["id"].tolist() == own["id"].to_list()


def test_delta_has_plain_types_and_every_label(tmp_path: Path) -> None:
    from deltalake import DeltaTable

    sample("cheers", tmp_path / "in", rows=30, seed=5)
    job = 'inputs = ["in/sentences*"]\noutput = "out"\nsteps = ["convert"]\ntable = "delta"\n'
    (tmp_path / "job.toml").write_text(job, encoding="utf-8")
    run_job(tmp_path / "job.toml")
    table = DeltaTable(tmp_path / "out" / "data" / "cheers" / "sentences").to_pyarrow_table()
    read = pl.from_arrow(table)
    assert isinstance(read, pl.DataFrame)
    by_split = dict(read.group_by("split").agg(pl.col("is_relevant").count()).rows())
    assert by_split["test"] == 0
    assert by_split["train"] > 0
