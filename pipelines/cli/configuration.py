"""The settings of a project: `sharedtask.toml`, or `[tool.sharedtask]` of pyproject.toml, in the working directory.

Never those beside an input, which somebody else may have written.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.toml_file import read_toml
from sharedtask.schemas.nearest import unknown

OWN, SHARED = "sharedtask.toml", "pyproject.toml"
KEYS = ("ignore",)


def ignored_rules(path: str | None) -> list[str]:
    """The rules that a project ignores; `path` names the file, else it is looked for in the working directory.

    Raises UnusableError where the file cannot be read, has an unknown key, or names something else than rules.
    """
    own, shared = Path(OWN), Path(SHARED)
    if path is not None:
        named = Path(path)
        settings = _shared(named) if named.name == SHARED else read_toml(named)
        return _ignored(settings, path)
    if own.is_file():
        return _ignored(read_toml(own), OWN)
    return _ignored(_shared(shared), SHARED) if shared.is_file() else []


def _shared(path: Path) -> Mapping[str, Any]:
    tool = read_toml(path).get("tool", {})
    found = tool.get("sharedtask", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(found, Mapping):
        raise UnusableError(f"{path}: tool.sharedtask is not a table")
    return found


def _ignored(settings: Mapping[str, Any], path: str) -> list[str]:
    for key in settings:
        if key not in KEYS:
            raise UnusableError(f"{path}: {unknown('key', key, KEYS)}")
    rules = settings.get("ignore", [])
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise UnusableError(f"{path}: ignore is not a list of rules, such as ['span-cuts-word']")
    return rules
