"""Data files whose offsets were counted in another way: the cause is named once, and what is written has the offsets that were meant.

The wrong offsets are counted here in plain Python from the definition of each fault, not by the table under test.
"""

import csv
import gzip
import io
import json
import re
import unicodedata
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.inputs import judge
from sharedtask.pipelines.jobs.inputs import inputs_of, read_small
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.many_small import work_together
from sharedtask.pipelines.jobs.one_input import work_alone
from sharedtask.pipelines.jobs.plan import Plan
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs import flares_data
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.derive import derive
from sharedtask.pipelines.verbs.export import export
from sharedtask.pipelines.verbs.job import run_job
from sharedtask.pipelines.verbs.score import score
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.rule import Role

Record = dict[str, Any]
Place = Callable[[str, int], int]
NAME = "5w1h_subtarea_1_train"
MARKED = (
    "🚒 [Los bomberos|WHO] apagaron [el fuego|WHAT]",
    "🌧 [Ayer|WHEN] llovió [en Soria|WHERE]",
    "📰📰 [La alcaldesa|WHO] abrió [el mercado|WHAT]\r\n[de abastos|WHAT]",
    "Sin emoji en [este aviso|WHAT]",
    "Café 🥐: [Núria|WHO] sirvió 🍰 [a Íñigo|WHO]\r\n👍🏿 [con gusto|HOW]",
    "\t  Última página: [la villa|WHERE] cerró [a  las\u00a0 tres|WHEN]",
)


def utf16(text: str, place: int) -> int:
    return len(text[:place].encode("utf-16-le")) // 2


def in_bytes(text: str, place: int) -> int:
    return len(text[:place].encode())


def as_it_is(text: str, place: int) -> int:
    return place


def plus(number: int) -> Place:
    return lambda text, place: place + number


def seen_as(change: Callable[[str], str]) -> Place:
    return lambda text, place: len(change(text[:place]))


FAULTS: dict[str, tuple[Place, Place]] = {
    "offsets-utf16": (utf16, utf16),
    "offsets-utf8-bytes": (in_bytes, in_bytes),
    "offsets-one-based": (plus(1), plus(1)),
    "offsets-end-inclusive": (as_it_is, plus(-1)),
    "offsets-one-based-inclusive": (plus(1), as_it_is),
    "offsets-shifted": (plus(3), plus(3)),
    "offsets-on-crlf-text": (seen_as(lambda text: text.replace("\r\n", "\n")),) * 2,
    "offsets-on-stripped-text": (seen_as(str.lstrip),) * 2,
    "offsets-on-collapsed-whitespace": (seen_as(lambda text: re.sub(r"\s+", " ", text)),) * 2,
}


def gold(start: Place = as_it_is, end: Place | None = None, *, own: bool = True) -> list[Record]:
    """The records of a gold file, with offsets as a tool counts."""
    records = []
    for number, marked in enumerate(MARKED, 1):
        text, tags = "", []
        for part in re.split(r"(\[[^\]]+\])", marked):
            words, _, label = part.strip("[]").partition("|") if part.startswith("[") else (part, "", "")
            if label:
                tags.append((len(text), len(text) + len(words), label))
            text += words
        listed = [
            {
                "Tag_Start": start(text, first),
                "Tag_End": (end or start)(text, last),
                "5W1H_Label": label,
                "Reliability_Label": "confiable",
                **({"Tag_Text": text[first:last]} if own else {}),
            }
            for first, last, label in tags
        ]
        records.append({"Id": number, "Text": text, "Tags": listed})
    return records


def lines(records: list[Record]) -> bytes:
    return "".join(f"{json.dumps(one)}\n" for one in records).encode()


def as_csv(records: list[Record]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["Id", "Text", "Tags"])
    writer.writerows([one["Id"], one["Text"], str(one["Tags"])] for one in records)
    return out.getvalue().encode()


