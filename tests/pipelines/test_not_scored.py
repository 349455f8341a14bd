"""Why a run is not scored and what would make it scored; run and gold in each other's place."""

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.cli import main
from sharedtask.pipelines.results.score_results import NotScored
from sharedtask.pipelines.verbs.compare import compare
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.score import score

Put = Callable[[str, str], Path]

LABELS, RESULTS = "id,label\n901,0\n902,1\n903,0\n", "901,0.1\n902,0.8\n903,0.6\n"
POSTS = (
    "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label\n"
    "901,aa,Tin,1586000001,3,1,0,0\n902,ab,Tin,1586000002,3,1,0,1\n903,ac,Tin,1586000003,3,1,0,0\n"
)
HEAD = "doc_id,sentence_id,is_relevant,"
SENTENCES = HEAD + "sector_ids\n50,0,1,[4]\n50,1,0,[]\n"
RELEVANCE = HEAD + "sector_id\n50,0,1,4\n50,1,0,-1\n"
CLASSES = "Id,Reliability_Label\n1,confiable\n2,semiconfiable\n"
TAG = '{"Tag_Start":0,"Tag_End":4,"5W1H_Label":"WHEN","Reliability_Label":"confiable"}'
GOLD = f'{{"Id":3,"Text":"Ayer no hubo","Tags":[{TAG}]}}\n'
SPANS = "Id,Tags\n3,\"[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': 'WHEN'}]\"\n"
PAGE = "ID,TEXT,TAGS\n3,Ayer no hubo,\"[{'start': 0, 'end': 4, 'tag': 'When'}]\"\n"
SPAN = '"5W1H_Label":"WHO","Tag_Text":"Ayer","Tag_Start":0,"Tag_End":4'
RATED = f'{{"Id":1,"Text":"Ayer no hubo",{SPAN},"Reliability_Label":"confiable"}}\n'
FILL = "answer the missing ids, or use `--allow-missing` or `sharedtask fix --fill-missing`"
ONLY_THESE = "answer each id of the gold once, and no other"
CORRECT = "correct what `sharedtask check` lists, or have `sharedtask fix --unreadable-as-empty` answer it as empty"


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    monkeypatch.chdir(tmp_path)  # so that paths are short

    def write(name: str, text: str) -> Path:
        Path(name).write_text(text, encoding="utf-8", newline="")
        return Path(name)

    return write


def refused(put: Put, run: str, gold: str, scorer: str | None = None) -> NotScored:
    name = "gold.json" if gold.startswith("{") else "gold.csv"
    result = score(put("results.csv", run), put(name, gold), scorer=scorer)
    assert result.score is None
    assert result.not_scored is not None
    return result.not_scored


@pytest.mark.parametrize(
    ("run", "gold", "reason", "would_score"),
    [
        (RESULTS[:-8], LABELS, "1 id of gold.csv is missing from results.csv", FILL),
        (RESULTS + "904,1\n905,1\n", LABELS, "2 ids of results.csv are not in gold.csv", ONLY_THESE),
        (RESULTS + "903,1\n", LABELS, "1 id of results.csv is repeated", ONLY_THESE),
        (
            RESULTS.replace("903", "904"),
            LABELS,
            "1 id of results.csv is not in gold.csv; 1 id of gold.csv is missing from results.csv",
            f"{ONLY_THESE}; {FILL}",
        ),
        (
            RESULTS.replace("0.1", "nan").replace("0.8", ""),
            LABELS,
            "2 cells of probability in results.csv cannot be read (probability-not-finite)",
            CORRECT,
        ),
        (
            "11,0.1\n12,0.8\n14,0.6\n",
            LABELS,
            "none of the ids of results.csv are in gold.csv",
            "use the gold of the split that the run answers",
        ),
        ("", LABELS, "results.csv is empty", "use a run with answers"),
        (HEAD + "sector_id\n", SENTENCES, "results.csv has no answers", FILL),
        (
            RELEVANCE.replace("50,1,0", "50,1,7"),
            SENTENCES,
            "1 cell of is_relevant in results.csv cannot be read (relevance-not-binary)",
            CORRECT,
        ),
        (
            RELEVANCE.replace(",4\n", "\n"),
            SENTENCES,
            "1 record of results.csv cannot be read (ragged-row)",
            CORRECT,
        ),
        (
            RELEVANCE.replace(",sector_id", ",remark"),
            SENTENCES,
            "results.csv does not have the column sector_id",
            "add what is missing",
        ),
        ("Id,Tags\n3,oops\n", GOLD, "1 cell of Tags in results.csv cannot be read (bad-tags-cell)", CORRECT),
        (
            "Id,Tags\n0,[]\n",
            GOLD,
            "the ids of results.csv are row numbers",
            "put in the ids of the gold, as `sharedtask fix` does by position",
        ),
        (
            RESULTS,
            LABELS.replace(",0", ",1"),
            "nothing can be ranked by the gold gold.csv: every label is 1 (3 labels); the AUC needs both classes",
            "use a gold with labels of both classes",
        ),
        (RESULTS, "id,label\n", "the gold gold.csv has no records", "use a gold with labels"),
        (
            RESULTS,
            "id,label\n901,0\n902,maybe\n903,1\n",
            "1 label of the gold gold.csv cannot be read (label-not-binary)",
            "correct the gold",
        ),
        (RESULTS, LABELS + "903,1\n", "the gold gold.csv cannot be used: 1 duplicate-key", "correct the gold"),
    ],
)
def test_the_reason_and_the_remedy(put: Put, run: str, gold: str, reason: str, would_score: str) -> None:
    assert refused(put, run, gold) == NotScored(reason, would_score)


