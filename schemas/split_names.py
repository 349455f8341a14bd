"""The split that the name of a file means."""

import re

SPLITS = ("train", "dev", "val", "trial", "test", "warmup")
_LONG = {"validation": "val", "warm-up": "warmup"}
_WORD = re.compile(rf"(?<![^\W0-9_])({'|'.join([*SPLITS, *_LONG])})(?![^\W0-9_])")


def split_of(name: str) -> str | None:
    """One of `SPLITS`: the last of these words in the name of a file, in any case (`sentences_en_val.csv` is `val`).

    None where there is none.
    """
    words = _WORD.findall(name.lower())
    return _LONG.get(words[-1], words[-1]) if words else None
