"""Repairs: after `fix` none of the repaired rules is left, what cannot be repaired stays, and no value is invented."""

import csv
import json
import zipfile
from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.fix_result import FixResult
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.fix import fix
from sharedtask.pipelines.verbs.pack import pack
from sharedtask.pipelines.verbs.template import template
from sharedtask.schemas.messages import shown

TEXTS = {
    31: "Ayer la alcaldesa de Pinares cerró tres calles por la nieve.",
    7: "Hoy el coro infantil cantó dos himnos en la plaza mayor.",
    204: "Mañana los bomberos voluntarios revisarán cuatro pozos viejos.",
    90: "Según el vecino más viejo, el río bajó dos metros en agosto.",
}
WORDS = {
    31: ("la alcaldesa de Pinares", "tres calles"),
    7: ("el coro infantil", "dos himnos"),
    204: ("los bomberos voluntarios", "cuatro pozos viejos"),
    90: ("el río", "dos metros"),
}
SPANS = {
    key: [
        (text.index(words), text.index(words) + len(words), label)
        for words, label in zip(WORDS[key], ("WHO", "WHAT"), strict=True)
    ]
    for key, text in TEXTS.items()
}
TEST_FILE = "".join(json.dumps({"Id": key, "Text": text}) + "\n" for key, text in TEXTS.items())


def tags(spans: list[tuple[int, int, str]]) -> list[dict[str, object]]:
    return [{"Tag_Start": start, "Tag_End": end, "5W1H_Label": label} for start, end, label in spans]


def flares_run(path: Path, cells: dict[int, str], header: str = "Id,Tags") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(header + "\n")
        csv.writer(file, lineterminator="\n").writerows(cells.items())
    return path


def read(path: Path) -> dict[int, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row["Id"]): row["Tags"] for row in csv.DictReader(file)}


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    path = tmp_path / "test.json"
    path.write_text(TEST_FILE, encoding="utf-8")
    return path


GOOD = {key: str(tags(spans)) for key, spans in SPANS.items()}


def fixed(
    tmp_path: Path, cells: dict[int, str], reference: Path, header: str = "Id,Tags"
) -> tuple[FixResult, dict[int, str]]:
    run = flares_run(tmp_path / "run.csv", cells, header)
    done = fix(run, reference, tmp_path / "out.csv")
    return done, read(tmp_path / "out.csv")


WRONG = {
    "misnamed-column": (GOOD, "ID,TAGS"),
    "label-case": ({key: cell.replace("WHO", " Who") for key, cell in GOOD.items()}, "Id,Tags"),
    "tag-key-alias": (
        {
            key: cell.replace("Tag_Start", "start").replace("Tag_End", "end").replace("5W1H_Label", "tag")
            for key, cell in GOOD.items()
        },
        "Id,Tags",
    ),
    "offset-not-integer": (
        {
            key: str([{**tag, "Tag_Start": float(str(tag["Tag_Start"]))} for tag in tags(spans)])
            for key, spans in SPANS.items()
        },
        "Id,Tags",
    ),
    "unsorted-spans": ({key: str(tags(spans[::-1])) for key, spans in SPANS.items()}, "Id,Tags"),
    "duplicate-span": ({key: str(tags([*spans, spans[1]])) for key, spans in SPANS.items()}, "Id,Tags"),
    "span-edge-whitespace": (
        {
            key: str(tags([(start, end + (TEXTS[key][end] == " "), label) for start, end, label in spans]))
            for key, spans in SPANS.items()
        },
        "Id,Tags",
    ),
    "order-differs": (dict(reversed(GOOD.items())), "Id,Tags"),
    "json-tags": ({key: json.dumps(tags(spans)) for key, spans in SPANS.items()}, "Id,Tags"),
}


@pytest.mark.parametrize("rule", WRONG)
def test_each_repair_gives_back_the_right_run(tmp_path: Path, reference: Path, rule: str) -> None:
    cells, header = WRONG[rule]
    done, written = fixed(tmp_path, cells, reference, header)
    assert rule in {one.rule.name for one in done.repairs}
    assert done.ok
    assert done.after is not None
    assert done.after.rules() == []
    assert written == GOOD


def test_a_lone_dict_becomes_a_list(tmp_path: Path, reference: Path) -> None:
    cells = {**GOOD, 7: str(tags(SPANS[7])[0])}
    done, written = fixed(tmp_path, cells, reference)
    assert done.ok
    assert written[7] == str(tags(SPANS[7])[:1])


