"""Seed each cause of wrong offsets into runs, through the noise of a model, and count what is named and put right.

    python benchmarks/causes.py                             # synthetic texts
    python benchmarks/causes.py --train TRAIN.json          # and the texts of a FLARES training file
    python benchmarks/causes.py --runs 20 --clean 1000      # fewer

A run is made of some records of a gold: with the noise given, spans lose or gain a word, are dropped, or stay as they are;
then all offsets are counted in another way, in plain Python from the definition of the fault and not by the table under test.
Half of the runs carry the text of their spans; where a fault holds for some of the spans only, all do. Runs in which a fault
moves fewer than eight spans are left out.
"""

import argparse
import html
import json
import random
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from sharedtask.pipelines.runs.flares_offsets import diagnose, movable
from sharedtask.pipelines.verbs.sample import sample

Span = tuple[int, int]
Record = tuple[str, list[Span]]
Count = Callable[[str, int], int]

NOISES = (0.0, 0.2, 0.4, 0.6)
FEWEST_MOVED = 8
RECORDS = 60
WORD = re.compile(r"\S+")
TOKEN = re.compile(r"\w+|[^\w\s]")
EMOJI = ["🔴 ", "🚒🚒 ", "👍🏿 ", "cafe\u0301 &amp; té: ", "\r\n", " \u00a0", "½ ", "👩\u200d🚒 ", '<b> "x" & y\n']


@dataclass(frozen=True)
class Fault:
    """A way of counting: the rule that names it, and how a start and an end are counted; None where they cannot be."""

    rule: str
    start: Callable[[str, int], int | None]
    end: Callable[[str, int], int | None]
    needs_text: bool = False  # for only the text of the spans shows it


def _both(rule: str, count: Count) -> Fault:
    return Fault(rule, count, count)


def _on(rule: str, change: Callable[[str], str]) -> Fault:
    return _both(rule, lambda text, at: len(change(text[:at])))


def _number(pattern: re.Pattern[str], *, ends: int | None = None) -> Callable[[str, int], int | None]:
    """The number of the token that begins at a place; of the one that ends there, and this many more."""

    def number(text: str, at: int) -> int | None:
        places = (match.start() if ends is None else match.end() for match in pattern.finditer(text))
        return next((number + (ends or 0) for number, place in enumerate(places) if place == at), None)

    return number


