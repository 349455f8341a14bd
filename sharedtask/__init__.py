"""Validate, convert, pre-check and score the files of shared tasks on the reliability of information."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharedtask.converters.source import UnusableError
    from sharedtask.pipelines.baseline import baseline
    from sharedtask.pipelines.batches import Batch, judge_batch
    from sharedtask.pipelines.card import card
    from sharedtask.pipelines.changes import Changes
    from sharedtask.pipelines.check import check
    from sharedtask.pipelines.compare import compare
    from sharedtask.pipelines.convert import convert
    from sharedtask.pipelines.derive import derive
    from sharedtask.pipelines.diff import diff
    from sharedtask.pipelines.export import export
    from sharedtask.pipelines.fix import fix
    from sharedtask.pipelines.jobs.job import Job
    from sharedtask.pipelines.jobs.result import JobResult
    from sharedtask.pipelines.report import Report
    from sharedtask.pipelines.results import Comparison, Fixed, Score, ScoreResult
    from sharedtask.pipelines.run import StoppedError, run
    from sharedtask.pipelines.sample import sample
    from sharedtask.pipelines.schema import schema
    from sharedtask.pipelines.score import score
    from sharedtask.pipelines.splits import splits_check, splits_make
    from sharedtask.pipelines.template import pack, template
    from sharedtask.pipelines.validate import validate

_HOMES = {
    "Batch": "sharedtask.pipelines.batches",
    "Changes": "sharedtask.pipelines.changes",
    "Comparison": "sharedtask.pipelines.results",
    "Fixed": "sharedtask.pipelines.results",
    "Job": "sharedtask.pipelines.jobs.job",
    "JobResult": "sharedtask.pipelines.jobs.result",
    "Report": "sharedtask.pipelines.report",
    "Score": "sharedtask.pipelines.results",
    "ScoreResult": "sharedtask.pipelines.results",
    "StoppedError": "sharedtask.pipelines.run",
    "UnusableError": "sharedtask.converters.source",
    "baseline": "sharedtask.pipelines.baseline",
    "card": "sharedtask.pipelines.card",
    "check": "sharedtask.pipelines.check",
    "compare": "sharedtask.pipelines.compare",
    "convert": "sharedtask.pipelines.convert",
    "derive": "sharedtask.pipelines.derive",
    "diff": "sharedtask.pipelines.diff",
    "export": "sharedtask.pipelines.export",
    "fix": "sharedtask.pipelines.fix",
    "judge_batch": "sharedtask.pipelines.batches",
    "pack": "sharedtask.pipelines.template",
    "run": "sharedtask.pipelines.run",
    "sample": "sharedtask.pipelines.sample",
    "schema": "sharedtask.pipelines.schema",
    "score": "sharedtask.pipelines.score",
    "splits_check": "sharedtask.pipelines.splits",
    "splits_make": "sharedtask.pipelines.splits",
    "template": "sharedtask.pipelines.template",
    "validate": "sharedtask.pipelines.validate",
}
__all__ = [
    "Batch",
    "Changes",
    "Comparison",
    "Fixed",
    "Job",
    "JobResult",
    "Report",
    "Score",
    "ScoreResult",
    "StoppedError",
    "UnusableError",
    "baseline",
    "card",
    "check",
    "compare",
    "convert",
    "derive",
    "diff",
    "export",
    "fix",
    "judge_batch",
    "pack",
    "run",
    "sample",
    "schema",
    "score",
    "splits_check",
    "splits_make",
    "template",
    "validate",
]


def __getattr__(name: str) -> object:
    """Hand a public name on from its module on first use (PEP 562), so that importing the package stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