def test_cells_with_one_reading_are_written_as_python_writes_them(tmp_path: Path, reference: Path) -> None:
    spans = SPANS[7]
    cells = [
        str(spans),
        f"```python\n{tags(spans)}\n```",
        f"array({tags(spans)}, dtype=object)",
        "[" + "\n ".join(map(str, tags(spans))) + "]",
        str(tags(spans)).replace("'", "’"),
    ]
    for number, cell in enumerate(cells):
        folder = tmp_path / str(number)
        folder.mkdir()
        done, written = fixed(folder, {**GOOD, 7: cell}, reference)
        assert done.ok
        assert written == GOOD
        assert [(one.rule.name, one.count) for one in done.repairs] == [("bad-tags-cell", 1)]


def test_what_cannot_be_repaired_is_written_as_it_was_and_stays_reported(tmp_path: Path, reference: Path) -> None:
    cells = {**GOOD, 7: "[not a list", 90: GOOD[90].replace("WHAT", "WHATEVER"), 31: GOOD[31].replace("WHO", "who")}
    done, written = fixed(tmp_path, cells, reference)
    assert not done.ok
    assert written[7] == "[not a list"
    assert "WHATEVER" in written[90]
    assert written[31] == GOOD[31]
    assert done.after is not None
    assert {one.rule.name: one.count for one in done.after.rules()} == {"bad-tags-cell": 1, "unknown-label": 1}


def test_a_ragged_record_is_kept(tmp_path: Path, reference: Path) -> None:
    run = tmp_path / "run.csv"
    body = "".join(f'{key},"{cell}"\n' for key, cell in GOOD.items() if key != 90)
    run.write_text(f"ID,Tags\n{body}90,[],extra\n", encoding="utf-8")
    done = fix(run, reference, tmp_path / "out.csv")
    assert not done.ok
    assert (tmp_path / "out.csv").read_text("utf-8").endswith("90,[],extra\n")
    assert done.after is not None
    assert [one.rule.name for one in done.after.rules()] == ["ragged-row"]


def test_never_in_place(tmp_path: Path, reference: Path) -> None:
    run = flares_run(tmp_path / "run.csv", GOOD)
    before = run.read_bytes()
    with pytest.raises(UnusableError, match="choose another output file"):
        fix(run, reference, run)
    with pytest.raises(UnusableError, match=r"\.csv or \.zip"):
        fix(run, reference, tmp_path / "out.txt")
    assert run.read_bytes() == before


def test_the_diff_has_each_changed_span_and_record(tmp_path: Path, reference: Path) -> None:
    (start, end, _), second = SPANS[204]
    wide = tags([(start - 1, end + 1, "who"), second, second])
    cells = {7: GOOD[7].replace("WHO", "Who"), 31: GOOD[31], 204: str(wide), 90: json.dumps(tags(SPANS[90]))}
    done = fix(flares_run(tmp_path / "run.csv", cells), reference, tmp_path / "out.csv", diff=True)
    as_json, as_python = (shown(form(tags(SPANS[90]))) for form in (json.dumps, str))
    assert done.diff == (
        "Id 7, span 0: 'Who' → 'WHO'",
        "Id 7, record 1 → record 2",
        "Id 31, record 2 → record 1",
        f"Id 204, span 0: [{start - 1}, {end + 1}) → [{start}, {end})",
        "Id 204, span 0: 'who' → 'WHO'",
        f"Id 204, span 2: [{second[0]}, {second[1]}) {second[2]} left out",
        f"Id 90, Tags: {as_json} → {as_python}",
    )
    assert {(one.rule.name, one.extent) for one in done.repairs} == {
        ("label-case", "2 spans"),
        ("order-differs", "2 records"),
        ("span-edge-whitespace", "1 span"),
        ("duplicate-span", "1 span"),
        ("json-tags", "1 cell"),
    }


SENTENCES = "doc_id,sentence_id,sentence_text\n" + "".join(
    f"{d},{s},Line {d} {s}.\n" for d in (88, 12) for s in range(3)
)


