"""Two processes that write one output: what is there is what one of them wrote, whole."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.world.conftest import ROWS, Call


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_two_writers_of_one_output(call: Call, folder: Path, form: str) -> None:
    whole = set()
    for name, label in (("a", "1"), ("b", "0")):
        (folder / name).mkdir()
        rows = "".join(f"8,{number},Sentence {number}.,{label},[]\n" for number in range(20_000))
        (folder / name / "sentences_en_val.csv").write_text(ROWS + rows)
        assert call("convert", f"{name}/sentences_en_val.csv", "--out", f"{name}/out", "--to", form).status == 0
        whole.add((folder / name / f"out/sentences_en_val.{form}").read_bytes())
    command = [sys.executable, "-m", "sharedtask", "convert", "--out", "both", "--to", form]
    writers = [subprocess.Popen([*command, f"{name}/sentences_en_val.csv"], stdout=subprocess.DEVNULL) for name in "ab"]
    assert [one.wait(50) for one in writers] == [0, 0]
    (file,) = (folder / "both").iterdir()
    assert len(whole) == 2
    assert file.read_bytes() in whole


def test_of_two_jobs_on_one_output_one_is_refused(call: Call, folder: Path) -> None:
    from sharedtask.converters.storage import open_folder
    from sharedtask.pipelines.jobs.lock import alone_in

    (folder / "job.toml").write_text('inputs = ["*.csv"]\noutput = "out"\nsteps = ["validate"]\n')
    with alone_in(open_folder("out", folder)):
        done = call("job", "job.toml")
    assert (done.status, done.err.splitlines()[-1]) == (
        2,
        "sharedtask: out: another job is writing here; wait for its end, or name another output",
    )
