"""The verb `card`: a folder of files described for people (README.md) and for programs (croissant.json)."""

from pathlib import Path

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.converters.source import COMPRESSIONS
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.cards.metadata import is_ours, metadata
from sharedtask.pipelines.cards.readme import MARK, About, readme
from sharedtask.pipelines.cards.statistics import FileFacts, facts
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.lenient_kind import unchecked
from sharedtask.pipelines.inputs.paths import files_below
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.tasks import TASKS, all_kinds

README, CROISSANT = "README.md", "croissant.json"
BESIDE = {README, CROISSANT, "manifest.json", "license", "license.md", "license.txt", "changelog.md", "citation.cff"}


def card(
    folder: str | Path,
    *,
    name: str | None = None,
    licence: str = "unknown",
    url: str | None = None,
    force: bool = False,
) -> list[Path]:
    """Write `README.md` and `croissant.json` into a folder, and return their paths.

    The first has the front matter of Hugging Face, tables and bars, the second checksums and record sets.

    Every file in it is listed. What kind of data it holds is found from its columns; one of no known kind is listed and
    not described. Data is never touched, and the same files give the same bytes. `name`, `licence` and `url` are what
    no file says. A README.md or croissant.json that somebody else wrote is replaced with `force` only.

    Raises UnusableError in that case, and where there is no such folder, nothing in it, or a file whose structure is
    wrong.
    """
    if not str(folder):
        raise UnusableError("the path of the folder is empty; expected a folder")
    root = Path(folder)
    if not root.is_dir():
        raise UnusableError(f"{folder}: is not a folder")
    places = [root / README, root / CROISSANT]
    if not force:
        _refuse_foreign(places)
    paths = [path for path in files_below(root) if path.name.lower() not in {name.lower() for name in BESIDE}]
    if not paths:
        raise UnusableError(f"{folder}: the folder holds no data file")
    files = [_facts_of(path, path.relative_to(root)) for path in paths]
    tasks = {one.kind.task for one in files if one.kind}
    languages = tuple(sorted({task.language for task in TASKS if task.name in tasks and task.language}))
    about = About(name or root.resolve().name, licence, url, languages)
    texts = (readme(about, files), metadata(about, files))
    outputs = Outputs(paths)
    targets = [outputs.file(place) for place in places]
    for target, text in zip(targets, texts, strict=True):
        with target.open() as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return places


def _refuse_foreign(targets: list[Path]) -> None:
    for target in targets:
        if target.is_dir():
            raise UnusableError(f"{target}: is a folder; expected a file")
        if target.exists():
            text = target.read_text(encoding="utf-8", errors="replace")
            ours = MARK in text if target.name == README else is_ours(text)
            if not ours:
                raise UnusableError(
                    f"{target}: was not written by `sharedtask card`; replace it with --force, or move it away"
                )


def _facts_of(path: Path, name: Path) -> FileFacts:
    """The facts of one file. Raises UnusableError where its structure is wrong."""
    with Inputs(Report("card", max_findings=1), Limits(findings=1)) as inputs:
        sniffed = inputs.sniff(path, "data")
        source, kind = sniffed.source, kind_among(sniffed, all_kinds())
        packed = next((ending.removeprefix(".") for ending in COMPRESSIONS if path.suffix == ending), "")
        if kind is None:
            return FileFacts(name, source.sha256, source.size, container=packed)
        judged = inputs.judge(sniffed, "data", [unchecked(kind, kind.key)], kind=kind.name, only_structure=True)
        if judged is None:
            raise UnusableError(f"{path}: its structure is wrong; see `sharedtask validate`. No card was written")
        table = judged.opened.table
        container = "zip" if path.suffix.lower() == ".zip" else str(table.form.get("container"))
        return facts(judged.frame, kind, table.names, name, source.sha256, source.size, packed or container)
