"""What `fix` does with records: none is lost or moved without a word, and missing or unreadable ones are answered if asked."""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.pipelines.cli import main
from sharedtask.pipelines.results.fix_result import FixResult
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.fix import fix

TEXTS = {31: "Ayer llovió en Pinares.", 7: "Hoy cantó el coro.", 204: "Mañana abre el mercado.", 90: "El río bajó."}
SENTENCES = "doc_id,sentence_id,sentence_text\n" + "".join(f"8,{at},Line {at}.\n" for at in range(4))
POSTS = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post\n" + "".join(
    f"{key},{key:032x},Tin {key},1586080000,1,1,1\n" for key in (55, 51, 58, 60)
)
ONE = "[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': 'WHEN'}]"
CELL = f'"{ONE}"'


@pytest.fixture
def flares(tmp_path: Path) -> Path:
    path = tmp_path / "test.json"
    path.write_text("".join(json.dumps({"Id": key, "Text": text}) + "\n" for key, text in TEXTS.items()), "utf-8")
    return path


@pytest.fixture
def cheers(tmp_path: Path) -> Path:
    (path := tmp_path / "sentences_en_test.csv").write_text(SENTENCES, "utf-8")
    return path


@pytest.fixture
def reintel(tmp_path: Path) -> Path:
    (path := tmp_path / "public_test.csv").write_text(POSTS, "utf-8")
    return path


def fixed(
    reference: Path, run: str, name: str = "run.csv", *, fill_missing: bool = False, unreadable_as_empty: bool = False
) -> tuple[FixResult, str]:
    path, out = reference.parent / name, reference.parent / "fixed.csv"
    path.write_text(run, encoding="utf-8")
    done = fix(path, reference, out, fill_missing=fill_missing, unreadable_as_empty=unreadable_as_empty)
    return done, out.read_text("utf-8") if out.exists() else ""


def told(done: FixResult) -> dict[str, str]:
    return {one.rule.name: one.extent for one in done.repairs}


def left(done: FixResult) -> dict[str, int]:
    return {one.rule.name: one.count for one in done.report.rules()}


def test_a_record_that_cannot_be_read_stays_in_its_place(flares: Path) -> None:
    run = f"Id,Tags\n31,{CELL}\n7,[],x\n204,{CELL.replace('WHEN', 'When').replace('4', '6')}\n90,[],y,z\n"
    done, out = fixed(flares, run)
    assert out == run.replace("When", "WHEN")
    assert (told(done), left(done)) == ({"label-case": "1 span"}, {"ragged-row": 2})


def test_a_record_that_cannot_be_read_is_put_in_order_by_its_key(cheers: Path) -> None:
    done, out = fixed(cheers, "doc_id,sentence_id,is_relevant,sector_id\n8,1,1,3\n8,3,0,-1,?\n8,2,0,-1\n8,0,0,-1\n")
    assert out == "doc_id,sentence_id,is_relevant,sector_id\n8,0,0,-1\n8,1,1,3\n8,2,0,-1\n8,3,0,-1,?\n"
    assert told(done) == {"order-differs": "3 records"}
    done, out = fixed(cheers, "doc_id,sentence_id,is_relevant,sector_id\n8,1,1,3\n?\n8,2,0,-1\n8,0,0,-1\n8,3,0,-1\n")
    assert out == "doc_id,sentence_id,is_relevant,sector_id\n8,0,0,-1\n8,1,1,3\n?\n8,2,0,-1\n8,3,0,-1\n"
    assert told(done) == {"order-differs": "4 records"}


def test_records_that_cannot_be_read_and_are_in_order_do_not_move(reintel: Path) -> None:
    done, out = fixed(reintel, "60,0.25\n51,0.5,x\n58,0.75\n55,0.5\n")
    assert out == "55,0.5\n51,0.5,x\n58,0.75\n60,0.25\n"
    assert told(done) == {"order-differs": "2 records"}


@pytest.mark.parametrize(("delimiter", "tail"), [("\t", "90\t[]\tx"), (";", "90;[];x")])
def test_raw_lines_are_not_mixed_with_those_of_another_delimiter(flares: Path, delimiter: str, tail: str) -> None:
    run = f"Id,Tags\n31,{CELL}\n7,[]\n204,[]\n".replace(",[", f"{delimiter}[").replace("Id,", f"Id{delimiter}")
    run = run.replace('31,"', f'31{delimiter}"')
    done, out = fixed(flares, f"{run}{tail}\n")
    assert (done.after, out) == (None, "")
    assert {"wrong-delimiter", "ragged-row"} <= left(done).keys()


