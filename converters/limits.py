"""How much of an input one call takes, and how much of what it found it shows.

They are enforced in `archive.py` and `source.py` (unpacked bytes), `schemas/engine/text_checks.py` and `csv/odd_shapes.py` (size of a field).
"""

from dataclasses import dataclass

from sharedtask.converters.source import UNPACKED_BYTES
from sharedtask.schemas.rules.fmt_files import MAX_FIELD_BYTES


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call takes and shows of its inputs.

    `findings` is the number of samples of each rule, `field_bytes` the size of a single field, `archive_bytes` that to
    which an archive or a compressed file may unpack. `sheet` is the one that is read of a workbook, by its name or its
    number from 1; without it the first visible one that has cells.
    """

    findings: int = 20
    field_bytes: int = MAX_FIELD_BYTES
    archive_bytes: int = UNPACKED_BYTES
    sheet: str | None = None

    @classmethod
    def of(cls, max_findings: int, max_bytes: int | None, sheet: str | None = None) -> "Limits":
        """The limits that a user gives: `max_bytes` is that of a field, and raises that of an archive."""
        usual = cls(max_findings, sheet=sheet)
        return usual if max_bytes is None else cls(max_findings, max_bytes, max(usual.archive_bytes, max_bytes), sheet)


USUAL_LIMITS = Limits()