FAULTS = {
    "UTF-16 units": _both("offsets-utf16", lambda text, at: len(text[:at].encode("utf-16-le")) // 2),
    "UTF-8 bytes": _both("offsets-utf8-bytes", lambda text, at: len(text[:at].encode())),
    "inclusive end": Fault("offsets-end-inclusive", lambda _, at: at, lambda _, at: at - 1),
    "from 1": _both("offsets-one-based", lambda _, at: at + 1),
    "from 1, inclusive end": Fault("offsets-one-based-inclusive", lambda _, at: at + 1, lambda _, at: at),
    "3 too high": _both("offsets-shifted", lambda _, at: at + 3),
    "1 too low": _both("offsets-shifted", lambda _, at: at - 1),
    "stripped text": _both("offsets-on-stripped-text", lambda text, at: max(at - len(text) + len(text.lstrip()), 0)),
    "NFC": _on("offsets-on-normalized-text", lambda text: unicodedata.normalize("NFC", text)),
    "NFD": _on("offsets-on-normalized-text", lambda text: unicodedata.normalize("NFD", text)),
    "NFKC": _on("offsets-on-normalized-text", lambda text: unicodedata.normalize("NFKC", text)),
    "collapsed white space": _on("offsets-on-collapsed-whitespace", lambda text: re.sub(r"\s+", " ", text)),
    "CRLF as one": _on("offsets-on-crlf-text", lambda text: text.replace("\r\n", "\n")),
    "unescaped HTML": _on("offsets-on-unescaped-html", html.unescape),
    "escaped HTML": _on("offsets-on-escaped-html", html.escape),
    "raw JSON line": _on("offsets-on-escaped-json", lambda text: json.dumps(text).replace("/", "\\/")[1:-1]),
    "tokens": Fault("offsets-in-words", _number(TOKEN), _number(TOKEN, ends=1)),
    "tokens, inclusive end": Fault("offsets-in-words", _number(TOKEN), _number(TOKEN, ends=0)),
    "words": Fault("offsets-in-words", _number(WORD), _number(WORD, ends=1)),
    "2 too high behind a point": replace(
        _both("offsets-shifted", lambda text, at: at + 2 * (at > len(text) // 3)), needs_text=True
    ),
}


def noisy(record: Record, noise: float, dice: random.Random) -> Record:
    """What a model makes of a record."""
    text, spans = record
    words, kept = [match.span() for match in WORD.finditer(text)], []
    for first, last in spans:
        change = dice.choice(["shorter", "longer", "dropped", "kept"]) if dice.random() < noise else "kept"
        inside = [word for word in words if word[0] < last and word[1] > first]
        behind = [word for word in words if word[0] >= last]
        if change == "shorter" and len(inside) > 1:
            kept.append((first, inside[-2][1]))
        elif change == "longer" and behind:
            kept.append((first, behind[0][1]))
        elif change != "dropped":
            kept.append((first, last))
    return text, kept


def view(records: list[Record], fault: Fault | None, *, with_text: bool) -> pl.DataFrame:
    """The spans of a run: `row`, `span`, `text`, `start`, `end`, `span_text`, and the right `first` and `last`."""
    rows = [
        (
            row,
            number,
            text,
            first if fault is None else fault.start(text, first),
            last if fault is None else fault.end(text, last),
            text[first:last] if with_text else None,
            first,
            last,
        )
        for row, (text, spans) in enumerate(records)
        for number, (first, last) in enumerate(spans)
    ]
    numbers = dict.fromkeys(("start", "end"), pl.Int64)
    schema = {"row": pl.UInt32, "span": pl.UInt32, "text": pl.String, **numbers, "span_text": pl.String}
    return pl.DataFrame(rows, schema={**schema, "first": pl.Int64, "last": pl.Int64}, orient="row").drop_nulls(
        ["start", "end"]
    )


def read(path: Path) -> list[Record]:
    """The records of a FLARES training file in JSON Lines."""
    lines = path.read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [(one["Text"], [(tag["Tag_Start"], tag["Tag_End"]) for tag in one["Tags"]]) for one in records]


def crowded(records: list[Record]) -> list[Record]:
    """The same texts with an emoji or something else that takes more than one unit before each span."""
    made = []
    for number, (text, spans) in enumerate(records):
        parts, places, at = list[str](), list[Span](), 0
        for order, (first, last) in enumerate(sorted(spans)):
            if first < at:
                continue
            parts += [text[at:first], EMOJI[(number + order) % len(EMOJI)]]
            start = sum(map(len, parts))
            parts.append(text[first:last])
            places.append((start, start + last - first))
            at = last
        made.append(("".join([*parts, text[at:]]), places))
    return made


@dataclass(frozen=True)
class Outcome:
    """What was made of a run: `named`, `misnamed` or neither; all put right; and fewer spans right than before."""

    named: bool = False
    misnamed: bool = False
    fixed: bool = False
    worse: bool = False


def seeded(records: list[Record], name: str, noise: float, runs: int) -> Iterator[Outcome]:
    """The outcome of each run with a fault that moves enough spans."""
    fault = FAULTS[name]
    for seed in range(runs):
        dice = random.Random(f"{name} {noise} {seed}")
        some = [noisy(one, noise, dice) for one in dice.sample(records, min(RECORDS, len(records)))]
        spans = view(some, fault, with_text=fault.needs_text or bool(seed % 2))
        wrong = spans.filter((pl.col("start") != pl.col("first")) | (pl.col("end") != pl.col("last")))
        if wrong.height < FEWEST_MOVED:
            continue
        found = diagnose(spans)
        if found is None:
            yield Outcome()
            continue
        named = fault.rule in (found.cause.rule.name, *found.others)
        moved = movable(spans, found).join(spans, on=["row", "span"], suffix="_given")
        right = (moved["start"] == moved["first"]) & (moved["end"] == moved["last"])
        was_right = (moved["start_given"] == moved["first"]) & (moved["end_given"] == moved["last"])
        fixed = named and bool(right.all()) and moved.height == wrong.height
        yield Outcome(named, not named, fixed, worse=right.sum() < was_right.sum())


def false_alarms(records: list[Record], runs: int) -> int:
    """In how many runs with right offsets a cause is named."""
    alarms = 0
    for seed in range(runs):
        dice = random.Random(seed)
        noise = dice.choice(NOISES)
        some = [noisy(one, noise, dice) for one in dice.sample(records, min(RECORDS, len(records)))]
        alarms += diagnose(view(some, None, with_text=bool(seed % 2))) is not None
    return alarms


def table(texts: dict[str, list[Record]], runs: int, clean: int) -> Iterator[str]:
    """The tables, a line at a time, in Markdown."""
    yield "Runs named, misnamed, put right to the last span, of those in which the fault moves eight spans:"
    yield ""
    yield "| texts | cause | " + " | ".join(f"noise {noise:.0%}" for noise in NOISES) + " |"
    yield "|---|---|" + "---|" * len(NOISES)
    all_outcomes: dict[float, list[Outcome]] = {noise: [] for noise in NOISES}
    for title, records in texts.items():
        for name in FAULTS:
            cells = []
            for noise in NOISES:
                outcomes = list(seeded(records, name, noise, runs))
                all_outcomes[noise] += outcomes
                cells.append(_counts(outcomes))
            if set(cells) != {"–"}:
                yield f"| {title} | {name} | {' | '.join(cells)} |"
    yield f"| all | | {' | '.join(map(_counts, all_outcomes.values()))} |"
    yield ""
    every = [one for some in all_outcomes.values() for one in some]
    yield f"Runs made worse: {sum(one.worse for one in every)} of {len(every)}."
    for title, records in texts.items():
        yield f"False alarms in {clean} clean runs of {title} texts: {false_alarms(records, clean)}."


def _counts(outcomes: list[Outcome]) -> str:
    named, misnamed = sum(one.named for one in outcomes), sum(one.misnamed for one in outcomes)
    fixed = sum(one.fixed for one in outcomes)
    return f"{named}, {misnamed}, {fixed} of {len(outcomes)}" if outcomes else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=Path, help="a FLARES training file in JSON Lines")
    parser.add_argument("--runs", type=int, default=40, help="runs for each cause, noise and kind of texts")
    parser.add_argument("--clean", type=int, default=3334, help="clean runs for each kind of texts")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sample("flares", folder, 400)
        synthetic = read(Path(folder, "5w1h_subtarea_1_train.json"))
    texts = {"synthetic": synthetic, "emoji-dense": crowded(synthetic)}
    if given.train:
        texts = {"FLARES": read(given.train), **texts}
    for line in table(texts, given.runs, given.clean):
        print(line, flush=True)


if __name__ == "__main__":
    main()
