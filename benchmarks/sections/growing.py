"""Growth: time and memory of four verbs, from few rows to many."""

from measure import Case, Run
from report import Section, markdown_table, peak, spread
from setting import Setting, ours

TEXT = """A CHEERS sentences file through `validate` and `convert`, and a run for it through `check` and `score`: seconds and peak memory of the
whole process. Time has to grow with the rows, not faster; what grows in memory is the key columns."""


def growing(setting: Setting) -> Section:
    """Each verb at each size."""
    found: dict[int, dict[str, list[Run]]] = {}
    for rows in setting.size.growth:
        files = setting.make("sentences", "clean", "run", "--rows", rows, out="now")
        clean, run = files / "clean.csv", files / "run.csv"
        cases = [
            Case("validate", ours("validate", clean, "--quiet")),
            Case("convert", ours("convert", clean, "--out", files / "out", "--quiet")),
            Case("check", ours("check", run, "--against", clean, "--quiet")),
            Case("score", ours("score", run, "--against", clean)),
        ]
        found[rows] = setting.measure(cases)
    verbs = list(next(iter(found.values())))
    heads = ["rows", *(f"{verb} {what}" for verb in verbs for what in ("s", "MB"))]
    lines = [
        [f"{rows:,}", *(cell for verb in verbs for cell in (_seconds(runs[verb]), f"{peak(runs[verb]):,.0f}"))]
        for rows, runs in found.items()
    ]
    return Section("Growth", TEXT, blocks=[markdown_table(heads, lines)])


def _seconds(runs: list[Run]) -> str:
    return spread([run.wall for run in runs])