def as_parquet(records: list[Record], folder: Path, *, canonical: bool) -> bytes:
    """A Parquet file with official names, or one that says that `convert` wrote it."""
    if not canonical:
        frame: pl.DataFrame = pl.DataFrame(records)
        frame.write_parquet(folder / "plain")
        return (folder / "plain").read_bytes()
    (folder / "sound").mkdir()
    (folder / "sound" / f"{NAME}.json").write_bytes(lines(gold()))
    convert(folder / "sound" / f"{NAME}.json", folder / "sound")
    path = folder / "sound" / f"{NAME}.parquet"
    says = {key: value for key, value in pl.read_parquet_metadata(path).items() if key.startswith("sharedtask.")}
    sound = pl.read_parquet(path)
    names = {"Tag_Start": "start", "Tag_End": "end", "5W1H_Label": "label", "Reliability_Label": "reliability"}
    spans = [
        [{names.get(key, "span_text"): value for key, value in tag.items()} for tag in one["Tags"]] for one in records
    ]
    wrong = sound.with_columns(pl.Series("spans", spans, dtype=sound.schema["spans"]))
    wrong.write_parquet(folder / "stored", metadata=says)
    return (folder / "stored").read_bytes()


def written(folder: Path, records: list[Record], container: str = "jsonl") -> Path:
    """The records as a file of this container."""
    source = folder / "in"
    source.mkdir(exist_ok=True)
    forms: dict[str, tuple[str, Callable[[], bytes]]] = {
        "jsonl": (".json", lambda: lines(records)),
        "gzip": (".json.gz", lambda: gzip.compress(lines(records))),
        "csv": (".csv", lambda: as_csv(records)),
        "parquet": (".parquet", lambda: as_parquet(records, folder, canonical=False)),
        "canonical parquet": (".parquet", lambda: as_parquet(records, folder, canonical=True)),
    }
    ending, content = forms[container]
    path = source / f"{NAME}{ending}"
    path.write_bytes(content())
    return path


def counts(report: Report) -> dict[str, int]:
    return {one.rule.name: one.count for one in report.rules()}


def spans_of(path: Path) -> list[list[tuple[int, int, str]]]:
    spans = pl.read_parquet(path)["spans"]
    return [[(one["start"], one["end"], one["span_text"]) for one in listed] for listed in spans]


def spans_meant() -> list[list[tuple[int, int, str]]]:
    return [[(tag["Tag_Start"], tag["Tag_End"], tag["Tag_Text"]) for tag in one["Tags"]] for one in gold()]


@pytest.mark.parametrize("rule", FAULTS)
def test_each_cause_is_named_once_and_read_right(tmp_path: Path, rule: str) -> None:
    file = written(tmp_path, gold(*FAULTS[rule]))
    assert counts(validate(file)) == {rule: 1}
    report = convert(file, tmp_path / "out", on_error="quarantine")
    assert counts(report) == {rule: 1}
    assert spans_of(tmp_path / "out" / f"{NAME}.parquet") == spans_meant()


@pytest.mark.parametrize("rule", ["offsets-utf16", "offsets-utf8-bytes"])
@pytest.mark.parametrize("container", ["jsonl", "gzip", "csv", "parquet", "canonical parquet"])
def test_in_every_container(tmp_path: Path, container: str, rule: str) -> None:
    file = written(tmp_path, gold(*FAULTS[rule]), container)
    assert counts(validate(file))[rule] == 1
    assert not {"span-out-of-bounds", "span-text-differs", "span-cuts-word"} & {*counts(validate(file))}
    report = convert(file, tmp_path / "out", on_error="quarantine")
    assert spans_of(tmp_path / "out" / f"{NAME}.parquet") == spans_meant()
    assert report.outputs is not None
    assert report.outputs[0].rows == len(MARKED)
    assert any(f"written with the offsets that were meant ({rule})" in note for note in report.notes)


def test_by_default_nothing_is_written(tmp_path: Path) -> None:
    file = written(tmp_path, gold(utf16))
    for report in (
        convert(file, tmp_path / "out"),
        export(file, tmp_path / "exported.json"),
        derive("subtask2", file, tmp_path / "derived.json"),
    ):
        assert counts(report) == {"offsets-utf16": 1}
        assert not report.written
        assert not report.notes


@pytest.mark.parametrize("to", ["parquet", "csv", "jsonl", "ipc"])
def test_every_form_of_the_table_has_the_offsets_that_were_meant(tmp_path: Path, to: Any) -> None:
    wrong, right = written(tmp_path, gold(utf16)), tmp_path / f"{NAME}.json"
    right.write_bytes(lines(gold()))
    one = convert(wrong, tmp_path / "wrong", to=to, on_error="quarantine")
    other = convert(right, tmp_path / "right", to=to)
    assert validate(one.written[0]).ok
    if to in ("csv", "jsonl"):  # the others know their source
        assert Path(one.written[0]).read_bytes() == Path(other.written[0]).read_bytes()


