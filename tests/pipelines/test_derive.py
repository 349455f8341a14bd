"""Labels by the paper's table, subtask 2 from subtask 1, and what stands in the way of either."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.pipelines.derivations import reintel
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.verbs.derive import derive
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.schemas.rules.catalogue import find
from sharedtask.schemas.rules.example_files import FLARES_TRAIN

RELEASE = Path(__file__).resolve().parents[3] / "shared" / "data" / "flares"  # beside the repository; may be absent

# The table of facts/reintel.md 4: merged vote, ordered raw triples of 216, ground truth, re-check, outcome. `*` is anything.
TABLE = """
    U   56  *     *        1
    R   56  *     *        0
    N   16  1     *        1
    N   16  0     *        0
    N   16  none  *        undetermined
    O   16  *     *        removed
    -   72  1     *        1
    -   72  0     news     0
    -   72  0     opinion  removed
    -   72  0     none     undetermined
    -   72  none  *        undetermined
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
MERGED = {0: "O", 1: "U", 2: "U", 3: "N", 4: "R", 5: "R"}
Triple = tuple[int, ...]
Votes = Mapping[int, Triple]


def vote(triple: Triple) -> str:
    name, count = Counter(MERGED[score] for score in triple).most_common(1)[0]
    return name if count >= 2 else "-"


def outcome(triple: Triple, truth: str, recheck: str) -> str:
    """What the table says; the row that fits is the only one."""
    (found,) = [
        row[4] for row in ROWS if row[0] == vote(triple) and row[2] in ("*", truth) and row[3] in ("*", recheck)
    ]
    return found


def test_the_table_counts_the_triples_as_the_facts_do() -> None:
    votes = Counter(vote(triple) for triple in product(range(6), repeat=3))
    assert {row[0]: int(row[1]) for row in ROWS} == votes
    assert votes.total() == 216


def annotations(votes: Votes, folder: Path) -> Path:
    lines = [f"{key},{place + 1},{score}" for key, scores in votes.items() for place, score in enumerate(scores)]
    return written(folder, "annotations.csv", "id,annotator_id,score", *lines)


def written(folder: Path, name: str, *lines: str) -> Path:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder / name


def outcomes(report: Report, out: Path, items: Iterable[int]) -> dict[int, str]:
    """What became of each item; what is neither labelled nor reported was removed."""
    labels = dict(pl.read_csv(out, schema={"id": pl.Int64, "label": pl.String}).iter_rows()) if out.exists() else {}
    undetermined = {
        int(str((one.at.key or {})["id"])) for one in report.findings() if one.rule.name == "label-undetermined"
    }
    assert not undetermined & set(labels)
    return {key: labels.get(key, "undetermined" if key in undetermined else "removed") for key in items}


def test_every_ordered_triple_with_every_ground_truth_and_recheck(tmp_path: Path) -> None:
    every = list(product(product(range(6), repeat=3), ("0", "1", "none"), ("none", "news", "opinion")))
    items = dict(enumerate(every, 1))
    out = tmp_path / "labels.csv"
    truth = [f"{key},{gt}" for key, (_, gt, _) in items.items() if gt != "none"]
    recheck = [f"{key},{said}" for key, (_, _, said) in items.items() if said != "none"]
    report = derive(
        "labels",
        annotations({key: triple for key, (triple, _, _) in items.items()}, tmp_path),
        out,
        ground_truth=written(tmp_path, "truth.csv", "id,label", *reversed(truth)),
        recheck=written(tmp_path, "recheck.csv", "id,recheck", *recheck),
        on_error="quarantine",
        limits=Limits(findings=len(items)),
    )
    wanted = {key: outcome(*one) for key, one in items.items()}
    assert outcomes(report, out, items) == wanted
    counts = Counter(wanted.values())
    names = {"unreliable": "1", "reliable": "0", "removed": "removed", "undetermined": "undetermined"}
    assert {name: report.measures[name] for name in names} == {name: counts[one] for name, one in names.items()}
    assert report.measures["items"] == 1944
    aside = pl.read_parquet(tmp_path / "quarantine" / "labels.parquet")
    assert sorted(set(aside["id"].cast(pl.Int64))) == [key for key, one in wanted.items() if one == "undetermined"]
    assert aside.height == 3 * counts["undetermined"]


