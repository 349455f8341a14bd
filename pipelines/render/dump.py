"""JSON as text, written so that no value can act on a terminal or on the log of a CI service."""

import json
import re

import orjson

# In JSON these occur in strings only, so each may be written as its escape. `##[` begins a command of GitHub Actions.
_UNSEEN = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|(?<=##)\[")


def dump(data: object, *, indented: bool) -> str:
    """Plain data as JSON on one line or many, ending with a newline."""
    option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if indented else 0)
    try:
        text = orjson.dumps(data, option=option, default=str).decode()
    except TypeError:  # an integer beyond 64 bits, or half of a surrogate pair
        text = json.dumps(data, indent=2 if indented else None, default=str) + "\n"
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
