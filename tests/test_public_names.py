"""The public names are a promise: a change here belongs into CHANGELOG."""

import inspect

import pytest

import sharedtask

NAMES = [
    "Batch",
    "CompareResult",
    "DiffResult",
    "FixResult",
    "Job",
    "JobResult",
    "Report",
    "Score",
    "ScoreResult",
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
