"""Values of findings and results as JSON can hold them."""

import math
from collections.abc import Mapping

LONGEST_TEXT = 4096  # characters of one text in the plain data, as many as a path may have
MOST_ITEMS = 100  # of one list or mapping that a finding holds


def plain(value: object) -> object:
    """A value as JSON can hold it, whatever it is, and no longer than it need be."""
    if isinstance(value, str):
        kept = value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "…"
        return kept.encode(errors="backslashreplace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(plain(str(name))): plain(item) for name, item in list(value.items())[:MOST_ITEMS]}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value[:MOST_ITEMS]]
    return plain(str(value))
