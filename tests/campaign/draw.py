"""Draws the inputs of the campaign: a seed and a number make one trial, the same each time and on each machine."""

import tomllib
from random import Random

from tests.campaign.commands import MAKERS, verbs_for
from tests.campaign.invariants import EVERY_CALL, applicable
from tests.campaign.material import Material, Specimen
from tests.campaign.mutations import mutate
from tests.campaign.packing import OF_CSV, OF_LINES, OF_TEXT, PLAIN, pack, packed_name
from tests.campaign.trial import File, Trial

PACKED = 0.35  # share of the inputs that are put in another container
BOTH = 0.1  # share of the inputs whose other file is damaged, too
COSTLY = 0.6  # share of the inputs that are held to an invariant that needs further calls
OUTSIDE = 0.3  # share of those whose container is damaged, and not what it holds


def draw(material: Material, seed: int, number: int) -> Trial:
    """The trial of this number."""
    random = Random(f"{seed}:{number}")
    specimen = _drawn(material, random)
    container = _container(specimen, random)
    name = packed_name(specimen.name, container)
    target, mutations = _damaged(specimen, container, random)
    verb = random.choice(list(verbs_for(specimen)))
    call = MAKERS[verb](specimen, material, random)
    files = {one.name: File(one.content) for one in call.files if one.name != name}
    others = [one for one in call.files if one.name in files and one.form != "toml"]
    if others and random.random() < BOTH:
        beside = random.choice(others)
        files[beside.name] = File(mutate(beside.content, beside.form, random)[0])
    args = tuple(name if word == "{}" else word for word in call.args)
    if "job.toml" in files:
        files["job.toml"] = File(files["job.toml"].content.replace(b'"{}"', f'"{name}"'.encode()))
    for beside in _companions(specimen, material):
        files.setdefault(beside.name, File(beside.content))
    choices = applicable(verb, args, specimen)
    invariant = random.choice(choices) if choices and random.random() < COSTLY else EVERY_CALL
    return Trial(
        seed,
        number,
        specimen.kind,
        container if container != PLAIN else specimen.name.rpartition(".")[2],
        verb,
        invariant,
        args,
        {**files, name: target},
        name,
        mutations,
        (*call.writes, *_outputs(target.content)) if specimen.kind == "toml/job" else call.writes,
    )


def _drawn(material: Material, random: Random) -> Specimen:
    """A specimen: first a kind, so that those with few files are not seldom."""
    kinds = sorted({one.kind for one in material.specimens.values()})
    weights = [3 if any(one.is_run for one in material.of_kind(kind)) else 1 for kind in kinds]
    return random.choice(material.of_kind(random.choices(kinds, weights)[0]))


def _container(specimen: Specimen, random: Random) -> str:
    """The container that a specimen is put in; TOML is in none."""
    fitting = [*OF_TEXT]
    fitting += OF_CSV if specimen.form == "csv" else ()
    fitting += OF_LINES if specimen.form == "json" else ()
    return random.choice(fitting) if specimen.form not in ("toml", "bytes") and random.random() < PACKED else PLAIN


def _damaged(specimen: Specimen, container: str, random: Random) -> tuple[File, tuple[str, ...]]:
    """The damaged file: mutations of what a container holds, or of the container itself."""
    member = "results.csv" if specimen.kind == "reintel/run" else specimen.name
    if container != PLAIN and random.random() < OUTSIDE:
        content, mutations = mutate(pack(specimen.content, container, member), "bytes", random)
        return File(content), mutations
    content, mutations = mutate(specimen.content, specimen.form, random)
    if specimen.form == "toml" and leads_away(content):
        return File(specimen.content), ()
    return File(content, container, member), mutations


def leads_away(content: bytes) -> bool:
    """Whether a job file that can be read asks for a path outside its folder, which a job would write to as it is asked."""
    try:
        job = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    paths = [one for value in job.values() for one in (value if isinstance(value, list) else [value])]
    return any(isinstance(one, str) and (one.startswith(("/", "s3:", "~")) or ".." in one) for one in paths)


def _outputs(content: bytes) -> tuple[str, ...]:
    """Where a job file asks to write, in its folder."""
    try:
        output = tomllib.loads(content.decode("utf-8-sig")).get("output")
    except (ValueError, RecursionError):
        return ()
    name = output.removeprefix("./").partition("/")[0] if isinstance(output, str) else ""
    return (name,) if name else ()


def _companions(specimen: Specimen, material: Material) -> list[Specimen]:
    """What a file is not read without: the texts of brat, and its annotations."""
    other = {".ann": ".txt", ".txt": ".ann"}.get(specimen.name[-4:])
    beside = material.specimens.get(f"{specimen.name[:-4]}{other}") if other else None
    return [beside] if beside else []