@pytest.mark.parametrize(("out", "variant"), [("out.json", None), ("out.bio", "bio"), ("out.ann", "brat")])
def test_export_writes_what_was_meant(tmp_path: Path, out: str, variant: str | None) -> None:
    wrong, right = written(tmp_path, gold(utf16)), tmp_path / f"{NAME}.json"
    right.write_bytes(lines(gold()))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    one = export(wrong, tmp_path / "a" / out, variant=variant, on_error="quarantine")
    other = export(right, tmp_path / "b" / out, variant=variant, on_error="quarantine")
    assert counts(one) == {**counts(other), "offsets-utf16": 1}
    assert (tmp_path / "a" / out).read_bytes() == (tmp_path / "b" / out).read_bytes()


def test_the_way_back_says_what_it_lost(tmp_path: Path) -> None:
    convert(written(tmp_path, gold(utf16)), tmp_path / "out", on_error="quarantine")
    report = export(tmp_path / "out" / f"{NAME}.parquet", tmp_path / "back.json")
    assert report.ok
    assert report.notes[0].startswith(f"not the same bytes as {NAME}.json: 10 offsets-utf16")


def test_derive_takes_apart_what_was_meant(tmp_path: Path) -> None:
    wrong, right = written(tmp_path, gold(utf16)), tmp_path / f"{NAME}.json"
    right.write_bytes(lines(gold()))
    derive("subtask2", wrong, tmp_path / "wrong.json", on_error="quarantine")
    derive("subtask2", right, tmp_path / "right.json")
    assert (tmp_path / "wrong.json").read_bytes() == (tmp_path / "right.json").read_bytes()


def test_derive_leaves_out_the_records_that_go_to_quarantine(tmp_path: Path) -> None:
    records = gold()
    records[3]["Tags"][0]["Tag_End"] = 99
    report = derive("subtask2", written(tmp_path, records), tmp_path / "derived.json", on_error="quarantine")
    derived = [json.loads(line) for line in (tmp_path / "derived.json").read_text("utf-8").splitlines()]
    assert counts(report) == {"span-out-of-bounds": 1}
    assert records[3]["Text"] not in {one["Text"] for one in derived}
    assert [one["Id"] for one in derived] == list(range(12))
    assert pl.read_parquet(tmp_path / "quarantine" / "derived.parquet").height == 1


def flat(records: list[Record]) -> list[Record]:
    every = [{"Text": one["Text"], **tag} for one in records for tag in one["Tags"]]
    return [{"Id": number, **one} for number, one in enumerate(every)]


@pytest.mark.parametrize("rule", ["offsets-utf16", "offsets-utf8-bytes", "offsets-one-based"])
def test_a_file_with_a_span_in_each_record(tmp_path: Path, rule: str) -> None:
    file = tmp_path / "5w1h_subtarea_2_train.json"
    file.write_bytes(lines(flat(gold(*FAULTS[rule]))))
    report = validate(file)
    assert counts(report) == {rule: 1}
    assert report.tallies[0].samples[0].at.column == "Tag_Start"
    convert(file, tmp_path / "out", on_error="quarantine")
    table = pl.read_parquet(tmp_path / "out" / "5w1h_subtarea_2_train.parquet")
    assert table.select("start", "end").rows() == [(one["Tag_Start"], one["Tag_End"]) for one in flat(gold())]


def test_a_wrong_span_in_a_file_with_a_span_in_each_record(tmp_path: Path) -> None:
    records, file = flat(gold(utf16)), tmp_path / "5w1h_subtarea_2_train.json"
    records[5]["Tag_Text"] = "el mercadillo"
    file.write_bytes(lines(records))
    report = convert(file, tmp_path / "out", on_error="quarantine")
    assert counts(report) == {"offsets-utf16": 1, "span-text-differs": 1}
    table = pl.read_parquet(tmp_path / "out" / "5w1h_subtarea_2_train.parquet")
    assert table["id"].to_list() == [number for number in range(13) if number != 5]


def test_without_the_texts_of_the_spans_word_boundaries_tell(tmp_path: Path) -> None:
    file = written(tmp_path, gold(in_bytes, own=False))
    report = convert(file, tmp_path / "out", on_error="quarantine")
    assert counts(report) == {"offsets-utf8-bytes": 1}
    assert report.tallies[0].samples[0].details["evidence"] == {
        "moved": 12,
        "fit": 12,
        "put_right": 12,
        "by": "word boundaries",
    }
    placed = [[one[:2] for one in listed] for listed in spans_of(tmp_path / "out" / f"{NAME}.parquet")]
    assert placed == [[one[:2] for one in listed] for listed in spans_meant()]


