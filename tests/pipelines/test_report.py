"""The report as data: exact counts, bounded samples, their order, and the JSON shape that the design promises."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.render import render
from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Input, Output, Report, finding_as_json
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.rule import SEVERITIES, At, Role, Rule, Severity, Tally, finding

ERROR, WARNING, INFO = SEVERITIES
FIRST = Rule("FMT001", "empty-file", ERROR, "M.", "W.", "Do first.", "wrong")
SECOND = Rule("FMT002", "not-utf8", ERROR, "M.", "W.", "Do second.", "wrong", fixable=True)
LATER = Rule("REI201", "count-unknown", INFO, "M.", "W.", "Do later.", "wrong")
RULES = (FIRST, SECOND, LATER)


def tally(rule: Rule, severity: Severity, count: int, *places: dict[str, Any]) -> Tally:
    return Tally.counted(rule, severity, count, [finding(rule, At(**place), severity=severity) for place in places])


def inputs(*paths: str, kind: str | None = "flares/subtask1") -> list[Input]:
    return [Input("data", path, kind, "0" * 64, 1, 1) for path in paths]


TALLIES = st.lists(
    st.builds(
        lambda rule, severity, count, shown: tally(
            rule, severity, count, *({"line": at} for at in range(min(count, shown)))
        ),
        st.sampled_from(RULES),
        st.sampled_from(SEVERITIES),
        st.integers(1, 9),
        st.integers(0, 9),
    ),
    max_size=8,
)


@given(tallies=TALLIES, most=st.integers(0, 6))
def test_counts_are_exact_and_samples_bounded(tallies: list[Tally], most: int) -> None:
    report = Report("validate", tallies=tallies, max_findings=most)
    total = sum(one.count for one in tallies)
    assert sum(report.counts.values()) == total == sum(one.count for one in report.rules())
    assert report.ok is (report.counts["error"] == 0)
    for counted in report.rules():
        key = (counted.rule, counted.severity)
        of_rule = [one for one in tallies if (one.rule, one.severity) == key]
        assert counted.count == sum(one.count for one in of_rule)
        shown = [one for one in report.findings() if (one.rule, one.severity) == key]
        assert len(shown) == min(most, sum(len(one.samples) for one in of_rule))


@given(tallies=TALLIES)
def test_each_rule_stands_once_for_each_severity_errors_first(tallies: list[Tally]) -> None:
    places = [(SEVERITIES.index(one.severity), one.rule.code) for one in Report("x", tallies=tallies).rules()]
    assert places == sorted(set(places))


def test_findings_are_in_the_order_of_the_inputs_then_of_line_row_and_span() -> None:
    places: list[dict[str, Any]] = [
        {"file": "a.csv", "line": 2, "row": 1, "span": 0},
        {"file": "b.csv"},
        {"file": "a.csv", "line": 10, "row": 3},
        {"file": "a.csv", "line": 2, "row": 1, "span": 1},
        {"file": "a.csv"},
        {},
        {"file": "a.csv", "line": 9, "row": 2},
    ]
    report = Report("validate", inputs("b.csv", "a.csv"), [tally(FIRST, ERROR, 7, *places)])
    assert [(one.at.file, one.at.line, one.at.span) for one in report.findings()] == [
        (None, None, None),
        ("b.csv", None, None),
        ("a.csv", None, None),
        ("a.csv", 2, 0),
        ("a.csv", 2, 1),
        ("a.csv", 9, None),
        ("a.csv", 10, None),
    ]


def test_findings_of_one_place_keep_the_order_in_which_they_were_found() -> None:
    report = Report("validate", tallies=[tally(SECOND, INFO, 1, {"line": 3}), tally(FIRST, ERROR, 1, {"line": 3})])
    assert [one.rule for one in report.findings()] == [SECOND, FIRST]


@pytest.mark.parametrize(
    ("kinds", "task"),
    [
        (["flares/subtask1", "flares/subtask1-run"], "flares"),
        (["flares/subtask1", None], "flares"),
        (["flares/subtask1", "cheers/run"], None),
        ([None], None),
        ([], None),
    ],
)
def test_the_task_is_named_where_there_is_one(kinds: list[str | None], task: str | None) -> None:
    report = Report("validate", [Input("data", "a", kind, "", 0, 0) for kind in kinds])
    assert report.task == task


TOP = [
    "tool",
    "version",
    "schema_version",
    "verb",
    "task",
    "ok",
    "failed",
    "inputs",
    "counts",
    "reference_counts",
    "rules",
    "findings",
]
INPUT = ["role", "path", "kind", "sha256", "bytes", "rows"]
RULE = ["code", "name", "severity", "count", "fixable"]
FINDING = [
    *("code", "name", "severity", "role", "message", "file", "line", "row", "column", "key", "value", "expected"),
    *("fixable", "hint", "facts"),
]
OUTPUT = ["path", "kind", "rows", "sha256", "source"]


def test_the_json_has_the_promised_keys_in_the_promised_order() -> None:
    report = Report("validate", inputs("a.csv"), [tally(SECOND, WARNING, 3, {"file": "a.csv", "line": 1})])
    data = report.to_dict()
    assert list(data) == TOP
    assert (data["tool"], data["version"], data["verb"], data["task"], data["ok"]) == (
        "sharedtask",
        version("sharedtask"),
        "validate",
        "flares",
        True,
    )
    plain = json.loads(json.dumps(data))
    assert [list(one) for one in plain["inputs"]] == [INPUT]
    assert plain["counts"] == {"error": 0, "warning": 3, "info": 0}
    assert plain["rules"] == [
        {"code": "FMT002", "name": "not-utf8", "severity": "warning", "count": 3, "fixable": True}
    ]
    assert [list(one) for one in plain["rules"]] == [RULE]
    assert [list(one) for one in plain["findings"]] == [FINDING]


def test_outputs_are_told_where_a_verb_writes_even_if_it_wrote_none() -> None:
    assert "outputs" not in Report("validate").to_dict()
    assert Report("convert", outputs=[]).to_dict()["outputs"] == []
    data = Report("convert", outputs=[Output("out/a.parquet", "k", 2, "0", "a.csv")]).to_dict()
    (output,) = json.loads(json.dumps(data["outputs"]))
    assert list(output) == OUTPUT


def shown(**how: Any) -> Shown:
    return Shown(finding(FIRST, At(**how.pop("place", {})), **how), Role.DATA, is_counted=True)


def test_a_finding_has_the_hint_of_its_rule() -> None:
    assert finding_as_json(shown())["hint"] == "Do first."


def test_a_finding_shows_its_span_and_details_only_where_it_has_them() -> None:
    assert list(finding_as_json(shown())) == FINDING
    data = finding_as_json(shown(place={"span": 0}, details={"affected": 4}))
    assert (data["span"], data["affected"]) == (0, 4)


BAD = {
    "train/5w1h_subtarea_1_train.json": (
        '{"Id":31,"Text":"La radio cerró ayer.","Tags":[{"Tag_Start":0,"Tag_End":8,"5W1H_Label":"WHO"},'
        '{"Tag_Start":9,"Tag_End":99,"5W1H_Label":"What"}]}\n'
        '{"Id":32,"Text":"Nada"'
        "\n"
    ),
    "train/sentences_en_val.csv": (
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
        '7,0,"Wells,\nand tents.",1,[11]\n'
        "7,1,The end.,0,[]\n"
        "7,2,One field too many.,0,[],\n"
    ),
}


TEXT = """\
train/5w1h_subtarea_1_train.json:1: error FLA108 label-case 5W1H_Label of span 1 is 'What'; expected one of WHAT, WHO, WHERE, WHEN, HOW, WHY (Id 31)
    | La radio ⟦cerró ayer.⟧
