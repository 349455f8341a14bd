"""Convert: real files, every form, nothing lost, and never half a file."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sharedtask.converters import canonical_sink
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import Limits
from sharedtask.pipelines.inputs import canonical_output as writing_module
from sharedtask.pipelines.inputs.canonical_output import Form
from sharedtask.pipelines.results.report import Report, tool_version
from sharedtask.pipelines.tasks import kind_named
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

REPO = Path(__file__).resolve().parents[2]
REAL = REPO.parent / "shared" / "data" / "flares"
CASES = REPO / "tests" / "cases"
ONE_FILE = {"validate", "check", "score"}  # the verbs of cases whose first argument is one file
FOLDERS = sorted(
    path.parent for path in CASES.rglob("expected.json") if json.loads(path.read_text("utf-8"))["args"][0] in ONE_FILE
)
FILES = {  # kind, records, spans
    "5w1h_subtarea_1_train.json": ("flares/subtask1", 1585, 6934),
    "5w1h_subtarea_1_test.json": ("flares/subtask1", 402, None),
    "5w1h_subtask_2_trial.json": ("flares/subtask2", 551, 551),
}
KEYS = [
    "kind",
    "schema_version",
    "schema_sha256",
    "source_name",
    "source_sha256",
    "source_bytes",
    "source_form",
    "rows",
    "tool_version",
]

SENTENCES = (
    "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
    '9,0,"Wells,\nand ""tents"".",1,"[9, 10]"\n'
    "9,1,The end.,0,[]\n"
    "4,0,São Tomé 🔴,1,[]\n"
)
TRAIN = (
    '{"Id":9,"Text":"La radio cerr\\u00f3.","Tags":[{"Tag_Start":0,"Tag_End":8,"5W1H_Label":"WHO",'
    '"Reliability_Label":"no confiable","Tag_Text":"La radio"},{"Tag_Start":9,"Tag_End":14,"5W1H_Label":"WHAT"}]}\n'
    '{"Id":4,"Text":"Nada \\ud83d\\udd34","Tags":[]}\n'
)
POSTS = (
    "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label\n"
    '7,9f1c27d0b3e84a6655aa0c7d18e2f943,"Mưa\nto.",1585720800,14,unknown,unknown,0\n'
    "5,27be40c9d15f7a83b6e2904cf8a1d375,,,,3,0,1\n"
)

real = pytest.mark.skipif(not REAL.exists(), reason="the released files are not beside the repository")


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def files_below(folder: Path) -> list[str]:
    """Every file below a folder, the hidden ones too."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or "partial" in path.name
    )


def rules_of(report: Report) -> dict[tuple[str, str], int]:
    return {(one.rule.name, str(one.severity)): one.count for one in report.rules()}


# ---------------------------------------------------------------- the released files


@real
@pytest.mark.parametrize("name", FILES)
def test_a_released_file(tmp_path: Path, name: str) -> None:
    kind, rows, spans = FILES[name]
    report = convert([REAL / name], tmp_path)
    assert report.counts["error"] == 0
    (output,) = report.outputs or []
    path = Path(output.path)
    assert (path, output.kind, output.rows) == (tmp_path / name.replace(".json", ".parquet"), kind, rows)
    frame = pl.read_parquet(path)
    records = [json.loads(line) for line in (REAL / name).read_text(encoding="utf-8").splitlines()]
    assert frame["id"].to_list() == [one["Id"] for one in records]
    assert frame["text"].to_list() == [one["Text"] for one in records]
    if spans is None:
        assert frame.columns == ["id", "text"]
        return
    flat = frame.explode("spans").unnest("spans") if "spans" in frame.columns else frame
    assert flat.height == spans
    sliced = [row["text"][row["start"] : row["end"]] for row in flat.iter_rows(named=True)]
    assert sliced == flat["span_text"].to_list()
    tags = [tag for one in records for tag in one.get("Tags", [one])]
    for column, official in (("start", "Tag_Start"), ("end", "Tag_End"), ("label", "5W1H_Label")):
        assert flat[column].to_list() == [tag[official] for tag in tags]
    assert flat["reliability"].to_list() == [tag["Reliability_Label"] for tag in tags]


