"""The campaign: numbers one after the other, several at a time, with a state from which it goes on.

The outcomes are taken in in the order of their numbers, whichever worker is first, so that a campaign that was
interrupted, or has more workers, comes to the same failures and the same table.
"""

import json
import os
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from tests.campaign.draw import draw
from tests.campaign.failures import Failure, signature, write_case
from tests.campaign.invariants import Broken
from tests.campaign.material import Material, make_material
from tests.campaign.minimise import minimised
from tests.campaign.trial import Trial
from tests.campaign.workers import Lane, Outcome

VERSION = 1
AHEAD = 8  # trials for each worker that may be under way before the oldest of them is finished
SAVE_SECONDS = 5.0

Covered = tuple[str, str, str, str]
Say = Callable[[str], None]


@dataclass(slots=True)
class State:
    """How far a campaign is: the next number, what was covered, and what failed.

    `calls` is how often the tool was called, `seconds` the time that all of it took.
    """

    seed: int
    next: int = 0
    calls: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    covered: Counter[Covered] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None, seed: int) -> "State":
        """The state of a file, a new one where there is none. Raises ValueError for the state of another seed."""
        if path is None or not path.exists():
            return cls(seed)
        plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if (plain["version"], plain["seed"]) != (VERSION, seed):
            raise ValueError(f"{path} is the state of seed {plain['seed']}, version {plain['version']}")
        failures = [Failure(**one) for one in plain["failures"]]
        covered: Counter[Covered] = Counter()
        for *names, count in plain["covered"]:
            kind, container, verb, invariant = names
            covered[kind, container, verb, invariant] = count
        return cls(
            seed,
            plain["next"],
            plain["calls"],
            plain["seconds"],
            Counter(plain["statuses"]),
            covered,
            {one.signature: one for one in failures},
        )

    def save(self, path: Path | None) -> None:
        """Write it whole or not at all."""
        if path is None:
            return
        plain = {
            "version": VERSION,
            "seed": self.seed,
            "next": self.next,
            "calls": self.calls,
            "seconds": round(self.seconds, 1),
            "statuses": dict(sorted(self.statuses.items())),
            "failures": [one.to_dict() for one in self.failures.values()],
            "covered": [[*names, count] for names, count in sorted(self.covered.items())],
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, path)


@dataclass(slots=True)
class Settings:
    """What a campaign is asked for: `inputs` is the number at which it ends, `minutes` the time after which it does.

    `material` is a folder in which the material is kept for other campaigns.
    """

    seed: int = 1
    inputs: int | None = None
    minutes: float | None = None
    workers: int = 1
    state: Path | None = None
    failures: Path | None = None
    material: Path | None = None


class Campaign:
    """Runs trials and keeps what came of them."""

    def __init__(self, settings: Settings, say: Say = print) -> None:
        self.settings, self.say = settings, say
        self.state = State.load(settings.state, settings.seed)
        self.lanes = threading.local()
        self.every_lane: list[Lane] = []

    def run(self) -> State:
        """Go on until the number or the time is reached; Ctrl-C ends it in the same way."""
        with tempfile.TemporaryDirectory(prefix="campaign-") as name:
            self.folder = self.settings.material or Path(name)
            if not (self.folder / "material.json").exists():
                make_material().save(self.folder)
            self.material = Material.load(self.folder)
            try:
                self._run()
            finally:
                self.state.save(self.settings.state)
                for lane in self.every_lane:
                    lane.close()
        return self.state

    def run_one(self, number: int) -> State:
        """One number alone, whatever came before it."""
        self.state = State(self.settings.seed, number)
        return self.run()

    def _run(self) -> None:
        settings, started, saved = self.settings, monotonic(), monotonic()
        end = started + settings.minutes * 60 if settings.minutes is not None else None
        before, number = self.state.seconds, self.state.next
        under_way: deque[Future[Outcome]] = deque()
        with ThreadPoolExecutor(settings.workers) as pool:
            try:
                while True:
                    in_time = end is None or monotonic() < end
                    while in_time and len(under_way) < AHEAD * settings.workers and not self._is_last(number):
                        under_way.append(pool.submit(self._try, number))
                        number += 1
                    if not under_way or not in_time:
                        break
                    self._take(under_way.popleft().result())
                    self.state.seconds = before + monotonic() - started
                    if monotonic() - saved > SAVE_SECONDS:
                        self.state.save(settings.state)
                        saved = monotonic()
            except KeyboardInterrupt:
                self.say("interrupted")
            finally:
                for future in under_way:
                    future.cancel()

    def _is_last(self, number: int) -> bool:
        return self.settings.inputs is not None and number >= self.settings.inputs

    def _lane(self) -> Lane:
        if not hasattr(self.lanes, "lane"):
            self.lanes.lane = self._new_lane()
        lane: Lane = self.lanes.lane
        return lane

    def _new_lane(self) -> Lane:
        lane = Lane(self.folder)
        self.every_lane.append(lane)
        return lane

    def _try(self, number: int) -> Outcome:
        return self._lane().try_number(self.state.seed, number)

    def _take(self, outcome: Outcome) -> None:
        """Take in the outcome of the next number."""
        state, about = self.state, outcome.about
        state.calls += outcome.calls
        state.statuses[str(outcome.status)] += 1
        if about:
            state.covered[about["kind"], about["container"], about["verb"], about["invariant"]] += 1
        for broken in outcome.broken[:1]:  # the first one, since others often follow from it
            name = signature(broken, about.get("verb", ""), about.get("kind", ""))
            if name in state.failures:
                state.failures[name].count += 1
            else:
                state.failures[name] = self._shown(broken, state.next)
        state.next += 1

    def _shown(self, broken: Broken, number: int) -> Failure:
        """A failure that is new: seen again in a new process, made small, and written as a case."""
        trial = draw(self.material, self.state.seed, number)
        failure = Failure(
            broken.invariant,
            broken.place,
            broken.message,
            trial.seed,
            number,
            trial.verb,
            trial.kind,
            trial.container,
        )
        lane = self._new_lane()
        try:
            failure.alone = self._fails(lane, trial, failure)
            if failure.alone and broken.invariant != "time":
                trial = minimised(trial, lambda smaller: self._fails(lane, smaller, failure))
                message = next((one.message for one in lane.try_trial(trial).broken), failure.message)
                failure = replace(failure, message=message)
        finally:
            lane.close()
        if self.settings.failures is not None:
            failure.folder = str(write_case(self.settings.failures, trial, failure))
        self.say(failure.line())
        return failure

    @staticmethod
    def _fails(lane: Lane, trial: Trial, failure: Failure) -> bool:
        found = lane.try_trial(trial).broken[:1]
        return any(signature(one, trial.verb, trial.kind) == failure.signature for one in found)