def test_missing_records_are_answered_as_the_template_does(flares: Path, cheers: Path, reintel: Path) -> None:
    done, out = fixed(flares, f"Id,Tags\n31,{CELL}\n204,[]\n", fill_missing=True)
    assert (done.ok, out) == (True, f"Id,Tags\n31,{CELL}\n7,[]\n204,[]\n90,[]\n")
    assert told(done) == {"missing-id": "2 records"}
    done, out = fixed(cheers, "doc_id,sentence_id,is_relevant,sector_id\n8,3,1,4\n8,0,0,-1\n", fill_missing=True)
    assert (done.ok, out) == (
        True,
        "doc_id,sentence_id,is_relevant,sector_id\n8,0,0,-1\n8,1,0,-1\n8,2,0,-1\n8,3,1,4\n",
    )
    assert told(done) == {"missing-id": "2 records", "order-differs": "2 records"}
    done, out = fixed(reintel, "55,0.25\n60,0.75\n", fill_missing=True)
    assert (done.ok, out) == (True, "55,0.25\n51,0.5\n58,0.5\n60,0.75\n")


def test_nothing_is_filled_in_a_run_of_another_file(reintel: Path) -> None:
    done, out = fixed(reintel, "900,0.25\n901,0.75\n", fill_missing=True)
    assert not done.ok
    assert out == "900,0.25\n901,0.75\n"
    assert "no-common-id" in left(done)


def test_what_cannot_be_read_is_answered_as_the_template_does(flares: Path, cheers: Path, reintel: Path) -> None:
    run = f"Id,Tags\n31,[not a list\n7,[],x\n204,{CELL.replace(' 4', ' None')}\n90,{CELL}\n"
    done, out = fixed(flares, run, unreadable_as_empty=True)
    assert (done.ok, out) == (True, f"Id,Tags\n31,[]\n7,[]\n204,[]\n90,{CELL}\n")
    assert told(done) == {
        "bad-tags-cell": "1 record",
        "tag-key-missing": "1 record",
        "ragged-row": "1 record",
    }
    run = "doc_id,sentence_id,is_relevant,sector_id\n8,0,?,3\n8,1,1,much\n8,2,0\n8,3,1,4\n"
    done, out = fixed(cheers, run, unreadable_as_empty=True)
    assert (done.ok, out) == (
        True,
        "doc_id,sentence_id,is_relevant,sector_id\n8,0,0,-1\n8,1,0,-1\n8,2,0,-1\n8,3,1,4\n",
    )
    done, out = fixed(reintel, "55,nan\n51,\n58,x\n60,0.75\n", unreadable_as_empty=True)
    assert (done.ok, out) == (True, "55,0.5\n51,0.5\n58,0.5\n60,0.75\n")
    assert sum(one.count for one in done.repairs) == 3


def test_json_lines_that_cannot_be_read_are_answered_only_if_that_is_asked_for(flares: Path) -> None:
    run = '{"Id":31,"Tags":[]}\n{"Id":7,\n{"Id":204,"Tags":[]}\n{"Id":90,"Tags":[]}\n'
    done, out = fixed(flares, run, "run.jsonl")
    assert (done.after, out) == (None, "")
    done, out = fixed(flares, run, "run.jsonl", unreadable_as_empty=True)
    assert (done.ok, out) == (True, "Id,Tags\n31,[]\n7,[]\n204,[]\n90,[]\n")


def test_the_texts_of_a_run_stay_reported_where_they_differ(flares: Path) -> None:
    texts = {**TEXTS, 7: "Hoy cantó otro coro."}
    done, out = fixed(flares, "Id,Text,Tags\n" + "".join(f"{key},{text},[]\n" for key, text in texts.items()))
    assert out == "Id,Tags\n31,[]\n7,[]\n204,[]\n90,[]\n"
    assert told(done) == {"extra-column": "1 place"}
    assert left(done) == {"text-differs": 1}
    (finding,) = done.report.findings()
    assert (finding.at.key, finding.at.line) == ({"Id": 7}, None)


def test_a_typed_run_is_written_with_its_unreadable_spans_as_they_are(flares: Path) -> None:
    tags = [{"Tag_Start": None, "Tag_End": 4, "5W1H_Label": "WHEN"}]
    pl.DataFrame({"Id": list(TEXTS), "Tags": [tags] * 4}).write_parquet(path := flares.parent / "run.parquet")
    done = fix(path, flares, out := flares.parent / "fixed.csv")
    assert "{'Tag_End': 4, '5W1H_Label': 'WHEN'}" in out.read_text("utf-8")
    assert left(done) == {"tag-key-missing": 4}
    assert check(out, flares).rules()


