"""The fused plan gives the verdict of the plain Pandera schema, on frames that break each rule now and then."""

import math
import re
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pandera.errors
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.engine.judge import judge
from sharedtask.schemas.engine.masks import counts, mask_frame
from sharedtask.schemas.engine.pandera_seam import pandera_schema
from sharedtask.schemas.engine.select import Checks, checks_for
from sharedtask.schemas.engine.text_checks import text_checks
from sharedtask.schemas.kind import Check, Kind, form_checks
from sharedtask.schemas.reading import not_plain
from sharedtask.schemas.rules.fmt_values import BAD_VALUE

Row = dict[str, Any]
Rules = set[str]

ON_TEXT = {"span-text-differs", "span-edge-whitespace", "span-cuts-word"}  # a run has no text to break them on
WITHOUT_FRAME = {"field-too-large"}  # 64 MiB: it has a test of its own

POST = {
    "id": 5,
    "user_name": "9f1c27d0b3e84a6655aa0c7d18e2f943",
    "post_message": "Trạm y tế phát thuốc.",
    "posted_at": datetime(2020, 4, 1, 6, tzinfo=UTC),
    "num_like_post": 14,
    "num_comment_post": None,
    "num_share_post": 0,
    "counts_unknown": False,
    "image": ["a.jpg"],
    "label": 1,
}

KINDS = {kind.name: kind for kind in all_kinds()}

# ---------------------------------------------------------------- sound records, one maker a kind

