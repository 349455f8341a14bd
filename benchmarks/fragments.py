"""How many spans `fix --place` puts where they were, from their texts alone: a measurement of what it gets right.

    python benchmarks/fragments.py                          # on invented articles
    python benchmarks/fragments.py --data TRAIN.json        # on a fifth of a FLARES subtask 1 file, by the hash of its texts

The texts of 30 % of the spans are changed as language models change what they quote (white space, case, quotes and
dashes, normal form), and all offsets are replaced by random ones. For `nearest` a second run keeps offsets that are off by
a few characters. A span counts where start, end and label are those of the data.
"""

import argparse
import hashlib
import json
import random
import tempfile
import unicodedata
from ast import literal_eval
from collections import Counter
from collections.abc import Iterator
from csv import DictReader
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from sharedtask import fix

Record = dict[str, Any]
NEAR = 12  # characters by which an offset may be off in the second run
NAMES = ("la alcaldesa", "el vecino", "los bomberos", "una maestra", "el coro", "Ana", "la radio «Ola»")
DEEDS = ("cerró", "abrió", "vio", "perdió")
THINGS = ("tres calles", "el mercado", "dos himnos", "la plaza – vieja", "el río", "“un año difícil”")
DAYS = ("ayer", "el martes", "en agosto", "durante la noche")


def invented(count: int, chance: random.Random) -> Iterator[Record]:
    """Articles of a few sentences, in which names, things and days are repeated; some of them are spans."""
    for key in range(1, count + 1):
        text, tags = "", list[Record]()
        for _ in range(chance.randint(2, 12)):
            parts = ((NAMES, "WHO"), (DEEDS, ""), (THINGS, "WHAT"), (DAYS, "WHEN"))
            for number, (words, label) in enumerate(parts):
                word = chance.choice(words)
                text += " " * bool(text)
                if label and chance.random() < 0.5:
                    place = {"Tag_Start": len(text), "Tag_End": len(text) + len(word)}
                    tags.append({**place, "5W1H_Label": label, "Tag_Text": word})
                text += word + "." * (number == len(parts) - 1)
        yield {"Id": key, "Text": text, "Tags": tags}


def chosen(path: Path, share: float, seed: int) -> list[Record]:
    """The records of a file whose texts have the lowest hashes."""
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    return [one for one in records if _hash(f"{seed}:{one['Text']}") < share]


def _hash(text: str) -> float:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def noisy(text: str, chance: random.Random) -> str:
    """A text as a model quotes it: changed in one of the ways that change it, if there is one."""
    changes = [
        text.replace(" ", "  "),
        f" {text}\n",
        text.replace(" ", "\u00a0"),
        text.upper(),
        text[:1].swapcase() + text[1:],
        text.translate(str.maketrans("“”«»‘’–—", '""""\'\'--')),
        text.translate(str.maketrans("\"'-", "”’–")),
        unicodedata.normalize("NFD", text),
        unicodedata.normalize("NFKD", text),
    ]
    return chance.choice([one for one in changes if one != text])


def measured(records: list[Record], place: Literal["exact", "nearest"], seed: int, noise: float, near: int) -> str:
    """A row of the table: spans, those put where they were, those left, and the seconds."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        run, reference, out = (Path(name) / file for file in ("run.jsonl", "test.json", "fixed.csv"))
        with run.open("w", encoding="utf-8") as file, reference.open("w", encoding="utf-8") as data:
            for record in records:
                tags = [_guessed(tag, record["Text"], chance, noise, near) for tag in record["Tags"]]
                file.write(json.dumps({"Id": record["Id"], "Tags": tags}) + "\n")
                data.write(json.dumps({"Id": record["Id"], "Text": record["Text"]}) + "\n")
        began = perf_counter()
        done = fix(run, reference, out, place=place)
        seconds = perf_counter() - began
        with out.open(encoding="utf-8", newline="") as file:
            found = Counter(_places({row["Id"]: literal_eval(row["Tags"]) for row in DictReader(file)}))
    right = Counter(_places({str(record["Id"]): record["Tags"] for record in records}))
    left = {one.rule.name: one.count for one in done.report.rules()}
    spans, hit = sum(right.values()), sum((right & found).values())
    unplaced = (left.get("fragment-ambiguous", 0), left.get("fragment-absent", 0))
    offsets = f"off by at most {near}" if near else "random"
    return (
        f"| {place} | {offsets} | {spans:,} | {hit:,} | {hit / spans:.2%} | {unplaced[0]} | {unplaced[1]} "
        f"| {seconds:.1f} |"
    )


def _guessed(tag: Record, text: str, chance: random.Random, noise: float, near: int) -> Record:
    own = noisy(tag["Tag_Text"], chance) if chance.random() < noise else tag["Tag_Text"]
    start = chance.randrange(len(text)) if not near else max(0, tag["Tag_Start"] + chance.randint(-near, near))
    label = tag["5W1H_Label"]
    return {"Tag_Start": start, "Tag_End": start + chance.randint(1, 40), "5W1H_Label": label, "Tag_Text": own}


def _places(records: dict[str, list[Record]]) -> Iterator[tuple[object, ...]]:
    for key, tags in records.items():
        yield from ((key, tag["Tag_Start"], tag["Tag_End"], tag["5W1H_Label"]) for tag in tags)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="FLARES subtask 1 data with spans; invented articles by default")
    parser.add_argument("--share", type=float, default=0.2, help="of the records of the data")
    parser.add_argument("--records", type=int, default=2000, help="of invented articles")
    parser.add_argument("--noise", type=float, default=0.3, help="share of the texts that are changed")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    records = chosen(given.data, given.share, given.seed) if given.data else [*invented(given.records, chance)]
    print("| place | offsets | spans | where they were | share | ambiguous | absent | seconds |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    runs: tuple[tuple[Literal["exact", "nearest"], int], ...] = (("exact", 0), ("nearest", 0), ("nearest", NEAR))
    for place, near in runs:
        print(measured(records, place, given.seed, given.noise, near), flush=True)


if __name__ == "__main__":
    main()
