"""The budgets of `convert`: time beside bare Polars, peak memory, and files with a fault in every row."""

from collections.abc import Sequence
from pathlib import Path

from measure import Case, Run, ratios
from report import Budget, Section, run_table
from setting import Setting, is_installed, left_out, ours, script

FAULTS = {
    "value": "a wrong value in every row",
    "long": "a field too many in every row",
    "short": "a field too few in every row",
}
PEERS = ("duckdb", "pandas")
KEY_BYTES = 16  # a row: two ids of 64 bits
PEAK_MB = 1_000  # beside the key columns
TEXT = """`convert` applies all rules, takes the SHA-256 of the source and writes canonical Parquet, each as a whole process. Bare Polars
is `pl.scan_csv(f).sink_parquet(g)`; DuckDB is `COPY (SELECT * FROM read_csv(f)) TO g (FORMAT parquet)` and pandas `read_csv(f).to_parquet(g)`,
with their own defaults (both compress less than zstd). The memory that is allowed is 1,000 MB and 16 bytes a row for the two key columns."""


def converting(setting: Setting) -> Section:
    """Convert a clean file and faulty ones of the same rows."""
    files = setting.make("sentences", "clean", *FAULTS, "--rows", setting.size.sentences)
    clean = files / "clean.csv"
    peers = [name for name in PEERS if is_installed(name)]
    cases = [
        *(_bare(name, clean) for name in ("polars", *peers)),
        _convert("clean", clean),
        *(_convert(told, files / f"{name}.csv", status=1) for name, told in FAULTS.items()),
    ]
    setting.warm_up(cases[:1])
    runs = setting.measure(cases)
    budgets = [
        Budget("a clean file, beside bare Polars (the aim is 1.5)", ratios(runs["clean"], runs["polars"]), 1.75),
        _memory("peak memory, clean", runs["clean"], setting.size.sentences),
        *(Budget(f"{told}, beside clean", ratios(runs[told], runs["clean"]), 1.3) for told in FAULTS.values()),
        *(_memory(f"peak memory, {told}", runs[told], setting.size.sentences) for told in FAULTS.values()),
    ]
    over = {"clean": "polars", **dict.fromkeys(peers, "polars"), **dict.fromkeys(FAULTS.values(), "clean")}
    size = f"{setting.size.sentences:,} rows, {clean.stat().st_size / 1e9:.3g} GB."
    blocks = [run_table(runs, over), *(left_out(name) for name in PEERS if name not in peers)]
    return Section("Convert a sentences CSV", f"{TEXT} {size}", budgets, blocks)


def converting_large(setting: Setting) -> Section:
    """Convert a file ten times as large, once."""
    clean = setting.make("sentences", "clean", "--rows", setting.size.large) / "clean.csv"
    once = Setting(setting.folder, setting.size, rounds=1)
    runs = once.measure([_bare("polars", clean), _convert("clean", clean)])
    budgets = [
        Budget("a clean file, beside bare Polars", ratios(runs["clean"], runs["polars"]), 1.75),
        _memory("peak memory, clean", runs["clean"], setting.size.large),
    ]
    text = f"The same with {setting.size.large:,} rows, {clean.stat().st_size / 1e9:.3g} GB, one round: memory has to stay flat."
    return Section(
        "Convert a sentences CSV of ten times the size", text, budgets, [run_table(runs, {"clean": "polars"})]
    )


def _bare(package: str, file: Path) -> Case:
    target = file.parent / f"{package}.parquet"
    return Case(package, [*script("yardsticks.py"), f"{package}-convert", str(file), str(target)])


def _convert(name: str, file: Path, status: int = 0) -> Case:
    return Case(name, ours("convert", file, "--out", file.parent / "out", "--quiet"), status)


def _memory(what: str, runs: Sequence[Run], rows: int) -> Budget:
    return Budget(what, [run.peak / 1e6 for run in runs], PEAK_MB + rows * KEY_BYTES / 1e6, "MB")
