"""Row numbers in place of ids: which they are, and which records they mean."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.limits import USUAL_LIMITS
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.ids_against_reference import keys_by_row_number
from sharedtask.pipelines.runs.row_numbers import RowNumbers, row_numbers
from sharedtask.pipelines.runs.run_judge import RunJudge

IDS = [31, 34, 36, 40, 41, 47]


@pytest.mark.parametrize(
    ("run", "found"),
    [
        (range(6), RowNumbers(0, 5, gaps=False, start=0, in_place=True)),
        (range(1, 7), RowNumbers(1, 6, gaps=False, start=1, in_place=True)),
        ([0, 1, 2, 4, 5], RowNumbers(0, 5, gaps=True, start=0)),
        ([1, 2, 4, 6], RowNumbers(1, 6, gaps=True, start=1)),
        ([2, 3, 6], RowNumbers(2, 6, gaps=True, start=1)),
        ([1, 2, 4, 5], RowNumbers(1, 5, gaps=True, start=None)),
        (range(4), RowNumbers(0, 3, gaps=False, start=None)),
        (range(9), RowNumbers(0, 8, gaps=False, start=None)),
        ([0, 5], None),  # of too few records to be sure
        ([0, 2, 6], None),  # both the number before the first and that behind the last
        ([0, 2, 1, 5], None),
        ([0, 1, 1, 3], None),
        (IDS, None),
        (IDS[:4], None),
        ([], None),
    ],
)
def test_ids_that_are_row_numbers(run: Sequence[int], found: RowNumbers | None) -> None:
    assert row_numbers(pl.Series(run, dtype=pl.Int64), pl.Series(IDS)) == found


@pytest.mark.parametrize("first", [0, 1])
def test_a_reference_that_is_numbered_itself_leaves_numbers_what_they_are(first: int) -> None:
    reference = pl.Series(range(first, first + 6)).shuffle(seed=1)
    for run in (range(6), [0, 1, 3, 4], range(4)):
        assert row_numbers(pl.Series(run), reference) is None


def test_numbers_that_are_mostly_ids_of_the_reference() -> None:
    sparse = pl.Series([0, 1, 2, 5, 7, 9])
    assert row_numbers(pl.Series([0, 1, 2, 4, 5]), sparse) is None
    assert row_numbers(pl.Series([0, 1, 2, 3]), sparse) is None
    assert row_numbers(pl.Series(range(6)), sparse) == RowNumbers(0, 5, gaps=False, start=0, in_place=True)


@pytest.mark.parametrize(
    ("ids", "keys"),
    [
        (["0", "1", "2", "4", "5"], [31, 34, 36, 41, 47]),
        (["1", "2", "4", "5", "6"], [31, 34, 40, 41, 47]),
        (["0", "1", "", "3", "5"], [31, 34, None, 40, 47]),
        (["0", "1", "2", "3", "4", "5"], IDS),
        (["0", "1", "2", "3"], None),
        (["1", "2", "4", "5"], None),
        (["31", "34", "36"], None),
    ],
)
def test_the_keys_that_row_numbers_mean(tmp_path: Path, ids: list[str], keys: list[int | None] | None) -> None:
    run, reference = tmp_path / "run.csv", tmp_path / "5w1h_subtarea_1_test.json"
    run.write_text("Id,Tags\n" + "".join(f"{key},[]\n" for key in ids))
    reference.write_text("".join(f'{{"Id":{key},"Text":"La nota {key}."}}\n' for key in IDS))
    with Inputs(Report("check"), USUAL_LIMITS) as inputs:
        judge = RunJudge()
        judge.check_against(inputs, str(run), str(reference))
        assert judge.run is not None
        assert judge.reference is not None
        found = keys_by_row_number(judge.run, judge.reference)
    assert (None if found is None else found.to_list()) == keys
