"""The rules of FLARES that name the one cause behind many wrong offsets."""

import html
import json
import re
import unicodedata
from dataclasses import replace
from functools import partial

from sharedtask.schemas.flares.cause_examples import (
    KEYS,
    as_given,
    behind,
    cause_example,
    first_occurrence,
    on,
    plus,
    word_at,
)
from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.example_files import FLARES_MARKED, flares_run, unmark


def _when(counting: str) -> dict[str, str]:
    """The messages of a cause.

    For the whole file or for some records, and where other causes would explain the file as well.
    """
    fits = "{fit} of {moved:span} fit {evidence}"
    return {
        "": f"{fits} if {counting}",
        "some": f"{fits} in some records if {counting}",
        "others": f"{fits} if {counting}; the same holds for {{others}}",
        "some-others": f"{fits} in some records if {counting}; the same holds for {{others}}",
    }


OFFSETS_UTF16 = Rule(
    code="FLA501",
    name="offsets-utf16",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted in UTF-16 code units, in which an emoji counts as two.",
    why=(
        "Every emoji or other character beyond U+FFFF moves all spans after it by one. The published texts have "
        "none, so the mistake shows only on other texts."
    ),
    hint="JavaScript, Java and C# count like this. Let `fix` recount, or count in Python's str.",
    message=_when("offsets are counted in UTF-16 code units"),
    example=cause_example(
        behind("📢 ", "🚒🚒 ", "📢🚒📢 ", "🐝🐝🐝🐝 "), lambda text, place: len(text[:place].encode("utf-16-le")) // 2
    ),
)
OFFSETS_UTF8_BYTES = Rule(
    code="FLA502",
    name="offsets-utf8-bytes",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted in bytes of UTF-8, in which an accented letter counts as two.",
    why="In Spanish nearly every text is hit: the training gold counted in bytes scores F1 0.60 against itself.",
    hint="Go, Rust and C count like this, and so do tokenizers that report byte offsets. Let `fix` recount.",
    message=_when("offsets are counted in UTF-8 bytes"),
    example=cause_example(
        behind("Ojo: ", "¡Atención! ", "Año difícil: ", "Última página: "),
        lambda text, place: len(text[:place].encode()),
    ),
)
OFFSETS_END_INCLUSIVE = Rule(
    code="FLA503",
    name="offsets-end-inclusive",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if Tag_End is the offset of the last character; the task expects the offset after it.",
    why="Every span is one character short and so Partial at best: a perfect run scores F1 0.5 exactly.",
    hint="Add one to every Tag_End; `fix` does so.",
    message=_when("Tag_End is the offset of the last character"),
    example=cause_example(FLARES_MARKED, as_given, plus(-1)),
)
OFFSETS_ONE_BASED = Rule(
    code="FLA504",
    name="offsets-one-based",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted from 1: both offsets are one too high.",
    why="Every span is moved by one character and so Partial at best: a perfect run scores F1 0.5 exactly.",
    hint="Subtract one from Tag_Start and Tag_End; `fix` does so.",
    message=_when("offsets are counted from 1"),
    example=cause_example(FLARES_MARKED, plus(1)),
)
OFFSETS_ONE_BASED_INCLUSIVE = Rule(
    code="FLA505",
    name="offsets-one-based-inclusive",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "The spans fit if counting starts at 1 and Tag_End is the last character: the start is one too high and the "
        "end is right."
    ),
    why="Every span lacks its first character and is Partial at best, so a perfect run scores F1 0.5 exactly.",
    hint="Subtract one from Tag_Start and leave Tag_End; `fix` does so. R, Lua and many corpus tools count like this.",
    message=_when("offsets are counted from 1 and Tag_End is the offset of the last character"),
    example=cause_example(FLARES_MARKED, plus(1), as_given),
)
OFFSETS_SHIFTED = Rule(
    code="FLA506",
    name="offsets-shifted",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if all offsets of the file are moved by the same number, which the finding gives.",
    why="A span that is moved equals no gold span, and one that is moved far does not even overlap it.",
    hint="Look for a prompt or a prefix in front of the text when offsets were counted. Let `fix` move them back.",
    message={
        **_when("offsets are {by} too {direction}"),
        "behind": "{fit} of {moved:span} fit {evidence} if offsets are {by} too {direction} from some point of each text on",
    },
    example=cause_example(FLARES_MARKED, plus(3)),
)
OFFSETS_ON_STRIPPED_TEXT = Rule(
    code="FLA507",
    name="offsets-on-stripped-text",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted after the white space at the start of the text was cut off.",
    why=(
        "Only texts with leading white space are hit, two in the training file and two in the test file of subtask 1, "
        "so the score hardly shows it: 0.9997 for the training gold."
    ),
    hint="Do not strip the text before counting. Let `fix` add the white space that was cut.",
    message=_when("offsets are counted after stripping leading white space"),
    example=cause_example(behind("   ", " ", "    ", "  "), lambda text, place: place - len(text) + len(text.lstrip())),
)
OFFSETS_ON_NORMALIZED_TEXT = Rule(
    code="FLA508",
    name="offsets-on-normalized-text",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "The spans fit if offsets are counted on the text in a Unicode normal form, NFC, NFD or NFKC; the finding "
        "says which."
    ),
    why=(
        "Normalising can change the length of a text: NFKC turns an ellipsis into three full stops, NFD two characters "
        "of an accented letter. NFKC changes 98 texts of the training file."
    ),
    hint="Count on the text as given; some tokenizers normalise by themselves. Let `fix` recount.",
    message=_when("offsets are counted on the text in normal form {form}"),
    example=cause_example(
        behind("Bueno… ", "Ya… veremos… ", "Así… sí… pues… ", "¿Y…? "),
        on(lambda text: unicodedata.normalize("NFKC", text)),
    ),
)
OFFSETS_ON_COLLAPSED_WHITESPACE = Rule(
    code="FLA509",
    name="offsets-on-collapsed-whitespace",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if each run of white space, no-break spaces included, counts as one space.",
    why=(
        "Every double space moves the spans after it. Few texts have one, so the score hides it: the training gold "
        "still gets 0.990 after such a clean-up."
    ),
    hint="Do not clean white space before counting. Let `fix` recount.",
    message=_when("each run of white space counts as one space"),
    example=cause_example(
        behind("Aviso:   ", "Dato:  ", "Breve:    ", "De  la   comarca: "), on(lambda text: re.sub(r"\s+", " ", text))
    ),
)
OFFSETS_ON_CRLF_TEXT = Rule(
    code="FLA510",
    name="offsets-on-crlf-text",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if line ends are counted differently: a CRLF of the text as one character, or an LF as two.",
    why="Each line end in the text moves the spans after it by one more character.",
    hint="Text mode and Windows tools rewrite line ends; open files with newline='' in Python. Let `fix` recount.",
    message=_when("each {line_end} counts as {width:character}"),
    example=cause_example(
        behind("Titular\n", "Lugar\nFecha\n", "Uno\nDos\nTres\n", "Breve\n"),
        on(lambda text: text.replace("\n", "\r\n")),
    ),
)
OFFSETS_ON_UNESCAPED_HTML = Rule(
    code="FLA511",
    name="offsets-on-unescaped-html",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if HTML entities such as &amp; are counted as the one character that they stand for.",
    why="Each entity moves the spans after it by its length minus one, four characters for &amp;.",
    hint="Count on the text as given, with its entities. Let `fix` recount.",
    message=_when("each HTML entity counts as the character that it stands for"),
    example=cause_example(
        behind("Pan &amp; vino: ", "&quot;Nota&quot;: ", "3 &lt; 5: ", "&laquo;Eco&raquo;: "), on(html.unescape)
    ),
)
OFFSETS_FIRST_OCCURRENCE = Rule(
    code="FLA512",
    name="offsets-first-occurrence",
    severity=Severity.WARNING,
    meaning="Wherever the text of a span occurs more than once, the span is at the first occurrence.",
    why=(
        "The offsets look as if they came from a text search. In the training gold 40 of 6,934 spans are not at the "
        "first occurrence; searching for them costs little F1, 0.994, but picks the wrong words."
    ),
    hint=(
        "Have the system give offsets, or search on from the context of the span. Which place is meant can't be "
        "repaired."
    ),
    message="{spans:span} whose text occurs more than once in the record are all at the first occurrence",
    example=first_occurrence(),
)

