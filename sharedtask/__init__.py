"""Validate, convert, pre-check and score the files of shared tasks on the reliability of information."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharedtask.converters.errors import StoppedError, UnusableError
    from sharedtask.converters.limits import Limits
    from sharedtask.pipelines.inputs.judge_batch import Batch, judge_batch
    from sharedtask.pipelines.jobs.job import Job
    from sharedtask.pipelines.jobs.result import JobResult
    from sharedtask.pipelines.results.diff_result import DiffResult
    from sharedtask.pipelines.results.fix_result import FixResult
    from sharedtask.pipelines.results.report import Report
    from sharedtask.pipelines.results.score_results import CompareResult, Score, ScoreResult
    from sharedtask.pipelines.verbs.baseline import baseline
    from sharedtask.pipelines.verbs.card import card
    from sharedtask.pipelines.verbs.check import check
    from sharedtask.pipelines.verbs.compare import compare
    from sharedtask.pipelines.verbs.convert import convert
    from sharedtask.pipelines.verbs.derive import derive
    from sharedtask.pipelines.verbs.diff import diff
    from sharedtask.pipelines.verbs.export import export
    from sharedtask.pipelines.verbs.fix import fix
    from sharedtask.pipelines.verbs.job import run_job
    from sharedtask.pipelines.verbs.pack import pack
    from sharedtask.pipelines.verbs.sample import sample
    from sharedtask.pipelines.verbs.schema import schema
    from sharedtask.pipelines.verbs.score import score
    from sharedtask.pipelines.verbs.splits import splits_check, splits_make
    from sharedtask.pipelines.verbs.template import template
    from sharedtask.pipelines.verbs.validate import validate
    from sharedtask.schemas.kind import Kind
    from sharedtask.schemas.rule import Finding, Rule, Severity

    __version__: str

_HOMES = {
    "Batch": "sharedtask.pipelines.inputs.judge_batch",
    "CompareResult": "sharedtask.pipelines.results.score_results",
    "DiffResult": "sharedtask.pipelines.results.diff_result",
    "Finding": "sharedtask.schemas.rule",
    "FixResult": "sharedtask.pipelines.results.fix_result",
    "Job": "sharedtask.pipelines.jobs.job",
    "JobResult": "sharedtask.pipelines.jobs.result",
    "Kind": "sharedtask.schemas.kind",
    "Limits": "sharedtask.converters.limits",
    "Report": "sharedtask.pipelines.results.report",
    "Rule": "sharedtask.schemas.rule",
    "Score": "sharedtask.pipelines.results.score_results",
    "ScoreResult": "sharedtask.pipelines.results.score_results",
    "Severity": "sharedtask.schemas.rule",
    "StoppedError": "sharedtask.converters.errors",
    "UnusableError": "sharedtask.converters.errors",
    "baseline": "sharedtask.pipelines.verbs.baseline",
    "card": "sharedtask.pipelines.verbs.card",
    "check": "sharedtask.pipelines.verbs.check",
    "compare": "sharedtask.pipelines.verbs.compare",
    "convert": "sharedtask.pipelines.verbs.convert",
    "derive": "sharedtask.pipelines.verbs.derive",
    "diff": "sharedtask.pipelines.verbs.diff",
    "export": "sharedtask.pipelines.verbs.export",
    "fix": "sharedtask.pipelines.verbs.fix",
    "judge_batch": "sharedtask.pipelines.inputs.judge_batch",
    "pack": "sharedtask.pipelines.verbs.pack",
    "run_job": "sharedtask.pipelines.verbs.job",
    "sample": "sharedtask.pipelines.verbs.sample",
    "schema": "sharedtask.pipelines.verbs.schema",
    "score": "sharedtask.pipelines.verbs.score",
    "splits_check": "sharedtask.pipelines.verbs.splits",
    "splits_make": "sharedtask.pipelines.verbs.splits",
    "template": "sharedtask.pipelines.verbs.template",
    "validate": "sharedtask.pipelines.verbs.validate",
}
__all__ = [
    "Batch",
    "CompareResult",
    "DiffResult",
    "Finding",
    "FixResult",
    "Job",
    "JobResult",
    "Kind",
    "Limits",
    "Report",
    "Rule",
    "Score",
    "ScoreResult",
    "Severity",
    "StoppedError",
    "UnusableError",
    "__version__",
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
    "run_job",
    "sample",
    "schema",
    "score",
    "splits_check",
    "splits_make",
    "template",
    "validate",
]


def __getattr__(name: str) -> object:
    """Import a public name from its module on first use (PEP 562), so that importing the package stays cheap."""
    if name == "__version__":
        from importlib.metadata import version

        return version("sharedtask")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