@real
@pytest.mark.parametrize("name", FILES)
def test_a_released_file_twice_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    first, second = (Path((convert([REAL / name], tmp_path / at).outputs or [])[0].path) for at in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@real
def test_the_canonical_file_is_a_source_itself(tmp_path: Path) -> None:
    convert([REAL / "5w1h_subtarea_1_train.json"], tmp_path)
    report = validate([tmp_path / "5w1h_subtarea_1_train.parquet"])
    assert (report.inputs[0].kind, report.inputs[0].rows) == ("flares/subtask1", 1585)
    assert rules_of(report) == rules_of(validate([REAL / "5w1h_subtarea_1_train.json"]))


# ---------------------------------------------------------------- what a Parquet file says of itself


def test_metadata(tmp_path: Path) -> None:
    source = put(tmp_path / "in" / "sentences_en_val.csv.gz", gzip.compress(SENTENCES.encode()))
    report = convert([source], tmp_path / "out")
    path = tmp_path / "out" / "sentences_en_val.parquet"
    told = {
        name.removeprefix("sharedtask."): value
        for name, value in pl.read_parquet_metadata(path).items()
        if name.startswith("sharedtask.")
    }
    assert sorted(told) == sorted(KEYS)
    assert told["kind"] == "cheers/sentences"
    assert told["schema_version"] == str(kind_named("cheers/sentences").version)
    assert len(told["schema_sha256"]) == 64
    assert told["source_name"] == "sentences_en_val.csv"
    assert told["source_sha256"] == report.inputs[0].sha256
    assert told["source_bytes"] == str(source.stat().st_size)
    assert told["rows"] == "3"
    assert told["tool_version"] == tool_version()
    form = json.loads(told["source_form"])
    assert (form["container"], form["line_ends"], form["final_newline"], form["bom"]) == ("csv", "lf", True, False)


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        (SENTENCES.replace("\n4", "\r\n4"), "sentences_en_val.csv", ("csv", "mixed", True, False)),
        (TRAIN.replace("\n", "\r\n"), "train.json", ("jsonl", "crlf", True, False)),
        ("\ufeff" + TRAIN.rstrip("\n"), "train.json", ("jsonl", "lf", False, True)),
        ("[" + TRAIN.strip().replace("\n", ",") + "]", "train.json", ("json", "lf", False, False)),
    ],
)
def test_the_form_of_the_source_is_kept(
    tmp_path: Path, content: str, name: str, form: tuple[str, str, bool, bool]
) -> None:
    source = put(tmp_path / name, content)
    (output,) = convert([source], tmp_path / "out").outputs or []
    told = json.loads(pl.read_parquet_metadata(output.path)["sharedtask.source_form"])
    assert tuple(told[key] for key in ("container", "line_ends", "final_newline", "bom")) == form


def test_the_bytes_do_not_depend_on_where_the_source_is(tmp_path: Path) -> None:
    made = []
    for place in ("a", "b/c"):
        source = put(tmp_path / place / "sentences_en_val.csv", SENTENCES)
        (output,) = convert([source], tmp_path / place / "out").outputs or []
        made.append(Path(output.path).read_bytes())
    assert made[0] == made[1]


# ---------------------------------------------------------------- forms


