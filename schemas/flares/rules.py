"""The rules of FLARES about tags, spans and labels; those that name the cause of wrong offsets are in `cause_rules`."""

from collections.abc import Mapping
from dataclasses import replace

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    FLARES_LABELS_RUN,
    FLARES_MARKED,
    FLARES_RUN,
    FLARES_TRAIN,
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
        "repeated": "{key!r} stands twice in one tag of {subject}, with different values",
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
SPAN_OUT_OF_BOUNDS = Rule(
    code="FLA201",
    name="span-out-of-bounds",
    severity=Severity.ERROR,
    meaning="A span starts before its text or ends after it.",
    why=(
        "It covers characters that do not exist. The official scorer never looks at the text and may even give it "
        "half a point as Partial, so nothing shows that the offsets are wrong."
    ),
    hint=(
        "Count again in Unicode characters of the text as given: start at 0, and let the end be one past the last "
        "character."
    ),
    message="{span_place} does not lie within its text of {characters:character}",
    example=spoil(FLARES_RUN, "'Tag_Start': 43, 'Tag_End': 56", "'Tag_Start': 43, 'Tag_End': 84"),
)
SPAN_EMPTY = Rule(
    code="FLA202",
    name="span-empty",
    severity=Severity.ERROR,
    meaning="A span ends where it starts, or before.",
    why="It covers nothing. The official scorer can still count it as Partial, which hides the mistake.",
    hint="Look for a start and an end that were swapped, or an end computed from an empty text.",
    message="{span_place} is empty; expected an end after the start",
    example=spoil(FLARES_RUN, "'Tag_Start': 43, 'Tag_End': 56", "'Tag_Start': 43, 'Tag_End': 43"),
)
SPAN_TEXT_DIFFERS = Rule(
    code="FLA203",
    name="span-text-differs",
    severity=Severity.ERROR,
    meaning="Tag_Text is not the piece of the text between Tag_Start and Tag_End.",
    why=(
        "Either the offsets or the copy is wrong. Only offsets are scored; in all 8,696 published tags both agree, so "
        "a difference is an error in the file."
    ),
    hint="The finding shows both texts. Take offsets and copy from the same, unchanged text.",
    message="{subject} is {value}, but the text at [{start}, {end}) is {text}",
    example=spoil(FLARES_TRAIN, '"Tag_Text":"mapas y lupas"', '"Tag_Text":"mapas y libros"'),
)
SPAN_EDGE_WHITESPACE = Rule(
    code="FLA204",
    name="span-edge-whitespace",
    severity=Severity.WARNING,
    fixable=True,
    meaning="A span starts or ends with white space.",
    why=(
        "No published span does, so it can match a gold span as Partial at best: the training file scored against "
        "itself with one leading space in each span gets F1 0.55."
    ),
    hint="Move the edge past the white space; `fix` does so. Language models often put a space before what they quote.",
    message="{span_place} starts or ends with white space: {text}",
    example=spoil(FLARES_RUN, "'Tag_Start': 43", "'Tag_Start': 42"),
)
SPAN_CUTS_WORD = Rule(
    code="FLA205",
    name="span-cuts-word",
    severity=Severity.WARNING,
    meaning="A span starts or ends in the middle of a word.",
    why=(
        "Only 4 of 8,145 published spans do. Many such spans in one run point to offsets that were counted in another way."
    ),
    hint="Check how the offsets were counted; for single spans move the edge to the end of the word.",
    message="{span_place} cuts a word: {text}",
    example=spoil(FLARES_RUN, "'Tag_Start': 43, 'Tag_End': 56", "'Tag_Start': 43, 'Tag_End': 54"),
)
DUPLICATE_SPAN = Rule(
    code="FLA206",
    name="duplicate-span",
    severity=Severity.WARNING,
    fixable=True,
    meaning="The same span with the same label appears more than once in a record.",
    why=(
        "A second copy is Spurious to the official scorer, or takes a neighbouring gold span as Partial. In gold it "
        "makes one of the copies Missing for everybody."
    ),
    hint="Keep one copy; `fix` does so.",
    message="duplicate span [{start}, {end}) {label}",
    example=spoil(FLARES_RUN, _WHAT, f"{_WHAT}, {_WHAT}"),
)
SPAN_OVERLAP = Rule(
    code="FLA207",
    name="span-overlap",
    severity=Severity.WARNING,
    meaning="Two spans of one record share characters.",
    why=(
        "The annotation guideline forbids it and no published record has it; at most one of the two can be right. The "
        "official scorer accepts it, and each gold span is credited to one prediction only."
    ),
    hint="Keep the better span, or cut one of them short.",
    message="{span_place} overlaps the span [{other_start}, {other_end}), which starts before it",
    example=spoil(FLARES_RUN, _WHO, "{'Tag_Start': 11, 'Tag_End': 50, '5W1H_Label': 'WHO'}"),
)
UNSORTED_SPANS = Rule(
    code="FLA208",
    name="unsorted-spans",
    severity=Severity.INFO,
    fixable=True,
    meaning="The spans of a record are not in the order of their starts.",
    why=(
        "The official scorer sorts them itself; the published files have them sorted. The eHealth-KD 2020 script uses "
        "the order given, so its score can depend on it."
    ),
    hint="Nothing needs to be done; `fix` sorts them.",
    message="span {late} starts before the span that precedes it",
    example=spoil(FLARES_RUN, f"{_WHO}, {_WHAT}", f"{_WHAT}, {_WHO}"),
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
    SPAN_OUT_OF_BOUNDS,
    SPAN_EMPTY,
    SPAN_TEXT_DIFFERS,
    SPAN_EDGE_WHITESPACE,
    SPAN_CUTS_WORD,
    DUPLICATE_SPAN,
    SPAN_OVERLAP,
    UNSORTED_SPANS,
)

_REFUSED_UPLOADS = {"extra-column": Severity.ERROR, "index-column": Severity.ERROR}
SEVERITIES: Mapping[str, Mapping[str, Severity]] = {
    "flares/subtask1": {"duplicate-span": Severity.ERROR, "span-overlap": Severity.ERROR},
    "flares/subtask1-run": _REFUSED_UPLOADS,
    "flares/subtask2-run": {**_REFUSED_UPLOADS, "order-differs": Severity.ERROR},
}
"""The severities that differ from those of the rules: kind, name of the rule, severity."""
