"""Typed tables: which types are read as what, whatever engine wrote them."""

import datetime
import decimal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

SENTENCES: dict[str, Any] = {
    "doc_id": [7, 7],
    "sentence_id": [0, 1],
    "sentence_text": ["Two wells.", "A road."],
    "is_relevant": [1, 0],
    "sector_ids": ["[10]", "[]"],
}
POSTS: dict[str, Any] = {
    "id": [1, 2],
    "user_name": ["0" * 31 + "a", "0" * 31 + "b"],
    "post_message": ["Tin một.", "Tin hai."],
    "timestamp_post": [1585720800, None],
    "num_like_post": [1, 2],
    "num_comment_post": [3, None],
    "num_share_post": [0, 0],
    "label": [1, 0],
}
TAG = {"Tag_Start": 0, "Tag_End": 4, "5W1H_Label": "WHEN", "Reliability_Label": "confiable", "Tag_Text": "Ayer"}
TRAIN: dict[str, Any] = {"Id": [1, 2], "Text": ["Ayer llovió.", "Hoy no."], "Tags": [[TAG], []]}
READ = {"start": 0, "end": 4, "label": "WHEN", "reliability": "confiable", "span_text": "Ayer"}


def as_parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_file(table: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(str(path.with_suffix(".arrow")), table.schema) as out:
        out.write_table(table)
    return path.with_suffix(".arrow")


def as_stream(table: pa.Table, path: Path) -> Path:
    with pa.OSFile(str(path.with_suffix(".arrows")), "wb") as file, pa.ipc.new_stream(file, table.schema) as out:
        out.write_table(table)
    return path.with_suffix(".arrows")


Write = Callable[[pa.Table, Path], Path]
each_container = pytest.mark.parametrize("write", [as_parquet, as_file, as_stream])


def table_of(columns: Mapping[str, Any], changes: Mapping[str, Any]) -> pa.Table:
    return pa.table({**columns, **changes})


def read(path: Path, tmp_path: Path) -> pl.DataFrame:
    report = convert([path], tmp_path / "out")
    assert report.outputs, [finding.finding.message for finding in report.findings()]
    return pl.read_parquet(report.outputs[0].path)


TEXTS = ["Two wells.", "A road."]


@each_container
@pytest.mark.parametrize(
    "texts",
    [
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(TEXTS, pa.large_string()).dictionary_encode(),
        pa.array([text.encode() for text in TEXTS]),
        pa.array([text.encode() for text in TEXTS], pa.binary_view()),
        pa.array([text.encode() for text in TEXTS], pa.large_binary()),
    ],
    ids=lambda texts: str(texts.type),
)
def test_text_in_any_type_is_text(texts: pa.Array, write: Write, tmp_path: Path) -> None:
    path = write(table_of(SENTENCES, {"sentence_text": texts}), tmp_path / "sentences_en_val")
    assert read(path, tmp_path)["sentence_text"].to_list() == TEXTS
    assert validate([path]).tallies == []


@each_container
@pytest.mark.parametrize(
    "ids",
    [
        pa.array([7, 7], pa.int8()),
        pa.array([7, 7], pa.uint64()),
        pa.array([7.0, 7.0]),
        pa.array([7.0, 7.0], pa.float16()),
        pa.array([decimal.Decimal("7.00"), decimal.Decimal("7.00")]),
        pa.array([decimal.Decimal("7"), decimal.Decimal("7")], pa.decimal256(60, 0)),
        pa.array([7, 7]).dictionary_encode(),
        pa.array(["7", "7"]),
    ],
    ids=lambda ids: str(ids.type),
)
def test_whole_numbers_in_any_type_are_whole(ids: pa.Array, write: Write, tmp_path: Path) -> None:
    path = write(table_of(SENTENCES, {"doc_id": ids}), tmp_path / "sentences_en_val")
    assert read(path, tmp_path)["doc_id"].to_list() == [7, 7]
    assert validate([path]).tallies == []


@each_container
@pytest.mark.parametrize(
    "lists",
    [
        pa.array([[10], []]),
        pa.array([[10], []], pa.large_list(pa.int8())),
        pa.array([[10], []], pa.list_view(pa.int64())),
        pa.array([[10.0], []]),
        pa.array(["[10]", "[]"]),
        pa.array([[10], []], pa.list_(pa.uint8())),
    ],
    ids=lambda lists: str(lists.type),
)
def test_sectors_in_any_list_are_sectors(lists: pa.Array, write: Write, tmp_path: Path) -> None:
    if write is as_parquet and pa.types.is_list_view(lists.type):
        pytest.skip("pyarrow writes no list view into Parquet")
    path = write(table_of(SENTENCES, {"sector_ids": lists}), tmp_path / "sentences_en_val")
    table = read(path, tmp_path)
    assert table["sector_ids"].to_list() == [[10], []]
    assert table.schema["sector_ids"] == pl.List(pl.Int8)
    assert validate([path]).tallies == []


UTC = datetime.UTC
NOON = datetime.datetime(2020, 4, 1, 6, tzinfo=UTC)


@each_container
@pytest.mark.parametrize(
    "times",
    [
        pa.array([1585720800, None], pa.timestamp("s")),
        pa.array([1585720800000, None], pa.timestamp("ms", "UTC")),
        pa.array([1585720800_000_000_000, None], pa.timestamp("ns", "Asia/Ho_Chi_Minh")),
        pa.array([1585720800_000_000, None], pa.timestamp("us", "+07:00")),
        pa.array([1585720800_000_000, None], pa.timestamp("us", "Mars/Phobos")),
        pa.array([1585720800.0, None]),
        pa.array(["1585720800", None]),
    ],
    ids=lambda times: str(times.type),
)
def test_times_in_any_type_are_times(times: pa.Array, write: Write, tmp_path: Path) -> None:
    path = write(table_of(POSTS, {"timestamp_post": times}), tmp_path / "public_train")
    assert read(path, tmp_path)["posted_at"].to_list() == [NOON, None]
    assert validate([path]).tallies == []


def test_times_of_spark_are_times(tmp_path: Path) -> None:
    """Spark and Impala wrote 96 bits, and text that does not say so."""
    table = table_of(POSTS, {"timestamp_post": pa.array([1585720800, None], pa.timestamp("s"))})
    pq.write_table(table, tmp_path / "public_train.parquet", use_deprecated_int96_timestamps=True, flavor="spark")
    assert read(tmp_path / "public_train.parquet", tmp_path)["posted_at"].to_list() == [NOON, None]


@each_container
@pytest.mark.parametrize(
    "tags",
    [
        pa.array([[TAG], []]),
        pa.array(
            [{key: [value] for key, value in TAG.items()}, {key: [] for key in TAG}]
        ),  # as `datasets` writes lists
        pa.array([str([TAG]), "[]"]),
        pa.array([[TAG], []], pa.large_list(pa.struct([(key, pa.array([value]).type) for key, value in TAG.items()]))),
    ],
    ids=["structures", "structure of lists", "text", "large list"],
)
def test_tags_in_any_type_are_spans(tags: pa.Array, write: Write, tmp_path: Path) -> None:
    path = write(table_of(TRAIN, {"Tags": tags}), tmp_path / "5w1h_subtask_1_train")
    assert read(path, tmp_path)["spans"].to_list() == [[READ], []]
    assert validate([path]).tallies == []


def test_structures_of_lists_of_unequal_length_are_bad_tags(tmp_path: Path) -> None:
    tags = pa.array([{key: [value] for key, value in TAG.items()} | {"Tag_End": [1, 2]}, {key: [] for key in TAG}])
    path = as_parquet(table_of(TRAIN, {"Tags": tags}), tmp_path / "train")
    assert {tally.rule.name for tally in validate([path]).tallies} == {"bad-tags-cell"}


@each_container
def test_canonical_names_are_read_with_official_ones_missing(write: Write, tmp_path: Path) -> None:
    path = write(pa.table({"id": [1], "text": ["Ayer llovió."], "spans": [[READ]]}), tmp_path / "train")
    assert read(path, tmp_path)["spans"].to_list() == [[READ]]
    assert validate([path]).tallies == []


@each_container
def test_a_filtered_copy_keeps_metadata_and_is_read_as_it_is(write: Write, tmp_path: Path) -> None:
    """Metadata of this tool spares no rule: the label that was changed is found, and no record is missed."""
    source = tmp_path / "sentences_en_train.csv"
    rows = "".join(f"{number},0,Sentence.,0,[]\n" for number in range(9))
    source.write_text(f"doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n{rows}", encoding="utf-8")
    convert([source], tmp_path / "first")
    table = pq.read_table(tmp_path / "first" / "sentences_en_train.parquet").slice(0, 3)
    changed = table.set_column(3, "is_relevant", pa.array([0, 1, 2]))
    path = write(changed, tmp_path / "sentences_en_train")
    report = validate([path])
    assert report.inputs[0].rows == 3
    assert [(tally.rule.name, tally.count) for tally in report.tallies] == [("relevance-not-binary", 1)]


@each_container
def test_a_type_that_has_no_reading_is_named(write: Write, tmp_path: Path) -> None:
    if write is as_parquet:
        pytest.skip("Parquet has no such type")
    odd = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])])
    path = write(table_of(SENTENCES, {"note": odd}), tmp_path / "x")
    with pytest.raises(
        UnusableError, match=r"x\.arrows?: these columns have types that cannot be read: note \(sparse_union"
    ):
        validate([path])


