"""Reads TOML: job files and settings."""

import tomllib
from pathlib import Path
from typing import Any

from sharedtask.converters.errors import UnusableError, reason


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises UnusableError, with its path, where it is not one or cannot be read."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UnusableError(f"{path}: cannot be read: {reason(error)}") from None
    except RecursionError:
        raise UnusableError(f"{path}: is not a valid TOML file: its values are nested too deeply") from None
    except ValueError as error:  # not TOML, not UTF-8, or an integer of more digits than Python reads
        raise UnusableError(f"{path}: is not a valid TOML file: {error}") from None
