"""Modules stay small and say by their name what they hold."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("sharedtask", "schemas", "converters", "pipelines", "tests", "benchmarks", "docs")
MODULES = sorted(
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if folder != "sharedtask" or path.parent.name == "sharedtask"  # its links lead to the three folders again
)
LIMIT = 500
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "base", "core", "shared"}


def test_all_folders_have_modules() -> None:
    assert {path.parts[0] for path in MODULES} == set(FOLDERS)


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_name_of_module_says_something(module: Path) -> None:
    assert module.stem not in SAYS_NOTHING


@pytest.mark.parametrize("module", [module for module in MODULES if module.parts[0] != "tests"], ids=str)
def test_module_is_small(module: Path) -> None:
    lines = (ROOT / module).read_text(encoding="utf-8").count("\n")
    assert lines <= LIMIT, "a module that outgrows the limit becomes a folder of the same name"


def test_code_lies_in_the_three_folders() -> None:
    """The import package holds its face, `python -m`, the mark of its types and the three links for static tools; nothing else."""
    inside = {path.name for path in (ROOT / "sharedtask").iterdir() if path.name != "__pycache__"}
    assert {"__init__.py", "__main__.py", "py.typed"} <= inside
    assert inside <= {"__init__.py", "__main__.py", "py.typed", "schemas", "converters", "pipelines"}
    assert {path.name for path in ROOT.glob("*.py")} == set()