def test_two_columns_of_one_name_are_named(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["doc_id", "doc_id"])
    with pytest.raises(
        UnusableError, match=r"x\.parquet: two columns or fields are called 'doc_id'; rename one of them"
    ):
        validate([as_parquet(table, tmp_path / "x")])


@pytest.mark.parametrize("write", [as_file, as_stream])
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.99])
def test_a_cut_arrow_file_is_named(write: Write, kept: float, tmp_path: Path) -> None:
    path = write(pa.table(SENTENCES), tmp_path / "cut")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(UnusableError, match=r"cut\.arrows?: cannot be read as Arrow IPC; the file is damaged"):
        validate([path])


def test_the_first_feather_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x.feather").write_bytes(b"FEA1" + b"\0" * 60)
    with pytest.raises(UnusableError, match=r"x\.feather: is Feather version 1; write it again"):
        validate([tmp_path / "x.feather"])


def test_an_encrypted_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PARE" + b"\0" * 60 + b"PARE")
    with pytest.raises(
        UnusableError, match=r"x\.parquet: cannot be read as Parquet; the file is damaged, cut off or enc"
    ):
        validate([tmp_path / "x.parquet"])


@each_container
@pytest.mark.parametrize("name", ["row", "file", "line", "rules", "record", "a b", "", "*", "^x$", "new\nline"])
def test_a_column_of_any_other_name_is_an_extra_one(name: str, write: Write, tmp_path: Path) -> None:
    path = write(table_of(SENTENCES, {name: pa.array(["x", "y"])}), tmp_path / "sentences_en_val")
    assert {(tally.rule.name, tally.count) for tally in validate([path]).tallies} == {("extra-column", 1)}
    bad = write(table_of(SENTENCES, {name: pa.array(["x", "y"]), "is_relevant": [2, 0]}), tmp_path / "bad_en_val")
    convert([bad], tmp_path / "apart", on_error="quarantine")
    (kept,) = (tmp_path / "apart" / "quarantine").glob("*.parquet")
    assert pl.read_parquet(kept).select(pl.len()).item() == 1


