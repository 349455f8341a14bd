"""How the commands are called: for each verb the arguments that fit a specimen, drawn by chance."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from sharedtask.pipelines.tasks import export_formats
from tests.campaign.material import REFERENCES, Material, Specimen

OTHER = "reference.csv"  # what a second file is called where the material has none


@dataclass(slots=True)
class Call:
    """One call: `args` names the damaged file as `{}`, `files` are the specimens beside it."""

    args: list[str]
    files: list[Specimen] = field(default_factory=list)
    writes: tuple[str, ...] = ()


Maker = Callable[[Specimen, Material, Random], Call]


def _reference(specimen: Specimen, material: Material, random: Random) -> Specimen:
    """A file that a run of this kind is checked against: mostly the one with its labels."""
    names = REFERENCES[specimen.kind]
    return material.specimens[names[0] if random.random() < 0.8 else names[1]]


def _run_for(specimen: Specimen, material: Material, random: Random) -> Specimen:
    """A run that is checked against a specimen, which is a data file."""
    kinds = [kind for kind in REFERENCES if specimen.kind in _kinds_against(kind, material)]
    runs = [one for kind in kinds for one in material.of_kind(kind)]
    return random.choice(runs or [one for one in material.specimens.values() if one.is_run])


def _kinds_against(run_kind: str, material: Material) -> set[str]:
    kinds = {material.specimens[name].kind for name in REFERENCES[run_kind]}
    return kinds | ({"reintel/labels"} if run_kind == "reintel/run" else set())


def _sibling(specimen: Specimen, material: Material, random: Random) -> Specimen:
    """Another file of the same kind, or the undamaged one itself."""
    return random.choice(material.of_kind(specimen.kind))


def _run_and_reference(specimen: Specimen, material: Material, random: Random) -> tuple[str, str, list[Specimen]]:
    """The names of a run and of its reference, one of which is the damaged file."""
    if specimen.is_run:
        reference = _reference(specimen, material, random)
        return "{}", reference.name, [reference]
    run = _run_for(specimen, material, random)
    return run.name, "{}", [run]


def _some(random: Random, *options: tuple[str, ...], share: float = 0.3) -> list[str]:
    """Each option with a chance of its own."""
    return [word for option in options if random.random() < share for word in option]


def _common(random: Random) -> list[str]:
    """Options that every verb that reports has."""
    return _some(
        random,
        ("--max-findings", random.choice(("0", "1", "3", "100000"))),
        ("--fail-on", "warning"),
        ("--ignore", "crlf-line-ends"),
        ("--verbose",),
        ("--quiet",),
        ("--max-bytes", random.choice(("1", "50", "1000000"))),
        share=0.07,
    )


def _validate(specimen: Specimen, material: Material, random: Random) -> Call:
    args, files = ["validate", "{}"], []
    if specimen.task == "cheers" and random.random() < 0.3:
        other = "cheers/documents" if specimen.kind == "cheers/sentences" else "cheers/sentences"
        files = [random.choice(material.of_kind(other))]
        args = ["validate", "{}", "--with", files[0].name]
        args = args if random.random() < 0.5 else ["validate", files[0].name, "--with", "{}"]
    extra = [("--kind", specimen.kind), ("--quarantine", "out/aside"), ("--sheet", "2")]
    return Call(args + _some(random, *extra, share=0.15) + _common(random), files)


def _convert(specimen: Specimen, material: Material, random: Random) -> Call:
    to = random.choice(("parquet", "csv", "jsonl", "ipc"))
    extra = [("--sort",), ("--kind", specimen.kind)]
    error = random.choice(("quarantine", "quarantine", "stop"))
    args = ["convert", "{}", "--out", "out", "--to", to, "--on-error", error]
    return Call(args + _some(random, *extra, share=0.2) + _common(random))


def _export(specimen: Specimen, material: Material, random: Random) -> Call:
    endings = [ending for one in export_formats() if one.kind == specimen.kind for ending in one.endings]
    ending = random.choice((*endings * 4, ".csv", ".json", ".ann"))
    args = ["export", "{}", "--out", f"out/written{ending}", "--on-error", random.choice(("quarantine", "stop"))]
    if ending in (".ann", ".bio", ".conll") or random.random() < 0.2:
        args += ["--variant", {".ann": "brat", ".csv": "page"}.get(ending, "bio")]
    return Call(args + _common(random))


def _derive(specimen: Specimen, material: Material, random: Random) -> Call:
    on_error = ["--on-error", random.choice(("quarantine", "stop"))]
    if specimen.task != "reintel":
        return Call(["derive", "subtask2", "{}", "--out", "out/derived.json", *on_error, *_common(random)])
    given = {"annotations.csv": "", "labels.csv": "--ground-truth", "recheck.csv": "--recheck"}
    mine = {"reintel/labels": "labels.csv", "reintel/recheck": "recheck.csv"}.get(specimen.kind, "annotations.csv")
    names = {name: "{}" if name == mine else name for name in given}
    args = ["derive", "labels", names.pop("annotations.csv"), "--out", "out/derived.csv", *on_error]
    for name, shown in names.items():
        args += [given[name], shown]
    files = [material.specimens[name] for name in given if name != mine]
    return Call(args + _common(random), files)


def _diff(specimen: Specimen, material: Material, random: Random) -> Call:
    other = random.choice((specimen, _sibling(specimen, material, random)))
    files = [Specimen(f"old_{other.name}", other.kind, other.form, other.content)]
    both = ["{}", files[0].name]
    random.shuffle(both)
    extra = [("--exit-code",), ("--kind", specimen.kind), ("--max-items", random.choice(("0", "1", "100")))]
    return Call(["diff", *both, *_some(random, *extra)], files)


def _check(specimen: Specimen, material: Material, random: Random) -> Call:
    run, reference, files = _run_and_reference(specimen, material, random)
    args = ["check", run, "--against", reference]
    if random.random() < 0.2:
        also = _sibling(files[0], material, random)
        args, files = [*args, "--also", also.name], [*files, also]
    return Call(args + _common(random), files)


def _fix(specimen: Specimen, material: Material, random: Random) -> Call:
    run, reference, files = _run_and_reference(specimen, material, random)
    out = f"out/fixed.{random.choice(('csv', 'csv', 'zip'))}"
    extra = [
        ("--fill-missing",),
        ("--unreadable-as-empty",),
        ("--diff",),
        ("--place", random.choice(("exact", "nearest"))),
    ]
    return Call(["fix", run, "--against", reference, "--out", out, *_some(random, *extra), *_common(random)], files)


def _pack(specimen: Specimen, material: Material, random: Random) -> Call:
    run, reference, files = _run_and_reference(specimen, material, random)
    return Call(["pack", run, "--against", reference, "--out", "out/packed.zip", *_common(random)], files)


def _score(specimen: Specimen, material: Material, random: Random) -> Call:
    run, reference, files = _run_and_reference(specimen, material, random)
    items = f"out/items.{random.choice(('csv', 'jsonl', 'parquet'))}"
    extra = [("--allow-missing",), ("--bootstrap", "5"), ("--per-item", items)]
    return Call(["score", run, "--against", reference, *_some(random, *extra)], files)


def _compare(specimen: Specimen, material: Material, random: Random) -> Call:
    run, reference, files = _run_and_reference(specimen, material, random)
    other = _sibling(specimen if specimen.is_run else files[0], material, random)
    args = ["compare", run, other.name, "--against", reference]
    return Call(args + _some(random, ("--allow-missing",), ("--bootstrap", "5")), [*files, other])


def _template(specimen: Specimen, material: Material, random: Random) -> Call:
    out = f"out/template.{random.choice(('csv', 'zip'))}"
    return Call(["template", "--against", "{}", "--out", out, *_common(random)])


def _baseline(specimen: Specimen, material: Material, random: Random) -> Call:
    other = _sibling(specimen, material, random)
    train, against = random.choice((("{}", other.name), (other.name, "{}"), ("{}", "{}")))
    extra = [("--method", random.choice(("random", "random", "majority", "lead", "prior")))]
    args = ["baseline", "--train", train, "--against", against, "--out", "out/run.csv", *_some(random, *extra)]
    return Call(args + _common(random), [other])


def _splits_check(specimen: Specimen, material: Material, random: Random) -> Call:
    other = _sibling(specimen, material, random)
    files = [Specimen(f"other_{other.name}", other.kind, other.form, other.content)]
    group = ("--group-by", random.choice(("doc_id", "id", "Id", "user_name", "nothing")))
    return Call(["splits", "check", "{}", files[0].name, *_some(random, group), *_common(random)], files)


def _splits_make(specimen: Specimen, material: Material, random: Random) -> Call:
    sizes = random.choice(("train=.5,test=.5", "train=.7,dev=.1,test=.2", "a=3,b=4", "train=1"))
    extra = [
        ("--by", random.choice(("rows", "documents", "spans"))),
        ("--group-by", random.choice(("doc_id", "Id", "nothing"))),
        ("--method", "stratified"),
        ("--shared-texts",),
    ]
    args = ["splits", "make", "{}", "--sizes", sizes, "--seed", "1", "--out", "out"]
    return Call(args + _some(random, *extra, share=0.2) + _common(random))


def _card(specimen: Specimen, material: Material, random: Random) -> Call:
    files = [_sibling(specimen, material, random)] if random.random() < 0.5 else []
    return Call(["card", ".", "--name", "name"], files, writes=("README.md", "croissant.json"))


def _job(specimen: Specimen, material: Material, random: Random) -> Call:
    """A job over the damaged file and some others; for a damaged job file, that job over sound files."""
    if specimen.kind == "toml/job":
        given = ("sentences_en_val.csv", "documents_en_val.csv", "cheers_run_baseline.csv", "cheers_run_template.csv")
        return Call(["job", "{}"], [material.specimens[name] for name in given])
    files, job = _sibling_files(specimen, material, random), 'output = "out/job"\n'
    if specimen.is_run and random.random() < 0.6:
        reference = _reference(specimen, material, random)
        files = [one for one in files if one.name != reference.name] + [reference]
        job += f'steps = ["check", "score"]\nreference = "{reference.name}"\n'
    names = ["{}", *(one.name for one in files)]
    text = f"inputs = {names}\n".replace("'", '"') + job
    return Call(["job", "job.toml"], [*files, Specimen("job.toml", "toml/job", "toml", text.encode())])


def _sibling_files(specimen: Specimen, material: Material, random: Random) -> list[Specimen]:
    """Other small files of the same task, which a job may process together."""
    every = [one for one in material.specimens.values() if one.task == specimen.task and one.name != specimen.name]
    return random.sample(every, random.randrange(1, 6))


def _settings(specimen: Specimen, material: Material, random: Random) -> Call:
    """A damaged settings file, named or found, in a call on a sound file."""
    sound = random.choice(material.of_kind("cheers/run"))
    named = [] if random.random() < 0.5 else ["--config", "{}"]
    return Call(["validate", sound.name, *named], [sound])


MAKERS: Mapping[str, Maker] = {
    "validate": _validate,
    "convert": _convert,
    "export": _export,
    "derive": _derive,
    "diff": _diff,
    "check": _check,
    "fix": _fix,
    "pack": _pack,
    "score": _score,
    "compare": _compare,
    "template": _template,
    "baseline": _baseline,
    "splits check": _splits_check,
    "splits make": _splits_make,
    "card": _card,
    "job": _job,
    "settings": _settings,
}
OF_ANY = ("validate",) * 4 + ("convert",) * 5 + ("export",) * 2 + ("diff", "job", "card", "splits check", "splits make")
OF_RUNS = ("check",) * 4 + ("fix",) * 6 + ("score",) * 2 + ("pack", "compare")
OF_REFERENCES = ("check", "fix", "score", "compare", "pack", "template", "template", "baseline")
OF_OTHERS = ("check", "template", "score")  # which these refuse
REFERENCE_KINDS = ("flares/subtask1", "flares/subtask2", "cheers/sentences", "reintel/posts")


def verbs_for(specimen: Specimen) -> Iterator[str]:
    """The verbs that a specimen is tried with; one that is there several times is drawn more often."""
    if specimen.kind == "toml/settings":
        yield "settings"
    elif specimen.kind == "toml/job":
        yield "job"
    else:
        yield from OF_ANY
        yield from OF_RUNS if specimen.is_run else OF_REFERENCES if specimen.kind in REFERENCE_KINDS else OF_OTHERS
        if specimen.kind in ("flares/subtask1", "reintel/annotations", "reintel/labels", "reintel/recheck"):
            yield from ("derive", "derive")
