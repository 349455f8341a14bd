"""Whatever has happened to a file, it is read, reported or refused in one line: no other exception leaves a verb."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.tasks import TASKS
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.validate import validate

SIGNS = (
    b'"',
    b"'",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"[",
    b"]",
    b"{",
    b"}",
    b":",
    b"\\",
    b"\xff",
    b"\xef\xbb\xbf",
)
WORDS = (
    b"null",
    b"NaN",
    b"1e400",
    b"-1",
    b"99999999999999999999",
    "٣".encode(),
    "é".encode(),
    b"#NAME?",
    b'""',
    b"PAR1",
)


Pick = Callable[[Random], tuple[Path, bytes]]


@pytest.fixture(scope="module")
def pick(tmp_path_factory: pytest.TempPathFactory) -> Pick:
    """Picks one of the small files of every kind, or of the tables that are made of them."""
    folder = tmp_path_factory.mktemp("files")
    for task in TASKS:
        sample(task.name, folder / task.name, rows=6, seed=2)
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".xlsx"]
    texts = [path for path in paths if path.suffix in (".csv", ".json")]
    for path in texts[::4]:
        for to in ("parquet", "ipc", "jsonl"):
            report = convert(path, folder / to / path.stem, to=to)
            paths += [Path(one.path) for one in report.outputs or []]
    return lambda random: (path := random.choice(paths), path.read_bytes())


def mutated(data: bytes, random: Random) -> bytes:
    """The bytes with some of what happens to files: cut, joined, repeated, with signs put in and taken out."""
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 2, 8, 60)))
        lines = data.split(b"\n")
        line = random.randrange(len(lines))
        data = random.choice(
            (
                data[:at] + random.choice(SIGNS) + data[at:],
                data[:at] + random.choice(WORDS) + data[end:],
                data[:at] + data[end:],
                data[:at],
                data[:at] + bytes([random.randrange(256)]) + data[at + 1 :],
                b"\n".join([*lines[:line], lines[line], *lines[line:]]),
                b"\n".join([*lines[:line], *lines[line + 1 :]]),
                b"\n".join([*lines[:line], lines[0], *lines[line:]]),
                data.replace(b",", b";"),
                data.replace(b'"', b"'"),
                data + data,
                data.replace(b"\n", b"\r\n"),
                b"[" + data.strip().replace(b"\n", b",") + b"]",
            )
        )
    return data


@settings(max_examples=120)
@given(seed=st.integers(0, 2**32))
def test_nothing_but_one_line_leaves_a_verb(pick: Pick, seed: int) -> None:
    random = Random(seed)
    source, data = pick(random)
    with tempfile.TemporaryDirectory() as folder:
        path, refused = Path(folder, source.name), ""
        path.write_bytes(mutated(data, random))
        try:
            found = validate(path)
        except UnusableError as error:
            refused = str(error)
        if refused:
            assert source.name in refused
            assert "\n" not in refused
            return
        report = convert(path, Path(folder, "out"), on_error="quarantine")
        assert {one.rule.name: one.count for one in report.rules()} == {
            one.rule.name: one.count for one in found.rules()
        }
        tables = [pl.read_parquet(one.path).height for one in report.outputs or []]
        assert tables == [one.rows for one in report.outputs or []]
        for one in report.findings():
            assert one.message