@pytest.mark.parametrize(
    ("run", "gold", "reason"),
    [
        (RESULTS, "id,user_name,post_message\n901,a,b\n", "has no labels; expected the column label"),
        (RESULTS, "id,label\n901,\n902,\n903,\n", "has no labels that can be read in the column label"),
        (
            RELEVANCE,
            "doc_id,sentence_id,sentence_text\n50,0,A b.\n50,1,C d.\n",
            "has no labels; expected the columns is_relevant and sector_ids",
        ),
        (
            RELEVANCE,
            '{"doc_id":50,"sentence_id":0,"sentence_text":"A b.","is_relevant":1}\n',
            "lacks some labels; expected the column sector_ids",
        ),
        (SPANS, '{"Id":3,"Text":"Ayer no hubo"}\n', "has no labels; expected the column Tags"),
        (SPANS, "Id,Text\n3,Ayer no hubo\n", "has no labels; expected the column Tags"),
        (CLASSES, f'{{"Id":1,"Text":"Ayer no hubo",{SPAN}}}\n', "has no labels; expected the column Reliability_Label"),
    ],
)
def test_a_gold_without_labels_is_said_to_have_none(put: Put, run: str, gold: str, reason: str) -> None:
    name = "gold.json" if gold.startswith("{") else "gold.csv"
    assert refused(put, run, gold) == NotScored(f"the gold {name} {reason}", "use a gold with labels")


def test_a_gold_without_labels_in_other_containers(put: Put) -> None:
    run, test = put("run.csv", SPANS), put("test.json", '{"Id":3,"Text":"Ayer no hubo"}\n')
    with zipfile.ZipFile("test.zip", "w") as archive:
        archive.write(test)
    convert([test], "out")
    for gold, column in (("test.zip", "Tags"), ("out/test.parquet", "spans")):
        why = score(run, gold).not_scored
        assert why is not None
        assert why.reason == f"the gold {gold} has no labels; expected the column {column}"


@pytest.mark.parametrize(
    ("run", "form"), [(PAGE, "the form of the competition page"), ("id,spans\n3,[]\n", "the canonical columns")]
)
def test_a_form_that_the_script_refuses(put: Put, run: str, form: str) -> None:
    assert refused(put, run, GOLD, "official-verbatim") == NotScored(
        f"the scorer official-verbatim does not take a run in {form}",
        "choose another scorer (official or ehealthkd-2020), or convert the run with `sharedtask fix`",
    )


def test_a_comparison_says_which_run_is_at_fault(put: Put) -> None:
    good, bad, gold = put("good.csv", RESULTS), put("bad.csv", RESULTS + "904,1\n"), put("gold.csv", LABELS)
    for runs in ((good, bad), (bad, good)):
        found = compare(*runs, gold)
        assert found.not_scored == NotScored("1 id of bad.csv is not in gold.csv", ONLY_THESE)
        assert found.to_dict()["not_scored"] == found.not_scored.to_dict()


