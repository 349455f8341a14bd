"""Names with control characters, commands to CI logs and marks that turn text round: shown without effect, everywhere."""

import os
import re
from pathlib import Path

import pytest

from sharedtask.pipelines.render import FORMATS
from tests.world.conftest import NAME, ROWS, Call

EVIL = "a\x1b[31m\n::error::x\u202e##[group]y"
JOB = 'inputs = ["data/*"]\noutput = "out"\nsteps = ["validate", "convert"]\n'
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|^\\s*::error::x|##\\[", re.M)


@pytest.fixture
def data(folder: Path) -> Path:
    place = folder / "data"
    place.mkdir()
    (place / f"{EVIL}.csv").write_text(ROWS)
    (place / f"{EVIL}bad.csv").write_text(ROWS.replace(",1,", ",maybe,"))
    (place / f"{EVIL}odd.csv").write_text("a\x1b,b\u202e,::c\n1,2,3\n")
    (place / f"{EVIL}cut.parquet").write_text("PAR1xx")
    (place / f"{EVIL}.txt").write_text("words")
    return place


def assert_harmless(text: str) -> None:
    found = ACTS.search(text)
    assert found is None, repr(text[max(found.start() - 60, 0) : found.end() + 20])


@pytest.mark.parametrize("form", FORMATS)
def test_in_every_format_of_a_report(call: Call, data: Path, form: str) -> None:
    done = call("validate", "data", "--format", form)
    assert done.status == 1
    assert_harmless(done.out + done.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", f"data/{EVIL}odd.csv"],
        ["validate", f"data/{EVIL}absent.csv"],
        ["convert", "data", "--out", f"{EVIL}out"],
        ["export", f"data/{EVIL}.csv", "--out", f"{EVIL}.csv"],
        ["check", f"data/{EVIL}.csv", "--against", NAME],
        ["diff", f"data/{EVIL}.csv", NAME],
        ["splits", "check", f"data/{EVIL}.csv", NAME],
        ["splits", "make", f"data/{EVIL}.csv", "--sizes", "a\x1b=.5,b=.5", "--seed", "1", "--out", "out"],
        ["card", "data"],
        ["sample", "cheers", "--rows", "3", "--out", EVIL],
        ["validate", NAME, "--kind", EVIL],
        ["validate", NAME, "--config", EVIL],
        ["validate", NAME, f"--{EVIL}"],
        ["job", f"{EVIL}.toml"],
        [EVIL],
        ["explain", EVIL],
    ],
    ids=lambda arguments: arguments[0] if arguments[0] != EVIL else "no verb",
)
def test_in_what_a_command_says(call: Call, data: Path, arguments: list[str]) -> None:
    done = call(*arguments)
    assert_harmless(done.out + done.err)


def test_in_all_that_a_job_says_and_writes(call: Call, data: Path, folder: Path) -> None:
    (folder / "job.toml").write_text(JOB)
    done = call("job", "job.toml")
    assert done.status == 1
    assert len(done.err.splitlines()) == 2 + 5  # a line each, whatever is in it
    assert_harmless(done.out + done.err)
    assert_harmless((folder / "out/manifest.json").read_text())


def test_in_a_card(call: Call, data: Path, folder: Path) -> None:
    for name in (f"{EVIL}odd.csv", f"{EVIL}bad.csv", f"{EVIL}cut.parquet"):
        (data / name).unlink()
    assert call("card", "data").status == 0
    for name in ("README.md", "croissant.json"):
        assert_harmless((data / name).read_text())


def test_in_the_place_of_a_step_summary(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", f"{os.devnull}/{EVIL}")
    done = call("validate", NAME)
    assert (done.status, done.err.count("\n")) == (0, 1)
    assert_harmless(done.err)
