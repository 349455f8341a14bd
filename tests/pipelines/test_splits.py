"""Splits: what two of them have in common is found with both places, and what `splits make` deals out has nothing in common."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.splitting import similar_texts as near
from sharedtask.pipelines.splitting.dealing import deal
from sharedtask.pipelines.splitting.folding import folded, says_enough
from sharedtask.pipelines.splitting.groups import together
from sharedtask.pipelines.splitting.sizes import parse_plan
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.splits import splits_check, splits_make
from sharedtask.schemas.rule import Example
from sharedtask.schemas.rules.spl import RULES

FLARES = Path(__file__).resolve().parents[3] / "shared" / "data" / "flares"
HEADER = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label"
WORDS = tuple(
    "chợ nổi tạm nghỉ ba ngày để dọn bèo và thư viện xã vừa nhận thêm sách cũ cho lớp học vẽ mùa hè này".split()  # noqa: SIM905
)


def counts(report: Report) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in report.rules():
        found[one.rule.name] += one.count
    return dict(found)


def message(number: int) -> str:
    """A message of 14 words, like no other."""
    return " ".join(random.Random(number).sample(WORDS, 12)) + f" số {number}."


def posts(path: Path, rows: Iterable[tuple[int, str, int]]) -> Path:
    """A posts file of id, message and label."""
    lines = [f"{id_},{id_:032x},{text},1586084407,3,1,1,{label}" for id_, text, label in rows]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def parts(folder: Path) -> dict[str, list[str]]:
    """The records of each part of a CSV, by the name of the part."""
    return {path.stem: path.read_text(encoding="utf-8").splitlines()[1:] for path in folder.glob("*.csv")}


# ---------------------------------------------------------------- splits check


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_example_of_each_rule(rule: Any, tmp_path: Path) -> None:
    example: Example = rule.example
    against, wrong, right = (
        tmp_path / name for name in (example.against_name, f"wrong-{example.name}", f"right-{example.name}")
    )
    against.write_text(example.against, encoding="utf-8")
    for path, text in ((wrong, example.wrong), (right, example.right)):
        assert isinstance(text, str)
        path.write_text(text, encoding="utf-8")
    assert rule.name in counts(splits_check([against, wrong]))
    assert rule.name not in counts(splits_check([against, right]))


def test_findings_give_both_places(tmp_path: Path) -> None:
    train = posts(tmp_path / "train.csv", [(1, message(1), 0), (2, message(2), 1)])
    val = posts(tmp_path / "val.csv", [(8, message(8), 0), (9, message(2), 0)])
    report = splits_check([train, val])
    assert counts(report) == {"text-leak": 1, "conflicting-duplicate": 1}
    leak = next(finding for finding in report.findings() if finding.rule.name == "text-leak")
    assert (leak.at.file, leak.at.line, leak.at.row, leak.at.key) == (str(val), 3, 2, {"id": 9})
    assert leak.finding.details["other"] == {"file": str(train), "line": 3, "row": 2, "key": {"id": 2}}
    assert report.verb == "splits check"
    assert [one.rows for one in report.inputs] == [2, 2]


def test_one_text_is_one_finding_however_often_it_stands_there(tmp_path: Path) -> None:
    train = posts(tmp_path / "train.csv", [(number, message(1), 0) for number in (1, 2, 3)])
    test = posts(tmp_path / "test.csv", [(number, message(1), 0) for number in (7, 8)])
    third = posts(tmp_path / "third.csv", [(20, message(1), 0), (21, message(2), 0)])
    assert counts(splits_check([train, test])) == {"text-leak": 1}
    assert counts(splits_check([test, train])) == {"text-leak": 1}
    assert counts(splits_check([train, test, third])) == {"text-leak": 2}


def test_same_id_with_same_text_is_an_id_leak_only(tmp_path: Path) -> None:
    train = posts(tmp_path / "train.csv", [(1, message(1), 0), (2, message(2), 0), (3, message(3), 0)])
    test = posts(tmp_path / "test.csv", [(1, message(1), 1), (2, message(3), 0)])
    found = counts(splits_check([train, test]))
    assert found == {"id-leak": 1, "id-collision": 1, "text-leak": 1, "conflicting-duplicate": 1}


def test_a_short_text_under_its_own_id_is_an_id_leak_only(tmp_path: Path) -> None:
    header = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
    for name in ("train", "val"):
        (tmp_path / f"sentences_en_{name}.csv").write_text(f"{header}1,0,Rain stopped.,0,[]\n", encoding="utf-8")
    report = splits_check([tmp_path / "sentences_en_train.csv", tmp_path / "sentences_en_val.csv"])
    assert {one.rule.name for one in report.rules()} == {"id-leak", "group-split"}


def test_blank_texts_placeholders_and_debris_are_no_leaks(tmp_path: Path) -> None:
    nothing = ["", "<URL>", "https://t.co/abc", "…", "2020."]
    train = posts(tmp_path / "train.csv", [(number, text, 0) for number, text in enumerate(nothing)])
    test = posts(tmp_path / "test.csv", [(50 + number, text, 1) for number, text in enumerate(nothing)])
    report = splits_check([train, test])
    assert report.ok
    (note,) = report.findings()
    assert (note.rule.name, str(note.severity), note.finding.details["affected"]) == ("text-leak", "info", 1)


def test_files_of_two_kinds_have_only_texts_in_common(tmp_path: Path) -> None:
    first = tmp_path / "5w1h_subtarea_1_train.json"
    first.write_text('{"Id":3,"Text":"El martes las maestras recibieron mapas.","Tags":[]}\n', encoding="utf-8")
    span = {"5W1H_Label": "WHEN", "Tag_Text": "El martes", "Tag_Start": 0, "Tag_End": 9}
    second = tmp_path / "5w1h_subtarea_2_test.json"
    record = {"Id": 3, "Text": "El martes las maestras recibieron mapas.", **span}
    second.write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert counts(splits_check([first, second])) == {"text-leak": 1}


def test_a_document_in_two_document_files_is_a_split_group(tmp_path: Path) -> None:
    header = "project_name,country_code,lang_code,doc_id,doc_text,doc_url\n"
    train, val = tmp_path / "documents_en_train.csv", tmp_path / "documents_en_val.csv"
    train.write_text(header + "IMMAP/DFS Colombia,COL,en,5,Two wells were dug at the camp.,\n", encoding="utf-8")
    val.write_text(header + "IMMAP/DFS Colombia,COL,en,5,A school was opened in the north.,\n", encoding="utf-8")
    assert counts(splits_check([train, val])) == {"group-split": 1}
    val.write_text(train.read_text(encoding="utf-8"), encoding="utf-8")
    assert counts(splits_check([train, val])) == {"id-leak": 1}


def test_groups_by_a_column(tmp_path: Path) -> None:
    train = posts(tmp_path / "train.csv", [(1, message(1), 0)])
    test = posts(tmp_path / "test.csv", [(2, message(2), 0)])
    same_user = test.read_text(encoding="utf-8").replace(f"{2:032x}", f"{1:032x}")
    test.write_text(same_user, encoding="utf-8")
    report = splits_check([train, test], group_by="user_name")
    assert counts(report) == {"group-split": 1}
    assert report.findings()[0].at.key == {"user_name": f"{1:032x}"}
    with pytest.raises(UnusableError, match="has no column 'author'"):
        splits_check([train, test], group_by="author")


def test_spans_in_another_order_are_no_conflict(tmp_path: Path) -> None:
    text = "El martes las maestras recibieron mapas."
    when = {"Tag_Start": 0, "Tag_End": 9, "5W1H_Label": "WHEN"}
    who = {"Tag_Start": 10, "Tag_End": 22, "5W1H_Label": "WHO"}

    def file(name: str, tags: Sequence[dict[str, object]]) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"Id": 1, "Text": text, "Tags": tags}) + "\n", encoding="utf-8")
        return path

    reliable = [{**one, "Reliability_Label": "confiable"} for one in (when, who)]
    doubtful = [reliable[0], {**who, "Reliability_Label": "no confiable"}]
    one, other, shorter = file("a.json", reliable), file("b.json", reliable[::-1]), file("c.json", [when])
    assert counts(splits_check([one, other])) == {"id-leak": 1}
    assert counts(splits_check([one, shorter])) == {"id-leak": 1, "conflicting-duplicate": 1}
    assert counts(splits_check([one, file("d.json", doubtful)])) == {"id-leak": 1, "conflicting-duplicate": 1}
    assert counts(splits_check([one, file("e.json", [when, who])])) == {"id-leak": 1}, (
        "no reliability differs from none"
    )


def test_similar_texts_are_missed_loudly_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharedtask.pipelines.verbs.splits.minhash", lambda: None)
    train = posts(tmp_path / "train.csv", [(1, message(1), 0)])
    test = posts(tmp_path / "test.csv", [(2, message(2), 0)])
    (finding,) = splits_check([train, test]).findings()
    assert (finding.rule.name, str(finding.severity)) == ("similar-text-leak", "info")
    assert "sharedtask[splits]" in finding.message


def test_nothing_is_compared_with_a_broken_file(tmp_path: Path) -> None:
    train = posts(tmp_path / "train.csv", [(1, message(1), 0)])
    test = posts(tmp_path / "test.csv", [(1, message(1), 0)])
    with test.open("a", encoding="utf-8") as file:
        file.write("3,too,short\n")
    report = splits_check([train, test])
    assert counts(report) == {"ragged-row": 1}
    assert not report.ok


@pytest.mark.parametrize(("files", "told"), [(["train.csv"], "two files"), (["train.csv", "run.csv"], "no texts")])
def test_what_cannot_be_compared_is_refused(files: list[str], told: str, tmp_path: Path) -> None:
    posts(tmp_path / "train.csv", [(1, message(1), 0)])
    (tmp_path / "run.csv").write_text("doc_id,sentence_id,is_relevant,sector_id\n1,0,0,-1\n", encoding="utf-8")
    with pytest.raises(UnusableError, match=told):
        splits_check([tmp_path / name for name in files])


@pytest.mark.skipif(not FLARES.exists(), reason="the real FLARES files are not beside the repository")
def test_real_flares_share_one_text() -> None:
    report = splits_check([FLARES / "5w1h_subtarea_1_train.json", FLARES / "5w1h_subtarea_1_test.json"])
    assert counts(report) == {"id-collision": 402, "text-leak": 1}
    leak = next(finding for finding in report.findings() if finding.rule.name == "text-leak")
    assert (leak.at.key, leak.value) == ({"Id": 447}, "COLABORA CON NOSOTROS CON PAYPAL")


@pytest.mark.skipif(not FLARES.exists(), reason="the real FLARES files are not beside the repository")
def test_real_trial_was_annotated_again_in_twelve_texts(tmp_path: Path) -> None:
    texts: dict[str, list[dict[str, Any]]] = {}
    for line in (FLARES / "5w1h_subtask_2_trial.json").read_text(encoding="utf-8").splitlines():
        span = json.loads(line)
        texts.setdefault(span["Text"], []).append(span)
    keys = ("Tag_Start", "Tag_End", "5W1H_Label", "Reliability_Label")
    trial = tmp_path / "5w1h_subtask_1_trial.json"
    records = [
        {"Id": number, "Text": text, "Tags": [{key: span[key] for key in keys} for span in spans]}
        for number, (text, spans) in enumerate(texts.items())
    ]
    trial.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    found = counts(splits_check([FLARES / "5w1h_subtarea_1_train.json", trial]))
    assert (found["text-leak"], found["conflicting-duplicate"]) == (168, 12)


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  Hai   CHỮ. ", "hai chữ"),
        ("xem https://t.co/a?b=c ngay", "xem ngay"),
        ("xem <URL> ngay", "xem ngay"),
        ("khẩu_trang", "khẩu trang"),
        ("nha\u0323\u0302n", "nhận"),
        ("co\u200boperativa", "cooperativa"),
        ("…", ""),
    ],
)
def test_folding(text: str, words: str) -> None:
    assert pl.select(folded(pl.lit(text))).item() == words


@pytest.mark.parametrize(
    ("words", "enough"), [("2020", False), ("hai chữ", False), ("ba chữ nhé", True), ("a" * 16, True), ("", False)]
)
def test_what_says_enough(words: str, enough: bool) -> None:
    assert pl.select(says_enough(pl.lit(words))).item() is enough


def test_similar_texts_are_found_and_their_similarity_is_true() -> None:
    library = near.minhash()
    if library is None:
        pytest.skip("rensa is not installed")
    rng = random.Random(4)
    vocabulary = [f"w{number}" for number in range(5000)]
    originals = [rng.choices(vocabulary, k=30) for _ in range(400)]
    edited = [[*words[:9], "other", *words[10:]] for words in originals[:200]]
    strangers = [rng.choices(vocabulary, k=30) for _ in range(200)]
    texts = [(0, row, " ".join(words)) for row, words in enumerate(originals)]
    texts += [(1, row, " ".join(words)) for row, words in enumerate([*edited, *strangers])]
    found = near.similar(
        pl.DataFrame(texts, schema={"file": pl.UInt32, "row": pl.UInt32, "words": pl.String}, orient="row"), library
    )
    assert found["row"].to_list() == found["other_row"].to_list()
    assert 196 <= found.height <= 200
    assert found["similarity"].unique().to_list() == [25 / 31]


# ---------------------------------------------------------------- splits make


def test_parts_add_up_and_depend_on_the_seed_alone(tmp_path: Path) -> None:
    rows = [(number, message(number), number % 3 == 0) for number in range(100)]
    file = posts(tmp_path / "posts.csv", [(a, b, int(c)) for a, b, c in rows])
    shuffled = posts(tmp_path / "other.csv", [(a, b, int(c)) for a, b, c in random.Random(1).sample(rows, 100)])
    report = splits_make(file, tmp_path / "a", sizes="train=.7,dev=.1,test=.2", seed=5)
    splits_make(shuffled, tmp_path / "b", sizes="train=.7,dev=.1,test=.2", seed=5)
    splits_make(file, tmp_path / "c", sizes="train=.7,dev=.1,test=.2", seed=6)
    first, same, other = (parts(tmp_path / name) for name in "abc")
    assert {name: len(lines) for name, lines in first.items()} == {"train": 70, "dev": 10, "test": 20}
    assert sorted(line for lines in first.values() for line in lines) == sorted(
        file.read_text(encoding="utf-8").splitlines()[1:]
    )
    assert {name: sorted(lines) for name, lines in first.items()} == {
        name: sorted(lines) for name, lines in same.items()
    }
    assert {name: sorted(lines) for name, lines in first.items()} != {
        name: sorted(lines) for name, lines in other.items()
    }
    assert [Path(one.path).name for one in report.outputs or []] == ["train.csv", "dev.csv", "test.csv"]
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["seed"] == 5
    assert [one["rows"] for one in manifest["files"]] == [70, 10, 20]
    assert [one["sha256"] for one in manifest["files"]] == [one.sha256 for one in report.outputs or []]
    labels: Counter[str] = Counter()
    for one in manifest["files"]:
        labels.update(one["labels"]["label"])
    assert labels == {"0": 66, "1": 34}


def test_parts_have_the_bytes_of_the_file(tmp_path: Path) -> None:
    sample("flares", tmp_path, rows=60)
    for name in ("5w1h_subtarea_1_train.json", "5w1h_subtask_1_train.csv", "5w1h_subtarea_2_train.json"):
        out = tmp_path / Path(name).stem
        splits_make(tmp_path / name, out, sizes="a=.6,b=.4", seed=1)
        given = (tmp_path / name).read_bytes().splitlines(keepends=True)
        made = [path.read_bytes().splitlines(keepends=True) for path in sorted(out.glob(f"[ab]{Path(name).suffix}"))]
        head = 1 if name.endswith(".csv") else 0
        assert sorted(line for lines in made for line in lines[head:]) == sorted(given[head:])


def test_sizes_by_spans(tmp_path: Path) -> None:
    sample("flares", tmp_path, rows=200)
    splits_make(tmp_path / "5w1h_subtarea_1_train.json", tmp_path / "out", sizes="train=.7,test=.3", by="spans", seed=1)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    spans = [one["spans"] for one in manifest["files"]]
    assert spans == [sum(one["labels"]["5W1H_Label"].values()) for one in manifest["files"]]
    assert abs(spans[0] - 0.7 * sum(spans)) <= 2


def test_documents_stay_whole(tmp_path: Path) -> None:
    sample("cheers", tmp_path, rows=1000)
    out = tmp_path / "out"
    file = tmp_path / "sentences_en_train.csv"
    splits_make(file, out, sizes="train=.6,val=.2,test=.2", by="documents", seed=2)
    made = {name: {line.partition(",")[0] for line in lines} for name, lines in parts(out).items()}
    assert sum(map(len, made.values())) == len(set.union(*made.values()))
    assert "group-split" not in counts(splits_check([out / f"{name}.csv" for name in made]))


def test_labels_in_proportion(tmp_path: Path) -> None:
    file = posts(tmp_path / "posts.csv", [(number, message(number), int(number < 20)) for number in range(200)])
    for number, options in enumerate(({"stratify": "label"}, {"method": "stratified"})):
        out = tmp_path / str(number)
        splits_make(file, out, sizes="train=.7,dev=.1,test=.2", seed=3, **options)  # type: ignore[arg-type]
        labels = {name: sum(int(line[-1]) for line in lines) for name, lines in parts(out).items()}
        assert labels == {"train": 14, "dev": 2, "test": 4}


def test_remaking_the_reintel_situation(tmp_path: Path) -> None:
    """Warm-up posts come back in the test under other ids, and a derivative holds each post twice, once with its words joined by `_`."""
    warmup = posts(tmp_path / "warmup.csv", [(number, message(number), number % 2) for number in range(40)])
    test = posts(
        tmp_path / "test.csv",
        [(4373 + number, message(number if number < 12 else 100 + number), 0) for number in range(30)],
    )
    found = counts(splits_check([warmup, test]))
    assert found["text-leak"] == 12
    twice = [(number, message(number % 50), number % 5 == 0) for number in range(100)]
    joined = [(a, b.replace(" ", "_") if a >= 50 else b, int(c)) for a, b, c in twice]
    derivative = posts(tmp_path / "derivative.csv", joined)
    halves = [posts(tmp_path / f"half{at}.csv", joined[at * 50 : at * 50 + 50]) for at in range(2)]
    assert counts(splits_check(halves))["near-text-leak"] == 50
    splits_make(derivative, tmp_path / "new", sizes="train=.7,dev=.1,test=.2", seed=1)
    made = parts(tmp_path / "new")
    assert {name: len(lines) for name, lines in made.items()} == {"train": 70, "dev": 10, "test": 20}
    found = counts(splits_check([tmp_path / "new" / f"{name}.csv" for name in made]))
    assert {"id-leak", "text-leak", "near-text-leak", "conflicting-duplicate"} & set(found) == set()


def test_shared_texts_may_stand_in_several_groups(tmp_path: Path) -> None:
    texts = ("We use cookies on this site.", "Camp {} got its new well.")
    rows = [f"{doc},{number},{text.format(doc)},0,[]" for doc in range(20) for number, text in enumerate(texts)]
    file = tmp_path / "sentences_en_train.csv"
    file.write_text(
        "\n".join(["doc_id,sentence_id,sentence_text,is_relevant,sector_ids", *rows]) + "\n", encoding="utf-8"
    )
    with pytest.raises(UnusableError, match=r"\(40 rows\) is larger than the largest part, train with 30"):
        splits_make(file, tmp_path / "no", sizes="train=.75,test=.25", group_by="doc_id", seed=1)
    splits_make(file, tmp_path / "yes", sizes="train=.75,test=.25", group_by="doc_id", shared_texts=True, seed=1)
    assert {name: len(lines) for name, lines in parts(tmp_path / "yes").items()} == {"train": 30, "test": 10}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"sizes": "train=.7,dev=.1,test=.3"}, "add up to 1.1; expected 1"),
        ({"sizes": "train=5,test=6"}, "add up to 11, but the file has 10 rows"),
        ({"sizes": "train=.5,test=6"}, "add up to 6.5; expected 1"),
        ({"sizes": "train=1.5,test=8.5"}, "expected fractions of 1 or whole numbers"),
        ({"sizes": "train"}, "expected a part and its size, such as train=.7"),
        ({"sizes": "train=1"}, "expected two or more parts, each named once"),
        ({"sizes": "a=.5,A=.5"}, "each named once"),
        ({"sizes": "../a=.5,b=.5"}, "expected a part and its size"),
        ({"sizes": "a=0,b=1"}, "expected more than 0"),
        ({"sizes": "a=x,b=1"}, "a fraction or a number"),
        ({"stratify": "label"}, "the stratum 1 of label has one record"),
        ({"stratify": "label", "method": "random"}, "has no strata"),
        ({"stratify": "colour"}, "has no column 'colour'"),
        ({"by": "spans"}, "no lists of spans"),
        ({"by": "pages"}, "by is 'pages'; expected one of rows, documents, spans"),
        ({"method": "chance"}, "one of random, stratified"),
        ({"group_by": "user_name"}, r"user_name 0{30}46 \(7 rows\) is larger than the largest part, train with 5"),
        ({"sizes": "train=.95,test=.05"}, "10 rows are too few; the part test would get none"),
    ],
)
def test_what_cannot_be_split_is_refused(options: dict[str, Any], told: str, tmp_path: Path) -> None:
    """The message names the reason, and nothing is written."""
    lines = [
        f'{number},{70 if number < 7 else number:032x},"{message(number)}",1586084407,3,1,1,{int(number == 3)}'
        for number in range(10)
    ]
    file = tmp_path / "posts.csv"
    file.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    usual: dict[str, Any] = {"sizes": "train=.5,test=.5", "seed": 1}
    with pytest.raises(UnusableError, match=told):
        splits_make(file, tmp_path / "out", **usual | options)
    assert not (tmp_path / "out").exists()


def test_a_file_is_not_split_over_itself_nor_with_errors(tmp_path: Path) -> None:
    file = posts(tmp_path / "train.csv", [(number, message(number), 0) for number in range(10)])
    before = file.read_bytes()
    with pytest.raises(UnusableError, match="is an input of this command"):
        splits_make(file, tmp_path, sizes="train=.5,test=.5", seed=1)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]
    repeated = posts(tmp_path / "repeated.csv", [(1, message(1), 0), (1, message(2), 0), (2, message(3), 0)])
    report = splits_make(repeated, tmp_path / "out", sizes="train=.5,test=.5", seed=1)
    assert counts(report) == {"duplicate-key": 1}
    assert not (tmp_path / "out").exists()


def test_a_failing_part_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = posts(tmp_path / "posts.csv", [(number, message(number), 0) for number in range(10)])
    from sharedtask.pipelines.splitting import write_parts as module

    written = []

    def once(*arguments: Any, **options: Any) -> None:
        written.append(arguments)
        if len(written) > 1:
            raise OSError("no space left on device")
        arguments[2].write_text("a part", encoding="utf-8")

    monkeypatch.setattr(module, "_write_records", once)
    with pytest.raises(OSError, match="no space"):
        splits_make(file, tmp_path / "out", sizes="train=.5,test=.5", seed=1)
    assert list((tmp_path / "out").iterdir()) == []


# ---------------------------------------------------------------- dealing


@given(st.lists(st.tuples(st.integers(0, 12), st.one_of(st.none(), st.integers(0, 12))), min_size=1, max_size=40))
def test_together_is_what_hangs_together(rows: list[tuple[int, int | None]]) -> None:
    """Equal to the union of sets, record by record."""
    base = pl.Series([a for a, _ in rows], dtype=pl.UInt64)
    fold = pl.Series([b for _, b in rows], dtype=pl.UInt64)
    unit = {a: a for a, _ in rows}
    for _ in rows:
        for a, b in rows:
            for c, d in rows:
                if b is not None and b == d:
                    unit[a] = unit[c] = min(unit[a], unit[c])
    assert together(base, fold).to_list() == [unit[a] for a, _ in rows]


def test_a_long_chain_hangs_together() -> None:
    length = 3000
    base = pl.Series([number // 2 for number in range(length)], dtype=pl.UInt64)
    fold = pl.Series([(number + 1) // 2 for number in range(length)], dtype=pl.UInt64)
    assert together(base, fold).unique().to_list() == [0]


@given(
    st.lists(st.sampled_from([1, 1, 1, 2, 3, 7, 20]), min_size=30, max_size=80),
    st.sampled_from(["train=.7,dev=.1,test=.2", "a=.5,b=.5", "a=1/3,b=1/3,c=1/3"]),
    st.integers(0, 5),
)
def test_dealing_comes_near_to_the_sizes(weights: list[int], sizes: str, seed: int) -> None:
    plan = parse_plan(sizes, seed=seed, by="rows", group_by=None, stratify=None, method=None, shared_texts=False)
    weights += [1] * 20
    units = pl.DataFrame(
        {
            "unit": range(len(weights)),
            "order": [hash((seed, number)) % 1000 for number in range(len(weights))],
            "weight": weights,
            "stratum": "",
        }
    )
    targets = plan.targets(sum(weights))
    assert sum(targets) == sum(weights)
    dealt = deal(units, targets)
    assert sorted(dealt["unit"]) == list(range(len(weights)))
    sums = dict(dealt.group_by("part").agg(pl.col("weight").sum()).iter_rows())
    assert all(abs(sums.get(at, 0) - target) <= 20 for at, target in enumerate(targets))
