"""Small files that are worked together come out as each of them does by itself."""

import csv
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.jobs.inputs import inputs_of, read_small
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.many_small import work_together
from sharedtask.pipelines.jobs.one_input import work_alone
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.jobs.plan import Plan
from sharedtask.pipelines.tasks import all_scorers
from sharedtask.pipelines.verbs.sample import sample


def worked_both_ways(job: Job, scratch: Path) -> Iterator[tuple[Outcome | None, Outcome]]:
    """For each input what work_together makes of it (None: it leaves it), and what work_alone does."""
    scratch.mkdir()
    with ExitStack() as stack:
        plan = Plan.of(job, stack)
        found = inputs_of(job)
        out = open_folder("out", scratch)
        together = {one.path: one for one in work_together(read_small(found, job.base), plan, out, scratch)}
        for one in found:
            yield together.get(one.path), work_alone(one, plan, out, scratch)


@pytest.mark.parametrize("scorer", [one.name for one in all_scorers() if one.kind == "cheers/run"])
def test_cheers_runs(folder: Path, scorer: str) -> None:
    job = Job(
        ("runs/*.csv",), "out", steps=("check", "score"), reference="sentences_en_val.csv", scorer=scorer, base=folder
    )
    both = list(worked_both_ways(job, folder / "scratch"))
    assert all(together in (None, alone) for together, alone in both)
    apart = {Path(alone.path).stem for together, alone in both if together is None}
    assert apart == {"short_row", "long_row", "crlf", "another_header", "blank_line", "semicolons"}
    assert all(alone.scores is not None for together, alone in both if together and together.status == "ok")


def test_files_that_have_nothing_to_say_are_worked_together_in_any_step(folder: Path) -> None:
    both = list(worked_both_ways(Job(("runs/*.csv",), "out", steps=("validate",), base=folder), folder / "scratch"))
    assert all(together in (None, alone) for together, alone in both)
    assert sum(together is not None for together, _ in both) >= 6


@pytest.mark.parametrize("scorer", [one.name for one in all_scorers() if one.kind.startswith("flares/subtask1")])
def test_flares_runs(tmp_path: Path, scorer: str) -> None:
    sample("flares", tmp_path, rows=60)
    rows = [json.loads(line) for line in (tmp_path / "5w1h_subtarea_1_train.json").read_text("utf-8").splitlines()]
    for seed in range(4):
        write_run(tmp_path / f"run_{seed}.csv", rows, random.Random(seed), shift=0)
    for seed in range(2):
        write_run(tmp_path / f"shifted_{seed}.csv", rows, random.Random(seed), shift=1)
    job = Job(
        ("run_*.csv", "shifted_*.csv"),
        "out",
        steps=("check", "score"),
        reference="5w1h_subtarea_1_train.json",
        scorer=scorer,
        base=tmp_path,
    )
    both = list(worked_both_ways(job, tmp_path / "scratch"))
    assert all(together in (None, alone) for together, alone in both)
    assert all(together is not None for together, _ in both)
    assert [alone.path for _, alone in both if alone.status == "ok"] == [f"run_{seed}.csv" for seed in range(4)]


def write_run(path: Path, rows: list[dict[str, Any]], dice: random.Random, shift: int) -> None:
    """The gold as a run, with some spans left out and some under another label; `shift` moves every span."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["Id", "Tags"])
        for row in rows:
            tags = [
                {
                    "Tag_Start": tag["Tag_Start"] + shift,
                    "Tag_End": tag["Tag_End"] + shift,
                    "5W1H_Label": tag["5W1H_Label"] if dice.random() < 0.8 else "WHY",
                }
                for tag in row["Tags"]
                if dice.random() < 0.8
            ]
            writer.writerow([row["Id"], str(tags)])


@pytest.mark.parametrize("first", ["x,0.5", ",0.5", "é,0.5", "121a,0.5", "id,0.5", "id,probability", "1,0.5"])
def test_a_first_line_that_may_be_a_header_is_read_as_alone(tmp_path: Path, first: str) -> None:
    assert_alike(results_jobs(tmp_path, {"a": f"{first}\n", "b": f"{first}\n"}), tmp_path)


@pytest.mark.parametrize(
    "line", ['6",0.378"', '"6",0.3', '"6""",0.3', '6,"0.3', '6,"0.3"', '"6","0.3"', '6,0""3', '"6\n",0.3']
)
def test_quotes_are_read_as_alone(tmp_path: Path, line: str) -> None:
    assert_alike(results_jobs(tmp_path, {"a": f"1,0.5\n{line}\n", "b": f"1,0.5\n{line}\n", "c": "1,0.5\n"}), tmp_path)


def results_jobs(folder: Path, starts: dict[str, str]) -> Job:
    """Results of ReINTEL over a labelled file, each beginning in its own way."""
    sample("reintel", folder, rows=20)
    ids = pl.read_csv(folder / "public_train.csv", infer_schema=False)["id"].to_list()
    for name, start in starts.items():
        rest = ids[start.count("\n") :]
        (folder / f"{name}.csv").write_text(start + "".join(f"{key},0.{at}\n" for at, key in enumerate(rest)), "utf-8")
    inputs = tuple(f"{name}.csv" for name in starts)
    return Job(inputs, "out", steps=("check", "score"), reference="public_train.csv", base=folder)


def assert_alike(job: Job, folder: Path) -> None:
    both = list(worked_both_ways(job, folder / "scratch"))
    assert both
    assert all(together in (None, alone) for together, alone in both)
