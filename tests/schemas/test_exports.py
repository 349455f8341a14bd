"""The exports of a kind: JSON Schema against Pandera on generated records, Table Schema and Croissant by the tools of their makers."""

import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import pandera.errors
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.pipelines.tasks import all_kinds, kind_named
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.schemas.cheers.vocabulary import SECTORS
from sharedtask.schemas.engine.pandera_seam import pandera_schema
from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.exports.arrow import arrow_schema
from sharedtask.schemas.exports.constraints import unsaid
from sharedtask.schemas.exports.croissant import croissant
from sharedtask.schemas.exports.frictionless import table_schema
from sharedtask.schemas.exports.jsonschema import json_schema
from sharedtask.schemas.exports.markdown import markdown
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.reading import item_type

KINDS = {kind.name: kind for kind in all_kinds()}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
Record = dict[str, Any]

TEXTS = st.one_of(
    st.text(max_size=8), st.sampled_from(["", "\0", "a\0b", "no confiable", "54 like", *SECTORS, " wash ", "COL"])
)
INTEGERS = st.one_of(st.integers(-3, 14), st.sampled_from([127, 128, -129, 2**63 - 1, 2**63]))
MOMENTS = st.sampled_from(["2020-04-05T10:00:00Z", "2020-04-05T10:00:00.250000Z", "5 April", "1586084407"])


def values(dtype: pl.DataType) -> st.SearchStrategy[Any]:
    """Values of a type as JSON, many of them outside of what a kind allows, and now and then one of another type."""
    other: st.SearchStrategy[Any] = st.sampled_from([None, "x", "7", [], {}])
    if isinstance(dtype, pl.Enum):
        usual: st.SearchStrategy[Any] = st.sampled_from([*dtype.categories, "none of these"])
    elif isinstance(dtype, pl.List) and isinstance(item_type(dtype), pl.Struct):
        raise AssertionError("spans are made by their columns")
    elif isinstance(dtype, pl.List):
        items = st.integers(-1, 12) if item_type(dtype).is_integer() else st.sampled_from(["a.jpg", "b.png"])
        usual = st.lists(items, max_size=3)
        other = st.sampled_from([None, "x", 7])
    elif isinstance(dtype, pl.Datetime):
        usual, other = MOMENTS, st.sampled_from([None, 7])
    elif dtype.is_integer():
        usual = INTEGERS
    else:
        usual = {
            pl.String: TEXTS,
            pl.Boolean: st.booleans(),
            pl.Float64: st.floats(-1, 2, allow_nan=False),
        }[type(dtype)]
        other = st.sampled_from([None, [], {}])
    return st.one_of(*[usual] * 9, other)


def sound(column: Column) -> Any:
    """A value that breaks nothing, beside the other ones."""
    dtype = column.reading.dtype
    if isinstance(dtype, pl.Enum):
        return dtype.categories[0]
    if isinstance(dtype, pl.List):
        return [0] if item_type(dtype).is_integer() else []
    if column.name == "end":
        return 4
    plain = {pl.String: "text", pl.Boolean: True, pl.Float64: 0.5, pl.Datetime: "2020-04-05T10:00:00Z"}
    return SECTORS[0] if column.name == "sector_name" else plain.get(type(dtype), 0)


@st.composite
def records(draw: st.DrawFn, kind: Kind) -> Record:
    """A sound record in which some columns may hold anything, one may be missing, and one too many may be there."""
    record = {column.name: sound(column) for column in kind.columns}
    for name in draw(st.lists(st.sampled_from(sorted(record)), max_size=3)):
        record[name] = draw(_cell(kind, kind.column(name)))
    change = draw(st.integers(0, 11))
    if change == 0:
        del record[draw(st.sampled_from(sorted(record)))]
    if change == 1:
        record["stranger"] = 1
    return record


def _cell(kind: Kind, column: Column) -> st.SearchStrategy[Any]:
    if kind.spans and column.name == kind.spans.name:
        usual = {one.name: sound(one) for one in kind.spans.columns}
        odd = st.sampled_from(kind.spans.columns).flatmap(
            lambda one: values(one.reading.dtype).map(lambda value: usual | {one.name: value})
        )
        return st.one_of(*[st.lists(odd, max_size=2)] * 9, st.none())
    return values(column.reading.dtype)


def fits(value: Any, dtype: pl.DataType) -> bool:
    """Whether a JSON value can stand in a column of this type."""
    if value is None:
        return True
    if isinstance(dtype, pl.List):
        return isinstance(value, list) and all(fits(item, item_type(dtype)) for item in value)
    if isinstance(dtype, pl.Struct):
        return all(fits(value[field.name], as_instance(field.dtype)) for field in dtype.fields)
    if isinstance(dtype, pl.Enum):
        return value in dtype.categories.to_list()
    if isinstance(dtype, pl.Datetime):
        return isinstance(value, str) and "T" in value
    if dtype.is_integer():
        half = 2 ** (int(str(dtype).removeprefix("Int")) - 1)
        return type(value) is int and -half <= value < half
    plain: dict[type[pl.DataType], type] = {pl.String: str, pl.Boolean: bool, pl.Float64: float}
    return isinstance(value, plain[type(dtype)])