def test_spans_that_are_wrong_beside_the_cause_stay_reported_where_they_belong(tmp_path: Path) -> None:
    records = gold(utf16)
    records[1]["Tags"][1]["Tag_Text"] = "en Teruel"
    records[3]["Tags"][0]["Tag_End"] = 99
    file = written(tmp_path, records)
    report = convert(file, tmp_path / "out", on_error="quarantine")
    listed = {
        one.rule.name: (one.samples[0].at.row, one.samples[0].at.span)
        for one in report.tallies
        if not one.rule.name.startswith("offsets")
    }
    assert listed["span-text-differs"] == (2, 1)
    assert listed["span-out-of-bounds"] == (4, 0)
    table = tmp_path / "out" / f"{NAME}.parquet"
    assert spans_of(table) == [listed for row, listed in enumerate(spans_meant()) if row not in (1, 3)]
    aside = tmp_path / "out" / "quarantine" / f"{NAME}.parquet"
    kept = pl.read_parquet(aside)
    assert pl.read_parquet_metadata(aside)["sharedtask.rows"] == "2"
    assert pl.read_parquet_metadata(table)["sharedtask.rows"] == "4"
    assert "span-text-differs" in kept["rules"][0]
    assert kept["rules"][1].to_list() == ["span-out-of-bounds"]
    assert "offsets-utf16" not in kept["rules"].explode().to_list()
    assert [json.loads(record) for record in kept["record"]] == [records[1], records[3]]
    assert "8 spans written with the offsets that were meant (offsets-utf16)" in report.notes[0]


def test_a_span_that_was_counted_right_stays_where_its_text_is(tmp_path: Path) -> None:
    records = gold(utf16)
    records[0]["Tags"][0] = gold()[0]["Tags"][0]
    convert(written(tmp_path, records), tmp_path / "out", on_error="quarantine")
    assert spans_of(tmp_path / "out" / f"{NAME}.parquet") == spans_meant()


def test_an_overlap_that_the_cause_made_is_explained_by_it(tmp_path: Path) -> None:
    """Numbers of words: spans of one word are empty, and those behind them seem to overlap others."""
    records = gold(plus(1), plus(2))
    for one in records:
        for tag in one["Tags"]:
            tag["Tag_End"] -= 1
    records[2]["Tags"][1]["Tag_Start"], records[2]["Tags"][1]["Tag_End"] = 5, 12
    records[2]["Tags"][1]["Tag_Text"] = records[2]["Text"][4:11]
    report = validate(written(tmp_path, records))
    assert counts(report) == {"offsets-one-based": 1, "span-overlap": 1, "span-cuts-word": 1}


def test_faults_of_many_sorts_are_not_moved(tmp_path: Path) -> None:
    records = gold()
    for number, by in ((0, 2), (1, -1), (2, 5), (4, 7)):
        tag = records[number]["Tags"][0]
        tag["Tag_Start"], tag["Tag_End"] = max(tag["Tag_Start"] + by, 0), tag["Tag_End"] + by
    file = written(tmp_path, records)
    report = convert(file, tmp_path / "out", on_error="quarantine")
    assert not [name for name in counts(report) if name.startswith("offsets")]
    assert counts(report)["span-text-differs"] == 4
    assert not report.notes
    assert spans_of(tmp_path / "out" / f"{NAME}.parquet") == [spans_meant()[3], spans_meant()[5]]
    aside = pl.read_parquet(tmp_path / "out" / "quarantine" / f"{NAME}.parquet")
    assert aside.height == 4


def test_some_records_of_another_tool_move_where_their_own_texts_prove_it(tmp_path: Path) -> None:
    records = [*gold()[:2], *gold(utf16)[2:]]
    report = convert(written(tmp_path, records), tmp_path / "out", on_error="quarantine")
    assert counts(report) == {"offsets-utf16": 1}
    assert spans_of(tmp_path / "out" / f"{NAME}.parquet") == spans_meant()


