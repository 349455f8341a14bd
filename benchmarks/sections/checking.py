"""The budget of `check`: a large run against its reference, beside reading both files with Polars."""

from measure import Case, ratios
from report import Budget, Section, run_table
from setting import Setting, ours, script

TEXT = """A CHEERS run against its reference sentences file, each as a whole process. The yardstick reads both files with the streaming
engine, one after the other, and sums every column (the lengths of the texts), so that all of them are parsed and nothing is kept."""


def checking(setting: Setting) -> Section:
    """Check a valid run of many rows."""
    files = setting.make("sentences", "clean", "run", "--rows", setting.size.run)
    run, reference = files / "run.csv", files / "clean.csv"
    cases = [
        Case("polars", [*script("yardsticks.py"), "polars-read", str(run), str(reference)]),
        Case("check", ours("check", run, "--against", reference, "--quiet")),
    ]
    setting.warm_up(cases[:1])
    runs = setting.measure(cases)
    sizes = [f"{file.stat().st_size / 1e9:.3g} GB" for file in (run, reference)]
    text = f"{TEXT} {setting.size.run:,} rows, {sizes[0]} and {sizes[1]}."
    budgets = [Budget("check, beside reading both files", ratios(runs["check"], runs["polars"]), 2)]
    return Section("Check a run against its reference", text, budgets, [run_table(runs, {"check": "polars"})])