def as_instance(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def frame_of(kind: Kind, record: Record) -> pl.DataFrame | None:
    """The record as a canonical table; None where a value has not the type of its column."""
    dtypes = {column.name: column.reading.dtype for column in kind.columns}
    parts = []
    for name, value in record.items():
        dtype = dtypes.get(name, pl.Int64())
        if not fits(value, dtype):
            return None
        moment = isinstance(dtype, pl.Datetime) and value is not None
        parts.append(pl.Series(name, [datetime.fromisoformat(value) if moment else value], dtype=dtype))
    return pl.DataFrame(parts)


def broken(kind: Kind, record: Record) -> set[str]:
    """What Pandera finds wrong with a record, without the rules across records."""
    frame = frame_of(kind, record)
    if frame is None:
        return {"type"}
    across = {rule.name for check in checks_for(kind, frame.columns, given=False).table for rule in check.rules}
    try:
        pandera_schema(kind).validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as errors:
        return {str(getattr(error.check, "name", None) or error.reason_code) for error in errors.schema_errors} - across
    return set()


@pytest.mark.filterwarnings("ignore::pandera.errors.SchemaWarning")
@each_kind
def test_json_schema_accepts_what_pandera_accepts(kind: Kind) -> None:
    """Equal verdicts; a record that breaks nothing but rules that the schema does not say may be accepted."""
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    not_said = set(unsaid(kind))
    seen = {True: 0, False: 0}

    @settings(max_examples=150)
    @given(record=records(kind))
    def holds(record: Record) -> None:
        faults = broken(kind, record)
        accepted = validator.is_valid(record)
        seen[accepted] += 1
        if faults <= not_said and faults:
            return
        assert accepted == (not faults), (record, faults, [error.message for error in validator.iter_errors(record)])

    holds()
    assert all(seen.values()), "the records that are made should be right and wrong"


@each_kind
def test_exports_name_every_column(kind: Kind) -> None:
    official = [column.official for column in kind.official]
    canonical = [column.name for column in kind.columns]
    schema: Any = json_schema(kind)
    assert list(schema["properties"]) == canonical
    table: Any = table_schema(kind)
    assert [field["name"] for field in table["fields"]] == official
    assert [field["name"] for field in arrow_fields(kind)] == canonical
    described: Any = croissant(kind)["recordSet"]
    assert [field["name"] for field in described[0]["field"]] == official
    assert all(f"`{name}`" in markdown(kind) for name in (*official, *canonical))


def arrow_fields(kind: Kind) -> list[dict[str, Any]]:
    schema: Any = arrow_schema(kind)["schema"]
    fields: list[dict[str, Any]] = schema["fields"]
    return fields


def test_constraints_are_kept() -> None:
    fields = {field["name"]: field for field in table_schema(kind_named("reintel/annotations"))["fields"]}  # type: ignore[attr-defined]
    assert fields["score"]["constraints"] == {"minimum": 0, "maximum": 5, "required": True}
    span = json_schema(kind_named("flares/subtask1"))["properties"]["spans"]["items"]  # type: ignore[index]
    assert span["properties"]["label"]["enum"] == ["WHAT", "WHO", "WHERE", "WHEN", "HOW", "WHY", None]
    assert "span-overlap" not in unsaid(kind_named("flares/subtask1")), "a rule across spans is no constraint of one"
    assert {"span-out-of-bounds", "span-empty", "span-text-differs"} <= set(unsaid(kind_named("flares/subtask1")))


def test_arrow_schema_is_that_of_the_converted_table(tmp_path: Path) -> None:
    """The same types as of the Parquet that `convert` writes."""
    stored = pytest.importorskip("pyarrow.parquet")
    sample("cheers", tmp_path, rows=20)
    convert([tmp_path / "sentences_en_train.csv"], tmp_path / "out")
    schema = stored.read_schema(tmp_path / "out" / "sentences_en_train.parquet")
    told = {field["name"]: field["type"] for field in arrow_fields(kind_named("cheers/sentences"))}
    assert schema.names == list(told)
    words = [str(schema.field(name).type).partition("<")[0] for name in schema.names]
    assert words == ["int64", "int64", "string", "bool", "list"]
    names = [f"int{one['bitWidth']}" if one["name"] == "int" else one["name"] for one in told.values()]
    assert names == ["int64", "int64", "utf8", "bool", "list"]


FRICTIONLESS = shutil.which("frictionless", path=str(Path(sys.executable).parent)) or shutil.which("frictionless")
SAMPLES = {
    "flares/subtask1": ("5w1h_subtarea_1_train.json", "jsonl"),
    "flares/subtask2": ("5w1h_subtarea_2_train.json", "jsonl"),
    "flares/subtask2-run": ("subtask_2_run.csv", "csv"),
    "cheers/sentences": ("sentences_en_train.csv", "csv"),
    "cheers/documents": ("documents_en_train.csv", "csv"),
    "cheers/run": ("run_en_val.csv", "csv"),
    "reintel/posts": ("public_train.csv", "csv"),
    "reintel/annotations": ("annotations.csv", "csv"),
}


@pytest.mark.skipif(FRICTIONLESS is None, reason="frictionless is not installed")
@pytest.mark.parametrize("name", SAMPLES)
def test_frictionless_accepts_the_sample(name: str, tmp_path: Path) -> None:
    sample(name.partition("/")[0], tmp_path, rows=30)
    file, form = SAMPLES[name]
    (tmp_path / "schema.json").write_text(json.dumps(table_schema(kind_named(name))), encoding="utf-8")
    assert FRICTIONLESS is not None
    call = [FRICTIONLESS, "validate", file, "--schema", "schema.json", "--schema-sync", "--format", form, "--json"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.skipif(FRICTIONLESS is None, reason="frictionless is not installed")
def test_frictionless_refuses_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,annotator_id,score\n1,ann,6\n", encoding="utf-8")
    schema = json.dumps(table_schema(kind_named("reintel/annotations")))
    (tmp_path / "schema.json").write_text(schema, encoding="utf-8")
    assert FRICTIONLESS is not None
    call = [FRICTIONLESS, "validate", "a.csv", "--schema", "schema.json"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "constraint" in done.stdout
