"""The rules of FLARES about spans; those about how tags are written are in `tag_rules`, those that name a cause in `cause_rules`."""

from collections.abc import Mapping

from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.example_files import (
    FLARES_RUN,
    FLARES_TRAIN,
    spoil,
)

_WHO = "{'Tag_Start': 11, 'Tag_End': 31, '5W1H_Label': 'WHO'}"
_WHAT = "{'Tag_Start': 43, 'Tag_End': 56, '5W1H_Label': 'WHAT'}"
_RUN = str(FLARES_RUN.right)
_ONE_SPAN = _RUN.replace("{'Tag_Start': 0, 'Tag_End': 9, '5W1H_Label': 'WHEN'}, ", "").replace(f", {_WHAT}", "")

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