def run_cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    monkeypatch.setattr(sys, "argv", ["sharedtask", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    return stopped.value.code, capfd.readouterr().out


@pytest.mark.parametrize("verb", [["score", "results.csv"], ["compare", "results.csv", "results.csv"]])
def test_every_format_says_so_first_or_under_its_key(
    put: Put, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], verb: list[str]
) -> None:
    put("results.csv", RESULTS + "904,1\n")
    put("gold.csv", LABELS)
    said = f"not scored: 1 id of results.csv is not in gold.csv; to score it, {ONLY_THESE}"
    for form in ("text", "markdown"):
        status, out = run_cli(monkeypatch, capfd, *verb, "--against", "gold.csv", "--format", form)
        assert status == 1
        assert out.splitlines()[0] == said
        assert "unknown-id" in out
    status, out = run_cli(monkeypatch, capfd, *verb, "--against", "gold.csv", "--format", "json")
    data = json.loads(out)
    assert status == 1
    assert data["verb"] == verb[0]
    assert data["not_scored"] == {"reason": "1 id of results.csv is not in gold.csv", "would_score": ONLY_THESE}


def test_a_score_says_what_it_wrote(
    put: Put, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    put("results.csv", RESULTS)
    put("gold.csv", LABELS)
    for form, line in (("text", "wrote items.csv"), ("markdown", "- <code>wrote items.csv</code>")):
        args = ["score", "results.csv", "--against", "gold.csv", "--format", form]
        assert line in run_cli(monkeypatch, capfd, *args, "--per-item", "items.csv")[1].splitlines()
        assert "wrote" not in run_cli(monkeypatch, capfd, *args)[1]


@pytest.mark.parametrize(
    ("gold", "run", "kinds"),
    [
        (LABELS, RESULTS, ("reintel/labels", "reintel/run")),
        (POSTS, RESULTS, ("reintel/posts", "reintel/run")),
        (SENTENCES, RELEVANCE, ("cheers/sentences", "cheers/run")),
        (RATED, CLASSES, ("flares/subtask2", "flares/subtask2-run")),
        (GOLD, SPANS, ("flares/subtask1", "flares/subtask1-run")),
        (GOLD, PAGE, ("flares/subtask1", "flares/subtask1-run")),
        (GOLD.replace('"Reliability_Label"', '"Remark"'), SPANS, ("flares/subtask1", "flares/subtask1-run")),
        (
            "Id,Text,Tags\n3,Ayer no hubo,\"[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': 'WHEN', "
            "'Reliability_Label': 'confiable'}]\"\n",
            SPANS,
            ("flares/subtask1", "flares/subtask1-run"),
        ),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "zip"])
def test_run_and_gold_in_each_others_place_are_a_wrong_call(
    put: Put, gold: str, run: str, kinds: tuple[str, str], packed: bool
) -> None:
    given, against = put("gold.json" if gold.startswith("{") else "gold.csv", gold), put("results.csv", run)
    if packed:
        with zipfile.ZipFile("results.zip", "w") as archive:
            archive.write(against)
        against = Path("results.zip")
    told = f"{given} and {against} seem swapped: {given} is a {kinds[0]} file and {against} a {kinds[1]} file"
    with pytest.raises(UnusableError, match=f"^{told}; expected RUN --against GOLD"):
        score(given, against)
    with pytest.raises(UnusableError, match="seem swapped"):
        compare(given, given, against)
    score(against, given)


def test_canonical_tables_in_each_others_place(put: Put) -> None:
    convert([put("gold.json", GOLD), put("run.csv", SPANS)], "out")
    with pytest.raises(UnusableError, match="seem swapped"):
        score("out/gold.parquet", "out/run.parquet")
    assert score("out/run.parquet", "out/gold.parquet").ok


def test_a_second_run_in_the_place_of_the_gold(put: Put) -> None:
    with pytest.raises(UnusableError, match="seem swapped"):
        compare(put("a.csv", SPANS), put("gold.json", GOLD), put("b.csv", SPANS))


@pytest.mark.parametrize(
    ("run", "gold"),
    [
        ("Id,Text,Tags\n3,Ayer no hubo,[]\n", SPANS),
        (PAGE, SPANS),
        (PAGE, GOLD),
        (CLASSES, CLASSES),
        (GOLD, GOLD),
    ],
    ids=["run with texts", "page form and bare gold", "page form", "bare gold of classes", "copy"],
)
def test_a_run_with_more_columns_than_its_gold_is_scored(put: Put, run: str, gold: str) -> None:
    name = "gold.json" if gold.startswith("{") else "gold.csv"
    assert score(put("run.json" if run.startswith("{") else "run.csv", run), put(name, gold)).ok


def test_the_kind_that_is_said_wins(put: Put) -> None:
    run, gold = put("run.json", GOLD), put("gold.csv", SPANS)
    assert score(run, gold, kind="flares/subtask1-run").ok
