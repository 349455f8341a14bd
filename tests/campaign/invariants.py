"""What must hold whatever is in a file. Each function runs what it needs in a sandbox and yields what is broken."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.campaign.formats import FORMATS, parse_report, unequal
from tests.campaign.honesty import fix_hides_nothing, fix_is_done_at_once, fix_worsens_nothing
from tests.campaign.material import Specimen
from tests.campaign.outputs import (
    alone_and_among_others,
    as_often_as_wanted,
    equal_to_itself,
    nothing_lost,
    read_back,
)
from tests.campaign.sandbox import Done, Sandbox
from tests.campaign.trial import Trial

PEAK_MB = 1024
EVERY_CALL = "every call"
THREADS = "threads"
"""Not checked here but by the parent, which sends the trial to processes with other numbers of threads."""

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\udc80-\udcff]")
COMMAND = re.compile(r"(?m)^\s*::|##\[")
LOUD = re.compile(r"Traceback|internal error|Warning\b.*:|panicked at|wrote outside|Exception ignored")


@dataclass(frozen=True, slots=True)
class Broken:
    """One broken invariant: `place` tells it from others of the same name."""

    invariant: str
    message: str
    place: str = ""


@dataclass(slots=True)
class Checked:
    """What came of a trial: what is broken, the exit status, and a digest of all that was printed and written."""

    broken: list[Broken] = field(default_factory=list)
    status: int = 0
    digest: str = ""


Check = Callable[[Trial, Sandbox, Done], Iterator[str]]


def of_every_call(done: Done) -> Iterator[Broken]:
    """What holds for each call: its status, its lines of error, its memory, and that nothing printed acts on a terminal."""
    if done.status not in (0, 1, 2):
        yield Broken("status", f"exit status {done.status}", str(done.status))
    if loud := LOUD.search(done.err) or LOUD.search(done.out if "Traceback" in done.out else ""):
        line = next((one for one in done.err.splitlines() if loud[0] in one), loud[0])
        yield Broken("one line", line[:500], done.place or _shape(line))
    elif done.status == 2 and not _is_refusal(done.err):
        yield Broken("one line", f"exit status 2 says {done.err[:300]!r}", _shape(done.err))
    if done.peak_mb > PEAK_MB:
        yield Broken("memory", f"{done.peak_mb} MB", done.args[0])
    for name, text in (("stdout", done.out), ("stderr", done.err)):
        if found := UNSEEN.search(text):
            around = text[max(0, found.start() - 40) : found.end() + 20]
            yield Broken("escapes", f"{name} has {found[0]!r}: {around!r}", f"{name} {done.args[0]}")
        if "github" not in done.args and (found := COMMAND.search(text)):
            around = text[max(0, found.start() - 40) : found.end() + 40]
            yield Broken("escapes", f"{name} has a command for GitHub: {around!r}", f"command {name} {done.args[0]}")


def _is_refusal(err: str) -> bool:
    """Whether an error is one line of the tool, below the log of a job, or a usage error of click."""
    lines = [line for line in err.splitlines() if line and not line.startswith("{")]
    return (len(lines) == 1 and lines[0].startswith("sharedtask: ")) or (
        bool(lines) and lines[-1].startswith("Error: ")
    )


def _shape(text: str) -> str:
    """A message without what names the input."""
    return re.sub(r"[0-9]+|'[^']*'|\S*[./]\S*", "_", text)[:80]


def untouched(before: Mapping[str, str], after: Mapping[str, str], trial: Trial) -> Iterator[Broken]:
    """Nothing is written outside the outputs, no input is changed, and no temporary file is left."""
    allowed = ("work/out", *(f"work/{name}" for name in trial.writes))
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name) and not name.startswith(allowed):
            verb = "appeared" if name not in before else "is gone" if name not in after else "was changed"
            yield Broken(
                "untouched", f"{name} {verb}", f"{trial.verb} {verb} {'tmp' if name.startswith('tmp') else ''}"
            )


def formats_agree(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """All formats of a report have the counts and findings of the JSON."""
    args = _without_format(trial.args)
    as_json = sandbox.run([*args, "--format", "json"])
    if as_json.status == 2:
        return
    report = parse_report(as_json.out)
    for form in FORMATS:
        sandbox.fresh(trial)
        shown = sandbox.run([*args, "--format", form])
        if broken := list(of_every_call(shown)):
            yield f"{form}: {broken[0].message}"
        elif shown.status != as_json.status:
            yield f"{form}: exit status {shown.status}, and {as_json.status} with json"
        elif message := unequal(form, shown.out, report, trial.verb, quiet=bool({"-q", "--quiet"} & set(args))):
            yield f"{form}: {message}"


def _without_format(args: Sequence[str]) -> list[str]:
    return [word for word in args if word not in ("--format", "json")]


REPORTING = (
    "validate",
    "convert",
    "export",
    "derive",
    "check",
    "fix",
    "pack",
    "template",
    "baseline",
    "splits check",
    "splits make",
)
CHECKS: Mapping[str, tuple[Check, tuple[str, ...]]] = {
    "formats": (formats_agree, REPORTING),
    "nothing lost": (nothing_lost, ("convert",)),
    "twice": (as_often_as_wanted, (*REPORTING, "score", "compare", "card", "diff", "job")),
    "read back": (read_back, ("convert",)),
    "fix hides nothing": (fix_hides_nothing, ("fix",)),
    "fix worsens nothing": (fix_worsens_nothing, ("fix",)),
    "fix is done at once": (fix_is_done_at_once, ("fix",)),
    "alone and among others": (alone_and_among_others, ("job",)),
    "equal to itself": (equal_to_itself, ("diff",)),
}
"""The invariants that cost further calls, with the verbs that they are about."""


def applicable(verb: str, args: Sequence[str], specimen: Specimen) -> list[str]:
    """The names of the invariants that are checked for a verb."""
    if specimen.form == "toml":
        return ["twice"]
    fitting = [name for name, (_, verbs) in CHECKS.items() if verb in verbs]
    if verb == "fix" and ("--place" in args or not specimen.is_run):
        fitting = [name for name in fitting if name not in ("fix worsens nothing", "fix hides nothing")]
    return [*fitting, THREADS]


def check(trial: Trial, sandbox: Sandbox) -> Checked:
    """Run a trial and whatever its invariant needs."""
    checked = Checked()
    sandbox.fresh(trial)
    before = sandbox.seen()
    done = sandbox.run(trial.args)
    after = sandbox.seen()
    checked.broken += of_every_call(done)
    checked.broken += untouched(before, after, trial)
    checked.status, checked.digest = done.status, digest_of(done, after)
    if trial.invariant in CHECKS and not checked.broken:
        function, _ = CHECKS[trial.invariant]
        for message in function(trial, sandbox, done):
            checked.broken.append(Broken(trial.invariant, message, f"{trial.verb} {_shape(message.partition(':')[0])}"))
    sandbox.clear()
    return checked


def digest_of(done: Done, files: Mapping[str, str]) -> str:
    """A hash of what a call printed and of all files after it; a job's log has times and is left out."""
    err = "" if done.args[0] == "job" else done.err
    return hashlib.sha256(ascii([done.status, done.out, err, sorted(files.items())]).encode()).hexdigest()