def test_the_text_of_a_span_is_written_as_the_record_has_it(tmp_path: Path) -> None:
    """The tool composed the letters, counted there and copied the spans from there."""
    records = gold()
    for one, marked in zip(gold(), records, strict=True):
        text = marked["Text"] = unicodedata.normalize("NFD", one["Text"])
        for tag, own in zip(marked["Tags"], one["Tags"], strict=True):
            assert unicodedata.normalize("NFC", text)[own["Tag_Start"] : own["Tag_End"]] == tag["Tag_Text"]
    report = convert(written(tmp_path, records), tmp_path / "out", on_error="quarantine")
    assert counts(report) == {"offsets-on-normalized-text": 1, "text-not-nfc": 4}
    table = pl.read_parquet(tmp_path / "out" / f"{NAME}.parquet")
    for text, spans in table.select("text", "spans").rows():
        assert all(text[one["start"] : one["end"]] == one["span_text"] for one in spans)


def test_a_job_writes_what_was_meant(tmp_path: Path) -> None:
    written(tmp_path, gold(utf16))
    result = run_job(Job(("in/*",), "out", steps=("convert",), on_error="quarantine", base=tmp_path))
    assert not result.ok
    (table,) = (tmp_path / "out" / "data").rglob("*.parquet")
    assert spans_of(table) == spans_meant()
    found = pl.read_parquet(tmp_path / "out" / "findings.parquet")
    assert found["name"].to_list() == ["offsets-utf16"]


def test_a_file_among_many_is_judged_as_it_is_by_itself(tmp_path: Path) -> None:
    wrong = gold(utf16)
    wrong[1]["Tags"][1]["Tag_Text"] = "en Teruel"
    texts = {
        "right": gold(),
        "wrong": gold(utf16),
        "bytes": gold(in_bytes),
        "mixed": [*gold()[:2], *gold(utf16)[2:]],
        "beside": wrong,
    }
    for name, records in texts.items():
        records = [{**one, "Text": one["Text"].replace("\r\n", " · ")} for one in records]  # one line each
        (tmp_path / f"5w1h_subtarea_1_train_{name}.csv").write_bytes(as_csv(records))
    job = Job(("*.csv",), "out", steps=("validate",), on_error="quarantine", base=tmp_path)
    (tmp_path / "scratch").mkdir()
    with ExitStack() as stack:
        plan, found, out = Plan.of(job, stack), inputs_of(job), open_folder("out", tmp_path / "scratch")
        small = read_small(found, job.base)
        together = {one.path: one for one in work_together(small, plan, out, tmp_path / "scratch")}
        alone = {one.path: work_alone(one, plan, out, tmp_path / "scratch") for one in found}
    assert len(together) == len(texts)
    assert together == alone


def test_a_gold_that_runs_are_scored_against_is_named_and_not_changed(tmp_path: Path) -> None:
    """Its findings change nothing: the score is that of the offsets that it has, and says what is wrong with them."""
    file, run = written(tmp_path, gold(utf16)), tmp_path / "run.csv"
    for start, f1 in ((utf16, 1.0), (as_it_is, None)):
        rows = [
            [
                one["Id"],
                str([{key: tag[key] for key in ("Tag_Start", "Tag_End", "5W1H_Label")} for tag in one["Tags"]]),
            ]
            for one in gold(start)
        ]
        with run.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([["Id", "Tags"], *rows])
        result = score(run, file)
        named = [
            one for one in result.report.tallies if one.rule.name == "offsets-utf16" and one.role is Role.REFERENCE
        ]
        assert [one.count for one in named] == [1]
        assert result.score is not None
        assert (result.score.scores["f1"] == 1.0) is (f1 == 1.0)


@pytest.mark.parametrize("container", ["jsonl", "csv", "parquet"])
def test_nothing_is_looked_for_in_a_sound_file(tmp_path: Path, container: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, gold(), container)
    monkeypatch.setattr(judge, "reviser_of", lambda kind: pytest.fail("a cause was looked for"))
    assert not [name for name in counts(validate(file)) if name.startswith(("offsets", "span"))]


def test_a_few_words_that_are_cut_do_not_make_it_read_all_spans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real gold has some, and their own texts say that they are right."""
    records = gold()
    tag = records[0]["Tags"][0]
    tag["Tag_End"], tag["Tag_Text"] = tag["Tag_End"] - 2, tag["Tag_Text"][:-2]
    monkeypatch.setattr(flares_data, "diagnose", lambda view: pytest.fail("all spans were read"))
    assert counts(validate(written(tmp_path, records))) == {"span-cuts-word": 1}
