"""A failure: what tells it from others, and the folder in the form of `tests/cases` that shows it."""

import json
import re
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.campaign.invariants import Broken
from tests.campaign.trial import Trial


@dataclass(slots=True)
class Failure:
    """One distinct failure with the first input that showed it, and how many did."""

    invariant: str
    place: str
    message: str
    seed: int
    number: int
    verb: str
    kind: str
    container: str
    count: int = 1
    alone: bool = True
    folder: str = ""

    @property
    def signature(self) -> str:
        """What failures have in common that are one."""
        return signature(Broken(self.invariant, "", self.place), self.verb, self.kind)

    def line(self) -> str:
        """The failure on one line."""
        alone = "" if self.alone else "; not when it runs alone"
        head = f"{self.invariant}: {self.verb} of {self.kind} in {self.container}, {self.place or 'no place'}"
        return f"{head} ({self.count}, first seed {self.seed} number {self.number}{alone}): {self.message}"

    def to_dict(self) -> dict[str, object]:
        """Plain data, for the state file."""
        return asdict(self)


def signature(broken: Broken, verb: str, kind: str) -> str:
    """An exception by its type and place, anything else by invariant, verb and kind."""
    if " in " in broken.place:
        return f"{broken.invariant}|{broken.place}"
    return f"{broken.invariant}|{broken.place}|{verb}|{kind}"


def write_case(folder: Path, trial: Trial, failure: Failure) -> Path:
    """Write the files of a trial and `expected.json` with its arguments and what was broken."""
    name = re.sub(r"[^a-z0-9]+", "-", f"{failure.invariant} {failure.verb} {failure.place}".lower()).strip("-")[:80]
    path = folder / f"{name}-{trial.seed}-{trial.number}"
    path.mkdir(parents=True, exist_ok=True)
    for file, content in trial.files.items():
        (path / file).write_bytes(content.data)
    expected = {
        "why": "Found by the campaign; say here what is right, and fill in the keys that tests/test_cases.py explains.",
        "args": list(trial.args),
        "broken": {
            "invariant": failure.invariant,
            "message": failure.message,
            "place": failure.place,
            "target": trial.target,
            "mutations": list(trial.mutations),
            "seed": trial.seed,
            "number": trial.number,
            "shell": f"sharedtask {shlex.join(trial.args)}",
        },
    }
    text = json.dumps(expected, indent=1, ensure_ascii=True)
    (path / "expected.json").write_text(f"{text}\n", encoding="utf-8")
    return path
