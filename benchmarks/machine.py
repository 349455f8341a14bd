"""What the numbers were measured on, and with which versions."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("sharedtask", "polars", "pandera", "pyarrow", "duckdb", "pandas", "numpy", "scikit-learn", "frictionless")


def machine() -> str:
    """Date, processors, memory, system and versions as a Markdown list."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return (
        f"- {datetime.datetime.now(datetime.UTC).date()}, {os.cpu_count()} processors ({_model()}), {memory:.0f} GiB of memory, "
        f"{platform.system()} {platform.release()}\n- Python {platform.python_version()}, {versions}\n"
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def _model() -> str:
    """The name of the processor where the system tells it, and its architecture elsewhere."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
