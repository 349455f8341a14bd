"""The rules of spans whose text is put in its place by `fix --place`."""

from dataclasses import replace

from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.example_files import FLARES_RUN

_RUN = str(FLARES_RUN.right)
_WHAT = "{'Tag_Start': 43, 'Tag_End': 56, '5W1H_Label': 'WHAT'}"


def _given(text: str) -> str:
    """The run with one tag that has a text and no offsets."""
    return _RUN.replace(_WHAT, f"{{'5W1H_Label': 'WHAT', 'Tag_Text': '{text}'}}")


FRAGMENT_ABSENT = Rule(
    code="FLA401",
    name="fragment-absent",
    severity=Severity.ERROR,
    meaning="The Tag_Text of a span, which `fix --place` was asked to find, is not in the text of its record.",
    why=(
        "A language model has reworded what it was to quote, or has quoted another text. It was looked for as it is, and "
        "then without regard to white space, case, the kind of quotes and dashes, and the Unicode normal form."
    ),
    hint="Correct the Tag_Text or leave the tag out; ask the model to copy word for word. The span stays as it was.",
    message="{subject} is {value}, which is not in the text of its record",
    example=replace(FLARES_RUN, wrong=_given("mapas y libros")),
)
FRAGMENT_AMBIGUOUS = Rule(
    code="FLA402",
    name="fragment-ambiguous",
    severity=Severity.WARNING,
    meaning=(
        "The Tag_Text of a span, which `fix --place` was asked to find, occurs several times in the text of its record, and "
        "neither the order of the spans nor, with `nearest`, the offset says which is meant."
    ),
    why=(
        "To take the first place would be a guess. Where the spans of a record are in the order of its text and do not "
        "overlap, most repeated texts have only one place."
    ),
    hint=(
        "Give the tags in the order of the text, add words to the Tag_Text, or use `--place nearest` if the offsets are "
        "nearly right. The span stays as it was."
    ),
    message={
        "": "{subject} is {value}, which occurs {times:time} in the text of its record; "
        "nothing shows which of them is meant",
        "many": "{subject} is {value}, which occurs more than {times:time} in the text of its record; "
        "nothing shows which of them is meant",
    },
    example=replace(FLARES_RUN, wrong=_given("a")),
)
FRAGMENT_PLACED = Rule(
    code="FLA403",
    name="fragment-placed",
    severity=Severity.INFO,
    meaning=(
        "Texts of spans were found by `fix --place` only after folding what people and programs change about them: white "
        "space, then case as well, then quotes and dashes, then the normal forms of Unicode."
    ),
    why=(
        "Language models change such things when they quote. Each text was put in the place of the first fold at which it "
        "was found, and its span covers the characters of the original text."
    ),
    hint="Nothing needs to be done; look at a few of the spans with `fix --diff`.",
    message="{texts:text} of spans found only after folding {fold}",
    example=replace(FLARES_RUN, wrong=_given("Mapas  y Lupas")),
)

RULES = (FRAGMENT_ABSENT, FRAGMENT_AMBIGUOUS, FRAGMENT_PLACED)
