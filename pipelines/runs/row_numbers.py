"""Ids of a run that are row numbers, and which records of the reference they mean."""

from dataclasses import dataclass

import polars as pl

LEAST_SHARE = 0.5  # of the records of the reference, for numbers with gaps to be taken for the numbers of its rows
MOST_KNOWN = 0.5  # the share of the numbers that may be ids of the reference all the same
MOST_KNOWN_IN_PLACE = 0.8  # the same where there are as many numbers as records: ids of FLARES are small numbers, too


@dataclass(frozen=True, slots=True)
class RowNumbers:
    """The row numbers that a run has for ids, from `first` to `last`.

    `gaps` says that some between them are missing. `start` is the number of the reference's first record, None where it
    is not known which record a number means. With `in_place`, the run has as many records as the reference, so that
    they can be paired by position.
    """

    first: int
    last: int
    gaps: bool
    start: int | None
    in_place: bool = False


def row_numbers(ids: pl.Series, reference: pl.Series) -> RowNumbers | None:
    """The row numbers that the ids of a run are; None where they are not, or may be ids of the reference.

    They count the run's own records from 0 or 1, or, with gaps and in ascending order, those of the reference. A
    reference whose own ids are row numbers, or that has most of the ids, leaves them what they are.
    """
    if not len(ids) or not len(reference) or counts_up(reference.sort()):
        return None
    first, last, records = int(ids[0]), int(ids[-1]), len(reference)
    known = ids.is_in(reference.implode()).sum() / len(ids)
    if counts_up(ids):
        in_place = len(ids) == records
        if known > (MOST_KNOWN_IN_PLACE if in_place else MOST_KNOWN) or (len(ids) == 1 != records):
            return None
        return RowNumbers(first, last, False, first if in_place else None, in_place)
    starts = [start for start in (0, 1) if start <= first and last < records + start]
    if not starts or known > MOST_KNOWN or len(ids) < LEAST_SHARE * records or not _ascend(ids):
        return None
    return RowNumbers(first, last, True, starts[0] if len(starts) == 1 else None)


def counts_up(ids: pl.Series) -> bool:
    """Whether ids count from 0 or from 1, one by one."""
    first = int(ids[0])
    return first in (0, 1) and ids.equals(pl.int_range(first, first + len(ids), eager=True))


def _ascend(ids: pl.Series) -> bool:
    return bool((ids.diff() > 0).fill_null(value=True).all())