def read_back(path: Path, form: str, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a written table, with the types of the canonical one."""
    if form == "parquet":
        return pl.read_parquet(path).to_dicts()
    if form == "ipc":
        return pl.read_ipc(path).to_dicts()
    if form == "jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    frame = pl.read_csv(path, infer_schema=False)
    rows = frame.to_dicts()
    for row in rows:
        for name, dtype in schema.items():
            cell = row[name]
            if cell is None or dtype == pl.String or isinstance(dtype, pl.Enum | pl.Datetime):
                continue
            row[name] = cell == "true" if dtype == pl.Boolean else json.loads(cell)
    return rows


def comparable(rows: list[dict[str, Any]]) -> Any:
    """Rows as plain JSON types: times as ISO text, without the difference between an empty text and nothing."""

    def plain(value: Any) -> Any:
        text = value.isoformat(timespec="microseconds") if hasattr(value, "isoformat") else value
        if isinstance(text, str):
            return text.replace("+0000", "+00:00").replace("Z", "+00:00") or None
        if isinstance(value, list):
            return [plain(one) for one in value]
        return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value

    return plain(rows)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "ipc"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("sentences_en_val.csv", SENTENCES), ("5w1h_subtarea_1_train.json", TRAIN), ("public_train.csv", POSTS)],
    ids=["sentences", "train", "posts"],
)
def test_every_form_holds_the_same_rows(tmp_path: Path, name: str, content: str, form: Form) -> None:
    source = put(tmp_path / name, content)
    convert([source], tmp_path / "whole")
    frame = pl.read_parquet(tmp_path / "whole" / f"{name.rpartition('.')[0]}.parquet")
    report = convert([source], tmp_path / form, to=form)
    assert report.ok
    (output,) = report.outputs or []
    path = Path(output.path)
    assert path.name == name.rpartition(".")[0] + {"ipc": ".arrow"}.get(form, f".{form}")
    assert comparable(read_back(path, form, dict(frame.schema))) == comparable(frame.to_dicts())
    assert output.rows == frame.height
    again = convert([source], tmp_path / f"{form}-again", to=form)
    assert Path((again.outputs or [])[0].path).read_bytes() == path.read_bytes()


def test_order_is_kept_unless_sorting_is_asked_for(tmp_path: Path) -> None:
    numbers = random.Random(3).sample(range(300), 300)
    source = put(
        tmp_path / "sentences_en_test.csv",
        "doc_id,sentence_id,sentence_text\n" + "".join(f"{number},0,Text {number}.\n" for number in numbers),
    )
    for sort, wanted in ((False, numbers), (True, sorted(numbers))):
        for form in ("parquet", "jsonl"):
            (output,) = convert([source], tmp_path / f"{sort}{form}", to=form, sort=sort).outputs or []
            path = Path(output.path)
            frame = pl.read_parquet(path) if form == "parquet" else pl.read_ndjson(path)
            assert frame["doc_id"].to_list() == wanted
            assert frame["sentence_text"].to_list() == [f"Text {number}." for number in wanted]


def test_sorting_by_a_key_of_two_columns(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    convert([source], tmp_path, sort=True)
    assert pl.read_parquet(tmp_path / "sentences_en_val.parquet").select("doc_id", "sentence_id").rows() == [
        (4, 0),
        (9, 0),
        (9, 1),
    ]


def test_more_rows_than_one_group_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_sink, "ROWS_A_GROUP", 1000)
    rows = "".join(f"{at},0,Text {at}.,{at % 2},[]\n" for at in range(5500))
    source = put(tmp_path / "sentences_en_val.csv", "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n" + rows)
    convert([source], tmp_path)
    path = tmp_path / "sentences_en_val.parquet"
    assert pl.read_parquet(path)["doc_id"].to_list() == list(range(5500))
    assert pl.read_parquet_metadata(path)["sharedtask.rows"] == "5500"


# ---------------------------------------------------------------- errors: all or nothing, or apart


def data_files(folder: Path) -> list[Path]:
    args = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["args"]
    return [folder / args[1].replace("*", "sentences_en_val")]


def options(folder: Path) -> dict[str, Any]:
    """The options of a case that `convert` has too."""
    args = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["args"]
    given = dict(zip(args[2::2], args[3::2], strict=True))
    return {
        **({"kind": given["--kind"]} if "--kind" in given else {}),
        **({"limits": Limits.of(20, int(given["--max-bytes"]))} if "--max-bytes" in given else {}),
    }


WITH_ANOTHER = {"orphan-sentence", "document-without-sentence"}  # found between two files only


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_a_case_is_judged_by_convert_as_by_validate_and_no_record_is_lost(tmp_path: Path, folder: Path) -> None:
    (file,) = data_files(folder)
    wanted = validate([file], **options(folder))
    stopped = convert([file], tmp_path / "stop", **options(folder))
    assert rules_of(stopped) == rules_of(wanted)
    assert stopped.inputs == wanted.inputs
    assert len(stopped.outputs or []) == int(wanted.ok)
    assert len(files_below(tmp_path / "stop")) == int(wanted.ok)

    apart = convert([file], tmp_path / "apart", on_error="quarantine", **options(folder))
    assert rules_of(apart) == rules_of(wanted)
    assert apart.inputs == wanted.inputs
    good = sum(pl.read_parquet(one.path).height for one in apart.outputs or [])
    assert good == sum(one.rows for one in apart.outputs or [])
    aside = tmp_path / "apart" / "quarantine"
    frames = [pl.read_parquet(path) for path in sorted(aside.glob("*.parquet"))] if aside.exists() else []
    lines = 1 if folder.name == "bad-value-brat-line" else 0  # which are no records, and kept all the same
    assert good + sum(frame.height for frame in frames) == (wanted.inputs[0].rows or 0) + lines
    for frame in frames:
        assert not wanted.ok
        assert frame["rules"].list.len().min() or not frame.height
    if wanted.ok:
        assert (tmp_path / "apart" / Path((apart.outputs or [])[0].path).name).read_bytes() == (
            tmp_path / "stop" / Path((stopped.outputs or [])[0].path).name
        ).read_bytes()


def test_good_rows_and_quarantine_are_all_rows(tmp_path: Path) -> None:
    lines = SENTENCES.splitlines(keepends=True)
    bad = ["x,0,A word for an id.,0,[]\n", "5,0,Too,many,0,[]\n", "6,0,Eleven.,1,[11]\n", "6,1,Short.\n"]
    source = put(tmp_path / "sentences_en_val.csv", "".join([*lines, *bad]))
    report = convert([source], tmp_path / "out", on_error="quarantine")
    assert rules_of(report) == {
        ("bad-value", "error"): 1,
        ("ragged-row", "error"): 2,
        ("unknown-sector", "error"): 1,
    }
    assert files_below(tmp_path / "out") == ["quarantine/sentences_en_val.parquet", "sentences_en_val.parquet"]
    good = pl.read_parquet(tmp_path / "out" / "sentences_en_val.parquet")
    assert good.select("doc_id", "sentence_id").rows() == [(9, 0), (9, 1), (4, 0)]
    aside = pl.read_parquet(tmp_path / "out" / "quarantine" / "sentences_en_val.parquet")
    assert sorted(rule for rules in aside["rules"] for rule in rules) == [
        "bad-value",
        "ragged-row",
        "ragged-row",
        "unknown-sector",
    ]
    raw = Counter(aside["doc_id"].drop_nulls().to_list() + aside["record"].drop_nulls().to_list())
    assert raw == Counter(["x", "6", "5,0,Too,many,0,[]", "6,1,Short."])


def test_what_is_repaired_is_written_and_said(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES.replace("The end.,0,[]", "The end.,0,[3]"))
    assert not convert([source], tmp_path / "stop").outputs
    report = convert([source], tmp_path / "out", on_error="quarantine")
    assert rules_of(report) == {("sector-on-irrelevant", "error"): 1}
    frame = pl.read_parquet(tmp_path / "out" / "sentences_en_val.parquet")
    assert frame["sector_ids"].to_list() == [[9, 10], [], []]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    put(tmp_path / "in" / "a" / "sentences_en_val.csv", SENTENCES + "4,1\n")
    put(tmp_path / "in" / "b" / "sentences_en_val.csv", SENTENCES)
    put(tmp_path / "in" / "__MACOSX" / "._sentences_en_val.csv", "\0\0")
    put(tmp_path / "in" / ".hidden.csv", "x")
    report = convert([tmp_path / "in"], tmp_path / "out")
    assert not report.ok
    assert files_below(tmp_path / "out") == ["b/sentences_en_val.parquet"]
    assert len(report.inputs) == 2


def test_a_file_without_a_record_is_not_written(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", b"")
    report = convert([source], tmp_path / "out", on_error="quarantine")
    assert rules_of(report) == {("empty-file", "error"): 1}
    assert (report.outputs, files_below(tmp_path / "out")) == ([], [])


# ---------------------------------------------------------------- never half a file


class StoppedError(Exception):
    """Something went wrong in the middle."""


@pytest.mark.parametrize("old", [None, b"what was there before"])
def test_an_exception_while_writing_leaves_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bytes | None
) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    target = tmp_path / "out" / "sentences_en_val.parquet"
    if old is not None:
        put(target, old)

    def metadata(*_: object, **__: object) -> dict[str, str]:
        raise StoppedError  # asked for when the last row has been written

    monkeypatch.setattr(writing_module, "metadata", metadata)
    with pytest.raises((StoppedError, pl.exceptions.PolarsError)):
        convert([source], tmp_path / "out")
    assert files_below(tmp_path / "out") == ([] if old is None else ["sentences_en_val.parquet"])
    assert old is None or target.read_bytes() == old


def test_an_exception_before_the_name_is_given_leaves_nothing_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)

    def fsync(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(UnusableError, match=r"sentences_en_val\.parquet: cannot be written: no space left"):
        convert([source], tmp_path / "out")
    assert files_below(tmp_path / "out") == []


def test_a_bad_file_leaves_the_old_output_as_it_was(tmp_path: Path) -> None:
    put(tmp_path / "out" / "sentences_en_val.parquet", b"old")
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES + "4,1\n")
    convert([source], tmp_path / "out")
    assert (tmp_path / "out" / "sentences_en_val.parquet").read_bytes() == b"old"
    assert files_below(tmp_path / "out") == ["sentences_en_val.parquet"]


# Without the clean end of the interpreter, where threads of Polars that wait for it can abort the process. The exception has to be gone
# first: one signal may raise two, the second in the very act of leaving a `with` block, and then its clean-up comes with the traceback's end.
CONVERT_UNTIL_INTERRUPTED = """
import os, sys
from sharedtask.pipelines.verbs.convert import convert
status = 0
try:
    convert([sys.argv[1]], sys.argv[2])
except KeyboardInterrupt:
    status = 130
os._exit(status)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "sentences_en_test.csv"
    with source.open("w", encoding="utf-8") as file:
        file.write("doc_id,sentence_id,sentence_text\n")
        for at in range(1_200_000):
            file.write(f"{at},0,Sentence number {at} of a file that takes a while to write.\n")
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", CONVERT_UNTIL_INTERRUPTED, str(source), str(out)],
        cwd=REPO,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if out.exists() and any(part.stat().st_size for part in out.iterdir()):
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130
    assert files_below(out) == []
    assert list(scratch.iterdir()) == []


# ---------------------------------------------------------------- wrong calls


def test_two_inputs_that_would_meet_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    first = put(tmp_path / "a" / "sentences_en_val.csv", SENTENCES)
    second = put(tmp_path / "b" / "sentences_en_val.csv.gz", gzip.compress(SENTENCES.encode()))
    with pytest.raises(UnusableError, match="would both be written to"):
        convert([first, second], tmp_path / "out")
    assert files_below(tmp_path / "out") == []


def test_a_folder_keeps_its_sub_folders(tmp_path: Path) -> None:
    for place in ("x", "y/z"):
        put(tmp_path / "in" / place / "sentences_en_val.csv", SENTENCES)
    convert([tmp_path / "in"], tmp_path / "out")
    assert files_below(tmp_path / "out") == ["x/sentences_en_val.parquet", "y/z/sentences_en_val.parquet"]


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    out = put(tmp_path / "out", "a file")
    with pytest.raises(UnusableError, match="is a file; expected a folder"):
        convert([source], out)
    assert out.read_text() == "a file"


def test_an_output_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    put(tmp_path / "out", "a file")
    with pytest.raises(UnusableError, match="cannot be written"):
        convert([source], tmp_path / "out" / "deeper")


def test_an_output_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    inside = put(tmp_path / "out" / "sentences_en_val.parquet" / "x", "a file")
    with pytest.raises(UnusableError, match=r"sentences_en_val\.parquet: is a folder; expected a file"):
        convert([source], tmp_path / "out")
    assert files_below(tmp_path / "out") == ["sentences_en_val.parquet/x"]
    assert inside.read_text() == "a file"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(UnusableError, match="cannot be written"):
        convert([source], tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("sentences_en_val.csv", "sentences_en_val"),
        ("sentences_en_val.csv.gz", "sentences_en_val"),
        ("sentences_en_val.v2.csv", "sentences_en_val.v2"),
        ("sentences_en_val", "sentences_en_val"),
        ("sentences [1]*.csv", "sentences [1]*"),
        ("câu é 🔴.csv", "câu é 🔴"),
    ],
)
def test_the_name_of_the_output(tmp_path: Path, name: str, wanted: str) -> None:
    content = SENTENCES.encode()
    source = put(tmp_path / "in" / name, gzip.compress(content) if name.endswith(".gz") else content)
    (output,) = convert([source], tmp_path / "out").outputs or []
    assert Path(output.path) == tmp_path / "out" / f"{wanted}.parquet"
    assert pl.read_parquet(output.path, glob=False).height == 3


