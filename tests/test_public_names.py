"""The public names are a promise: a change here belongs into CHANGELOG."""

import inspect
from pathlib import Path

import pytest

import sharedtask

NAMES = [
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


def test_public_names_are_the_promised_ones() -> None:
    assert sharedtask.__all__ == NAMES
    assert set(NAMES) <= set(dir(sharedtask))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "__version__"])
def test_public_name_is_documented(name: str) -> None:
    found = getattr(sharedtask, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sharedtask.nothing  # noqa: B018 - the access is what is tested


def test_results_are_short_when_shown(tmp_path: Path) -> None:
    """In a notebook or a debugger a result says in a line what it is, however many items it holds."""
    sharedtask.sample("cheers", tmp_path, rows=300)
    run, gold = tmp_path / "run_en_val.csv", tmp_path / "sentences_en_val.csv"
    results = [
        sharedtask.check(run, gold),
        sharedtask.score(run, gold, bootstrap=20),
        sharedtask.compare(run, run, gold),
        sharedtask.diff(gold, tmp_path / "sentences_en_train.csv"),
        sharedtask.fix(run, gold, tmp_path / "fixed.csv"),
        sharedtask.run_job(sharedtask.Job(inputs=(str(gold),), output=str(tmp_path / "out"), steps=("validate",))),
    ]
    for result in results:
        assert repr(result).startswith(f"<{type(result).__name__}")
        assert len(repr(result)) < 400
