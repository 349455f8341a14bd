"""`validate` beside plain Pandera and Frictionless; there is no budget for these."""

import subprocess

from measure import Case
from report import Section, run_table
from setting import Setting, is_installed, left_out, ours, script

PANDERA = """Each row has one error, and all of them are reported, each by a whole process. Plain Pandera is `schema.validate(table, lazy=True)`
with the schema that `sharedtask` gives for the kind, on the canonical table as Parquet; `validate` reads the same table, and the CSV that it
was made from."""
FRICTIONLESS = """A clean CSV; Frictionless has the Table Schema that `sharedtask schemas cheers/sentences --format frictionless` gives."""


def pandera(setting: Setting) -> Section:
    """Report many failing rows."""
    files = setting.make("sentences", "sector", "--rows", setting.size.failing, "--canonical")
    table, source = files / "sector.parquet", files / "sector.csv"
    cases = [
        Case("plain Pandera, Parquet", [*script("yardsticks.py"), "pandera-validate", str(table)]),
        Case("validate, Parquet", ours("validate", table), status=1),
        Case("validate, CSV", ours("validate", source), status=1),
    ]
    runs = setting.measure(cases)
    over = dict.fromkeys(("validate, Parquet", "validate, CSV"), "plain Pandera, Parquet")
    return Section("Beside plain Pandera", f"{PANDERA} {setting.size.failing:,} rows.", blocks=[run_table(runs, over)])


def frictionless(setting: Setting) -> Section:
    """Validate a clean file."""
    rows = setting.size.read_by_frictionless
    source = setting.make("sentences", "clean", "--rows", rows) / "clean.csv"
    schema = setting.folder / "schema.json"
    schema.write_bytes(subprocess.check_output(ours("schemas", "cheers/sentences", "--format", "frictionless")))
    cases = [Case("validate", ours("validate", source))]
    if is_installed("frictionless"):
        cases.append(
            Case("Frictionless", [*script("yardsticks.py"), "frictionless-validate", str(source), str(schema)])
        )
    runs = setting.measure(cases)
    notes = [] if is_installed("frictionless") else [left_out("frictionless")]
    over = {"Frictionless": "validate"}
    text = f"{FRICTIONLESS} {rows:,} rows."
    return Section("Beside Frictionless", text, blocks=[run_table(runs, over), *notes])
