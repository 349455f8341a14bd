"""The budgets of short commands: `--help`, and `check` of a run of usual size."""

from measure import Case, ratios
from report import Budget, Section, run_table
from runtime_python import make_runtime_python
from setting import Setting

TOOL = "from sharedtask.pipelines.cli import main; main()"
TIMES = 4  # as many rounds as elsewhere
TEXT = """Whole processes of a Python that has the runtime dependencies only, four times as many rounds as elsewhere. The run has 402 rows
and about 551 spans; its reference is a FLARES test file, as released: JSON Lines, without labels."""


def starting(setting: Setting) -> Section:
    """Start, show the help, and check a run."""
    files = setting.make("runs", "flares", "--runs", 1)
    python = str(make_runtime_python(setting.folder / "environment"))
    run, reference = next((files / "runs").glob("*.csv")), files / "test.jsonl"
    cases = [
        Case("import click", [python, "-c", "import click"]),
        Case("sharedtask --help", [python, "-c", TOOL, "--help"]),
        Case("import polars, pandera.polars", [python, "-c", "import polars, pandera.polars"]),
        Case("sharedtask check", [python, "-c", TOOL, "check", str(run), "--against", str(reference)]),
    ]
    setting.warm_up(cases)
    runs = setting.measure(cases, times=TIMES)
    over = {"sharedtask --help": "import click", "sharedtask check": "import polars, pandera.polars"}
    budgets = [Budget(f"{name}, beside {other}", ratios(runs[name], runs[other]), 1.5) for name, other in over.items()]
    return Section("Start", TEXT, budgets, [run_table(runs, over)])
