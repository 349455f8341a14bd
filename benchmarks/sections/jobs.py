"""The budgets of `run`: many small runs checked and scored in one job, beside one scan of them and beside a process each."""

from dataclasses import replace
from pathlib import Path

from measure import Case, Run, ratios
from report import Budget, Section, run_table
from setting import Setting, ours, script

JOB = """inputs = ["{inputs}/*.csv"]
output = "{output}"
steps = ["check", "score"]
reference = "{reference}"
"""
FASTER = 20
TEXT = """All of the runs are checked against one reference and scored in one job, from an empty output folder. The scan is one
`pl.scan_csv(files).collect(engine="streaming")` of all of them. For a process each, the first {few} runs are scored by `sharedtask score`, one
after the other; the time is multiplied by {factor:g} for the comparison with {all:,} processes."""


def cheers_job(setting: Setting) -> Section:
    """Runs of 400 rows, and the same with a fault in each."""
    return _job(setting, "cheers", "reference.csv", 3, ("faulty",), "CHEERS runs of 400 rows")


def flares_job(setting: Setting) -> Section:
    """Runs of 402 rows with about 551 spans, as Python literals."""
    return _job(setting, "flares", "reference.jsonl", 20, (), "FLARES runs of 402 rows with about 551 spans")


def _job(setting: Setting, task: str, reference: str, limit: float, faulty: tuple[str, ...], what: str) -> Section:
    count, few = setting.size.run_files, setting.size.processes
    files = setting.make("runs", task, "--runs", count)
    one_by_one = ["score-one-by-one", str(files / reference), str(files / "runs"), str(few)]
    processes = f"{few} × score"
    cases = [
        Case("scan", [*script("yardsticks.py"), "polars-scan-folder", str(files / "runs")]),
        _run("job", files, "runs", reference),
        *(_run("job, a fault in each run", files, inputs, reference, status=1) for inputs in faulty),
        Case(processes, [*script("yardsticks.py"), *one_by_one]),
    ]
    setting.warm_up(cases[:1])
    runs = setting.measure(cases)
    budgets = [
        Budget("job, beside one scan", ratios(runs["job"], runs["scan"]), limit),
        Budget(
            f"how many times as fast as {count:,} processes",
            ratios([_scaled(run, count / few) for run in runs[processes]], runs["job"]),
            FASTER,
            at_least=True,
        ),
    ]
    over = {name: "scan" for name in runs if name not in ("scan", processes)}
    text = TEXT.format(few=few, factor=count / few, all=count)
    return Section(f"A job of {count:,} {what}", text, budgets, [run_table(runs, over)])


def _run(name: str, files: Path, inputs: str, reference: str, status: int = 0) -> Case:
    output = f"out-{inputs}"
    job = files / f"{inputs}.toml"
    job.write_text(JOB.format(inputs=inputs, output=output, reference=reference), encoding="utf-8")
    return Case(name, ours("job", job), status, clears=files / output)


def _scaled(run: Run, factor: float) -> Run:
    return replace(run, wall=run.wall * factor)