@pytest.mark.parametrize(
    ("triple", "truth", "wanted"),
    [
        ((1, 2, 4), None, "1"),
        ((1, 2, 0), None, "1"),
        ((4, 5, 3), None, "0"),
        ((5, 4, 0), None, "0"),
        ((1, 1, 5), None, "1"),
        ((3, 3, 1), 0, "0"),
        ((3, 3, 5), 1, "1"),
        ((0, 0, 1), None, "removed"),
        ((0, 0, 5), 1, "removed"),
        ((1, 3, 5), 1, "1"),
        ((1, 3, 5), 0, "undetermined"),
        ((0, 2, 4), 1, "1"),
        ((0, 3, 4), 0, "undetermined"),
        ((0, 1, 3), None, "undetermined"),
        ((3, 3, 3), None, "undetermined"),
    ],
)
def test_vectors_of_the_facts(tmp_path: Path, triple: Triple, truth: int | None, wanted: str) -> None:
    given = None if truth is None else written(tmp_path, "truth.csv", "id,label", f"7,{truth}")
    out = tmp_path / "labels.csv"
    report = derive("labels", annotations({7: triple}, tmp_path), out, ground_truth=given)
    assert report.ok is (wanted != "undetermined")
    assert out.exists() is report.ok
    assert outcomes(report, out, [7]) == {7: wanted}


def test_the_order_of_the_items_is_that_of_the_annotations(tmp_path: Path) -> None:
    votes = annotations({9: (1, 1, 1), 4: (5, 5, 5), 7: (2, 2, 2)}, tmp_path)
    header, *lines = votes.read_text("utf-8").splitlines()
    written(tmp_path, "annotations.csv", header, *lines[::3], *lines[1::3], *lines[2::3])
    assert derive("labels", votes, tmp_path / "labels.csv").ok
    assert (tmp_path / "labels.csv").read_text("utf-8") == "id,label\n9,1\n4,0\n7,1\n"


def test_a_finding_names_the_item_and_says_why(tmp_path: Path) -> None:
    report = derive(
        "labels",
        annotations({31: (0, 1, 3), 32: (3, 3, 1), 33: (0, 1, 4)}, tmp_path),
        tmp_path / "labels.csv",
        ground_truth=written(tmp_path, "truth.csv", "id,label", "33,0"),
    )
    found = [(one.at.key, one.at.line, one.message.partition(": ")[2]) for one in report.findings()]
    assert found == [
        ({"id": 31}, 2, "they fall into three classes, and no ground truth decides"),
        ({"id": 32}, 5, "neutral votes win, and no ground truth decides"),
        ({"id": 33}, 8, "they fall into three classes, and a ground truth of 0 needs a recheck"),
    ]


GOOD = {50: (1, 1, 1), 51: (5, 5, 5)}


@pytest.mark.parametrize(
    ("lines", "rule", "bad"),
    [
        (["60,1,1", "60,2,1"], "annotation-count", 60),
        (["60,1,1", "60,2,1", "60,2,1"], "annotation-count", 60),
        (["60,1,1", "60,2,1", "60,3,1", "60,4,1"], "annotation-count", 60),
        (["60,1,1", "60,2,1", "60,3,6"], "annotation-score", 60),
        (["60,1,1", "60,2,1", "60,3,"], "null-value", 60),
    ],
)
def test_votes_that_do_not_count(tmp_path: Path, lines: list[str], rule: str, bad: int) -> None:
    """The item is named, nothing is written, and in quarantine all of its records go aside: two votes for 1 make no label."""
    votes, out = annotations(GOOD, tmp_path), tmp_path / "labels.csv"
    with votes.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    stopped = derive("labels", votes, out)
    assert [(one.rule.name, (one.at.key or {})["id"]) for one in stopped.findings()] == [(rule, bad)]
    assert not out.exists()
    apart = derive("labels", votes, out, on_error="quarantine")
    assert not apart.ok
    assert out.read_text("utf-8") == "id,label\n50,1\n51,0\n"
    aside = pl.read_parquet(tmp_path / "quarantine" / "labels.parquet")
    assert aside["id"].to_list() == [str(bad)] * len(lines)
    assert set(aside["rules"].explode()) == {rule}


