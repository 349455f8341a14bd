"""What a person at a terminal sees: colours or none, the verdict alone, and the nearest word for one misspelt."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

BAD = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n7,0,Wells.,yes,[]\n"
GOOD = BAD.replace("yes", "0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sentences_en_val.csv").write_text(BAD, encoding="utf-8")
    (tmp_path / "sentences_en_train.csv").write_text(GOOD, encoding="utf-8")
    return tmp_path


def command(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    mine, theirs = pty.openpty()
    with_terminal = variables.pop("stdout", "pipe") == "terminal"
    process = subprocess.Popen(
        [sys.executable, "-m", "sharedtask", *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[3]), "TERM": "xterm", **variables},
        stdout=theirs if with_terminal else subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    if with_terminal:
        process.stdout = os.fdopen(mine, "rb", buffering=0)
    else:
        os.close(mine)
    return process


def printed(folder: Path, *arguments: str, **variables: str) -> str:
    """What a command prints to standard output, which is a pipe unless `stdout="terminal"`."""
    process = command(folder, *arguments, **variables)
    assert process.stdout is not None
    blocks = []
    while True:
        try:
            block = process.stdout.read(4096)
        except OSError:  # the other end of a terminal is closed
            break
        if not block:
            break
        blocks.append(block)
    process.stdout.close()
    assert process.stderr is not None
    process.stderr.close()
    process.wait()
    return b"".join(blocks).decode().replace("\r\n", "\n")


PAINTED = "\x1b[1;31merror\x1b[0m"
VALIDATE = ("validate", "sentences_en_val.csv")


@pytest.mark.parametrize(
    ("variables", "is_painted"),
    [
        ({}, False),
        ({"stdout": "terminal"}, True),
        ({"stdout": "terminal", "NO_COLOR": "1"}, False),
        ({"stdout": "terminal", "NO_COLOR": ""}, True),
        ({"stdout": "terminal", "TERM": "dumb"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(folder: Path, variables: dict[str, str], is_painted: bool) -> None:
    text = printed(folder, *VALIDATE, **variables)
    assert (PAINTED in text) is is_painted
    assert ("\x1b" in text) is is_painted
    assert text.count("CHE101") == 2


@pytest.mark.parametrize("form", ["json", "markdown", "sarif", "junit", "github"])
def test_only_text_is_painted(folder: Path, form: str) -> None:
    assert "\x1b" not in printed(folder, *VALIDATE, "--format", form, FORCE_COLOR="1")


def test_a_file_is_not_painted(folder: Path) -> None:
    assert printed(folder, *VALIDATE, "--output-file", "report.txt", FORCE_COLOR="1") == ""
    assert "\x1b" not in (folder / "report.txt").read_text(encoding="utf-8")


def test_quiet_prints_the_verdict_alone(folder: Path) -> None:
    assert printed(folder, *VALIDATE, "-q") == "failed: 1 error\n"
    assert printed(folder, "validate", "sentences_en_train.csv", "-q") == "ok: no problems in 1 file\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validat", "x"], "No such command 'validat'. Did you mean 'validate'?"),
        (["splits", "chek", "x"], "No such command 'chek'. Did you mean 'check'?"),
        (["validate", "--fail-onn", "error", "x"], "No such option '--fail-onn'. Did you mean '--fail-on'?"),
        (["schemas", "cheers/sentence"], "there is no kind 'cheers/sentence'; did you mean 'cheers/sentences'?"),
        (["explain", "span-cut-word"], "there is no rule 'span-cut-word'; did you mean FLA205 span-cuts-word?"),
        (["sample", "chers", "--out", "x"], "there is no task 'chers'; did you mean 'cheers'?"),
        (
            ["score", "a.csv", "--against", "b.csv", "--scorer", "offical"],
            "there is no scorer 'offical'; did you mean 'official'?",
        ),
        (
            ["validate", "sentences_en_val.csv", "--kind", "cheers/sentence"],
            "there is no kind 'cheers/sentence'; did you mean 'cheers/sentences'?",
        ),
    ],
)
def test_the_nearest_word_is_named(folder: Path, arguments: list[str], message: str) -> None:
    process = command(folder, *arguments)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert message in errors.decode()


def test_a_terminal_that_lacks_characters_gets_their_escapes(folder: Path) -> None:
    rows = "".join(f"{number},0,Wells.,yes,[]\n" for number in range(30))
    (folder / "sentences_en_val.csv").write_text(BAD + rows, encoding="utf-8")
    text = printed(folder, *VALIDATE, stdout="terminal", PYTHONIOENCODING="ascii", NO_COLOR="1")
    assert "\\u2026" in text  # the dots after the line numbers
    assert text.endswith("see `sharedtask explain RULE` for details\n")


@pytest.mark.parametrize("name", ["\x1b[31mx_val.csv", "a\n::error::x_val.csv", "\x9b1m_val.csv", "##[error]_val.csv"])
def test_names_of_files_act_on_no_terminal(folder: Path, name: str) -> None:
    (folder / name).write_text(BAD, encoding="utf-8")
    (folder / "job.toml").write_text('inputs = ["*_val.csv"]\noutput = "out"\nsteps = ["validate"]\n', encoding="utf-8")
    for arguments in (["validate", f"no{name}"], ["job", "job.toml"]):
        process = command(folder, *arguments)
        out, errors = (stream.decode() for stream in process.communicate())
        assert process.returncode in (1, 2)
        for text in (out, errors):
            assert not {"\x1b", "\x9b"} & set(text)
            assert "##[" not in text
            assert not any(line.startswith("::") for line in text.splitlines())
