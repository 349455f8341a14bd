"""The wheel: built from a copy of the sources without links, looked at, and used with the sources out of the way."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("schemas", "converters", "pipelines")
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run(command: Sequence[str | Path], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy that has neither the links nor anything left by an earlier build."""
    copy = tmp_path_factory.mktemp("copy")
    (copy / "sharedtask").mkdir()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "sharedtask/__init__.py",
        "sharedtask/__main__.py",
        "sharedtask/py.typed",
    ):
        shutil.copy(ROOT / name, copy / name)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"], copy)
    (built,) = (copy / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel, and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def modules_of_the_sources() -> set[str]:
    inside = {str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    return {"sharedtask/__init__.py", "sharedtask/__main__.py", *(f"sharedtask/{path}" for path in inside)}


def test_wheel_has_one_top_level_name(unpacked: Path) -> None:
    tops = {path.name for path in unpacked.iterdir()}
    assert tops == {"sharedtask", f"sharedtask-{CONFIGURATION['project']['version']}.dist-info"}
    assert (unpacked / "sharedtask" / "py.typed").exists()


def test_wheel_holds_every_module_and_no_other(unpacked: Path) -> None:
    assert {str(path.relative_to(unpacked)) for path in unpacked.rglob("*.py")} == modules_of_the_sources()


def test_packages_are_listed_once_each() -> None:
    listed = CONFIGURATION["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted({str(Path(name).parent).replace("/", ".") for name in modules_of_the_sources()})


FROM_WHEEL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import sharedtask
assert sharedtask.__file__.startswith(sys.argv[1]), sharedtask.__file__
for found in pkgutil.walk_packages(sharedtask.__path__, 'sharedtask.'):
    if found.name.endswith('__main__'):
        continue
    assert importlib.import_module(found.name).__file__.startswith(sys.argv[1]), found.name
print(*sorted(name for name in sys.modules if name.partition('.')[0] in ('schemas', 'converters', 'pipelines')))
"""


def test_no_module_has_a_bare_name(unpacked: Path) -> None:
    """Every module of the wheel can be imported, the command line included, and none is called `schemas` or the like."""
    told = run([sys.executable, "-I", "-W", "error", "-c", FROM_WHEEL, str(unpacked)], unpacked.parent)
    assert told.split() == []


def test_wheel_names_its_command_and_its_needs(unpacked: Path) -> None:
    (folder,) = unpacked.glob("*.dist-info")
    assert "sharedtask = sharedtask.pipelines.cli:main" in (folder / "entry_points.txt").read_text(encoding="utf-8")
    metadata = (folder / "METADATA").read_text(encoding="utf-8")
    for needed in CONFIGURATION["project"]["dependencies"]:
        assert f"Requires-Dist: {needed}" in metadata
    assert list((folder / "licenses").iterdir())


def test_wheel_works_without_the_sources(unpacked: Path) -> None:
    """The command line of the wheel, from a folder where no source lies."""
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from sharedtask.pipelines.cli import cli; "
        "cli.main(sys.argv[1:], standalone_mode=False)"
    )
    work = unpacked.parent / "work"
    work.mkdir()
    run([sys.executable, "-I", "-c", code, str(unpacked), "sample", "cheers", "--out", "made", "--rows", "20"], work)
    told = run([sys.executable, "-I", "-c", code, str(unpacked), "validate", "made", "--format", "json"], work)
    assert '"ok": true' in told
