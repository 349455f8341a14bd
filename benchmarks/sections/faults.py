"""Inputs that are as bad as can be: each beside a clean file of the same size, or bounded by a limit that a finding names."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from measure import Case, Run, ratios
from report import Budget, Section, markdown_table, peak, spread
from setting import SENTENCE_BYTES, Setting, ours

KIND = "cheers/sentences"
LIMITS = {"field-too-large"}  # rules that are limits: what stands behind them is not read
MOST = 1.3
JUDGED = {0, 1}  # the exit status of a file that was judged
STOPPED_AFTER = 60  # seconds
TEXT = f"""`validate` as a whole process, beside a clean file of the same number of rows (of the same bytes, for the long line and the many
columns). A command is stopped after {STOPPED_AFTER} seconds, and one that does not judge its file to the end meets no budget."""


@dataclass(frozen=True, slots=True)
class Bad:
    """A file that is as bad as can be, the clean one beside it with what that is called, and how `validate` is told the kind."""

    name: str
    file: Path
    clean: Path
    clean_name: str = "clean"
    options: tuple[str, ...] = ()


def sentences_faults(setting: Setting) -> Section:
    """Every row of a sentences file wrong in one way, and in ten."""
    names = {
        "value": "a value that cannot be read in every row",
        "sector": "a rule of the task broken in every row",
        "odd": "five kinds of odd characters in every row",
        "repeated": "the same key in every row",
        "ten": "ten rules broken in every row",
    }
    files = setting.make("sentences", "clean", *names, "--rows", setting.size.dense)
    bad = [Bad(told, files / f"{name}.csv", files / "clean.csv") for name, told in names.items()]
    return _beside_clean(setting, f"Faults in each of {setting.size.dense:,} sentences", bad)


def posts_faults(setting: Setting) -> Section:
    """Every row of a posts file wrong in as many ways as a row can be at once."""
    files = setting.make("posts", "--rows", setting.size.dense)
    bad = [Bad("as many rules broken as can be", files / "many.csv", files / "clean.csv")]
    return _beside_clean(setting, f"Faults in each of {setting.size.dense:,} posts", bad)


def shape_faults(setting: Setting) -> Section:
    """As many values as findings, one very long line, very many columns."""
    size = setting.size
    bad = [
        _other_values(setting),
        _odd_shape(setting, "line", size.line_bytes, f"one line of {size.line_bytes / 1e6:,.0f} MB"),
        _odd_shape(setting, "columns", size.columns, f"{size.columns:,} columns"),
    ]
    return _beside_clean(setting, "Odd shapes", bad)


def _other_values(setting: Setting) -> Bad:
    rows = setting.size.values
    files = setting.make("sentences", "clean", "values", "--rows", rows, out="values")
    return Bad(
        f"{rows:,} findings of as many values", files / "values.csv", files / "clean.csv", f"clean, {rows:,} rows"
    )


def _odd_shape(setting: Setting, shape: str, count: int, told: str) -> Bad:
    file = setting.make("odd_shapes", shape, count, out=shape) / f"{shape}.csv"
    rows = max(1, file.stat().st_size // SENTENCE_BYTES)
    clean = setting.make("sentences", "clean", "--rows", rows, out=shape) / "clean.csv"
    # The kind is told, since that of a file with so many columns more is not found.
    return Bad(told, file, clean, f"clean, as large as {told}", ("--kind", KIND))


def _beside_clean(setting: Setting, title: str, bad: Sequence[Bad]) -> Section:
    clean = {one.clean: one.clean_name for one in bad}
    cases = [_case(name, file, (), status=0) for file, name in clean.items()]
    cases += [_case(one.name, one.file, one.options, status=None) for one in bad]
    runs = setting.measure(cases)
    budgets: list[Budget] = []
    rows = {name: [name, *_numbers(runs[name]), "", "", "", _found(file)] for file, name in clean.items()}
    for one in bad:
        some, beside = runs[one.name], runs[one.clean_name]
        found = _found(one.file)
        limit = next((name for name in LIMITS if name in found), None)
        times, peaks = ratios(some, beside), [run.peak / other.peak for run, other in zip(some, beside, strict=True)]
        judged = all(run.status in JUDGED for run in some)
        if limit is None:
            budgets.append(Budget(f"{one.name}: time beside clean", times if judged else [inf], MOST))
            budgets.append(Budget(f"{one.name}: peak memory beside clean", peaks if judged else [inf], MOST))
        bounded = f"bounded by {limit}" if limit else ""
        rows[one.name] = [one.name, *_numbers(some), spread(times), spread(peaks), bounded, found]
    heads = ["file", "seconds", "peak MB", "exit status", "time × clean", "peak × clean", "", "rules found"]
    return Section(title, TEXT, budgets, [markdown_table(heads, list(rows.values()))])


def _case(name: str, file: Path, options: Sequence[str], status: int | None) -> Case:
    command = ours("validate", file, *options, "--format", "json", "--output-file", _report_of(file))
    return Case(name, command, status, limit=STOPPED_AFTER)


def _report_of(file: Path) -> Path:
    return file.with_suffix(".report.json")


def _found(file: Path) -> str:
    """The rules that a file breaks, as its report tells them; nothing where the command did not come to its end."""
    if not _report_of(file).exists():
        return "no report"
    rules = json.loads(_report_of(file).read_bytes())["rules"]
    return ", ".join(f"{rule['count']:,} {rule['code']} {rule['name']}" for rule in rules)


def _numbers(runs: Sequence[Run]) -> list[str]:
    statuses = {"stopped" if run.status < 0 else str(run.status) for run in runs}
    return [spread([run.wall for run in runs]), f"{peak(runs):,.0f}", " or ".join(sorted(statuses))]