def test_cheers_repairs(tmp_path: Path) -> None:
    (tmp_path / "sentences_en_test.csv").write_text(SENTENCES, encoding="utf-8")
    run = tmp_path / "run.csv"
    run.write_text(
        ",sentence_id,doc_id,is_relevant,sector_id,note\n0,0,12,True,Health,x\n1,1,12,0,4,x\n2,2,12,0,-1,x\n"
        "3,0,88.0,1,9.0,x\n4,1,88,0,-1,x\n5,2,88,1,10,x\n",
        encoding="utf-8",
    )
    done = fix(run, tmp_path / "sentences_en_test.csv", tmp_path / "out.csv")
    assert done.ok
    assert done.after is not None
    assert done.after.rules() == []
    assert (tmp_path / "out.csv").read_text() == (
        "doc_id,sentence_id,is_relevant,sector_id\n88,0,1,9\n88,1,0,-1\n88,2,1,10\n12,0,1,4\n12,1,0,-1\n12,2,0,-1\n"
    )


POSTS = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post\n" + "".join(
    f"{key},{key:032x},Tin {key},1586080000,1,1,1\n" for key in (55, 51, 58)
)


def test_reintel_repairs_and_pack(tmp_path: Path) -> None:
    posts = tmp_path / "public_test.csv"
    posts.write_text(POSTS, encoding="utf-8")
    run = tmp_path / "mine.csv"
    run.write_bytes("\ufeffid;probability\r\n51;0,25\r\n55;0,5\r\n58;0,75\r\n".encode())
    done = fix(run, posts, tmp_path / "out.zip")
    assert done.ok
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.namelist() == ["results.csv"]
        assert archive.read("results.csv") == b"55,0.5\n51,0.25\n58,0.75\n"
    report = pack(run, posts, tmp_path / "upload.zip")
    assert not report.ok
    assert not (tmp_path / "upload.zip").exists()
    assert pack(tmp_path / "out.zip", posts, tmp_path / "upload.zip").ok
    assert (tmp_path / "upload.zip").read_bytes() == (tmp_path / "out.zip").read_bytes()


def test_templates_are_valid_runs(tmp_path: Path, reference: Path) -> None:
    (tmp_path / "sentences_en_test.csv").write_text(SENTENCES, encoding="utf-8")
    (tmp_path / "public_test.csv").write_text(POSTS, encoding="utf-8")
    for data in (reference, tmp_path / "sentences_en_test.csv", tmp_path / "public_test.csv"):
        out = tmp_path / "template.csv"
        template(data, out)
        assert check(out, data).ok


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("Id\n31\n7\n204\n90\n", "run.csv"),
        ("Id,Predictions\n31,[]\n7,[]\n204,[]\n90,[]\n", "run.csv"),
        ("Id,Tags,Tags\n31,[],[]\n7,[],[]\n204,[],[]\n90,[],[]\n", "run.csv"),
        ('{"Id":31,"Tags":[]}\n{"Id":7,\n{"Id":204,"Tags":[]}\n{"Id":90,"Tags":[]}\n', "run.jsonl"),
    ],
)
def test_nothing_is_written_where_the_author_has_to_choose(reference: Path, run: str, name: str) -> None:
    path, out = reference.parent / name, reference.parent / "fixed.csv"
    path.write_text(run, encoding="utf-8")
    fixed = fix(path, reference, out)
    assert (fixed.ok, fixed.after, fixed.repairs) == (False, None, ())
    assert not fixed.before.ok
    assert not out.exists()


def test_row_numbers_and_the_offsets_behind_them_are_mended_at_once(reference: Path) -> None:
    cells = {
        row: str(tags([(start + 1, end + 1, label) for start, end, label in SPANS[key]]))
        for row, key in enumerate(TEXTS)
    }
    run, out = flares_run(reference.parent / "run.csv", cells), reference.parent / "fixed.csv"
    fixed = fix(run, reference, out)
    assert fixed.ok
    assert [repair.rule.name for repair in fixed.repairs] == ["row-index-instead-of-id", "offsets-one-based"]
    assert read(out) == {key: str(tags(spans)) for key, spans in SPANS.items()}


def test_a_template_has_each_id(tmp_path: Path, reference: Path) -> None:
    out = tmp_path / "run.csv"
    assert template(reference, out).ok
    assert list(read(out)) == list(TEXTS)
    assert out.read_text("utf-8").count("\n") == 1 + len(TEXTS)


def test_no_template_is_made_of_a_reference_with_an_id_twice(tmp_path: Path) -> None:
    reference, out = tmp_path / "test.json", tmp_path / "run.csv"
    reference.write_text(TEST_FILE + TEST_FILE, encoding="utf-8")
    report = template(reference, out)
    assert [one.rule.name for one in report.rules()] == ["duplicate-key"]
    assert not out.exists()
