"""The rules of FLARES about how tags are written: cells, keys, numbers and labels."""

from dataclasses import replace

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    FLARES_LABELS_RUN,
    FLARES_MARKED,
    FLARES_RUN,
    lines,
    spoil,
    unmark,
)

LABELS = ("WHAT", "WHO", "WHERE", "WHEN", "HOW", "WHY")
RELIABILITIES = ("confiable", "semiconfiable", "no confiable")

_WHO = "{'Tag_Start': 11, 'Tag_End': 31, '5W1H_Label': 'WHO'}"
_WHAT = "{'Tag_Start': 43, 'Tag_End': 56, '5W1H_Label': 'WHAT'}"
_RUN = str(FLARES_RUN.right)
_ONE_SPAN = _RUN.replace("{'Tag_Start': 0, 'Tag_End': 9, '5W1H_Label': 'WHEN'}, ", "").replace(f", {_WHAT}", "")


def _page_form(run: str) -> str:
    """The FLARES run as the page shows one, with its texts."""
    names = {"Tag_Start": "start", "Tag_End": "end", "5W1H_Label": "tag"} | {
        f"'{one}'": f"'{one.title()}'" for one in LABELS
    }
    rows = [line.partition(",") for line in run.splitlines()[1:]]
    for name, other in names.items():
        rows = [(key, comma, cell.replace(name, other)) for key, comma, cell in rows]
    texts = {str(key): unmark(text)[0] for key, text in FLARES_MARKED.items()}
    return lines("ID,TEXT,TAGS", *(f'{key},"{texts[key]}",{cell}' for key, _, cell in rows))