@each_container
def test_a_field_with_the_name_of_a_pattern_is_a_bad_value(write: Write, tmp_path: Path) -> None:
    path = write(table_of(SENTENCES, {"doc_id": pa.array([{"*": 1, "^.*$": 2}] * 2)}), tmp_path / "sentences_en_val")
    assert [(tally.rule.name, tally.count) for tally in validate([path]).tallies] == [("bad-value", 2)]


def test_categories_in_a_stream_of_polars_are_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(SENTENCES).with_columns(pl.col("sentence_text").cast(pl.Categorical))
    frame.write_ipc_stream(tmp_path / "sentences_en_val.arrows")
    assert read(tmp_path / "sentences_en_val.arrows", tmp_path)["sentence_text"].to_list() == TEXTS


@each_container
def test_a_type_that_only_some_programs_know_is_its_storage(write: Write, tmp_path: Path) -> None:
    table = pa.table(SENTENCES)
    field = pa.field("sentence_text", pa.string(), metadata={"ARROW:extension:name": "some.text"})
    path = write(table.set_column(2, field, table.column(2)), tmp_path / "sentences_en_val")
    assert read(path, tmp_path)["sentence_text"].to_list() == TEXTS


@each_container
def test_a_time_beyond_every_calendar_is_not_lost(write: Write, tmp_path: Path) -> None:
    times = pa.array([2**62, None], pa.timestamp("ms"))
    path = write(table_of(POSTS, {"timestamp_post": times}), tmp_path / "public_train")
    assert [(tally.rule.name, tally.count) for tally in validate([path]).tallies] == [("timestamp-not-epoch", 1)]


def test_metadata_of_another_table_do_not_decide_the_kind(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "label": [0, 1]}).replace_schema_metadata({"sharedtask.kind": "reintel/posts"})
    report = validate([as_parquet(table, tmp_path / "x")])
    assert report.inputs[0].kind == "reintel/labels"


def test_a_name_that_is_no_text_is_damage(tmp_path: Path) -> None:
    path = as_parquet(table_of(SENTENCES, {}), tmp_path / "x")
    path.write_bytes(path.read_bytes().replace(b"doc_id", b"do\xff_id"))
    with pytest.raises(UnusableError, match=r"x\.parquet: cannot be read as Parquet; the file is damaged"):
        validate([path])


def test_many_columns_cost_what_they_are(tmp_path: Path) -> None:
    wide = {f"x{number}": [1, 2] for number in range(4000)}
    report = validate([as_parquet(table_of(SENTENCES, wide), tmp_path / "x")], kind="cheers/sentences")
    assert report.counts["warning"] == 4000


def test_structures_of_lists_have_the_form_of_the_page_too(tmp_path: Path) -> None:
    tags = [{"start": [0], "end": [3], "tag": ["When"]}, {"start": [0], "end": [4], "tag": ["When"]}]
    frame = pl.DataFrame({"ID": [1, 2], "TEXT": ["Hoy llueve.", "Ayer no."], "TAGS": tags})
    frame.write_parquet(tmp_path / "page.parquet")
    assert [one.rule.name for one in validate(tmp_path / "page.parquet").findings()] == ["page-form"]
