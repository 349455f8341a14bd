"""What others need for the same work, each as a whole process.

    python benchmarks/yardsticks.py NAME PATH…

Nothing is imported but what the one yardstick needs.
"""

import sys
from collections.abc import Callable
from pathlib import Path


def polars_convert(source: str, target: str) -> None:
    """A bare scan and sink."""
    import polars as pl

    pl.scan_csv(source).sink_parquet(target)


def duckdb_convert(source: str, target: str) -> None:
    """The same by DuckDB, with its own defaults."""
    import duckdb

    duckdb.execute(f"COPY (SELECT * FROM read_csv('{source}')) TO '{target}' (FORMAT parquet)")


def pandas_convert(source: str, target: str) -> None:
    """The same by pandas, with its own defaults."""
    import pandas as pd

    pd.read_csv(source).to_parquet(target)


def polars_read(*sources: str) -> None:
    """Parse every column of files as a stream: the sums of the numbers and of the lengths of the texts."""
    import polars as pl
    import polars.selectors as cs

    for source in sources:
        sums = pl.scan_csv(source).select(cs.numeric().sum(), cs.string().str.len_bytes().sum())
        sums.collect(engine="streaming")


def polars_scan_folder(folder: str) -> None:
    """Read all CSV files of a folder as one table."""
    import polars as pl

    pl.scan_csv(sorted(Path(folder).glob("*.csv"))).collect(engine="streaming")


def pandera_validate(table: str) -> None:
    """Validate a canonical sentences table by the plain Pandera schema of the kind. Every row has to fail."""
    import pandera.errors
    import polars as pl

    from sharedtask.pipelines.tasks import all_kinds
    from sharedtask.schemas.engine.pandera_seam import pandera_schema

    kind = next(kind for kind in all_kinds() if kind.name == "cheers/sentences")
    frame = pl.read_parquet(table)
    try:
        pandera_schema(kind).validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as error:
        if len(error.failure_cases) < frame.height:
            raise
    else:
        raise SystemExit("Pandera found nothing")


def frictionless_validate(table: str, schema: str) -> None:
    """Validate a CSV by a Table Schema."""
    import json

    import frictionless

    source = Path(table)
    described = frictionless.Schema.from_descriptor(json.loads(Path(schema).read_bytes()))
    resource = frictionless.Resource(path=source.name, basepath=str(source.parent), schema=described)
    report = resource.validate()
    if not report.valid:
        raise SystemExit(str(report.flatten(["rowNumber", "type", "note"])[:3]))


def score_one_by_one(gold: str, folder: str, count: str) -> None:
    """Score the first runs of a folder, a process of `sharedtask` each."""
    import subprocess
    import sysconfig

    program = Path(sysconfig.get_path("scripts")) / "sharedtask"
    for run in sorted(Path(folder).glob("*.csv"))[: int(count)]:
        command = [str(program), "score", str(run), "--against", gold]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


YARDSTICKS: dict[str, Callable[..., None]] = {
    "polars-convert": polars_convert,
    "duckdb-convert": duckdb_convert,
    "pandas-convert": pandas_convert,
    "polars-read": polars_read,
    "polars-scan-folder": polars_scan_folder,
    "pandera-validate": pandera_validate,
    "frictionless-validate": frictionless_validate,
    "score-one-by-one": score_one_by_one,
}

if __name__ == "__main__":
    YARDSTICKS[sys.argv[1]](*sys.argv[2:])
