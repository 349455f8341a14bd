"""The folders of `tests/cases`: one way to be wrong each, and the near misses that are right (`…-clean`).

A folder holds the input files and `expected.json`: `args` (of the command line), `exit`, `ok`, `rules` (every rule of the report with its
count, over all severities), `findings` (for each, some finding of the report has all its values; `key` may hold more) and `rows` (records of
the first input). The expected values were written by hand.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from sharedtask.pipelines.cli import main
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.rules.catalogue import RULES

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path.parent for path in CASES.rglob("expected.json"))


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return expected


def has(finding: dict[str, Any], wanted: dict[str, Any]) -> bool:
    key = finding.get("key") or {}
    return all(
        all(key.get(name) == part for name, part in value.items()) if field == "key" else finding.get(field) == value
        for field, value in wanted.items()
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_case(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    expected = expected_of(folder)
    for file in folder.iterdir():
        if file.name != "expected.json":
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["sharedtask", *expected["args"], "--format", "json"])
    with pytest.raises(SystemExit) as stopped:
        main()
    out, err = capfd.readouterr()
    assert stopped.value.code == expected["exit"], err
    report = json.loads(out)
    counts: dict[str, int] = {}
    for rule in report["rules"]:
        counts[rule["name"]] = counts.get(rule["name"], 0) + rule["count"]
    assert counts == expected["rules"]
    assert report["ok"] is expected["ok"]
    for wanted in expected.get("findings", []):
        assert any(has(finding, wanted) for finding in report["findings"]), (wanted, report["findings"])
    if "rows" in expected:
        assert report["inputs"][0]["rows"] == expected["rows"]
    for finding in report["findings"]:
        assert finding["message"] not in ("", "None"), finding
        assert isinstance(finding["file"], str), finding


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_case_keeps_the_form(folder: Path) -> None:
    expected = expected_of(folder)
    assert set(expected) <= {"why", "args", "exit", "ok", "rules", "findings", "rows"}
    assert expected["why"].endswith(".")
    assert {finding["name"] for finding in expected.get("findings", [])} <= set(expected["rules"])
    assert set(expected["rules"]) <= {rule.name for rule in RULES}
    assert all(count > 0 for count in expected["rules"].values())
    if "clean" in folder.name.split("-"):
        assert not expected["rules"]
        assert expected["exit"] == 0


def judged_here() -> set[str]:
    """The rules that `validate` judges a data or run file by: those of the FMT family, and those of the kinds."""
    names = {rule.name for rule in RULES if rule.code.startswith("FMT")}
    for kind in all_kinds():
        checks = checks_for(kind, [*(column.name for column in kind.columns), *kind.derived, *TAGS_COLUMNS])
        names |= {check.rule.name for check in (*checks.row, *checks.span)}
        names |= {rule.name for check in checks.table for rule in check.rules}
        names |= {kind.upload.misnamed.name, kind.upload.extra.name} if kind.upload else set()
        names |= {rule.name for link in kind.links for rule in (link.missing, link.unused)}
    return {
        name for name in names if not name.startswith(("id-form", "duplicate-id"))
    }  # RUN rules are judged by `check`


TAGS_COLUMNS = ("tags.bad", "tags.lone", "tags.json", "tags.alias")


def test_every_rule_is_broken_by_a_case_and_kept_by_another() -> None:
    names = {folder.name for folder in FOLDERS}
    broken = {name for folder in FOLDERS for name in expected_of(folder)["rules"]}
    assert judged_here() - broken == set()
    assert {name for name in judged_here() if f"{name}-clean" not in names} == set()