def test_the_json_has_the_repairs_and_the_diff(
    flares: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def called() -> tuple[object, dict[str, Any]]:
        monkeypatch.setattr(sys, "argv", ["sharedtask", *call])
        with pytest.raises(SystemExit) as stopped:
            main()
        return stopped.value.code, json.loads(capfd.readouterr().out)

    run, out = flares.parent / "run.csv", flares.parent / "fixed.csv"
    run.write_text(f"Id,Tags\n31,{CELL.replace('WHEN', 'When')}\n7,[]\n204,[]\n90,[]\n", "utf-8")
    call = ["fix", str(run), "--against", str(flares), "--out", str(out), "--format", "json", "--diff"]
    status, report = called()
    assert (status, report["verb"], report["ok"]) == (0, "fix", True)
    assert report["repairs"] == [
        {"code": "FLA108", "name": "label-case", "count": 1, "unit": "span", "how": "repaired"}
    ]
    assert report["diff"] == ["Id 31, span 0: 'When' → 'WHEN'"]
    assert [one["path"] for one in report["outputs"]] == [str(out)]
    run.write_text("Id,Tags,Tags\n31,[],[]\n", "utf-8")
    status, report = called()
    assert (status, report["verb"], report["repairs"], report["outputs"]) == (1, "fix", [], [])


def test_row_numbers_with_a_gap_get_the_ids_that_they_mean(reintel: Path) -> None:
    done, out = fixed(reintel, "0,0.25\n1,0.5\n3,0.75\n")
    assert told(done) == {"row-index-instead-of-id": "3 records"}
    assert (out, left(done)) == ("55,0.25\n51,0.5\n60,0.75\n", {"missing-id": 1})
    done, out = fixed(reintel, "0,0.25\n1,0.5\n3,0.75\n", fill_missing=True)
    assert (done.ok, out) == (True, "55,0.25\n51,0.5\n58,0.5\n60,0.75\n")
    assert told(done) == {"row-index-instead-of-id": "3 records", "missing-id": "1 record"}


def test_row_numbers_that_do_not_say_which_records_they_mean_stay(reintel: Path) -> None:
    done, out = fixed(reintel, "0,0.25\n1,0.5\n2,0.75\n", fill_missing=True)
    assert (told(done), out) == ({}, "0,0.25\n1,0.5\n2,0.75\n")
    assert left(done) == {"row-index-instead-of-id": 1}


def test_a_cell_of_json_with_null_is_a_repair(flares: Path) -> None:
    cell = json.dumps([{"Tag_Start": 0, "Tag_End": 4, "5W1H_Label": "WHEN", "Tag_Text": None}]).replace('"', '""')
    done, out = fixed(flares, f'Id,Tags\n31,"{cell}"\n7,[]\n204,[]\n90,[]\n')
    assert out == f"Id,Tags\n31,{CELL}\n7,[]\n204,[]\n90,[]\n"
    assert told(done)["bad-tags-cell"] == "1 cell"


def test_a_copy_that_says_less_is_left_out_and_a_contradiction_is_not_hidden(flares: Path) -> None:
    bare, right, wrong = (ONE[1:-1][:-1] + more + "}" for more in ("", ", 'Tag_Text': 'Ayer'", ", 'Tag_Text': 'otro'"))
    done, out = fixed(flares, f'Id,Tags\n31,"[{bare}, {right}]"\n7,[]\n204,[]\n90,[]\n')
    assert (done.ok, told(done), out.count("WHEN")) == (True, {"duplicate-span": "1 span"}, 1)
    done, out = fixed(flares, f'Id,Tags\n31,"[{bare}, {wrong}]"\n7,[]\n204,[]\n90,[]\n')
    assert (left(done), out.count("WHEN")) == ({"span-text-differs": 1}, 1)
    done, out = fixed(flares, f'Id,Tags\n31,"[{right}, {wrong}]"\n7,[]\n204,[]\n90,[]\n')
    assert out.count("WHEN") == 2
    assert left(done)["span-text-differs"] == 1


def test_a_tag_without_label_is_written_as_it_was(flares: Path) -> None:
    cell = "[{'Tag_Start': 0, 'Tag_End': 4, '5W1H_Label': None, 'Tag_Text': 'Ayer'}]"
    run = f'Id,Tags\n31,"{cell}"\n7,[]\n204,[]\n90,[]\n'
    done, out = fixed(flares, run)
    assert (out, left(done)) == (run, {"tag-key-missing": 1})


def test_what_is_found_in_the_reference_stays_in_the_report(cheers: Path) -> None:
    cheers.write_text(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n8,0,One.,1,[300]\n8,1,Two.,0,[]\n", "utf-8"
    )
    done, _ = fixed(cheers, "doc_id,sentence_id,is_relevant,sector_id\n8,0,1,3.0\n8,1,0,-1\n")
    assert [one.rule.name for one in done.report.reference_rules()] == ["unknown-sector"]
    assert [one.path for one in done.report.inputs] == [str(cheers.parent / "run.csv"), str(cheers)]


def test_cells_in_another_form_are_noted(flares: Path, reintel: Path) -> None:
    with_text = ONE.replace("}]", ", 'Tag_Text': 'Ayer', 'score': 0.5}]")
    done, out = fixed(flares, f'Id,Tags\n31,"{with_text}"\n7,()\n204,[]\n90,[]\n')
    assert out == f"Id,Tags\n31,{CELL}\n7,[]\n204,[]\n90,[]\n"
    assert (done.ok, told(done), done.report.notes) == (True, {}, ["2 cells of Tags are written in the official form"])
    done, _ = fixed(reintel, "55,0.25\n51,.5\n58,0.75\n60,0.5\n")
    assert (told(done), done.report.notes) == ({}, ["1 cell of probability is written in the official form"])


def test_a_contradicted_text_is_kept_so_that_the_next_pass_says_the_same(flares: Path) -> None:
    wrong = ONE.replace("}]", ", 'Tag_Text': 'Mañana'}]")
    short = ONE.replace("4", "3")
    right = short.replace("}]", ", 'Tag_Text': 'Hoy'}]")
    first, out = fixed(flares, f'Id,Tags\n31,"{wrong}"\n7,"{right}"\n204,[]\n90,[]\n')
    assert out == f'Id,Tags\n31,"{wrong}"\n7,"{short}"\n204,[]\n90,[]\n'
    again, same = fixed(flares, out, "again.csv")
    assert (first.ok, again.ok, same) == (False, False, out)
    assert left(first) == left(again) == {"span-text-differs": 1}


def test_copies_that_may_be_another_place_stay(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"Id": 31, "Text": "Ana cantó y Ana calló."}) + "\n", "utf-8")
    tag = "{'Tag_Start': %d, 'Tag_End': %d, '5W1H_Label': 'WHO'}"
    first, second = tag % (0, 3), tag % (12, 15)
    done, out = fixed(path, f'Id,Tags\n31,"[{first}, {first}]"\n')
    assert (out, left(done)) == (f'Id,Tags\n31,"[{first}, {first}]"\n', {"duplicate-span": 1})
    done, out = fixed(
        path, f'Id,Tags\n31,"[{second}, {second}]"\n'
    )  # nobody finds the second by searching from the start
    assert (out, told(done)) == (f'Id,Tags\n31,"[{second}]"\n', {"duplicate-span": "1 span"})


