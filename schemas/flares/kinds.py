"""The documented files of FLARES (IberLEF 2024): two data files and two run files."""

from dataclasses import replace

import polars as pl

from sharedtask.schemas import spans
from sharedtask.schemas.duplicate_keys import duplicate_key
from sharedtask.schemas.flares.rules import SEVERITIES
from sharedtask.schemas.flares.span_checks import NEIGHBOUR_CHECK, RUN_SPAN_CHECKS, SPAN_CHECKS
from sharedtask.schemas.flares.tag_rules import (
    BAD_TAGS_CELL,
    JSON_TAGS,
    LABEL_CASE,
    LABELS,
    OFFSET_NOT_INTEGER,
    PAGE_FORM,
    RELIABILITIES,
    TAG_KEY_ALIAS,
    TAG_KEY_MISSING,
    TAGS_NOT_A_LIST,
    UNKNOWN_LABEL,
    UNKNOWN_RELIABILITY,
)
from sharedtask.schemas.kind import Check, Column, Kind, PageForm, SpanColumn, View
from sharedtask.schemas.reading import Fault, Reading, integer, run_id, spelt, text, text_where, unread
from sharedtask.schemas.rules.fmt_columns import COLUMN_ORDER, EXTRA_COLUMN, MISNAMED_COLUMN, UNKNOWN_JSON_KEY
from sharedtask.schemas.rules.run import DUPLICATE_ID

PLAIN_INTEGER = r"^-?[0-9]+$"
WHOLE = r'^"?\s*(-?[0-9]+)(?:\.0+)?\s*"?$'
NUMPY_WHOLE = r'^"?\s*(?:(?:np\.|numpy\.)?(?:u?int|float)(?:8|16|32|64)\()(-?[0-9]+)(?:\.0*)?\)\s*"?$'


def _offset(raw: pl.Expr) -> pl.Expr:
    scalar = text_where(raw.str.contains("(", literal=True), raw)  # what repr gives of a number of NumPy's
    return pl.coalesce(raw.str.extract(WHOLE, 1), scalar.str.extract(NUMPY_WHOLE, 1)).cast(pl.Int64, strict=False)


def _whole(raw: pl.Expr, value: pl.Expr) -> pl.Expr:
    return value.is_not_null() & ~raw.str.contains(PLAIN_INTEGER)


def _plain_words(raw: pl.Expr) -> pl.Expr:
    """Lower case, one plain space between words: what a reliability label looks like."""
    return raw.str.strip_chars().str.to_lowercase().str.replace_all(r"[\s_\x{A0}]+", " ")


OFFSET = Reading(
    pl.Int64(),
    _offset,
    (
        Fault(OFFSET_NOT_INTEGER, _whole, "a whole number without quotes", mended=True),
        Fault(OFFSET_NOT_INTEGER, unread, "a whole number"),
    ),
    "a whole number",
)
LABEL = spelt(LABELS, lambda raw: raw.str.strip_chars().str.to_uppercase(), loose=LABEL_CASE, bad=UNKNOWN_LABEL)
RELIABILITY = spelt(RELIABILITIES, _plain_words, loose=UNKNOWN_RELIABILITY, bad=UNKNOWN_RELIABILITY)
_ID = Column(
    "id", "Id", integer(), "The record; unique in its file, and meaningless in any other.", aliases=("ID", "id")
)
_TEXT = Column(
    spans.TEXT,
    "Text",
    text(),
    "The news text, as given: white space at its ends counts.",
    aliases=("TEXT",),
    prose=True,
)
_START = Column(
    spans.START,
    "Tag_Start",
    OFFSET,
    "Where the span starts: offsets are 0-based, end-exclusive, in Unicode code points of the text as given.",
    aliases=("begin",),
    nullable=True,
)
_END = Column(spans.END, "Tag_End", OFFSET, "Where the span ends, exclusive.", aliases=("stop",), nullable=True)
_LABEL = Column(
    spans.LABEL,
    "5W1H_Label",
    LABEL,
    "Which of the six questions the span answers.",
    aliases=("tag", "type"),
    nullable=True,
)
_RELIABILITY = Column(spans.RELIABILITY, "Reliability_Label", RELIABILITY, "How reliable the span is.", nullable=True)
_SPAN_TEXT = Column(spans.SPAN_TEXT, "Tag_Text", text(), "The text of the span.", aliases=("text",), nullable=True)
_SPANS = SpanColumn("spans", (_START, _END, _LABEL, _RELIABILITY, _SPAN_TEXT), TAG_KEY_ALIAS, BAD_TAGS_CELL)

SPAN_TYPE = pl.List(pl.Struct({column.name: column.reading.dtype for column in _SPANS.columns}))
_TAGS = Column(
    "spans",
    "Tags",
    Reading(SPAN_TYPE, lambda raw: raw, (), "a list of tags", empty=BAD_TAGS_CELL),
    "The spans of the text, in the order in which they were given.",
    aliases=("TAGS", "tags"),
    optional=True,
)


