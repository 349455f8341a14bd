"""A Python that has the runtime dependencies of `sharedtask` and nothing else, made from what is installed already.

Pandera imports pandas and more where it finds them, so a development environment starts slower than that of a user. Nothing is
downloaded: the new environment holds links to the installed packages.
"""

import sysconfig
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement


def make_runtime_python(folder: Path) -> Path:
    """Make a virtual environment in `folder`; its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    places = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=places))
    for package in runtime():
        for entry in _entries(package):
            if not (packages / entry).exists():
                (packages / entry).symlink_to(str(package.locate_file(entry)))
    return Path(sysconfig.get_path("scripts", "venv", vars=places)) / "python"


def runtime(package: str = "sharedtask") -> list[Distribution]:
    """A package and all that it needs to run, without its extras."""
    found: dict[str, Distribution] = {}
    wanted = [Requirement(package)]
    seen: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        found[requirement.name.lower()] = distribution(requirement.name)
        for line in found[requirement.name.lower()].requires or []:
            needed = Requirement(line)
            extras = [{"extra": extra} for extra in ("", *requirement.extras)]
            if needed.marker is None or any(needed.marker.evaluate(extra) for extra in extras):
                wanted.append(needed)
    return list(found.values())


def _entries(package: Distribution) -> set[str]:
    """The names of a package at the top of the folder of packages: modules, folders, metadata, and what `.pth` files need."""
    tops = {file.parts[0] for file in package.files or []}
    return tops - {"..", "__pycache__"}
