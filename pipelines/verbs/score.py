"""The verb `score`: a run against its gold, in a published way, or a refusal that says why not."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sharedtask.converters.atomic import ENDINGS, sink, whole_file
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.metrics.bootstrap import intervals
from sharedtask.pipelines.metrics.published import context
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.report import tool_version
from sharedtask.pipelines.results.score_results import Score, ScoreResult
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.pipelines.runs.score_inputs import gold_kinds, read_answers
from sharedtask.pipelines.runs.score_run import chosen_scorer, refuse_unknown, score_answers
from sharedtask.pipelines.tasks import all_scorers
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def score(
    run: str | Path,
    against: str | Path,
    *,
    scorer: str | None = None,
    kind: str | None = None,
    allow_missing: bool = False,
    bootstrap: int = 0,
    seed: int = 0,
    per_item: str | Path | None = None,
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> ScoreResult:
    """Score a run against a gold, of which only ids and labels are needed.

    `scorer` is one of the scorers of the kind of run, its first one by default; `kind` is the kind of the run where its columns do not
    tell. `bootstrap` resamples give an interval for each score, drawn from `seed`. `per_item` is a file for what became of each span,
    sentence or post, in the form that its ending names (.parquet, .csv or .jsonl); nothing is written for a refusal.

    The result is a refusal where cells or records cannot be read, an id is unknown, repeated or missing and the scorer has no rule for
    that, or the gold has no labels, or labels of one class where two are needed. `allow_missing` lets missing ids pass: in cheers they are
    not relevant, in reintel they count as 0.5, in flares subtask 2 as an answer of no class. Whatever else is wrong is shown and scored as
    given; an unknown label is a wrong answer. Raises UnusableError where a file cannot be read or written at all, the run is a file of
    another kind, or there is no such scorer.
    """
    refuse_unknown(scorer, bootstrap)
    form = _form_of(Path(per_item)) if per_item is not None else ""
    with ExitStack() as files:
        checking = RunJudge(files, max_findings, max_bytes, verb="score", references=gold_kinds())
        checking.check(str(run), str(against), kind, ())
        chosen = chosen_scorer(checking, scorer)
        answers = read_answers(checking, chosen, allow_missing=allow_missing) if chosen else None
        found = score_answers(checking, chosen, answers) if chosen and answers else None
        report = checking.report
    if chosen is None or found is None:
        return ScoreResult(report)
    if per_item is not None:
        _write_items(found, Path(per_item), form)
    spread = {}
    if bootstrap:
        units = chosen.units(found.per_item)
        spread = intervals(units, chosen.keys, chosen.statistic, n=bootstrap, seed=seed)
    return ScoreResult(report, found, chosen.title, spread, tuple(context(found.kind, found)))


def scorers() -> Sequence[Scorer]:
    """All scorers, for each kind of run the default first."""
    return list(all_scorers())


def _form_of(path: Path) -> str:
    """The form that the ending of an output names. Raises UnusableError where it names none."""
    form = next((form for form in ("parquet", "csv", "jsonl") if path.suffix.lower() == ENDINGS[form]), None)
    if form is None:
        raise UnusableError(f"{path}: items are written as .parquet, .csv or .jsonl")
    return form


def _write_items(score: Score, out: Path, form: str) -> None:
    says = {
        "sharedtask.kind": f"{score.kind}-items",
        "sharedtask.scorer": score.scorer,
        "sharedtask.tool_version": tool_version(),
    }
    with whole_file(out) as temporary:
        sink(score.per_item.lazy(), temporary, form, lambda rows: {**says, "sharedtask.rows": str(rows)}).collect(
            engine="streaming"
        )