OFFSETS_IN_WORDS = Rule(
    code="FLA513",
    name="offsets-in-words",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are numbers of words or tokens.",
    why="A tagger gives the numbers of tokens. As offsets they all lie in the first words of the text.",
    hint="Have the tokenizer give the offsets of its tokens, or let `fix` look them up.",
    message={
        **_when("offsets number the {words} from 0 and Tag_End is the number of {last}"),
        "alike": "{fit} of {moved:span} fit {evidence} if offsets number words from 0, and not in one way only: without "
        "Tag_Text, fix moves none",
    },
    example=cause_example(behind("", "", "", ""), word_at, lambda text, place: word_at(text, place - 1) + 1),
)
OFFSETS_ON_ESCAPED_JSON = Rule(
    code="FLA514",
    name="offsets-on-escaped-json",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted on the text as a line of JSON has it, with its escapes.",
    why="In the published files each letter with an accent is an escape of six characters, and each slash one of two.",
    hint="Parse the line as JSON before you count. Let `fix` recount.",
    message=_when("{letters} count as their JSON escapes"),
    example=cause_example(
        behind("Ojo: ", "¡Atención! ", "Año difícil: ", "Última página: "),
        lambda text, place: len(json.dumps(text[:place])) - 2,
    ),
)
OFFSETS_ON_ESCAPED_HTML = Rule(
    code="FLA515",
    name="offsets-on-escaped-html",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The spans fit if offsets are counted on the text as HTML has it, with & as &amp;.",
    why="A page or an annotation tool escapes these signs, and every span behind one moves.",
    hint="Unescape the text before you count. Let `fix` recount.",
    message=_when("{signs} count as their HTML entities"),
    example=cause_example(
        behind("Pan & vino: ", "Nota & eco: ", "3 < 5: ", "Sal & ajo: "), on(partial(html.escape, quote=False))
    ),
)
OFFSETS_UNEXPLAINED = Rule(
    code="FLA516",
    name="offsets-unexplained",
    severity=Severity.ERROR,
    meaning=(
        "At least half of the spans are outside of their texts or contradict their Tag_Text, and no way of counting "
        "explains it; a warning where they only cut words."
    ),
    why="One fault in how offsets are made hits all spans, and each of them looks like a fault of its own.",
    hint="Look up a few spans in their texts by hand. Where Tag_Text is right, `fix --place` finds the offsets by it.",
    message={
        "": "{wrong} of {spans:span} are outside of their texts or contradict their Tag_Text; tried: {tried}",
        "words": "{wrong} of {spans:span} cut words; tried: {tried}",
    },
    example=replace(
        cause_example(behind("", "", "", ""), as_given),
        wrong=flares_run(
            {
                key: [{**tag, "Tag_Text": f"{tag['Tag_Text']}!"} for tag in unmark(text)[1]]
                for key, text in FLARES_MARKED.items()
            },
            KEYS,
        ),
    ),
)

RULES = (
    OFFSETS_UTF16,
    OFFSETS_UTF8_BYTES,
    OFFSETS_END_INCLUSIVE,
    OFFSETS_ONE_BASED,
    OFFSETS_ONE_BASED_INCLUSIVE,
    OFFSETS_SHIFTED,
    OFFSETS_ON_STRIPPED_TEXT,
    OFFSETS_ON_NORMALIZED_TEXT,
    OFFSETS_ON_COLLAPSED_WHITESPACE,
    OFFSETS_ON_CRLF_TEXT,
    OFFSETS_ON_UNESCAPED_HTML,
    OFFSETS_FIRST_OCCURRENCE,
    OFFSETS_IN_WORDS,
    OFFSETS_ON_ESCAPED_JSON,
    OFFSETS_ON_ESCAPED_HTML,
    OFFSETS_UNEXPLAINED,
)
