"""The verb `baseline`: runs that read back clean, in the order of the reference, with the shares of train, the same for the same seed."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.cli import main
from sharedtask.pipelines.tasks import TASKS
from sharedtask.pipelines.verbs.baseline import baseline
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.score import score

PAIRS = {
    "flares/subtask1-run": ("flares/5w1h_subtarea_1_train.json", "flares/5w1h_subtarea_1_test.json"),
    "flares/subtask2-run": ("flares/5w1h_subtarea_2_train.json", "flares/5w1h_subtarea_2_test.json"),
    "cheers/run": ("cheers/sentences_en_train.csv", "cheers/sentences_en_test.csv"),
    "reintel/run": ("reintel/public_train.csv", "reintel/public_test.csv"),
}
RECIPES = [(one.kind, one.name) for task in TASKS for one in task.baselines]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for task in TASKS:
        sample(task.name, folder / task.name, rows=300, seed=4)
    return folder


def test_each_kind_of_run_has_a_default_and_another() -> None:
    assert RECIPES == [
        ("flares/subtask1-run", "empty"),
        ("flares/subtask1-run", "lead"),
        ("flares/subtask2-run", "majority"),
        ("flares/subtask2-run", "random"),
        ("cheers/run", "random"),
        ("cheers/run", "majority"),
        ("reintel/run", "prior"),
        ("reintel/run", "random"),
    ]


@pytest.mark.parametrize(("kind", "method"), RECIPES)
@pytest.mark.parametrize("ending", [".csv", ".zip"])
def test_a_baseline_is_a_clean_run(samples: Path, tmp_path: Path, kind: str, method: str, ending: str) -> None:
    train, against = (samples / name for name in PAIRS[kind])
    out = tmp_path / f"run{ending}"
    report = baseline(train, against, out, seed=3, method=method)
    assert report.ok
    assert report.outputs is not None
    assert [(one.path, one.kind) for one in report.outputs] == [(str(out), kind)]
    verdict = check(out, against)
    assert verdict.ok
    mine = {tally.rule.name for tally in verdict.tallies if tally.samples[0].at.file == str(out)}
    assert mine <= {"constant-probability", "not-upload-form"}  # the second is an info: to be packed, or unpacked
    assert verdict.inputs[0].rows == verdict.inputs[1].rows == report.outputs[0].rows


@pytest.mark.parametrize(("kind", "method"), [one for one in RECIPES if one[1] == "random"])
def test_the_seed_alone_decides(samples: Path, tmp_path: Path, kind: str, method: str) -> None:
    train, against = (samples / name for name in PAIRS[kind])
    written = []
    for number, seed in enumerate((3, 3, 4)):
        baseline(train, against, tmp_path / f"{number}.csv", seed=seed, method=method)
        written.append((tmp_path / f"{number}.csv").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize(("kind", "method"), RECIPES)
def test_a_baseline_can_be_scored_against_labels(samples: Path, tmp_path: Path, kind: str, method: str) -> None:
    train = samples / PAIRS[kind][0]
    baseline(train, train, tmp_path / "run.csv", method=method)
    result = score(tmp_path / "run.csv", train)
    assert result.score is not None
    if method == "prior":
        assert result.score.scores == {"roc_auc": 0.5}


def sentences(path: Path, relevant: int, of: int, lists: list[list[int]]) -> Path:
    """A train file in which the first sentences are relevant, with these lists of sectors in turn."""
    rows = [f'7,{row},A sentence.,1,"{lists[row % len(lists)]}"' for row in range(relevant)]
    rows += [f"7,{row},A sentence.,0,[]" for row in range(relevant, of)]
    path.write_text(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    return path


def test_cheers_random_has_the_documented_distributions(tmp_path: Path) -> None:
    """Relevance by its share in train; sectors by their share of all labels, a sentence with three labels giving three."""
    train = sentences(tmp_path / "train.csv", 160, 1000, [[4], [], [1, 9, 10], [4]])
    against = sentences(tmp_path / "val.csv", 0, 20_000, [[]])
    baseline(train, against, tmp_path / "run.csv", seed=1)
    run = pl.read_csv(tmp_path / "run.csv")
    assert run["sentence_id"].to_list() == list(range(20_000))
    assert run["is_relevant"].mean() == pytest.approx(0.16, abs=0.008)
    assert (run.filter(is_relevant=0)["sector_id"] == -1).all()
    shares = dict(run.filter(is_relevant=1)["sector_id"].value_counts(normalize=True).iter_rows())
    assert shares == {
        sector: pytest.approx(share, abs=0.03) for sector, share in {4: 0.4, 1: 0.2, 9: 0.2, 10: 0.2}.items()
    }


def test_cheers_majority_is_the_commoner_class(tmp_path: Path) -> None:
    against = sentences(tmp_path / "val.csv", 0, 5, [[]])
    for relevant, wanted in ((4, (0, -1)), (5, (0, -1)), (6, (1, 3))):
        train = sentences(tmp_path / "train.csv", relevant, 10, [[3, 8], [8, 3], [3]])
        baseline(train, against, tmp_path / "run.csv", method="majority")
        assert set(pl.read_csv(tmp_path / "run.csv").select("is_relevant", "sector_id").rows()) == {wanted}


@pytest.mark.parametrize("method", ["random", "majority"])
def test_cheers_without_sectors_in_train_predicts_nothing(tmp_path: Path, method: str) -> None:
    """A relevant sentence needs a sector, and 11 is none."""
    train = sentences(tmp_path / "train.csv", 10, 10, [[], [11]])
    against = sentences(tmp_path / "val.csv", 0, 50, [[]])
    assert baseline(train, against, tmp_path / "run.csv", method=method).ok
    assert set(pl.read_csv(tmp_path / "run.csv")["sector_id"]) == {-1}


def lines(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_flares_lead_is_the_first_words_under_the_commonest_label(tmp_path: Path) -> None:
    text = "El consejo comarcal aprobó ayer el plan"
    spans = [(0, 19, "WHO"), (0, 10, "WHO"), (3, 35, "WHO"), (20, 26, "WHAT"), (27, 31, "WHAT")]  # 3, 2 and 5 words
    tags = [{"Tag_Start": start, "Tag_End": end, "5W1H_Label": label} for start, end, label in spans]
    train = lines(tmp_path / "train.json", [{"Id": 0, "Text": text, "Tags": tags}])
    texts = ["Uno dos tres cuatro", "\xa0 Uno\xa0dos  tres, cuatro", "Uno", " ", "Año 🙂 nuevo, vida nueva"]
    test = lines(tmp_path / "test.json", [{"Id": 9 - key, "Text": one} for key, one in enumerate(texts)])
    baseline(train, test, tmp_path / "run.csv", method="lead")
    run = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.partition(",")[0] for line in run] == ["9", "8", "7", "6", "5"]
    wanted = ["0, 'Tag_End': 12", "2, 'Tag_End': 16", "0, 'Tag_End': 3", "[]", "0, 'Tag_End': 12"]
    for line, part in zip(run, wanted, strict=True):
        assert part in line
        assert part == "[]" or "'5W1H_Label': 'WHO'" in line
    assert check(tmp_path / "run.csv", test).ok


def test_flares_majority_is_the_commonest_class(tmp_path: Path) -> None:
    labels = ["no confiable", "confiable", "no confiable"]
    record: dict[str, object] = {
        "Text": "Uno dos",
        "5W1H_Label": "WHO",
        "Tag_Text": "Uno",
        "Tag_Start": 0,
        "Tag_End": 3,
    }
    train = lines(
        tmp_path / "train.json", [{"Id": key, "Reliability_Label": one, **record} for key, one in enumerate(labels)]
    )
    baseline(train, train, tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text(encoding="utf-8") == (
        "Id,Reliability_Label\n0,no confiable\n1,no confiable\n2,no confiable\n"
    )


def test_train_needs_keys_and_labels_only(tmp_path: Path, samples: Path) -> None:
    train = tmp_path / "labels.csv"
    train.write_text("id,label\n1,0\n2,1\n3,0\n4,0\n", encoding="utf-8")
    assert baseline(train, samples / PAIRS["reintel/run"][1], tmp_path / "results.csv").ok
    rows = pl.read_csv(tmp_path / "results.csv", has_header=False, new_columns=["id", "probability"])
    assert set(rows["probability"]) == {0.25}


@pytest.mark.parametrize(
    ("train", "rule"),
    [
        ("id,label\n1,0\n2,maybe\n", "label-not-binary"),
        ("id,label\n1,0\n1,1\n", "duplicate-key"),
        ("id,user_name\n1,a\n", "missing-column"),
        ("id,label\n", "empty-file"),
        ("", "empty-file"),
    ],
)
def test_nothing_is_written_from_labels_that_cannot_be_read(
    tmp_path: Path, samples: Path, train: str, rule: str
) -> None:
    (tmp_path / "train.csv").write_text(train, encoding="utf-8")
    report = baseline(tmp_path / "train.csv", samples / PAIRS["reintel/run"][1], tmp_path / "results.csv")
    assert not report.ok
    assert report.outputs == []
    assert rule in {one.rule.name for one in report.rules()}
    assert not (tmp_path / "results.csv").exists()


@pytest.mark.parametrize(
    ("train", "against", "out", "method", "message"),
    [
        (
            "cheers/sentences_en_train.csv",
            "cheers/documents_en_test.csv",
            "run.csv",
            None,
            "which has no runs",
        ),
        (
            "cheers/documents_en_train.csv",
            "cheers/sentences_en_test.csv",
            "run.csv",
            None,
            "is a cheers/documents file",
        ),
        (
            "cheers/sentences_en_train.csv",
            "cheers/sentences_en_test.csv",
            "run.csv",
            "lead",
            "there is no baseline 'lead' for cheers/run; expected one of random, majority",
        ),
        (
            "cheers/sentences_en_train.csv",
            "cheers/sentences_en_test.csv",
            "run.xlsx",
            None,
            "the name of a run ends in .csv or .zip",
        ),
        ("cheers/nothing.csv", "cheers/sentences_en_test.csv", "run.csv", None, "cannot be read"),
    ],
)
def test_a_wrong_call(
    samples: Path, tmp_path: Path, train: str, against: str, out: str, method: str | None, message: str
) -> None:
    with pytest.raises(UnusableError, match=message):
        baseline(samples / train, samples / against, tmp_path / out, method=method)
    assert list(tmp_path.iterdir()) == []


def test_the_command(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    train, against = (str(samples / name) for name in PAIRS["cheers/run"])
    arguments = ["--train", train, "--against", against, "--out", str(tmp_path / "run.csv"), "--format", "json"]
    monkeypatch.setattr(sys, "argv", ["sharedtask", "baseline", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    data = json.loads(capfd.readouterr().out)
    assert stopped.value.code == 0
    assert (data["verb"], data["task"], data["ok"]) == ("baseline", "cheers", True)
    assert data["outputs"][0]["kind"] == "cheers/run"