WORDS = ["Ayer", "el", "alcalde", "cerró", "«Niño»", "l'Escala", "24/7", "🔴", "São", "mưa", "x\u0301"]


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Row]]:
    """A text of words, and spans over some of them."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    text, spans = "", []
    for word in words:
        if draw(st.booleans()):
            spans.append(
                {
                    "start": len(text),
                    "end": len(text) + len(word),
                    "label": draw(st.sampled_from(["WHAT", "WHO", "WHY"])),
                    "reliability": draw(st.sampled_from([None, "confiable", "no confiable"])),
                    "span_text": draw(st.sampled_from([None, word])),
                }
            )
        text += word + draw(st.sampled_from([" ", ", ", "\n"]))
    return text, spans


@st.composite
def flares_subtask1(draw: st.DrawFn, number: int) -> list[Row]:
    return [{"id": key, **dict(zip(("text", "spans"), draw(marked()), strict=True))} for key in range(number)]


@st.composite
def flares_subtask1_run(draw: st.DrawFn, number: int) -> list[Row]:
    return [{"id": key, "spans": draw(marked())[1]} for key in range(number)]


@st.composite
def flares_subtask2(draw: st.DrawFn, number: int) -> list[Row]:
    rows: list[Row] = []
    for _ in range(number):
        text, spans = draw(marked())
        rows += [
            {
                "id": len(rows) + at,
                "text": text,
                **span,
                "span_text": text[span["start"] : span["end"]],
                "reliability": span["reliability"] or "confiable",
            }
            for at, span in enumerate(spans)
        ]
    return rows


@st.composite
def flares_subtask2_run(draw: st.DrawFn, number: int) -> list[Row]:
    labels = st.sampled_from(["confiable", "semiconfiable", "no confiable"])
    return [{"id": key, "reliability": draw(labels)} for key in range(number)]


@st.composite
def cheers_sentences(draw: st.DrawFn, number: int) -> list[Row]:
    rows: list[Row] = []
    for document in range(number):
        for sentence in range(draw(st.integers(1, 4))):
            relevant = draw(st.booleans())
            sectors = draw(st.sets(st.integers(0, 10), max_size=3)) if relevant else ()
            rows.append(
                {
                    "doc_id": 900 - document,
                    "sentence_id": sentence,
                    "sentence_text": " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=4))),
                    "is_relevant": relevant,
                    "sector_ids": sorted(sectors),
                }
            )
    return rows


@st.composite
def cheers_documents(draw: st.DrawFn, number: int) -> list[Row]:
    return [
        {
            "project_name": draw(st.sampled_from(["IMMAP/DFS Syria", "IMMAP/DFS RDC"])),
            "country_code": draw(st.sampled_from(["SYR", "COD"])),
            "lang_code": "en",
            "doc_id": key,
            "doc_text": draw(st.sampled_from(WORDS)),
            "doc_url": draw(st.sampled_from([None, "", "https://example.org"])),
        }
        for key in range(number)
    ]


def cheers_sectors(number: int) -> st.SearchStrategy[list[Row]]:
    names = ["Agriculture", "Cross", "Education", "Food Security", "Health", "Livelihoods"]
    return st.just([{"sector_id": key, "sector_name": name} for key, name in enumerate(names[:number])]).map(deepcopy)


@st.composite
def cheers_run(draw: st.DrawFn, number: int) -> list[Row]:
    rows = []
    for key in range(number):
        relevant = draw(st.booleans())
        sector = draw(st.integers(0, 10)) if relevant else -1
        rows.append({"doc_id": 5, "sentence_id": key, "is_relevant": relevant, "sector_id": sector})
    return rows


@st.composite
def reintel_posts(draw: st.DrawFn, number: int) -> list[Row]:
    return [
        {
            **POST,
            "id": 70 - key,
            "post_message": draw(st.sampled_from([None, "", f"mưa {key}", f"<URL> {key}"])),
            "num_like_post": draw(st.sampled_from([None, 0, 7])),
            "label": draw(st.integers(0, 1)),
        }
        for key in range(number)
    ]


def reintel_annotations(number: int) -> st.SearchStrategy[list[Row]]:
    """Three votes an item."""
    return st.lists(st.integers(0, 5), min_size=3 * number, max_size=3 * number).map(
        lambda scores: [{"id": at // 3, "annotator_id": "abc"[at % 3], "score": one} for at, one in enumerate(scores)]
    )


def reintel_run(number: int) -> st.SearchStrategy[list[Row]]:
    values = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    return st.lists(values, min_size=number, max_size=number).map(
        lambda drawn: [{"id": 9 - at, "probability": one} for at, one in enumerate(drawn)]
    )


@st.composite
def reintel_labels(draw: st.DrawFn, number: int) -> list[Row]:
    return [{"id": key, "label": draw(st.integers(0, 1))} for key in range(number)]


@st.composite
def reintel_recheck(draw: st.DrawFn, number: int) -> list[Row]:
    return [{"id": key, "recheck": draw(st.sampled_from(["news", "opinion"]))} for key in range(number)]


SOUND: dict[str, Callable[[int], st.SearchStrategy[list[Row]]]] = {
    "flares/subtask1": flares_subtask1,
    "flares/subtask1-run": flares_subtask1_run,
    "flares/subtask2": flares_subtask2,
    "flares/subtask2-run": flares_subtask2_run,
    "cheers/sentences": cheers_sentences,
    "cheers/documents": cheers_documents,
    "cheers/sectors": cheers_sectors,
    "cheers/run": cheers_run,
    "reintel/posts": reintel_posts,
    "reintel/annotations": reintel_annotations,
    "reintel/run": reintel_run,
    "reintel/labels": reintel_labels,
    "reintel/recheck": reintel_recheck,
}

SPAN = {"start": 0, "end": 4, "label": "WHEN", "reliability": "confiable", "span_text": "Ayer"}
SECOND = {"start": 5, "end": 10, "label": "WHAT", "reliability": None, "span_text": "cerró"}
TEXT = "Ayer cerró el puente."
BASE: dict[str, list[Row]] = {
    "flares/subtask1": [{"id": 4, "text": TEXT, "spans": [SPAN, SECOND]}, {"id": 2, "text": "Nada.", "spans": []}],
    "flares/subtask1-run": [{"id": 4, "spans": [SPAN, SECOND]}, {"id": 2, "spans": []}],
    "flares/subtask2": [
        {"id": 1, "text": TEXT, **SPAN},
        {"id": 0, "text": TEXT, **SECOND, "reliability": "confiable"},
    ],
    "flares/subtask2-run": [{"id": 1, "reliability": "confiable"}, {"id": 0, "reliability": "no confiable"}],
    "cheers/sentences": [
        {"doc_id": 7, "sentence_id": 0, "sentence_text": "Wells.", "is_relevant": True, "sector_ids": [10]},
        {"doc_id": 7, "sentence_id": 1, "sentence_text": "The end.", "is_relevant": False, "sector_ids": []},
        {"doc_id": 3, "sentence_id": 0, "sentence_text": "Seeds.", "is_relevant": True, "sector_ids": [0, 3]},
    ],
    "cheers/documents": [
        {
            "project_name": "IMMAP/DFS Syria",
            "country_code": "SYR",
            "lang_code": "en",
            "doc_id": 7,
            "doc_text": "Wells. The end.",
            "doc_url": None,
        }
    ],
    "cheers/sectors": [{"sector_id": 0, "sector_name": "Agriculture"}, {"sector_id": 1, "sector_name": "Cross"}],
    "cheers/run": [
        {"doc_id": 7, "sentence_id": 0, "is_relevant": True, "sector_id": 10},
        {"doc_id": 7, "sentence_id": 1, "is_relevant": False, "sector_id": -1},
    ],
    "reintel/posts": [POST, {**POST, "id": 2, "post_message": "Cầu treo đã sửa xong.", "image": None}],
    "reintel/annotations": [{"id": 3, "annotator_id": who, "score": 4} for who in "abc"],
    "reintel/labels": [{"id": 3, "label": 1}, {"id": 2, "label": 0}],
    "reintel/recheck": [{"id": 3, "recheck": "news"}, {"id": 2, "recheck": "opinion"}],
    "reintel/run": [{"id": 3, "probability": 0.25}, {"id": 2, "probability": 0.5}],
}

# ---------------------------------------------------------------- one way to break each rule

Breaker = Callable[[Kind, list[Row]], None]


def values(**new: object) -> Breaker:
    """Set these columns of the first record."""
    return lambda kind, rows: rows[0].update(new)


def in_text(odd: str) -> Breaker:
    """Add something to the first prose column of the first record."""

    def break_(kind: Kind, rows: list[Row]) -> None:
        name = next(column.name for column in kind.columns if column.prose)
        rows[0][name] += odd

    return break_


def whole_text(text: str) -> Breaker:
    """Put a text in the place of the first one."""

    def break_(kind: Kind, rows: list[Row]) -> None:
        rows[0][next(column.name for column in kind.columns if column.prose)] = text

    return break_


def in_span(**new: object) -> Breaker:
    """Set these fields of the first span."""

    def break_(kind: Kind, rows: list[Row]) -> None:
        (rows[0]["spans"][0] if kind.spans else rows[0]).update(new)

    return break_


def empty_cell(kind: Kind, rows: list[Row]) -> None:
    rows[0][next(column.name for column in kind.columns if not column.nullable)] = None


def repeat(kind: Kind, rows: list[Row]) -> None:
    rows.insert(1, deepcopy(rows[0]))


def repeat_span(kind: Kind, rows: list[Row]) -> None:
    rows[0]["spans"].append(deepcopy(rows[0]["spans"][0]))


def reverse_spans(kind: Kind, rows: list[Row]) -> None:
    rows[0]["spans"].reverse()


def interrupt(kind: Kind, rows: list[Row]) -> None:
    rows.insert(1, rows.pop())


def harden(kind: Kind, rows: list[Row]) -> None:
    for at, row in enumerate(rows):
        row["probability"] = float(at)


BREAKERS: dict[str, Breaker] = {
    "null-value": empty_cell,
    "bad-tags-cell": values(spans=None),
    "duplicate-key": repeat,
    "duplicate-id": repeat,
    "nul-byte": in_text("\0"),
    "mojibake": in_text(" reuniÃ³n"),
    "text-begins-with-bom": in_text("\ufeff"),
    "spreadsheet-error": whole_text("#REF!"),
    "truncated-cell": whole_text("x" * 32_767),
    "replacement-character": in_text(" resoluci??n"),
    "control-character": in_text(" \x07"),
    "line-separator-character": in_text(" \u2028"),
    "text-not-nfc": in_text(" o\u0301"),
    "tag-key-missing": in_span(label=None),
    "span-out-of-bounds": in_span(start=-1),
    "span-empty": in_span(end=0),
    "span-text-differs": in_span(span_text="Hoy"),
    "span-edge-whitespace": in_span(end=5),
    "span-cuts-word": in_span(end=3),
    "duplicate-span": repeat_span,
    "span-overlap": in_span(end=7),
    "unsorted-spans": reverse_spans,
    "sector-on-irrelevant": values(is_relevant=False),
    "sector-missing-on-relevant": values(sector_id=-1),
    "unknown-sector": values(sector_ids=[11], sector_id=11),
    "unsorted-sector-ids": values(sector_ids=[3, 0]),
    "debris-sentence": values(sentence_text=".."),
    "sentence-gap": values(sentence_id=5),
    "split-document": interrupt,
    "unknown-project": values(project_name="Syria"),
    "unknown-country": values(country_code="SY"),
    "unknown-language": values(lang_code="fr"),
    "count-unknown": values(counts_unknown=True),
    "timestamp-out-of-range": values(posted_at=datetime(2020, 7, 1, tzinfo=UTC)),
    "label-not-binary": values(label=2),
    "user-name-lost-digits": values(user_name="1.2316E+18"),
    "placeholder-message": values(post_message="<URL>"),
    "duplicate-post": values(post_message="Cầu treo đã sửa xong."),
    "annotation-score": values(score=6),
    "annotation-count": values(annotator_id="b"),
    "probability-not-finite": values(probability=math.nan),
    "probability-out-of-range": values(probability=1.5),
    "hard-labels": harden,
    "constant-probability": values(probability=0.5),
}

# ---------------------------------------------------------------- values that break something, drawn at random

INTEGERS = [None, -2, -1, 0, 1, 2, 3, 5, 11, 99]
TEXTS = [
    None,
    "",
    "<URL>",
    "9007199254740994",
    "..",
    " o\u0301",
    "reuniÃ³n",
    "\ufffd",
    "a??b",
    "\x07",
    "\x97",
    "\u2028",
    "\0",
    "en",
    "Cross",
    "x" * 9,
]


def odd_value(dtype: pl.DataType) -> st.SearchStrategy[Any]:
    """Any value of a type: sound in one place, broken in another."""
    if isinstance(dtype, pl.Enum):
        return st.sampled_from([None, *dtype.categories])
    if isinstance(dtype, pl.List):
        return st.none() | st.lists(odd_value(as_dtype(dtype.inner)), max_size=3)
    if isinstance(dtype, pl.Struct):
        return st.fixed_dictionaries({field.name: odd_value(as_dtype(field.dtype)) for field in dtype.fields})
    if dtype == pl.Boolean:
        return st.sampled_from([None, True, False])
    if dtype.is_float():
        return st.sampled_from([None, math.nan, math.inf, -0.5, 0.0, 0.5, 1.0, 1.5])
    if isinstance(dtype, pl.Datetime):
        return st.sampled_from([None, *(datetime(2020, month, 1, tzinfo=UTC) for month in (2, 3, 6, 7))])
    if dtype.is_integer():
        return st.sampled_from(INTEGERS)
    assert dtype == pl.String, dtype
    return st.sampled_from(TEXTS)


def as_dtype(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


@st.composite
def frames(draw: st.DrawFn, name: str) -> pl.DataFrame:
    """A frame of sound records in which some values were changed, and some records moved, repeated or left out."""
    kind = KINDS[name]
    rows: list[Row] = draw(SOUND[kind.name](draw(st.integers(0, 4))))
    for _ in range(draw(st.integers(0, 3)) if rows else 0):
        at = draw(st.integers(0, len(rows) - 1))
        how = draw(st.sampled_from(["change", "change", "change", "span", "repeat", "move", "drop"]))
        if how == "change":
            column = draw(st.sampled_from(kind.columns))
            rows[at][column.name] = draw(odd_value(column.reading.dtype))
        elif how == "span" and kind.spans and rows[at][kind.spans.name]:
            spans = rows[at][kind.spans.name]
            column = draw(st.sampled_from(kind.spans.columns))
            spans.insert(
                draw(st.integers(0, len(spans))), {**spans[0], column.name: draw(odd_value(column.reading.dtype))}
            )
        elif how == "repeat":
            rows.insert(at, deepcopy(rows[draw(st.integers(0, len(rows) - 1))]))
        elif how == "move":
            rows.append(rows.pop(at))
        elif len(rows) > 1:
            rows.pop(at)
    absent = {column.name for column in kind.columns if column.optional and draw(st.integers(0, 5)) == 0}
    return frame_of(kind, rows, absent)


def frame_of(kind: Kind, rows: list[Row], absent: Iterable[str] = ()) -> pl.DataFrame:
    schema = {column.name: column.reading.dtype for column in kind.columns if column.name not in set(absent)}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema, orient="row")


# ---------------------------------------------------------------- the two verdicts


def fused(frame: pl.DataFrame, kind: Kind) -> tuple[Rules, Rules]:
    """The rules of severity error, and the milder ones, that the fused plan finds broken."""
    checks = checks_for(kind, frame.columns, given=False)
    placed = frame.lazy().with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    judgement = judge(placed, kind, checks)
    errors, mild = Rules(), Rules()
    for masks, some in ((judgement.rows, checks.row), (judgement.spans, checks.span)):
        for check, count in zip(some, counts(masks, some), strict=True):
            if count:
                severity = check.severity or check.rule.severity_for(kind)
                (errors if severity == "error" else mild).add(check.rule.name)
    for rule in (rule for check in checks.table for rule in check.rules):
        if rule.name in set(judgement.across["rule"]):
            (errors if rule.severity_for(kind) == "error" else mild).add(rule.name)
    return errors, mild


def plain(frame: pl.DataFrame, kind: Kind) -> tuple[Rules, Rules]:
    """The same from Pandera: what it raises, and what it warns of."""
    errors = Rules()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            pandera_schema(kind).validate(frame, lazy=True)
        except pandera.errors.SchemaErrors as found:
            errors = {
                kind.column(error.schema.name).reading.empty.name if error.check == "not_nullable" else error.check.name
                for error in found.schema_errors
            }
    mild = {name for warning in told for name in re.findall(r"<Check ([a-z0-9-]+):", str(warning.message))}
    return errors, mild


def rules_of(kind: Kind) -> Rules:
    """Every rule that the checks of a kind look at on canonical columns."""
    checks = checks_for(kind, [column.name for column in kind.columns], given=False)
    return {check.rule.name for check in (*checks.row, *checks.span)} | {
        rule.name for check in checks.table for rule in check.rules
    }


each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


@each_kind
def test_sound_records_break_nothing(kind: Kind) -> None:
    frame = frame_of(kind, BASE[kind.name])
    assert fused(frame, kind) == plain(frame, kind) == (set(), set())


@each_kind
def test_each_rule_is_broken_in_both_verdicts(kind: Kind) -> None:
    """Every rule of the kind is broken at least once, so none can be silent in one of the verdicts or in both."""
    fired = Rules()
    for rule in sorted(rules_of(kind) - WITHOUT_FRAME):
        rows = deepcopy(BASE[kind.name])
        assert rule in BREAKERS, f"give BREAKERS one way to break {rule}"
        BREAKERS[rule](kind, rows)
        frame = frame_of(kind, rows)
        errors, mild = fused(frame, kind)
        needs_text = "text" not in frame.columns and rule in ON_TEXT
        assert needs_text or rule in errors | mild, rule
        assert (errors, mild) == plain(frame, kind), rule
        fired |= errors | mild | ({rule} if needs_text else set())
    assert fired >= rules_of(kind) - WITHOUT_FRAME


@each_kind
def test_verdicts_are_equal(kind: Kind) -> None:
    @settings.get_profile("few")
    @given(frame=frames(kind.name))
    def holds(frame: pl.DataFrame) -> None:
        assert fused(frame, kind) == plain(frame, kind)

    holds()


# ---------------------------------------------------------------- masks


def bit_check(bit: int) -> Check:
    return Check(BAD_VALUE, "n", pl.col("n") == bit)


def test_all_bits_of_a_mask_are_counted_apart() -> None:
    checks = [bit_check(bit) for bit in range(64)]
    assert Checks(tuple(checks), (), ()).row
    numbers = [bit for bit in range(64) for _ in range(bit % 5)]
    frame = pl.LazyFrame({"n": numbers}).with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    masks = mask_frame(frame, checks).collect()
    assert counts(masks, checks) == [bit % 5 for bit in range(64)]
    assert masks.height == len(numbers)


def test_all_checks_of_a_record_can_fail_at_once() -> None:
    checks = [Check(BAD_VALUE, "n", pl.col("n").is_not_null()) for _ in range(64)]
    frame = pl.LazyFrame({"n": [1], "row": [0], "file": [0]})
    masks = mask_frame(frame, checks).collect()
    assert masks["broken"].to_list() == [2**64 - 1]
    assert counts(masks, checks) == [1] * 64


def test_what_is_not_suspect_is_not_asked_and_loses_no_other_finding() -> None:
    even, small = pl.col("n") % 2 == 0, pl.col("n") < 6
    checks = [Check(BAD_VALUE, "n", even & small, suspect=even), bit_check(3), Check(BAD_VALUE, "n", pl.col("n") > 8)]
    frame = pl.LazyFrame({"n": [*range(10), None]}).with_row_index("row").with_columns(file=pl.lit(0, pl.UInt32))
    assert mask_frame(frame, checks).select("row", "broken").collect().rows() == [
        (0, 1),
        (2, 1),
        (3, 2),
        (4, 1),
        (9, 4),
    ]


def test_each_check_of_a_form_fails_only_what_it_suspects() -> None:
    cells = ["", " ", "1", "01", "+1", "-0", "1.0", " 1", '"1"', "1e3", "22. Mai", "x", "unknown", "nan", "0,5", "[3]"]
    cells += [
        "[300]",
        "Health",
        "health",
        "-1",
        "300",
        "true",
        "no confiable",
        "No Confiable",
        "who",
        "2020-04-05",
        "1️⃣",
    ]
    asked = 0
    for kind in KINDS.values():
        for column in kind.columns:
            raw = pl.Series(column.raw, cells)
            frame = raw.to_frame().with_columns(column.reading.parse(pl.col(column.raw)).alias(column.name))
            for check in form_checks(column) if column.reading.faults else ():
                if check.suspect is not None:
                    fails, suspect = frame.select(f=check.fails, s=check.suspect).fill_null(value=False)
                    assert not (fails & ~suspect).any(), (kind.name, check.rule.name)
                    asked += int(fails.sum())
    assert asked > 100


@given(
    raw=st.from_regex(r"\A[ \"+-]?0{0,3}[0-9]{1,20}(\.0)?[ \"]?\Z", fullmatch=True),
    dtype=st.sampled_from([pl.Int8, pl.Int64]),
)
def test_a_number_is_plain_where_it_is_written_as_its_text(raw: str, dtype: type[pl.DataType]) -> None:
    number = int(float(raw.strip(' "'))) if "." in raw else int(raw.strip(' "'))
    value = number if abs(number) < 2 ** (7 if dtype == pl.Int8 else 53) else None
    frame = pl.DataFrame({"raw": [raw], "value": [value]}, schema={"raw": pl.String, "value": dtype})
    expected = None if value is None else raw != str(value)
    assert frame.select(not_plain(pl.col("raw"), pl.col("value"))).item() is expected


@pytest.mark.parametrize("view", ["row", "span"])
def test_more_checks_than_bits_are_refused(view: str) -> None:
    many = tuple(bit_check(bit) for bit in range(65))
    with pytest.raises(ValueError, match="64"):
        Checks(many if view == "row" else (), many if view == "span" else (), ())


def test_a_field_may_be_as_large_as_the_limit_and_no_larger() -> None:
    kind = KINDS["cheers/documents"]
    checks = [
        check for check in text_checks(kind.column("doc_text"), max_bytes=4) if check.rule.name == "field-too-large"
    ]
    frame = pl.LazyFrame({"doc_text": ["1234", "12345", "éé", "éé.", None], "row": range(5), "file": [0] * 5})
    assert mask_frame(frame, checks).collect()["row"].to_list() == [1, 3]
