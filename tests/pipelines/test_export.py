"""Releases come back byte for byte, a note says why where they do not, and every other form is read back as it was."""

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.tasks import all_kinds, export_formats
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.export import export
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.schemas.rules.catalogue import RULES
from sharedtask.schemas.rules.example_files import (
    CHEERS_DOCUMENTS,
    CHEERS_SENTENCES,
    FLARES_LABELS_RUN,
    FLARES_RUN,
    FLARES_TRAIN,
    REINTEL_POSTS,
    REINTEL_RUN,
)

RELEASE = Path(__file__).resolve().parents[3] / "shared" / "data" / "flares"  # beside the repository; may be absent
RECORDS = [json.loads(line) for line in str(FLARES_TRAIN.right).splitlines()]
RECORDS[0]["Text"] += " 24/7"
SENTENCES, DOCUMENTS = str(CHEERS_SENTENCES.right), str(CHEERS_DOCUMENTS.right)
POSTS, RUN = str(REINTEL_POSTS.right), str(REINTEL_RUN.right)


def recipe(record: dict[str, Any]) -> str:
    """The byte recipe of the release (facts/flares.md 1.1)."""
    return json.dumps(record, separators=(",", ":")).replace("/", "\\/")


LINES = [recipe(record) for record in RECORDS]
TRAIN = "".join(f"{line}\n" for line in LINES)


def back(tmp_path: Path, name: str, content: str | bytes, **how: Any) -> tuple[bytes, str]:
    """A file by way of its canonical table: the bytes that come back, and the note on them."""
    source = tmp_path / name
    source.write_bytes(content.encode() if isinstance(content, str) else content)
    convert([source], tmp_path / "tables", **how)
    bare = name.removesuffix(".gz")
    out = tmp_path / "back" / bare
    report = export(tmp_path / "tables" / f"{bare.partition('.')[0]}.parquet", out)
    (note,) = report.notes
    return out.read_bytes(), note


@pytest.mark.skipif(not RELEASE.exists(), reason="the released files are not beside the repository")
@pytest.mark.parametrize(
    "name", ["5w1h_subtarea_1_train.json", "5w1h_subtarea_1_test.json", "5w1h_subtask_2_trial.json"]
)
def test_released_files_come_back(tmp_path: Path, name: str) -> None:
    released = (RELEASE / name).read_bytes()
    assert back(tmp_path, name, released) == (released, f"the same bytes as {name}")


@pytest.mark.parametrize("task", ["flares", "cheers", "reintel"])
def test_every_file_of_a_task_comes_back(tmp_path: Path, task: str) -> None:
    for path in map(Path, sample(task, tmp_path / "files", rows=40)):
        if path.suffix in (".zip", ".xlsx"):
            continue
        written, note = back(tmp_path, path.name, path.read_bytes())
        if "with-unit" in note:
            assert note.startswith("not the same")
            assert path.name.startswith("public_")
        else:
            assert (written, note) == (path.read_bytes(), f"the same bytes as {path.name}")


WITH_BREAKS = DOCUMENTS.replace("Two boreholes", '"Two\nboreholes').replace("community.", 'community."')
KEPT: dict[str, tuple[str, str | bytes]] = {
    "no final newline": ("train.json", TRAIN.removesuffix("\n")),
    "crlf": ("train.json", TRAIN.replace("\n", "\r\n")),
    "crlf without the last": ("val.csv", SENTENCES.replace("\n", "\r\n").removesuffix("\r\n")),
    "crlf around lf in a text": ("documents.csv", WITH_BREAKS.replace("\n", "\r\n").replace("Two\r\n", "Two\n")),
    "lf around crlf in a text": ("documents.csv", WITH_BREAKS.replace("Two\n", "Two\r\n")),
    "byte order mark": ("train.json", "\ufeff" + TRAIN),
    "byte order mark in a CSV": ("val.csv", "\ufeff" + SENTENCES),
    "compressed": ("train.json.gz", gzip.compress(TRAIN.encode())),
    "array in a line": ("train.json", f"[{','.join(LINES)}]"),
    "array of lines": ("train.json", "[\n  " + ",\n  ".join(LINES) + "\n]\n"),
    "array with a mark and crlf": ("train.json", "\ufeff[\r\n" + ",\r\n".join(LINES) + "\r\n]\r\n"),
    "array of one": ("train.json", f"[ {LINES[0]} ]\n"),
    "order of columns": ("public_train.csv", "label,id,user_name,post_message,num_share_post,num_like_post,"
                         "num_comment_post,timestamp_post\n1,7,ab,Tin,,3,unknown,1585720800\n".replace("unknown", "0")),
    "unknown counts": ("public_train.csv", POSTS.replace(",14,3,2,", ",unknown,unknown,unknown,")),
    "documents without language": ("documents.csv", DOCUMENTS.replace(",lang_code", "").replace(",en,", ",")),
    "results without a header": ("results.csv", RUN.removesuffix("\n")),
}  # fmt: skip