@pytest.mark.parametrize(
    ("truth", "message"),
    [(["60,0", "60,1"], "with contradictory labels: label 0 and 1"), (["60,1", "60,1"], "label 1")],
)
def test_a_ground_truth_that_stands_twice_decides_nothing(tmp_path: Path, truth: list[str], message: str) -> None:
    votes, out = annotations({**GOOD, 60: (3, 3, 3)}, tmp_path), tmp_path / "labels.csv"
    given = written(tmp_path, "truth.csv", "id,label", "50,0", *truth)
    stopped = derive("labels", votes, out, ground_truth=given)
    double, undetermined = (
        stopped.findings() if stopped.findings()[0].rule.name == "duplicate-key" else reversed(stopped.findings())
    )
    assert (double.rule.name, double.at.key, Path(str(double.at.file)).name) == (
        "duplicate-key",
        {"id": 60},
        "truth.csv",
    )
    assert double.message.endswith(message)
    assert (undetermined.rule.name, undetermined.at.key) == ("label-undetermined", {"id": 60})
    assert not out.exists()
    derive("labels", votes, out, ground_truth=given, on_error="quarantine")
    assert out.read_text("utf-8") == "id,label\n50,1\n51,0\n"


def test_values_of_the_other_files_are_judged(tmp_path: Path) -> None:
    votes = annotations(GOOD, tmp_path)
    truth = written(tmp_path, "truth.csv", "id,label", "50,2")
    recheck = written(tmp_path, "recheck.csv", "id,recheck", "50,rumour")
    report = derive("labels", votes, tmp_path / "labels.csv", ground_truth=truth, recheck=recheck)
    assert {one.rule.name for one in report.rules()} == {"label-not-binary", "bad-value"}
    assert [one.role for one in report.inputs] == ["data", "ground-truth", "recheck"]
    assert not (tmp_path / "labels.csv").exists()


def test_the_example_of_the_rule_is_found(tmp_path: Path) -> None:
    example = find("label-undetermined").example
    assert example is not None
    for name, content in (("wrong", example.wrong), ("right", example.right)):
        path = tmp_path / f"{name}.csv"
        path.write_text(str(content), "utf-8")
        report = derive("labels", path, tmp_path / f"{name}.out.csv")
        assert [one.rule.name for one in report.rules()] == (["label-undetermined"] if name == "wrong" else [])


def test_agreement(tmp_path: Path) -> None:
    """All agree on the class: alpha is 1 for the classes and not for the scores. Over one class alone there is none."""
    report = derive("labels", annotations({1: (1, 2, 1), 2: (4, 4, 5), 3: (0, 0, 0)}, tmp_path), tmp_path / "l.csv")
    assert report.measures["alpha_classes"] == 1.0
    # By hand: of 9 votes 2,1,2,1,3 for 1,2,4,5,0; disagreeing pairs observed 8/18, expected (81-19)/72
    assert report.measures["alpha_scores"] == pytest.approx(1 - (8 / 18) / (62 / 72))
    report = derive("labels", annotations({1: (1, 2, 1)}, tmp_path), tmp_path / "l.csv")
    assert report.measures["alpha_classes"] is None


def test_agreement_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reintel, "find_spec", lambda name: None if name == "krippendorff" else find_spec(name))
    report = derive("labels", annotations(GOOD, tmp_path), tmp_path / "labels.csv")
    assert report.ok
    assert "alpha_classes" not in report.measures
    assert report.notes == ["Krippendorff's alpha needs an extra: pip install 'sharedtask[agreement]'"]


def test_the_sample_gets_its_own_labels(tmp_path: Path) -> None:
    sample("reintel", tmp_path, rows=300)
    report = derive("labels", tmp_path / "annotations.csv", tmp_path / "labels.csv")
    assert report.ok
    wanted = pl.read_csv(tmp_path / "public_train.csv").select("id", "label")
    assert pl.read_csv(tmp_path / "labels.csv").equals(wanted)