def test_a_misspelt_reliability_is_counted_as_left_out(flares: Path) -> None:
    label = ONE.replace("}]", ", 'Reliability_Label': 'no_confiable'}]")
    done, out = fixed(flares, f'Id,Tags\n31,"{label}"\n7,[]\n204,[]\n90,[]\n')
    assert out == f"Id,Tags\n31,{CELL}\n7,[]\n204,[]\n90,[]\n"
    (repair,) = done.repairs
    assert (repair.rule.code, repair.extent, repair.how) == ("FLA109", "1 span", "left out")


def test_the_text_of_an_emptied_record_is_shown(reintel: Path) -> None:
    (run := reintel.parent / "run.csv").write_text("55,0.25\n51,0.5,x\n58,0.75\n60,0.5\n", "utf-8")
    done = fix(run, reintel, out := reintel.parent / "fixed.csv", unreadable_as_empty=True, diff=True)
    assert out.read_text("utf-8") == "55,0.25\n51,0.5\n58,0.75\n60,0.5\n"
    assert done.diff == ("emptied '51,0.5,x': id 51, probability 0.5",)


def test_two_spans_are_not_moved_far_on_word_boundaries_alone(tmp_path: Path) -> None:
    text = "La brigada “Río” cerró ayer el paso a los camiones por la vía vieja."
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"Id": 31, "Text": text}) + "\n", "utf-8")
    places = [text.index(words) for words in ("ayer", "los camiones")]
    spans = [(places[0] - 14, places[0] - 10), (places[1] - 14, places[1] - 2)]
    tags = ", ".join(f"{{'Tag_Start': {first}, 'Tag_End': {last}, '5W1H_Label': 'WHAT'}}" for first, last in spans)
    done, out = fixed(path, f'Id,Tags\n31,"[{tags}]"\n')
    assert (out, told(done)) == (f'Id,Tags\n31,"[{tags}]"\n', {})