@pytest.mark.parametrize("form", KEPT)
def test_the_form_of_the_source_is_kept(tmp_path: Path, form: str) -> None:
    name, content = KEPT[form]
    written, note = back(tmp_path, name, content)
    given = content.encode() if isinstance(content, str) else gzip.decompress(content)
    assert written == given
    assert note == f"the same bytes as {name.removesuffix('.gz')}"


LOST: dict[str, tuple[str, str, str]] = {
    "spaces in JSON": ("train.json", "".join(f"{json.dumps(r)}\n" for r in RECORDS), "spaces between keys and values"),
    "letters in JSON": ("train.json", str(FLARES_TRAIN.right), "letters that are not escaped"),
    "slashes in JSON": ("train.json", TRAIN.replace("\\/", "/"), "slashes that are not escaped"),
    "order of keys": ("train.json", recipe({"Text": "", **RECORDS[0]}) + "\n", "its columns were Text, Id, Tags"),
    "needless quotes": ("val.csv", SENTENCES.replace("50311,0,", '"50311",0,'), "quotes that are not needed"),
    "an unknown key": ("train.json", TRAIN.replace('{"Id"', '{"Url":"a","Id"'), "1 unknown-json-key"),
    "another column": ("val.csv", SENTENCES.replace("\n", ",x\n"), "1 extra-column"),
    "True for 1": ("val.csv", SENTENCES.replace(",1,[10]", ",True,[10]"), "1 relevance-not-binary"),
    "a count with its unit": ("public_train.csv", POSTS.replace(",14,3,2,", ",14 like,3 comment,2,"), "1 count-with-unit"),
    "decimal ids": ("public_train.csv", POSTS.replace("5001,", "5001.0,").replace("5002,", "5002.0,"), "2 id-form-differs"),
    "decimal labels": ("public_train.csv", POSTS.replace(",0\n", ",0.0\n"), "3 label-not-binary"),
    "milliseconds": ("public_train.csv", POSTS.replace("1585720800", "1585720800000"), "1 timestamp-not-epoch"),
    "mixed line ends": ("val.csv", SENTENCES.replace("\n", "\r\n", 2), "its line ends were mixed"),
    "lists without spaces": ("val.csv", SENTENCES.replace("[4, 8]", "[4,8]"), "spelt in a way"),
    "JSON in a cell": ("run.csv", str(FLARES_RUN.right).replace("'", '""'), "4 json-tags"),
}  # fmt: skip


@pytest.mark.parametrize("form", LOST)
def test_the_note_says_why_the_bytes_differ(tmp_path: Path, form: str) -> None:
    name, content, why = LOST[form]
    written, note = back(tmp_path, name, content, on_error="quarantine")
    assert written != content.encode()
    assert note.startswith(f"not the same bytes as {name}: ")
    assert why in note
    names = {rule.name for rule in RULES}
    assert all(word in names for word in note.split() if "-" in word.strip(",") and not word.endswith(","))


def test_sorted_and_quarantined_tables_say_so(tmp_path: Path) -> None:
    written, note = back(tmp_path, "train.json", TRAIN, sort=True)
    assert [json.loads(line)["Id"] for line in written.splitlines()] == sorted(one["Id"] for one in RECORDS)
    assert note.endswith("its records were sorted")
    broken = TRAIN.replace('"WHO"', '"PERSON"', 1)
    written, note = back(tmp_path, "train.json", broken, on_error="quarantine")
    assert written.decode() == "".join(f"{line}\n" for line in LINES[1:])
    assert "4 records were read and not all of them written" in note