@pytest.mark.skipif(not RELEASE.exists(), reason="the released files are not beside the repository")
def test_subtask_2_of_the_released_train_file(tmp_path: Path) -> None:
    train = RELEASE / "5w1h_subtarea_1_train.json"
    out = tmp_path / "5w1h_subtarea_2_train.json"
    assert derive("subtask2", train, out).ok
    records = [json.loads(line) for line in out.read_text("ascii").splitlines()]
    tags = [(one["Text"], tag) for one in map(json.loads, train.read_text("utf-8").splitlines()) for tag in one["Tags"]]
    assert len(records) == len(tags) == 6934
    for place, (record, (text, tag)) in enumerate(zip(records, tags, strict=True)):
        assert record == {"Id": place, "Text": text, **tag}
        assert list(record) == [
            "Id", "Text", "Reliability_Label", "5W1H_Label", "Tag_Text", "Tag_Start", "Tag_End"
        ]  # fmt: skip


def test_subtask_2_of_the_sample(tmp_path: Path) -> None:
    """The sample numbers its spans in file order too, and then shuffles the records."""
    sample("flares", tmp_path, rows=100)
    derive("subtask2", tmp_path / "5w1h_subtarea_1_train.json", tmp_path / "made.json")
    made = (tmp_path / "made.json").read_text("ascii").splitlines()
    assert sorted((tmp_path / "5w1h_subtarea_2_train.json").read_text("ascii").splitlines()) == sorted(made)
    assert [json.loads(line)["Id"] for line in made] == list(range(len(made)))


def test_subtask_2_needs_sound_tags(tmp_path: Path) -> None:
    train, out = tmp_path / "train.json", tmp_path / "out.json"
    train.write_text(str(FLARES_TRAIN.right).replace('"WHO"', '"PERSON"', 1), "utf-8")
    report = derive("subtask2", train, out)
    assert [one.rule.name for one in report.rules()] == ["unknown-label"]
    assert not out.exists()
    train.write_text('{"Id":1,"Text":"Sin etiquetas."}\n', "utf-8")
    with pytest.raises(UnusableError, match="has no Tags"):
        derive("subtask2", train, out)


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    votes = annotations(GOOD, tmp_path)
    with pytest.raises(UnusableError, match=r"expected one of subtask2, labels"):
        derive("summary", votes, tmp_path / "out.csv")
    with pytest.raises(UnusableError, match="derive subtask2 does not take ground_truth"):
        derive("subtask2", votes, tmp_path / "out.json", ground_truth=votes)
    with pytest.raises(UnusableError, match=r"is a reintel/annotations file; expected a flares/subtask1 file"):
        derive("subtask2", votes, tmp_path / "out.json")
    with pytest.raises(UnusableError, match=r"expected one of \.csv official"):
        derive("labels", votes, tmp_path / "labels.json")
    with pytest.raises(UnusableError, match="cannot be read"):
        derive("labels", votes, tmp_path / "labels.csv", ground_truth=tmp_path / "nowhere.csv")


def test_an_empty_file_is_a_finding(tmp_path: Path) -> None:
    empty = written(tmp_path, "annotations.csv")
    report = derive("labels", empty, tmp_path / "labels.csv")
    assert [one.rule.name for one in report.rules()] == ["empty-file"]
    report = derive(
        "labels", annotations(GOOD, tmp_path), tmp_path / "labels.csv", ground_truth=written(tmp_path, "t.csv")
    )
    assert not report.ok
    assert not (tmp_path / "labels.csv").exists()


def test_the_report_tells_what_was_written(tmp_path: Path) -> None:
    told: Any = derive("labels", annotations(GOOD, tmp_path), tmp_path / "labels.csv").to_dict()
    assert (told["verb"], told["task"], told["ok"]) == ("derive", "reintel", True)
    assert [(one["kind"], one["rows"]) for one in told["outputs"]] == [("reintel/labels", 2)]
    assert told["measures"]["reliable"] == 1
