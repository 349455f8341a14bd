"""What the code keeps to beside the contracts of import-linter: each of these is done in one place, and no modules import one another."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

from sharedtask.schemas import spans

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("schemas", "converters", "pipelines")
    for path in (ROOT / folder).rglob("*.py")
)

# What is done in one place: who may name it.
ONE_PLACE = {
    "open_source": {
        "converters/source.py",
        "pipelines/inputs/inputs.py",
        "pipelines/jobs/inputs.py",
    },  # a job's for the hash alone
    "sniff": {"converters/sniff.py", "converters/opening.py", "pipelines/inputs/inputs.py"},
    "sniff_input": {"converters/opening.py", "pipelines/inputs/inputs.py"},
    "open_input": {"converters/opening.py", "pipelines/inputs/inputs.py"},
    "read_again": {"converters/opening.py", "pipelines/inputs/judge.py"},
    "judge_input": {"pipelines/inputs/judge.py", "pipelines/inputs/inputs.py", "pipelines/inputs/canonical_output.py"},
    "Finding": {"schemas/rule.py"},
    "whole_file": {"converters/atomic.py", "converters/outputs.py", "converters/storage/local.py"},
}
IN_TASKS = ("schemas/flares/", "converters/flares/", "pipelines/metrics/", "pipelines/samples/", "pipelines/render/")
SPAN_WORDS = {spans.SPAN_TEXT, *spans.FLAGS, spans.CELL, spans.CELL_TEXT}


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def imported(module: str) -> set[str]:
    """The names that a module imports, at its top or in a function."""
    froms = (node for node in ast.walk(parsed(module)) if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in froms for alias in node.names}


def called(module: str) -> Iterator[str]:
    """The functions and classes that a module calls, by their name or through a module that it imported."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported(module):
            yield node.attr
        elif isinstance(node, ast.Call):  # `partial(whole_file, …)`
            yield from (argument.id for argument in node.args if isinstance(argument, ast.Name))


@pytest.mark.parametrize("name", ONE_PLACE)
def test_one_place(name: str) -> None:
    users = {module for module in MODULES if name in set(called(module))}
    assert users <= ONE_PLACE[name]
    assert users, "nobody uses it: the name has changed"


def test_no_modules_import_one_another() -> None:
    """Late imports count: a circle is one whenever it closes."""
    graph = grimp.build_graph("sharedtask", exclude_type_checking_imports=True)
    left = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    while leaves := {module for module, others in left.items() if not others & set(left) - {module}}:
        left = {module: others for module, others in left.items() if module not in leaves}
    assert sorted(left) == []


def test_words_of_spans_are_spelled_in_one_module() -> None:
    found = {
        (module, node.lineno, node.value)
        for module in MODULES
        if module != "schemas/spans.py" and not module.startswith(IN_TASKS)
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Constant) and node.value in SPAN_WORDS
    }
    assert found == set()
    assert any("SPAN_TEXT" in imported(module) for module in MODULES)


def test_the_engine_and_the_readers_do_not_spell_the_index_of_a_span() -> None:
    rooms = (
        "schemas/engine/",
        "schemas/table_checks.py",
        "converters/json/",
        "converters/csv/",
        "converters/tag_cells.py",
        "pipelines/inputs/",
    )
    found = [
        (module, node.lineno)
        for module in MODULES
        if module.startswith(rooms)
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Constant) and node.value == spans.SPAN
    ]
    assert found == []