def test_a_packed_file_is_converted_as_the_file_inside(tmp_path: Path) -> None:
    plain = put(tmp_path / "a" / "sentences_en_val.csv", SENTENCES)
    packed = put(tmp_path / "b" / "sentences_en_val.csv.zst", b"")
    import pyarrow as pa

    with pa.output_stream(str(packed), compression="zstd") as out:
        out.write(SENTENCES.encode())
    frames = [
        pl.read_parquet((convert([one], tmp_path / one.parent.name / "o").outputs or [])[0].path)
        for one in (plain, packed)
    ]
    assert frames[0].equals(frames[1])


def test_the_source_is_left_alone(tmp_path: Path) -> None:
    source = put(tmp_path / "sentences_en_val.csv", SENTENCES)
    shutil.copystat(REPO / "pyproject.toml", source)
    before = source.stat().st_mtime_ns
    convert([source], tmp_path / "out", on_error="quarantine")
    assert (source.read_bytes(), source.stat().st_mtime_ns) == (SENTENCES.encode(), before)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("It costs a lot\ufffd", "replacement-character"),
        ("CafÃ© in Coxâ€™s Bazar", "mojibake"),
        ("A line\u2028and another", "line-separator-character"),
        ("A cafe\u0301 opened", "text-not-nfc"),
        ("An odd \x90 sign", "control-character"),
    ],
)
def test_odd_characters_are_found_beyond_the_first_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, rule: str
) -> None:
    monkeypatch.setattr("sharedtask.converters.source.FIRST", 200)
    header = "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
    plain = "".join(f"1,{number},Wells were dug.,0,[]\n" for number in range(50))
    early, late = tmp_path / "early.csv", tmp_path / "late.csv"
    early.write_text(f"{header}0,0,{text},0,[]\n{plain}", encoding="utf-8")
    late.write_text(f"{header}{plain}2,0,{text},0,[]\n", encoding="utf-8")
    first, last = validate([early]), validate([late])
    assert {one.rule.name for one in first.rules()} == {one.rule.name for one in last.rules()}
    assert rule in {one.rule.name for one in last.rules()}
    assert {finding.at.line for finding in last.findings()} == {52}
    report = convert([late], tmp_path / "out")
    assert [(out.rows, report.counts["error"]) for out in report.outputs or []] == [(51, 0)]


