"""The sound files that the campaign damages: every kind of every task, in every form in which the project writes it."""

import ast
import csv
import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sharedtask.pipelines.inputs.canonical_output import Form
from sharedtask.pipelines.tasks import TASKS, export_formats
from sharedtask.pipelines.verbs.baseline import baseline
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.export import export
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.template import template
from sharedtask.pipelines.verbs.validate import validate

ROWS, SEED = 7, 3  # small files: the cost of a call hardly depends on them, and a finding is easier to read
CHEERS_DOCUMENTS = 1200  # characters that are kept of each document

LABELS = b"id,label\n1,1\n2,0\n3,0\n4,1\n5,1\n"
RECHECK = b"id,recheck\n1,news\n2,opinion\n3,news\n"
SETTINGS = b'ignore = ["not-upload-form", "crlf-line-ends"]\n'

REFERENCES = {
    "flares/subtask1-run": ("5w1h_subtarea_1_train.json", "5w1h_subtarea_1_test.json"),
    "flares/subtask2-run": ("5w1h_subtarea_2_train.json", "5w1h_subtarea_2_test.json"),
    "cheers/run": ("sentences_en_val.csv", "sentences_en_train.csv"),
    "reintel/run": ("public_train.csv", "public_test.csv"),
}
"""The files that runs of each kind are checked against: first those with the labels of the runs made here."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """One sound file. `form` says which mutations fit its bytes: bytes, text, csv, json or toml."""

    name: str
    kind: str
    form: str
    content: bytes

    @property
    def is_run(self) -> bool:
        """Whether it is a participant's file."""
        return self.kind in REFERENCES

    @property
    def task(self) -> str:
        """The task of its kind."""
        return self.kind.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Material:
    """All specimens by name."""

    specimens: dict[str, Specimen]

    def of_kind(self, kind: str) -> list[Specimen]:
        """The specimens of one kind."""
        return [one for one in self.specimens.values() if one.kind == kind]

    def save(self, folder: Path) -> None:
        """Write it for the worker processes."""
        folder.mkdir(parents=True, exist_ok=True)
        listed = []
        for number, one in enumerate(self.specimens.values()):
            (folder / f"{number}.bin").write_bytes(one.content)
            listed.append({name: value for name, value in asdict(one).items() if name != "content"})
        (folder / "material.json").write_text(json.dumps(listed), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Material":
        """Read what `save` wrote."""
        listed = json.loads((folder / "material.json").read_text(encoding="utf-8"))
        every = (Specimen(**one, content=(folder / f"{number}.bin").read_bytes()) for number, one in enumerate(listed))
        return cls({one.name: one for one in every})


def make_material() -> Material:
    """Make all specimens; the same project makes the same bytes."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as name:
        folder = Path(name)
        for task in TASKS:
            sample(task.name, folder, rows=ROWS, seed=SEED)
        for path in folder.glob("documents_*.csv"):
            path.write_bytes(_shortened(path))
        (folder / "labels.csv").write_bytes(LABELS)
        (folder / "recheck.csv").write_bytes(RECHECK)
        _make_runs(folder)
        paths = sorted(path for path in folder.iterdir() if path.is_file())
        found = list(_specimens(paths))
        found += _other_forms(folder, found)
    return Material({one.name: one for one in (*found, *_settings())})


def _shortened(path: Path) -> bytes:
    """The documents with the beginning of each text."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([cell[:CHEERS_DOCUMENTS] for cell in row] for row in rows)
    return out.getvalue().encode()


def _make_runs(folder: Path) -> None:
    """Runs that answer files with labels, so that they can be scored, and an empty one for each kind."""
    methods = {
        "flares/subtask1-run": "lead",
        "flares/subtask2-run": "random",
        "cheers/run": "random",
        "reintel/run": "prior",
    }
    for kind, (gold, _) in REFERENCES.items():
        stem = kind.replace("/", "_")
        baseline(folder / gold, folder / gold, folder / f"{stem}_baseline.csv", method=methods[kind], seed=1)
        template(folder / gold, folder / f"{stem}_template.csv")
    with (folder / "5w1h_subtask_1_train.csv").open(encoding="utf-8", newline="") as file:
        records = [(row["Id"], ast.literal_eval(row["Tags"])) for row in csv.DictReader(file)]
    with (folder / "flares_texts_run.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerows([("Id", "Tags"), *((key, str(tags)) for key, tags in records)])
    lines = [json.dumps({"Id": int(key), "Tags": tags}, ensure_ascii=False) for key, tags in records]
    (folder / "flares_lines_run.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _specimens(paths: Iterable[Path]) -> Iterator[Specimen]:
    """The files with their kinds."""
    for path in paths:
        kind = validate(path).inputs[0].kind
        if kind is not None:
            yield Specimen(path.name, kind, _form_of(path.name), path.read_bytes())


def _form_of(name: str) -> str:
    ending = name.rpartition(".")[2]
    if ending in ("csv", "json", "jsonl", "toml"):
        return ending.removesuffix("l") if ending == "jsonl" else ending
    return "text" if ending in ("ann", "txt", "bio", "conll") else "bytes"


def _other_forms(folder: Path, found: list[Specimen]) -> Iterator[Specimen]:
    """For each kind one file in every container of `convert` and in every published format of `export`."""
    first: dict[str, str] = {}
    for one in sorted(found, key=lambda one: "train" not in one.name):  # those with labels have more to write
        if one.form in ("csv", "json"):
            first.setdefault(one.kind, one.name)
    forms: tuple[Form, ...] = ("parquet", "csv", "jsonl", "ipc")
    for kind, name in first.items():
        for to in forms:
            out = folder / "converted" / to
            convert(folder / name, out, to=to)
            for path in out.iterdir():
                yield Specimen(f"canonical_{path.name}", kind, _form_of(path.name), path.read_bytes())
                path.unlink()
        for format_ in export_formats():
            if format_.kind == kind:
                for ending in format_.endings:
                    yield from _exported(folder, kind, name, format_.variant, ending)


def _exported(folder: Path, kind: str, name: str, variant: str, ending: str) -> Iterator[Specimen]:
    """The files of one published format; a variant that needs another source is left out."""
    out = folder / "exported"
    out.mkdir(exist_ok=True)
    stem = f"{variant}_{kind.replace('/', '_')}"
    export(folder / name, out / f"{stem}{ending}", variant=variant)
    for path in sorted(out.iterdir()):
        yield Specimen(path.name, kind, _form_of(path.name), path.read_bytes())
        path.unlink()


def _settings() -> Iterator[Specimen]:
    """The TOML files: settings, and a job for each sort of step."""
    yield Specimen("sharedtask.toml", "toml/settings", "toml", SETTINGS)
    data = 'inputs = ["sentences_*.csv", "documents_en_val.csv"]\noutput = "out/job"\ntask = "cheers"\n'
    steps = 'steps = ["validate", "convert"]\non_error = "quarantine"\nfail_on = "error"\ntable = "none"\n'
    yield Specimen("convert.toml", "toml/job", "toml", (data + steps).encode())
    runs = 'inputs = "cheers_run_*.csv"\noutput = "out/job"\nsteps = ["check", "score"]\n'
    against = 'reference = "sentences_en_val.csv"\nscorer = "documented"\n'
    yield Specimen("score.toml", "toml/job", "toml", (runs + against).encode())
