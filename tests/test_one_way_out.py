"""Files are written through `converters/outputs.py`, which checks them first."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPENER = "whole_file"
MAY = {"converters/atomic.py", "converters/outputs.py", "converters/storage/local.py"}


def names_the_opener(module: Path) -> bool:
    """Whether a module imports the function, at its top or in a function, or reaches it through its module."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and any(alias.name == OPENER for alias in node.names):
            return True
        if isinstance(node, ast.Attribute) and node.attr == OPENER:
            return True
    return False


def test_nobody_else_opens_an_output() -> None:
    modules = [path for folder in ("schemas", "converters", "pipelines") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in modules if names_the_opener(path)}
    assert found <= MAY
    assert {"converters/outputs.py", "converters/storage/local.py"} <= found  # the lint looks at something
