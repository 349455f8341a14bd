"""Job files: what each key may be, and what is said of a wrong one."""

from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.jobs.job import Job, read_job

SMALLEST = 'inputs = ["*.csv"]\noutput = "out"\n'


def job_of(folder: Path, text: str) -> Job:
    path = folder / "job.toml"
    path.write_text(text, encoding="utf-8")
    return read_job(path)


def test_all_but_inputs_and_output_have_defaults(tmp_path: Path) -> None:
    job = job_of(tmp_path, SMALLEST)
    assert (job.inputs, job.output, job.base) == (("*.csv",), "out", tmp_path)
    assert (job.task, job.reference, job.scorer) == ("auto", None, None)
    assert (job.on_error, job.fail_on, job.table) == ("quarantine", "error", "none")


def test_steps_are_taken_in_their_order(tmp_path: Path) -> None:
    assert job_of(tmp_path, SMALLEST + 'steps = ["convert", "validate"]').steps == ("validate", "convert")


def test_one_input_needs_no_list(tmp_path: Path) -> None:
    assert job_of(tmp_path, 'inputs = "a.csv"\noutput = "out"').inputs == ("a.csv",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SMALLEST + 'on_eror = "stop"', "did you mean 'on_error'"),
        (SMALLEST + 'scorers = "documented"', "did you mean 'scorer'"),
        (SMALLEST + "zzz = 1", "there is no key 'zzz'; expected one of inputs, output"),
        (SMALLEST + 'on_error = "halt"', "on_error is 'halt'; expected one of quarantine, stop"),
        (SMALLEST + 'task = "chers"', "did you mean 'cheers'"),
        (SMALLEST + 'steps = ["validate", "scor"]', "did you mean 'score'"),
        (SMALLEST + "steps = [1]", "steps is [1]; expected a list of one or more strings"),
        (SMALLEST + 'reference = ""', "reference is ''; expected a string"),
        (SMALLEST + 'steps = ["check"]', "check needs a reference"),
        (SMALLEST + "output2 = 3", "did you mean 'output'"),
        ('inputs = ["*.csv"]\noutput = 3', "output is 3; expected a string"),
        ('output = "out"', "has no inputs"),
        ('inputs = []\noutput = "out"', "one or more"),
        (SMALLEST + 'steps = ["check", "score"]', "check and score need a reference"),
        ("inputs = [", "is not a valid TOML file"),
        (f"inputs = {'[' * 5000}{']' * 5000}", "job.toml: is not a valid TOML file: its values are nested too deeply"),
        (f"inputs = {'9' * 5000}", "is not a valid TOML file"),
    ],
)
def test_a_wrong_job_file_is_one_line_that_names_what_is_right(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UnusableError) as error:
        job_of(tmp_path, text)
    assert told in str(error.value)
    assert "job.toml" in str(error.value)


def test_a_job_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="no such file"):
        read_job(tmp_path / "job.toml")
