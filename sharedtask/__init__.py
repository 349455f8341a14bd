"""Validate, convert, pre-check and score the files of shared tasks on the reliability of information."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharedtask.pipelines.baseline import baseline
    from sharedtask.pipelines.changes import Changes
    from sharedtask.pipelines.compare import compare
    from sharedtask.pipelines.convert import convert
    from sharedtask.pipelines.derive import derive
    from sharedtask.pipelines.diff import diff
    from sharedtask.pipelines.export import export
    from sharedtask.pipelines.report import Report
    from sharedtask.pipelines.results import Comparison, Score, ScoreResult
    from sharedtask.pipelines.score import score
    from sharedtask.pipelines.validate import validate

_HOMES = {
    "Changes": "sharedtask.pipelines.changes",
    "Comparison": "sharedtask.pipelines.results",
    "Report": "sharedtask.pipelines.report",
    "Score": "sharedtask.pipelines.results",
    "ScoreResult": "sharedtask.pipelines.results",
    "baseline": "sharedtask.pipelines.baseline",
    "compare": "sharedtask.pipelines.compare",
    "convert": "sharedtask.pipelines.convert",
    "derive": "sharedtask.pipelines.derive",
    "diff": "sharedtask.pipelines.diff",
    "export": "sharedtask.pipelines.export",
    "score": "sharedtask.pipelines.score",
    "validate": "sharedtask.pipelines.validate",
}
__all__ = [
    "Changes",
    "Comparison",
    "Report",
    "Score",
    "ScoreResult",
    "baseline",
    "compare",
    "convert",
    "derive",
    "diff",
    "export",
    "score",
    "validate",
]


def __getattr__(name: str) -> object:
    """Hand a public name on from its module on first use (PEP 562), so that importing the package stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