def _required(name: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(replace(column, optional=False) if column.name == name else column for column in columns)


_missing = [pl.col(spans.raw(name)).is_null() for name in spans.PLACE]
_unset = [pl.col(name).is_null() for name in spans.PLACE]
_KEYS_EXPECTED = "Tag_Start, Tag_End and 5W1H_Label"

TAGS_CHECKS = (
    Check(
        BAD_TAGS_CELL,
        "spans",
        pl.col(spans.BAD).is_not_null(),
        "a list of dicts, as Python or JSON writes it",
        facts=spans.BAD,
        fixable=False,
    ),
    Check(TAGS_NOT_A_LIST, "spans", pl.col(spans.LONE), "a list", mended=True),
    Check(JSON_TAGS, "spans", pl.col(spans.JSON), "a Python literal", mended=True),
    # An empty label is there, and is none: in a table of spans the cell would be empty.
    Check(
        UNKNOWN_LABEL, spans.LABEL, pl.col(spans.raw(spans.LABEL)) == "", LABEL.expected, view=View.SPAN, fixable=False
    ),
    Check(
        UNKNOWN_RELIABILITY,
        spans.RELIABILITY,
        pl.col(spans.raw(spans.RELIABILITY)) == "",
        RELIABILITY.expected,
        view=View.SPAN,
        fixable=False,
    ),
    Check(TAG_KEY_MISSING, "spans", _missing[0] | _missing[1] | _missing[2], _KEYS_EXPECTED, view=View.SPAN),
    Check(
        TAG_KEY_MISSING,
        "spans",
        _unset[0] | _unset[1] | _unset[2],
        _KEYS_EXPECTED,
        view=View.SPAN,
        typed=True,
        says={"properties": {name: {"not": {"type": "null"}} for name in spans.PLACE}},
    ),
)

_PAGE_FORM = PageForm(
    PAGE_FORM,
    ("ID", "TEXT", "TAGS"),
    ("start", "end", "tag"),
    tuple(map(str.title, LABELS)),
    (MISNAMED_COLUMN, EXTRA_COLUMN, UNKNOWN_JSON_KEY, COLUMN_ORDER, TAG_KEY_ALIAS, LABEL_CASE),
)

SUBTASK1 = Kind(
    name="flares/subtask1",
    title="FLARES subtask 1 data",
    description="News texts with their 5W1H spans; the test file has no spans.",
    source="github rsepulveda911112/Flares-dataset, 5w1h_subtarea_1_*.json; facts measured on the released files",
    columns=(_ID, _TEXT, _TAGS),
    key=("id",),
    container="jsonl",
    checks=(*TAGS_CHECKS, *SPAN_CHECKS),
    table_checks=(duplicate_key(("id",)), NEIGHBOUR_CHECK),
    spans=_SPANS,
    severities=SEVERITIES["flares/subtask1"],
    page_form=_PAGE_FORM,
    file_names=r"5w1h_sub(?:task|tarea)_1_",
)

SUBTASK1_RUN = Kind(
    name="flares/subtask1-run",
    title="FLARES subtask 1 run",
    description="The predicted spans of each text of the test file.",
    source="FLARES site, how to participate; evaluate_subtask_1.py",
    columns=(
        Column("id", "Id", run_id(), "The text, as in the test file.", aliases=("ID", "id")),
        *_required("spans", (_TAGS,)),
    ),
    key=("id",),
    is_run=True,
    page_form=_PAGE_FORM,
    checks=(*TAGS_CHECKS, *RUN_SPAN_CHECKS),
    table_checks=(duplicate_key(("id",), DUPLICATE_ID), NEIGHBOUR_CHECK),
    spans=_SPANS,
    severities=SEVERITIES["flares/subtask1-run"],
)

_FLAT = {column.name: column for column in _SPANS.columns}


def _flat(name: str, *, optional: bool = False) -> Column:
    return replace(_FLAT[name], nullable=False, optional=optional)


SUBTASK2 = Kind(
    name="flares/subtask2",
    title="FLARES subtask 2 data",
    description="One span per record, with its text and its reliability; the test file has no reliability.",
    source="github rsepulveda911112/Flares-dataset, 5w1h_subtarea_2_*.json",
    columns=(
        _ID,
        _TEXT,
        _flat(spans.START),
        _flat(spans.END),
        _flat(spans.LABEL),
        _flat(spans.SPAN_TEXT),
        _flat(spans.RELIABILITY, optional=True),
    ),
    key=("id",),
    container="jsonl",
    checks=SPAN_CHECKS,
    table_checks=(duplicate_key(("id",)),),
    file_names=r"5w1h_sub(?:task|tarea)_2_",
)

SUBTASK2_RUN = Kind(
    name="flares/subtask2-run",
    title="FLARES subtask 2 run",
    description="The predicted reliability of each span of the test file, in its order.",
    source="FLARES site, how to participate; evaluate_subtask_2.py",
    columns=(
        Column("id", "Id", run_id(), "The span, as in the test file.", aliases=("ID", "id")),
        replace(_flat(spans.RELIABILITY), aliases=("label",)),
    ),
    key=("id",),
    is_run=True,
    table_checks=(duplicate_key(("id",), DUPLICATE_ID),),
    severities=SEVERITIES["flares/subtask2-run"],
)

KINDS = (SUBTASK1, SUBTASK2, SUBTASK1_RUN, SUBTASK2_RUN)
