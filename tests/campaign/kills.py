"""Commands that are killed at any point of their work: what they leave is whole, and the next call makes it complete.

A point is a number of steps: audit events of Python (a file opened, made, renamed or removed), or requests to S3. So a
seed means the same points on a slow machine as on a fast one. `python -m tests.campaign.kills --points 200 --seed 1`.
"""

import argparse
import random
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests import seaweed
from tests.campaign.kill_works import Point, Work, works

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def points(names: list[str], count: int, seed: int) -> Iterator[Point]:
    """Points that are spread over the works, the signals and both ways."""
    dice = random.Random(seed)
    for number in range(count):
        late, over = dice.random() < 0.5, dice.random() < 0.5
        yield Point(names[number % len(names)], dice.random(), dice.choice(SIGNALS), late, over)


def broken(work: Work, point: Point) -> str | None:
    """What is wrong after a command was killed at a point; None where nothing is."""
    work.clear()
    if point.over:
        work.put_old()
    status, said = work.killed(point)
    dead = point.signal is signal.SIGKILL
    expected = -point.signal if dead else 128 + point.signal
    if status not in (0, 1, expected):
        return f"exit status {status}: {said}"
    if status == expected and said != ("" if dead else f"sharedtask: interrupted by {point.signal.name}"):
        return f"stderr: {said!r}"
    if torn := work.torn(work.state()):
        return f"not whole: {torn}"
    if not dead and (litter := work.litter()):
        return f"left behind: {litter}"
    work.complete()
    if (state := work.state()) != work.whole:
        return f"not as if undisturbed: {sorted(name for name in {*state, *work.whole} if state.get(name) != work.whole.get(name))}"
    if litter := work.litter():
        return f"left behind after the next call: {litter}"
    return None


def all_broken(made: Mapping[str, Work], count: int, seed: int) -> Iterator[tuple[Point, str | None]]:
    """Each point with what is wrong after it."""
    learnt = set[str]()
    for point in points(list(made), count, seed):
        work = made[point.work]
        if point.work not in learnt:
            work.learn()
            learnt.add(point.work)
        yield point, broken(work, point)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        server = seaweed.Seaweed(Path(folder, "seaweed")) if seaweed.binary() else None
        try:
            tried = list(all_broken(works(Path(folder), server), wanted.points, wanted.seed))
        finally:
            if server is not None:
                server.kill()
    for point, why in tried:
        if why is not None:
            print(f"{point}: {why}")
    print(f"{sum(why is None for _, why in tried)} of {len(tried)}")
    return int(any(why is not None for _, why in tried))


if __name__ == "__main__":
    sys.exit(main())
