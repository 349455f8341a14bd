"""The budgets of the measures in memory: the matching of FLARES beside the quadratic row loop, and ROC-AUC beside scikit-learn."""

from pathlib import Path

from measure import Case, ratios
from report import Budget, Section, run_table
from setting import Setting, is_installed, left_out, script

MATCHING = """Rows of a FLARES train file against themselves. Each process loads its data first and then times one call, the first one. The
row loop is that of the organisers' script, restated: for each row of the run `iterrows` of pandas over the gold until the Id is met, then
literals and matching. `score` is all that the official scorer does with the two tables, `match` the matching alone. The memory is that of
the whole process."""
AUC = """Each process loads labels and scores first and then times one call, the first one; scikit-learn is given NumPy arrays. `score` has
nearly no two values equal, `rounded` has 4 decimals. The memory is that of the whole process."""


def matching(setting: Setting) -> Section:
    """Match the spans of a train file with themselves, in three ways."""
    files = setting.make("articles", "--rows", setting.size.articles)
    table, source = (str(files / f"5w1h_subtask_1_train.{ending}") for ending in ("parquet", "csv"))
    cases = [_timed("score", "flares-score", table), _timed("match", "flares-match", table)]
    if not is_installed("pandas"):
        runs = setting.measure(cases)
        return Section("Match FLARES spans", MATCHING, (), [run_table(runs), left_out("pandas")])
    runs = setting.measure([_timed("row loop", "flares-loop", source), *cases])
    budgets = [
        Budget(
            f"{name}, how many times as fast as the row loop", ratios(runs["row loop"], runs[name]), 1000, at_least=True
        )
        for name in ("match", "score")
    ]
    text = f"{MATCHING} {setting.size.articles:,} rows."
    return Section("Match FLARES spans", text, budgets, [run_table(runs)])


def ranking(setting: Setting) -> Section:
    """ROC-AUC of scores that are all different, and of scores with four decimals."""
    scores = setting.make("scores", "--rows", setting.size.scores) / "scores.parquet"
    times = {"score": 3, "rounded": 10}
    cases = [
        *(_timed(f"ours, {column}", "auc", scores, column) for column in times),
        *(_timed(f"scikit-learn, {column}", "sklearn-auc", scores, column) for column in times),
    ]
    runs = setting.measure(cases)
    budgets = [
        Budget(
            f"{column}, how many times as fast as scikit-learn",
            ratios(runs[f"scikit-learn, {column}"], runs[f"ours, {column}"]),
            wanted,
            at_least=True,
        )
        for column, wanted in times.items()
    ]
    return Section("ROC-AUC", f"{AUC} {setting.size.scores:,} rows.", budgets, [run_table(runs)])


def _timed(name: str, call: str, *options: str | Path) -> Case:
    return Case(name, [*script("timed_calls.py"), call, *map(str, options)], timed_inside=True)
