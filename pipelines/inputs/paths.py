"""Which files a call means, and where their outputs go."""

from collections.abc import Iterable
from pathlib import Path, PurePath

from sharedtask.converters import brat
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.outputs import join
from sharedtask.converters.source import COMPRESSIONS, STDIN

IGNORED_FOLDERS = {"__MACOSX"}
CARDS = {"README.md", "croissant.json"}  # describe the data of a folder, and are none


def expand(files: str | Path | Iterable[str | Path]) -> list[str]:
    """The files that were named (one path, or several), and those in the folders that were named, in order.

    Hidden ones, what a Mac adds, and the cards of a data set are left out. Raises UnusableError where a folder holds no
    file.
    """
    found: list[str] = []
    for name in listed(files):
        path = Path(name)
        if not path.is_dir():
            found.append(str(name))
            continue
        inside = sorted(one for one in path.rglob("*") if one.is_file() and not _ignored(one.relative_to(path)))
        inside = [one for one in inside if not _belongs_to_another(one)]
        if not inside:
            raise UnusableError(f"{name}: the folder holds no data file")
        found += map(str, inside)
    return found


def listed(files: str | Path | Iterable[str | Path]) -> list[str | Path]:
    """One path, or several, as a list.

    Raises UnusableError for an empty path, which would mean the working directory.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    if not all(map(str, paths)):
        raise UnusableError("the path of an input is empty; expected a file or a folder")
    return paths


def _ignored(path: Path) -> bool:
    return path.name in CARDS or any(part in IGNORED_FOLDERS or part.startswith(".") for part in path.parts)


def _belongs_to_another(path: Path) -> bool:
    """Whether a file is the text of a brat document, which is read with its annotations."""
    return path.suffix == ".txt" and path.with_suffix(brat.ENDING).is_file()


def plan_outputs(files: str | Path | Iterable[str | Path], out: str | Path, ending: str) -> list[tuple[str, str]]:
    """Each input with the path of its output below `out`, a folder or `s3://` prefix.

    Raises UnusableError where two inputs would meet in one output, or `out` is a file.
    """
    if Path(out).is_file():
        raise UnusableError(f"{out}: is a file; expected a folder")
    planned: dict[str, str] = {}
    for name in listed(files):
        root = Path(name)
        for path in expand(name):
            folder = PurePath(path).relative_to(root).parent if root.is_dir() else PurePath()
            target = join(out, str(folder / (bare_name(path) + ending)))
            if target in planned:
                raise UnusableError(
                    f"{planned[target]} and {path} would both be written to {target}; write them to two folders"
                )
            planned[target] = path
    return [(path, target) for target, path in planned.items()]


def beside(out: str | Path, folder: str, ending: str) -> str:
    """The path of a file in a folder beside `out`, with its name and another ending."""
    text = str(out)
    parent = text.rpartition("/")[0] or ("/" if text.startswith("/") else ".")
    return join(parent, f"{folder}/{bare_name(text)}{ending}")


def bare_name(path: str) -> str:
    """The name of a file without its endings: `a.csv.gz` is `a`."""
    name = Path(path).name if path != STDIN else "stdin"
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression)
    return name.rpartition(".")[0] or name
