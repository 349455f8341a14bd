"""Which files a call means, and where their outputs go.

A file that is named is always read. In a folder or behind a glob only data is: what a job or `card` writes there, hidden
names, and files without the ending of data are skipped.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePath, PurePosixPath
from typing import NoReturn

from sharedtask.converters import brat, storage
from sharedtask.converters.errors import UnusableError, reason
from sharedtask.converters.outputs import join
from sharedtask.converters.source import COMPRESSIONS, STDIN
from sharedtask.converters.storage.pattern import is_pattern

IGNORED_FOLDERS = {"__MACOSX"}
CARDS = {"README.md", "croissant.json"}
WRITTEN = {*CARDS, "manifest.json", "findings.parquet", "scores.parquet"}
"""What a job or `card` writes beside data."""
DATA_ENDINGS = (
    *(".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather"),
    *(".xlsx", ".zip", ".ann", ".bio"),
)
MOST_NAMES = 3  # of skipped files that a note lists


@dataclass(frozen=True, slots=True)
class Named:
    """A file that a call means: its `path`, and its `place` below the folder or glob that it was found in.

    `place` is None for a file that was named.
    """

    path: str
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Meant:
    """The files that a call means, and the paths of those that were skipped."""

    files: Sequence[Named]
    skipped: Sequence[str] = ()

    @property
    def paths(self) -> list[str]:
        return [one.path for one in self.files]

    def notes(self) -> list[str]:
        """A line on what was skipped, if anything was."""
        if not self.skipped:
            return []
        names = ", ".join(PurePosixPath(path).name for path in self.skipped[:MOST_NAMES])
        more = ", …" if len(self.skipped) > MOST_NAMES else ""
        return [f"skipped {len(self.skipped)} that are not data files: {names}{more}"]


def expand(files: str | Path | Iterable[str | Path], exclude: Sequence[str] = ()) -> Meant:
    """The files that were named (one path, or several), and those in folders and behind globs, in order.

    A folder may be an `s3://` prefix that ends in `/`; what fits a pattern of `exclude` is left out. Raises
    UnusableError where a folder or a glob holds no data file.
    """
    found: list[Named] = []
    skipped: list[str] = []
    for name in listed(files):
        path = str(name)
        inside = _inside(path)
        if inside is None:
            found.append(Named(path))
            continue
        kept = [one for one in inside if not _is_excluded(one, exclude)]
        data = [one for one in kept if _is_data(one)]
        skipped += [one.path for one in kept if not _is_data(one) and not _is_hidden(one)]
        if not data:
            raise UnusableError(f"{path}: holds no data file")
        found += data
    return Meant(found, skipped)


def files_below(folder: Path) -> list[Path]:
    """Every file of a folder but the hidden ones, data or not, without the cards that describe it."""
    return [one for one in _files_below(folder) if one.is_file() and one.name not in CARDS]


def _files_below(folder: Path) -> list[Path]:
    """What is in a folder and below it but folders, sorted; links to folders are not followed, hidden names left out.

    Raises UnusableError where a folder cannot be listed: data may be in it.
    """

    def refuse(error: OSError) -> NoReturn:
        raise UnusableError(f"{error.filename}: cannot be read: {reason(error)}")

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not _hides(name)]
        found += [Path(place, name) for name in names if not _hides(name)]
    return sorted(found)


def listed(files: str | Path | Iterable[str | Path]) -> list[str | Path]:
    """One path, or several, as a list.

    Raises UnusableError for an empty path, which would mean the working directory.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    if not all(map(str, paths)):
        raise UnusableError("the path of an input is empty; expected a file or a folder")
    return paths


def _inside(path: str) -> list[Named] | None:
    """The files in a folder or behind a glob, sorted; None for the path of a file."""
    if "://" in path:
        if not storage.is_remote(path) or not (is_pattern(path) or path.endswith("/")):
            return None
        root = path.rpartition("/")[0] if path.endswith("/") else path[: path.rindex("/", 0, _first_wild(path)) + 1]
        return [Named(one.path, one.path.removeprefix(root).lstrip("/")) for one in storage.find(path, Path())]
    folder = Path(path)
    if folder.is_dir():
        inside = _files_below(folder)
        return [Named(str(one), one.relative_to(folder).as_posix()) for one in inside if not _belongs_to_another(one)]
    if not is_pattern(path) or folder.exists() or path == STDIN:
        return None
    root = path[: path.rfind("/", 0, _first_wild(path)) + 1]
    return [Named(one.path, one.path.removeprefix(root)) for one in storage.find(path, Path())] or None


def _first_wild(path: str) -> int:
    return min(at for sign in "*?[" if (at := path.find(sign)) >= 0)


def _is_hidden(one: Named) -> bool:
    parts = PurePosixPath(one.place or "").parts
    return any(map(_hides, parts))


def _hides(name: str) -> bool:
    return name in IGNORED_FOLDERS or name.startswith((".", "_"))


def _is_data(one: Named) -> bool:
    """Whether what was found in a folder is a data file by its name, and a file: no pipe, device or broken link."""
    name = _unpacked_name(one.path).lower()
    named = not _is_hidden(one) and PurePosixPath(one.path).name not in WRITTEN and name.endswith(DATA_ENDINGS)
    return named and ("://" in one.path or Path(one.path).is_file())


def _is_excluded(one: Named, exclude: Sequence[str]) -> bool:
    place = PurePosixPath(one.place or "")
    names = {place.name, str(place), *map(str, place.parents)}
    return any(fnmatch(name, pattern.rstrip("/") or pattern) for pattern in exclude for name in names)


def _belongs_to_another(path: Path) -> bool:
    """Whether a file is the text of a brat document, which is read with its annotations."""
    return path.suffix == ".txt" and path.with_suffix(brat.ENDING).is_file()


def plan_outputs(meant: Meant, out: str | Path, ending: str) -> list[tuple[str, str]]:
    """Each input with the path of its output below `out`, a folder or `s3://` prefix.

    Raises UnusableError where two inputs would meet in one output, or `out` is a file.
    """
    if Path(out).is_file():
        raise UnusableError(f"{out}: is a file; expected a folder")
    return list(_planned(meant, out, ending))


def _planned(meant: Meant, out: str | Path, ending: str) -> Iterator[tuple[str, str]]:
    planned: dict[str, str] = {}
    for one in meant.files:
        folder = PurePath(as_text(one.place or "")).parent
        target = join(out, str(folder / (bare_name(as_text(one.path)) + ending)))
        if target in planned:
            raise UnusableError(
                f"{planned[target]} and {one.path} would both be written to {target}; write them to two folders"
            )
        planned[target] = one.path
        yield one.path, target


def beside(out: str | Path, folder: str, ending: str) -> str:
    """The path of a file in a folder beside `out`, with its name and another ending."""
    text = str(out)
    parent = text.rpartition("/")[0] or ("/" if text.startswith("/") else ".")
    return join(parent, f"{folder}/{bare_name(text)}{ending}")


def as_text(path: str) -> str:
    """A path as text. A name that is not UTF-8 becomes one that no file has, so its input is reported as unreadable."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


def bare_name(path: str) -> str:
    """The name of a file without its endings: `a.csv.gz` is `a`."""
    name = _unpacked_name(path)
    return name.rpartition(".")[0] or name


def _unpacked_name(path: str) -> str:
    name = Path(path).name if path != STDIN else "stdin"
    for compression in COMPRESSIONS:
        name = name.removesuffix(compression)
    return name
