"""A fourth task is three new files and one row of the task table: here a toy one, written into a package of its own.

The files are what `schemas/toy.py`, its rules beside it, and `converters/toy.py` would be. Nothing else of the tool is touched.
"""

import json
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.pipelines import tasks
from sharedtask.pipelines.tasks import Task
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.describe import describe
from sharedtask.schemas.engine.pandera_seam import pandera_schema

RULES = '''
    """The rules of the toy task: claims and their verdicts."""

    from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity

    CLAIM_TOO_SHORT = Rule(
        code="TOY201",
        name="claim-too-short",
        severity=Severity.WARNING,
        meaning="A claim has fewer than five characters.",
        why="It says nothing that could be checked.",
        hint="Leave it out.",
        message="{subject} has too few characters: {value}",
    )
    SOURCE_IS_CLAIM = Rule(
        code="TOY202",
        name="source-is-claim",
        severity=Severity.ERROR,
        meaning="A claim is its own source.",
        why="A claim cannot be checked against itself.",
        hint="Name another source.",
        message=FOUND_AND_EXPECTED,
    )
'''
KINDS = '''
    """The documented file of the toy task."""

    import polars as pl

    from sharedtask.schemas.kind import Check, Column, Kind
    from sharedtask.schemas.reading import choice, integer, text
    from sharedtask.schemas.duplicate_keys import duplicate_key
    from toytask.rules import CLAIM_TOO_SHORT, SOURCE_IS_CLAIM

    CLAIMS = Kind(
        name="toy/claims",
        title="Toy claims",
        description="One claim a row, its source and its verdict.",
        source="invented for a test",
        columns=(
            Column("claim_id", "ClaimID", integer(), "The claim.", aliases=("claim_no",)),
            Column("claim", "Claim", text(), "What is claimed.", prose=True),
            Column("source_id", "SourceID", integer(), "The claim that it rests on.", nullable=True),
            Column("verdict", "Verdict", choice(("true", "false", "mixed")), "The verdict.", optional=True),
        ),
        key=("claim_id",),
        checks=(
            Check(CLAIM_TOO_SHORT, "claim", pl.col("claim").str.len_chars() < 5, "a claim"),
            Check(SOURCE_IS_CLAIM, "source_id", pl.col("source_id") == pl.col("claim_id"), "another claim"),
        ),
        table_checks=(duplicate_key(("claim_id",)),),
    )
    KINDS = (CLAIMS,)
'''
WRITE = '''
    """Canonical toy tables as the task's own file."""

    import polars as pl


    def claims(frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame.rename({"claim_id": "ClaimID", "claim": "Claim", "source_id": "SourceID", "verdict": "Verdict"})
'''
CLEAN = (
    "ClaimID,Claim,SourceID,Verdict\n"
    '4,"The bridge, all of it, is closed.",,true\n'
    '2,"He said:\n""never"".",4,mixed\n'
    "9,Nobody came to the meeting.,2,false\n"
)
FAULTY = (
    "ClaimID,Claim,SourceID,Verdict\n"
    "4,No.,,true\n"  # claim-too-short
    "2,A claim about itself.,2,mixed\n"  # source-is-claim
    "9,Nobody came to the meeting.,2,perhaps\n"  # bad-value
    "9,Nobody came to the reuniÃ³n.,x,false\n"  # bad-value, mojibake, and one duplicate-key with the row above
    "7,Cut off\n"  # ragged-row
)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The toy task in the task table."""
    package = tmp_path / "code" / "toytask"
    package.mkdir(parents=True)
    for name, code in {"__init__": "", "rules": RULES, "kinds": KINDS, "write": WRITE}.items():
        (package / f"{name}.py").write_text(textwrap.dedent(code), encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    kinds = import_module("toytask.kinds")
    monkeypatch.setattr(tasks, "TASKS", (*tasks.TASKS, Task("toy", kinds.KINDS)))
    yield kinds
    for name in [name for name in sys.modules if name.partition(".")[0] == "toytask"]:
        del sys.modules[name]


def put(tmp_path: Path, content: str, name: str = "claims.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


@pytest.mark.usefixtures("toy")
def test_a_clean_file_is_found_by_its_columns_and_converted(tmp_path: Path) -> None:
    path = put(tmp_path, CLEAN)
    report = validate([path])
    assert report.ok
    assert (report.task, report.inputs[0].kind, report.inputs[0].rows) == ("toy", "toy/claims", 3)
    assert report.rules() == []
    (output,) = convert([path], tmp_path / "out").outputs or []
    frame = pl.read_parquet(output.path)
    assert frame.to_dict(as_series=False) == {
        "claim_id": [4, 2, 9],
        "claim": ["The bridge, all of it, is closed.", 'He said:\n"never".', "Nobody came to the meeting."],
        "source_id": [None, 4, 2],
        "verdict": ["true", "mixed", "false"],
    }
    assert frame.schema["verdict"] == pl.String  # a closed set is plain text in files
    assert pl.read_parquet_metadata(output.path)["sharedtask.kind"] == "toy/claims"


@pytest.mark.usefixtures("toy")
def test_its_rules_and_those_of_any_file_are_judged(tmp_path: Path) -> None:
    report = validate([put(tmp_path, FAULTY)])
    assert {one.rule.name: one.count for one in report.rules()} == {
        "claim-too-short": 1,
        "source-is-claim": 1,
        "bad-value": 2,
        "mojibake": 1,
        "duplicate-key": 1,
        "ragged-row": 1,
    }
    lines = {(one.rule.name, one.at.line) for one in report.findings()}
    assert {
        ("claim-too-short", 2),
        ("source-is-claim", 3),
        ("bad-value", 4),
        ("bad-value", 5),
        ("ragged-row", 6),
    } <= lines


@pytest.mark.usefixtures("toy")
def test_its_bad_records_go_aside(tmp_path: Path) -> None:
    report = convert([put(tmp_path, FAULTY)], tmp_path / "out", on_error="quarantine")
    assert pl.read_parquet(tmp_path / "out" / "claims.parquet")["claim_id"].to_list() == [4]
    aside = pl.read_parquet(tmp_path / "out" / "quarantine" / "claims.parquet")
    assert aside.height == 4
    assert not report.ok


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("container", ["jsonl", "array", "parquet"])
def test_it_comes_in_every_shape(tmp_path: Path, container: str) -> None:
    records = [{"ClaimID": 4, "Claim": "The bridge is closed.", "SourceID": None, "Verdict": "true"}]
    if container == "parquet":
        path = Path((convert([put(tmp_path, CLEAN)], tmp_path / "out").outputs or [])[0].path)
    else:
        path = put(tmp_path, json.dumps(records if container == "array" else records[0]), "claims.json")
    report = validate([path])
    assert (report.ok, report.inputs[0].kind) == (True, "toy/claims")


def test_its_schema_is_a_pandera_schema_and_describes_itself(toy: Any) -> None:
    frame = pl.DataFrame(
        {"claim_id": [1], "claim": ["A long claim."], "source_id": [None], "verdict": ["true"]},
        schema={column.name: column.reading.dtype for column in toy.CLAIMS.columns},
    )
    assert pandera_schema(toy.CLAIMS).validate(frame, lazy=True).equals(frame)
    names = [rule["name"] for rule in describe(toy.CLAIMS)["rules"]]  # type: ignore[attr-defined]
    assert {"claim-too-short", "source-is-claim", "duplicate-key", "mojibake", "null-value"} <= set(names)


@pytest.mark.usefixtures("toy")
def test_its_way_back_is_a_plan_over_the_canonical_table(tmp_path: Path) -> None:
    (output,) = convert([put(tmp_path, CLEAN)], tmp_path / "out").outputs or []
    write = import_module("toytask.write")
    assert write.claims(pl.scan_parquet(output.path)).collect().columns == ["ClaimID", "Claim", "SourceID", "Verdict"]


@pytest.mark.usefixtures("toy")
def test_the_other_tasks_are_found_as_before(tmp_path: Path) -> None:
    content = "doc_id,sentence_id,sentence_text\n1,0,Wells were dug.\n"
    assert validate([put(tmp_path, content, "sentences_en_test.csv")]).inputs[0].kind == "cheers/sentences"


def test_without_its_row_it_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="match no known kind"):
        validate([put(tmp_path, CLEAN)])
