"""The verb `score`: a run against its gold, in a published way, or a refusal that says why not."""

from collections.abc import Sequence
from pathlib import Path, PurePath

from sharedtask.converters.canonical_sink import ENDINGS, sink
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs, Target
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.metrics.bootstrap import intervals
from sharedtask.pipelines.metrics.published import context
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.results.report import Report, tool_version
from sharedtask.pipelines.results.score_results import NotScored, Score, ScoreResult
from sharedtask.pipelines.runs.after_fix import score_after_fix
from sharedtask.pipelines.runs.score_run import ScoreJudge, refuse_unknown, scorer_for
from sharedtask.pipelines.tasks import all_scorers


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
    limits: Limits = USUAL_LIMITS,
) -> ScoreResult:
    """Score a run against a gold, of which only ids and labels are needed.

    `scorer` is one of the scorers of the kind of run, its first one by default; `kind` is the kind of the run where its
    columns do not tell. `bootstrap` resamples give an interval for each score, drawn from `seed`. `per_item` is a file
    for the outcome of each span, sentence or post, in the container that its ending names (.parquet, .csv or .jsonl);
    nothing is written for a refusal.

    The result is a refusal where cells or records cannot be read, an id is unknown, repeated or missing and the scorer
    has no rule for that, or the gold has no labels, or labels of one class where two are needed; `not_scored` says why,
    and what to do. `allow_missing` lets missing ids pass: in cheers they are not relevant, in reintel they count as 0.5,
    in flares subtask 2 as an answer of no class. Whatever else is wrong is shown and scored as given, with a note; an
    unknown label is a wrong answer. Where an error of the run can be repaired, `after_fix` has the scores after the safe
    repairs. Raises UnusableError where a file cannot be read or written at all, the run is a
    file of another kind, run and gold are swapped, or there is no such scorer.
    """
    refuse_unknown(scorer, bootstrap)
    target = None if per_item is None else Outputs([run, against]).file(per_item)
    container = _container_of(target.path) if target is not None else ""
    report = Report("score", max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        judge = ScoreJudge(scorer, allow_missing=allow_missing)
        found = judge.score_against(inputs, str(run), str(against), kind)
    repaired = score_after_fix(
        str(run), str(against), report, limits, scorer=scorer, allow_missing=allow_missing, kind=kind
    )
    if isinstance(found, NotScored):
        return ScoreResult(report, not_scored=found, after_fix=repaired)
    chosen = scorer_for(found.kind, scorer)
    if target is not None:
        _write_items(found, target, container)
        report.written.append(target.path)
    spread = {}
    if bootstrap:
        units = chosen.units(found.per_item)
        spread = intervals(units, chosen.keys, chosen.statistic, n=bootstrap, seed=seed)
    published = tuple(context(found.kind, found))
    return ScoreResult(report, found, chosen.title, spread, published, after_fix=repaired)


def scorers() -> Sequence[Scorer]:
    """All scorers, for each kind of run the default first."""
    return list(all_scorers())


def _container_of(path: str) -> str:
    """The container that the ending of an output names. Raises UnusableError where it names none."""
    ending = PurePath(path).suffix.lower()
    found = next((one for one in ("parquet", "csv", "jsonl") if ending == ENDINGS[one]), None)
    if found is None:
        raise UnusableError(f"{path}: the name of a per-item file ends in .parquet, .csv or .jsonl")
    return found


def _write_items(score: Score, target: Target, container: str) -> None:
    says = {
        "sharedtask.kind": f"{score.kind}-items",
        "sharedtask.scorer": score.scorer,
        "sharedtask.tool_version": tool_version(),
    }
    with target.open() as temporary:  # its ids and answers are the words of others, for whom a spreadsheet may act
        items = score.per_item.lazy()
        sink(items, temporary, container, lambda rows: {**says, "sharedtask.rows": str(rows)}, escaped=[]).run()