train/5w1h_subtarea_1_train.json:1: error FLA201 span-out-of-bounds span 1, [9, 99), does not lie within its text of 20 characters (Id 31)
    | La radio ⟦cerró ayer.⟧
train/5w1h_subtarea_1_train.json:2: error FMT011 bad-json the line is not valid JSON; parsing stopped at character 23: unexpected end of input
train/sentences_en_val.csv:2: error CHE102 unknown-sector sector_ids is '[11]'; expected ids from 0 to 10 (doc_id 7, sentence_id 0)
train/sentences_en_val.csv:5: error FMT009 ragged-row the record has 6 fields; expected 5

        1 error CHE102 unknown-sector
        1 error FLA108 label-case, fixable
        1 error FLA201 span-out-of-bounds
        1 error FMT009 ragged-row
        1 error FMT011 bad-json

train/5w1h_subtarea_1_train.json: flares/subtask1, 2 records, sha256 {sums[0]}
train/sentences_en_val.csv: cheers/sentences, 3 records, sha256 {sums[1]}
failed: 5 errors; see `sharedtask explain RULE` for details
"""


def test_the_text_of_a_folder_with_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in BAD.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    sums = [hashlib.sha256(content.encode()).hexdigest()[:12] for content in BAD.values()]
    assert render(validate(["train"]), "text") == TEXT.format(sums=sums)


def test_as_many_findings_as_asked_for_are_fetched_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sentences_en_val.csv"
    rows = "".join(f"{at},0,Text {at}.,2,[]\n" for at in range(300))
    path.write_text(f"doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n{rows}", encoding="utf-8")
    for most in (0, 1, 20, 1000):
        report = validate([path], limits=Limits(findings=most))
        assert report.counts == {"error": 300, "warning": 0, "info": 0}
        assert [one.at.line for one in report.findings()] == list(range(2, 302))[:most]