def test_the_official_form_is_clean(tmp_path: Path) -> None:
    """Asked for by name, or from a file that is no canonical table, the form is the released one and no way back."""
    source = tmp_path / "train.json"
    source.write_bytes(("\ufeff[" + ",\r\n".join(LINES) + "]").encode())
    convert([source], tmp_path)
    for number, file in enumerate([source, tmp_path / "train.parquet"]):
        out = tmp_path / f"{number}.json"
        report = export(file, out, variant="official")
        assert out.read_text("ascii") == TRAIN
        assert report.notes == []
    assert export(source, tmp_path / "2.json").notes == []
    assert (tmp_path / "2.json").read_text("ascii") == TRAIN


def test_another_form_is_no_way_back(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.write_bytes(b"\xef\xbb\xbf" + TRAIN.encode())
    convert([source], tmp_path)
    report = export(tmp_path / "train.parquet", tmp_path / "train.csv")
    assert report.notes == []
    assert (tmp_path / "train.csv").read_text("utf-8").startswith("Id,Text,Tags\n31,")


def table_of(path: Path, out: Path) -> pl.DataFrame:
    report = convert([path], out, on_error="quarantine")
    assert report.outputs is not None
    return pl.read_parquet(report.outputs[0].path)


@pytest.mark.parametrize(("ending", "variant"), [(".csv", None), (".ann", None), (".bio", None), (".conll", "bio")])
def test_round_trips_on_the_sample(tmp_path: Path, ending: str, variant: str | None) -> None:
    sample("flares", tmp_path, rows=1000)
    table = table_of(tmp_path / "5w1h_subtarea_1_train.json", tmp_path / "tables")
    out = tmp_path / f"train{ending}"
    report = export(tmp_path / "tables" / "5w1h_subtarea_1_train.parquet", out, variant=variant)
    assert report.ok
    again = table_of(out, tmp_path / "again")
    assert again.equals(table)
    assert again.schema == table.schema


def test_a_test_file_has_no_tags_in_any_form(tmp_path: Path) -> None:
    source = tmp_path / "test.json"
    source.write_text("".join(recipe({"Id": one["Id"], "Text": one["Text"]}) + "\n" for one in RECORDS), "utf-8")
    table = table_of(source, tmp_path / "tables")
    assert table.columns == ["id", "text"]
    for ending, variant in ((".csv", None), (".csv", "page"), (".ann", None), (".bio", None)):
        out = tmp_path / f"{variant}{ending}"
        assert export(source, out, variant=variant).ok
        assert table_of(out, tmp_path / f"{variant}{ending}.again").equals(table)


def test_the_page_variant(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.write_text(TRAIN, "utf-8")
    table = table_of(source, tmp_path / "tables")
    out = tmp_path / "page.csv"
    export(tmp_path / "tables" / "train.parquet", out, variant="page")
    header, first, *_ = out.read_text("utf-8").splitlines()
    assert header == "ID,TEXT,TAGS"
    assert "\"[{'start': 0, 'end': 28, 'tag': 'Who'}, {'start'" in first
    again = table_of(out, tmp_path / "again")
    assert again.select("id", "text").equals(table.select("id", "text"))
    places = [[(one["start"], one["end"], one["label"]) for one in row] for row in table["spans"]]
    assert [[(one["start"], one["end"], one["label"]) for one in row] for row in again["spans"]] == places


def test_runs_are_written_in_their_upload_form(tmp_path: Path) -> None:
    for example in (FLARES_RUN, FLARES_LABELS_RUN):
        source = tmp_path / example.name
        source.write_text(str(example.right), "utf-8")
        table_of(source, tmp_path / "tables")
        export(tmp_path / "tables" / "run.parquet", tmp_path / "again.csv", variant="official")
        assert (tmp_path / "again.csv").read_text("utf-8") == example.right


BROKEN_TEXT = TRAIN.replace("un censo de pozos", "un censo\\nde pozos")
NO_TOKEN = recipe({"Id": 5, "Text": "a  b", "Tags": [{"Tag_Start": 1, "Tag_End": 3, "5W1H_Label": "WHO"}]}) + "\n"


@pytest.mark.parametrize(
    ("content", "ending", "key", "message"),
    [(BROKEN_TEXT, ".ann", 157, "line break"), (TRAIN + NO_TOKEN, ".bio", 5, "has no token of its own")],
)
def test_what_a_form_cannot_hold_is_an_error(tmp_path: Path, content: str, ending: str, key: int, message: str) -> None:
    source, out = tmp_path / "train.json", tmp_path / f"train{ending}"
    source.write_text(content, "utf-8")
    out.write_text("as it was", "utf-8")
    stopped = export(source, out)
    (finding,) = [one for one in stopped.findings() if one.severity == "error"]
    assert (finding.rule.name, finding.at.key) == ("bad-value", {"Id": key})
    assert message in finding.message
    assert stopped.outputs == []
    assert out.read_text("utf-8") == "as it was"
    apart = export(source, out, on_error="quarantine")
    assert not apart.ok
    rest = [json.loads(line)["Id"] for line in content.splitlines()]
    rest.remove(key)
    assert table_of(out, tmp_path / "again")["id"].to_list() == rest
    aside = pl.read_parquet(tmp_path / "quarantine" / "train.parquet")
    assert aside["rules"].to_list() == [["bad-value"]]
    assert json.loads(aside["record"][0])["Id"] == key


def test_spans_that_overlap_are_an_error_before_any_form(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.write_text(TRAIN.replace('"Tag_End":28', '"Tag_End":45'), "utf-8")
    report = export(source, tmp_path / "train.bio")
    assert {one.rule.name for one in report.rules() if one.severity == "error"} == {
        "span-overlap",
        "span-text-differs",
    }
    assert not (tmp_path / "train.bio").exists()


def test_a_file_with_an_error_is_not_written(tmp_path: Path) -> None:
    source, out = tmp_path / "val.csv", tmp_path / "out.csv"
    source.write_text(SENTENCES.replace("[10]", "[11]"), "utf-8")
    assert not export(source, out).ok
    assert not out.exists()
    assert not export(source, out, on_error="quarantine").ok
    assert out.read_text("utf-8").count("\n") == SENTENCES.count("\n") - 1


def test_a_missing_column_leaves_nothing_to_write(tmp_path: Path) -> None:
    source, out = tmp_path / "annotations.csv", tmp_path / "out.csv"
    source.write_text("id,annotator_id\n1,2\n1,3\n1,4\n", "utf-8")
    report = export(source, out, kind="reintel/annotations", on_error="quarantine")
    assert not report.ok
    assert report.outputs == []
    assert not out.exists()


def test_what_cannot_be_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.write_text(TRAIN, "utf-8")
    with pytest.raises(
        UnusableError, match=r"\.xml; expected one of \.json\|\.jsonl official \(JSON Lines .*\); \.csv official \("
    ):
        export(source, tmp_path / "train.xml")
    with pytest.raises(UnusableError, match=r"is not written as \.json with variant page"):
        export(source, tmp_path / "out.json", variant="page")
    with pytest.raises(UnusableError, match="is an input of this command"):
        export(source, source)
    assert source.read_text("utf-8") == TRAIN


def test_an_empty_file_is_a_finding(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.touch()
    report = export(source, tmp_path / "out.json")
    assert [one.rule.name for one in report.rules()] == ["empty-file"]


def test_every_kind_has_an_official_form_and_every_form_its_own_name() -> None:
    forms = list(export_formats())
    assert {one.kind for one in forms} == {kind.name for kind in all_kinds()}
    assert {one.kind for one in forms if one.variant == "official"} == {kind.name for kind in all_kinds()}
    named = [(one.kind, one.variant, ending) for one in forms for ending in one.endings]
    assert len(set(named)) == len(named)
    for kind in all_kinds():
        first = next(one for one in forms if one.kind == kind.name)
        assert (first.container, first.header) == (kind.container, kind.header)


def test_the_report_tells_what_was_written(tmp_path: Path) -> None:
    source = tmp_path / "train.json"
    source.write_text(TRAIN, "utf-8")
    report: Report = export(source, tmp_path / "train.ann")
    told: Any = report.to_dict()
    assert told["verb"] == "export"
    assert [(Path(one["path"]).name, one["kind"], one["rows"]) for one in told["outputs"]] == [
        ("train.ann", "flares/subtask1", 4),
        ("train.txt", "flares/subtask1", 4),
    ]