def test_no_table_is_written_over_its_source(tmp_path: Path) -> None:
    file = tmp_path / "news.jsonl"
    file.write_text('{"Id":7,"Text":"Ayer llovió."}\n', encoding="utf-8")
    with pytest.raises(UnusableError, match="is an input of this command"):
        convert([file], tmp_path, to="jsonl")
    assert file.read_text("utf-8") == '{"Id":7,"Text":"Ayer llovió."}\n'


def test_gold_with_overlapping_spans_is_put_into_quarantine(tmp_path: Path) -> None:
    """Copies of a span are mended; of two that overlap nobody knows which is right."""
    tags = [{"Tag_Start": start, "Tag_End": end, "5W1H_Label": "WHO"} for start, end in ((0, 8), (3, 13))]
    records = [{"Id": 1, "Text": "La radio cerró ayer.", "Tags": tags}, {"Id": 2, "Text": "Ana vino.", "Tags": []}]
    source = tmp_path / "5w1h_subtarea_1_train.json"
    source.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    report = convert([source], tmp_path / "out", on_error="quarantine")
    assert {one.rule.name for one in report.rules()} >= {"span-overlap"}
    assert pl.read_parquet(tmp_path / "out/5w1h_subtarea_1_train.parquet")["id"].to_list() == [2]
    kept = pl.read_parquet(tmp_path / "out/quarantine/5w1h_subtarea_1_train.parquet")
    assert kept["rules"].to_list() == [["span-overlap"]]


def test_only_files_that_exist_are_listed_as_written(tmp_path: Path) -> None:
    bad = put(tmp_path / "sentences_en_val.csv", SENTENCES.replace(",1,", ",7,"))
    assert convert([bad], tmp_path / "stopped").written == []
    written = convert([bad], tmp_path / "apart", on_error="quarantine").written
    assert written
    assert all(Path(path).exists() for path in written)
    good = put(tmp_path / "good" / "sentences_en_val.csv", SENTENCES)
    written = convert([good], tmp_path / "good_out", on_error="quarantine").written
    assert [Path(path).name for path in written] == ["sentences_en_val.parquet"]