BAD_TAGS_CELL = Rule(
    code="FLA101",
    name="bad-tags-cell",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "A Tags cell is not a list of dicts as Python or JSON writes it. Cells that still have exactly one reading "
        "(np.int64(0), an array, a tuple for each tag, a code fence, bare apostrophes) are read, and one finding names "
        "what they hold; for any other cell a finding shows where the reading stopped."
    ),
    why=(
        "The official scorer puts each cell through Python's eval and fails as a whole on an empty cell, on curly "
        "quotes, on np.int64(0) or on a list that is cut off, and it would run any code it finds. Here cells are only "
        "ever parsed as data."
    ),
    hint=(
        "Write str() of the list of dicts, with int() around each offset, quoted as one CSV field; write [] for a text "
        "without spans. `fix` rewrites the cells that have only one reading."
    ),
    message={
        "": "{subject} is empty; expected a list, [] for no span",
        "words": "{subject} holds null, true or false, which are JSON and not Python",
        "long": "{subject} has {characters} characters; expected at most {most}",
        "type": "{subject} is {found}; expected a list",
        "item": "{subject}[{item}] is {found}; expected a dict",
        "both": "{first!r} and {key!r} in {subject}[{item}] stand for the same field",
        "repeated": "{key!r} appears twice in one tag of {subject}, with different values",
        "fields": "a tag of {subject} has {first!r} and {key!r}, which stand for the same field",
        "nested": "{key!r} in {subject}[{item}] is not a plain value",
        "value": "{subject} holds NaN, infinity or a lone surrogate",
        "syntax": "{subject} is not a Python or JSON list; parsing stopped at character {character}: {near!r}",
        "expression": "{subject} is an expression and not a plain list of dicts: {near!r}",
        "texts": "{subject} has {forms} and no offsets in {records:cell}; expected a plain list of dicts; "
        "`fix --place exact` finds the offsets and writes one",
        "run": "{subject} has {forms} in {records:cell}; expected a plain list of dicts, and `fix` writes one",
        "data": "{subject} has {forms} in {records:cell}; expected a plain list of dicts",
    },
    example=spoil(FLARES_RUN, "'WHAT'}]\"\n402", "'WHAT'\"\n402"),
)
JSON_TAGS = Rule(
    code="FLA102",
    name="json-tags",
    severity=Severity.INFO,
    fixable=True,
    meaning="A Tags cell is written as JSON, with double quotes, where the documented form is a Python literal.",
    why="The official scorer takes it as long as it has no null, true or false; on these Python's eval fails.",
    hint="Nothing needs to be done; to be safe write str() of the list instead of json.dumps().",
    message="{subject} is written as JSON; expected a Python literal",
    example=replace(FLARES_RUN, wrong=_RUN.replace("'", '""')),
)
TAG_KEY_ALIAS = Rule(
    code="FLA103",
    name="tag-key-alias",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "Tags use other words for their keys, such as start, end and label, instead of Tag_Start, Tag_End and 5W1H_Label."
    ),
    why="The official scorer looks up Tag_Start and fails with a KeyError, so not one row is scored.",
    hint="Rename the keys; `fix` does so.",
    message="the tags have the keys {keys}; expected {official}",
    example=replace(
        FLARES_RUN, wrong=_RUN.replace("Tag_Start", "start").replace("Tag_End", "end").replace("5W1H_Label", "tag")
    ),
)
PAGE_FORM = Rule(
    code="FLA110",
    name="page-form",
    severity=Severity.WARNING,
    fixable=True,
    meaning=(
        "A file is wholly in the form of the competition page: ID, TEXT and TAGS, tags with start, end and tag, and labels "
        "such as What."
    ),
    why=(
        "The page shows this form, but the organisers' script refuses it: it looks up Id, Tags, Tag_Start, Tag_End and "
        "5W1H_Label. The answers are read as what they say, and scored by every scorer but `official-verbatim`."
    ),
    hint="Let `fix` write the run as Id,Tags with Tag_Start, Tag_End and 5W1H_Label, and upload that.",
    message={
        "": "the run has the form of the competition page ({columns}), which the organisers' script refuses; expected "
        "{expected}; `fix` converts it",
        "data": "the file has the form of the competition page ({columns}), which the organisers' script refuses; "
        "expected {expected}; `export` writes it so",
    },
    example=replace(FLARES_RUN, wrong=_page_form(_RUN)),
)
TAG_KEY_MISSING = Rule(
    code="FLA104",
    name="tag-key-missing",
    severity=Severity.ERROR,
    meaning="A tag lacks its start, its end or its label.",
    why="A tag without all three is not a span, and the official scorer stops at it with a KeyError.",
    hint=(
        "Give each tag Tag_Start, Tag_End and 5W1H_Label, or leave the tag out. `fix --place exact` finds the offsets of "
        "tags that have a Tag_Text."
    ),
    message="{span_place} lacks {missing}; expected {expected}",
    example=spoil(FLARES_RUN, "'Tag_Start': 43, 'Tag_End': 56, ", "'Tag_Start': 43, "),
)
TAGS_NOT_A_LIST = Rule(
    code="FLA105",
    name="tags-not-a-list",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A Tags cell holds something other than a list, most often one dict without brackets.",
    why="The official scorer goes through the cell as a list of dicts and stops with a TypeError.",
    hint="Put brackets around it, even where there is only one span; `fix` does so for a lone dict.",
    message="{subject} is a single tag; expected a list of tags",
    example=replace(FLARES_RUN, wrong=_ONE_SPAN.replace(f"[{_WHO}]", _WHO), right=_ONE_SPAN),
)
OFFSET_NOT_INTEGER = Rule(
    code="FLA106",
    name="offset-not-integer",
    severity=Severity.ERROR,
    fixable=True,
    once=True,
    meaning="Tag_Start or Tag_End is not a whole number but text, such as '5' or 'np.int64(5)', or has a decimal point, such as 5.0.",
    why=(
        "Text offsets equal no gold offset, and the official scorer stops with a TypeError as soon as it compares one "
        "for overlap. Decimal ones pass there, but break slicing elsewhere."
    ),
    hint="Convert with int() before writing; `fix` does so where the number is whole.",
    message=FOUND_AND_EXPECTED,
    example=spoil(FLARES_RUN, "'Tag_Start': 43", "'Tag_Start': '43'"),
)
UNKNOWN_LABEL = Rule(
    code="FLA107",
    name="unknown-label",
    severity=Severity.ERROR,
    meaning="A 5W1H label is not one of WHAT, WHO, WHERE, WHEN, HOW, WHY.",
    why=(
        "If the span equals a gold span the official scorer counts it as Incorrect; anywhere else it fails with a "
        "KeyError and scores nothing at all."
    ),
    hint="Map the label to one of the six, or leave the span out.",
    message=FOUND_AND_EXPECTED,
    example=spoil(FLARES_RUN, "'WHERE'", "'PLACE'"),
)
LABEL_CASE = Rule(
    code="FLA108",
    name="label-case",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A 5W1H label is correct except for its case or the spaces around it, such as What for WHAT.",
    why="The official scorer compares labels exactly and treats it like a label that does not exist.",
    hint="Write the six labels in capitals; `fix` does so.",
    message=FOUND_AND_EXPECTED,
    example=spoil(FLARES_RUN, "'WHERE'", "'Where'"),
)
UNKNOWN_RELIABILITY = Rule(
    code="FLA109",
    name="unknown-reliability",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A reliability label is not exactly one of confiable, semiconfiable, no confiable.",
    why=(
        "The official scorer does not complain: a capital, an underscore or a space at the end adds a class with F1 "
        "0. On four rows one such slip takes the macro F1 from 1.0 down to between 0.50 and 0.67."
    ),
    hint=(
        "Write the label in lower case, with one plain space in no confiable; `fix` repairs labels that have only one "
        "reading."
    ),
    message=FOUND_AND_EXPECTED,
    example=spoil(FLARES_LABELS_RUN, "no confiable", "no_confiable"),
)

RULES = (
    BAD_TAGS_CELL,
    JSON_TAGS,
    TAG_KEY_ALIAS,
    TAG_KEY_MISSING,
    TAGS_NOT_A_LIST,
    OFFSET_NOT_INTEGER,
    UNKNOWN_LABEL,
    LABEL_CASE,
    UNKNOWN_RELIABILITY,
    PAGE_FORM,
)
