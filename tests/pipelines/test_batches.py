"""One input cut into batches at random places comes to the same as the whole, in whatever order the batches are merged."""

import random
from functools import cache, reduce
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from sharedtask.pipelines.inputs.judge_batch import Batch, Sketch, judge_batch
from sharedtask.pipelines.tasks import kind_named
from sharedtask.pipelines.verbs.sample import sample
from tests.opened import opened

FILES = {
    "cheers/sentences": ("cheers", "sentences_en_train.csv"),
    "cheers/run": ("cheers", "run_en_val.csv"),
    "reintel/posts": ("reintel", "public_train.csv"),
    "reintel/run": ("reintel", "results.csv"),
    "reintel/annotations": ("reintel", "annotations.csv"),
    "flares/subtask1": ("flares", "5w1h_subtask_1_train.csv"),
    "flares/subtask1-run": ("flares", "subtask_1_run.csv"),
    "flares/subtask2-run": ("flares", "subtask_2_run.csv"),
}


@cache
def raw_records(kind: str) -> pl.DataFrame:
    """The raw columns of a sample file with faults: values of other rows, empty cells, repeated rows, rows in another order."""
    task, name = FILES[kind]
    with TemporaryDirectory() as folder:
        sample(task, folder, rows=80)
        with opened(Path(folder, name), kind) as one:
            raw = one.table.frame.select(pl.selectors.starts_with("raw.")).collect()
    dice = random.Random(kind)
    rows = raw.rows()
    for _ in range(25):
        at, other, column = dice.randrange(len(rows)), dice.randrange(len(rows)), dice.randrange(raw.width)
        wrong = dice.choice([rows[other][column], None, "?", "7.0", "-1"])
        rows[at] = (*rows[at][:column], wrong, *rows[at][column + 1 :])
        rows.insert(dice.randrange(len(rows)), rows[dice.randrange(len(rows))])
    return pl.DataFrame(rows, schema=raw.schema, orient="row")


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=15)
@given(st.data())
def test_batches_come_to_the_same_as_the_whole(kind: str, data: st.DataObject) -> None:
    records = raw_records(kind)
    cuts = sorted(data.draw(st.sets(st.integers(1, records.height - 1), max_size=6)))
    bounds = list(zip([0, *cuts], [*cuts, records.height], strict=True))
    whole = judge_batch(records, kind_named(kind), file=3)
    batches = [
        judge_batch(records.slice(first, last - first).to_arrow(), kind_named(kind), file=3, first_row=first)
        for first, last in bounds
    ]
    assert_frame_equal(pl.concat([batch.table for batch in batches]), whole.table)
    assert_frame_equal(pl.concat([batch.violations for batch in batches]), whole.violations)
    order = data.draw(st.permutations(batches))
    assert_frame_equal(reduce(Sketch.merge, [batch.sketch for batch in order]).findings(), whole.sketch.findings())
    assert_frame_equal(from_the_right(order).findings(), whole.sketch.findings())


def from_the_right(batches: list[Batch]) -> Sketch:
    sketches = [batch.sketch for batch in batches]
    return reduce(lambda after, before: before.merge(after), reversed(sketches[:-1]), sketches[-1])


@pytest.mark.parametrize("kind", FILES)
def test_the_faults_of_these_records_are_found(kind: str) -> None:
    whole = judge_batch(raw_records(kind), kind_named(kind))
    assert whole.violations.height
    assert kind in ("flares/subtask1-run", "flares/subtask1", "reintel/annotations") or whole.sketch.findings().height


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    records = raw_records("cheers/run")
    one, other = (judge_batch(records, kind_named("cheers/run"), file=file) for file in (0, 1))
    both = one.sketch.merge(other.sketch).findings()
    assert both["file"].unique().sort().to_list() == [0, 1]
    assert_frame_equal(both.filter(pl.col("file") == 0), one.sketch.findings())
