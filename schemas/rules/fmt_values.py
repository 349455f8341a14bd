"""Rules about the values in any file: numbers, empty cells, repeated keys and odd characters in texts."""

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    CHEERS_DOCUMENTS,
    FLARES_TEST,
    REINTEL_POSTS,
    REINTEL_RUN,
    spoil,
)

DECIMAL_COMMA = Rule(
    code="FMT101",
    name="decimal-comma",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A number has a comma where its decimal point should be.",
    why=(
        "Scorers read numbers with a point: the cell stays a text and scoring stops. Without quotes the comma also "
        "splits the number into two fields."
    ),
    hint=(
        "Write 0.5 and not 0,5. Programs in a locale with decimal commas need a setting for this; `fix` repairs a run."
    ),
    message="{subject} is {value}; expected a decimal point",
    example=spoil(REINTEL_RUN, "5002,0.87", '5002,"0,87"'),
)
BAD_VALUE = Rule(
    code="FMT111",
    name="bad-value",
    severity=Severity.ERROR,
    meaning=(
        "A cell does not fit its column: it is not a whole number, not a number, or not one of the allowed values. "
        "The finding shows the value and what was expected."
    ),
    why=(
        "One such cell is enough to turn a whole numeric column into text in a data frame; scripts then drop it, put "
        "0 in its place or fail far from the cause."
    ),
    hint="Correct the cell in the source. Where many cells of a column are named, look for a shifted column first.",
    message={
        "": FOUND_AND_EXPECTED,
        "date": "{subject} is {value}, a date as a spreadsheet makes one of a number; expected {expected}",
        "token": "the token {value} is not the text at its offsets",
        "before": "the token comes before the first record",
        "offsets": "START and END are {value}; expected offsets",
        "tag": "TAG is {value}; expected O, or a label after B- or I-",
        "span": "SPAN is {value}; expected start-end",
        "line": "the line is not a span, a Reliability_Label or a note: {value}",
        "break": "the text has a line break; a brat document has one text per line",
        "no-token": "the span [{start}, {end}) has no token of its own in {tokenisation}",
    },
    example=spoil(CHEERS_DOCUMENTS, "en,50204", "en,draft"),
)
NULL_VALUE = Rule(
    code="FMT112",
    name="null-value",
    severity=Severity.ERROR,
    meaning="A cell, or the value of a JSON key, is empty although every record must have a value there.",
    why="An empty key joins with nothing, and an empty label becomes a class of its own or makes a scorer stop.",
    hint="Fill the cell in. Words such as NA or None are text, not empty cells.",
    message="{subject} is empty; expected {expected}",
    example=spoil(CHEERS_DOCUMENTS, "IMMAP/DFS Colombia,COL,", "IMMAP/DFS Colombia,,"),
)
SPREADSHEET_NUMBER = Rule(
    code="FMT113",
    name="spreadsheet-number",
    severity=Severity.ERROR,
    meaning="An id is written in scientific form, as a spreadsheet shows long numbers, and its last digits are lost.",
    why=(
        "A spreadsheet keeps 15 digits at most; those that it rounded away are nowhere in the file, so no repair "
        "exists."
    ),
    hint="Go back to the file from before the spreadsheet, or import the column as text.",
    message="{subject} is {value}, a number in scientific form; expected {expected}",
    example=spoil(REINTEL_POSTS, "\n5003,", "\n5.00E+03,"),
)
MOJIBAKE = Rule(
    code="FMT201",
    name="mojibake",
    severity=Severity.WARNING,
    meaning="A text looks like UTF-8 that was once read as Windows-1252: one letter shows as two or three odd ones.",
    why="Models see words that do not exist, and each such letter moves all offsets after it in the text.",
    hint="Repair the file where the wrong encoding was used, not by hand.",
    message="{subject} was decoded with the wrong encoding at character {index}: {value}; it reads {reads!r}",
    example=spoil(
        FLARES_TEST, "Según el acta, el concejo de Robledal aprobó", "SegÃºn el acta, el concejo de Robledal aprobÃ³"
    ),
)
REPLACEMENT_CHARACTER = Rule(
    code="FMT202",
    name="replacement-character",
    severity=Severity.WARNING,
    meaning="A text holds the replacement character U+FFFD, or question marks in the middle of words.",
    why="A conversion dropped letters that its encoding could not express; they are lost.",
    hint="Take the text from a source before that conversion.",
    message="{subject} has lost a character at {index}: {value}",
    example=spoil(FLARES_TEST, "encontró", "encontr\N{REPLACEMENT CHARACTER}"),
)
CONTROL_CHARACTER = Rule(
    code="FMT203",
    name="control-character",
    severity=Severity.WARNING,
    meaning="A text holds an invisible control character other than tab, newline, carriage return and form feed.",
    why=(
        "It counts as a character in offsets and splits words for tokenizers, yet nobody sees it. Those from U+0080 "
        "to U+009F are mostly Windows-1252 quotes and dashes that were read as Latin-1."
    ),
    hint="Remove it or restore the character that was meant, before anything is annotated or counted.",
    message="{subject} holds the control character {character} at {index}: {value}",
    example=spoil(FLARES_TEST, "una vecina encontró", "una vecina \x97 encontró"),
)
LINE_SEPARATOR_CHARACTER = Rule(
    code="FMT204",
    name="line-separator-character",
    severity=Severity.INFO,
    meaning="A text holds U+2028, U+2029 or U+0085, which Unicode counts as line ends.",
    why=(
        "CSV and JSON do not end a line there, but Python's `str.splitlines` does: a script that reads lines that way "
        "cuts the record in two."
    ),
    hint="Split files at the line feed only, or use a CSV or JSON reader.",
    message="{subject} holds the line separator {character} at {index}: {value}",
    example=spoil(FLARES_TEST, "el acta, el concejo", "el acta,\N{LINE SEPARATOR}el concejo"),
)
TEXT_NOT_NFC = Rule(
    code="FMT205",
    name="text-not-nfc",
    severity=Severity.INFO,
    meaning="Texts are not in Unicode normal form NFC: some letters are written as a base letter and a separate mark.",
    why=(
        "Both forms look alike and compare as different, and offsets counted on one do not fit the other. About three "
        "in a hundred messages of the ReINTEL test sets are not NFC; all published FLARES texts are."
    ),
    hint="Keep the text as it is wherever offsets refer to it; normalise copies for comparing.",
    message="{subject} is not in Unicode normal form C from character {index} on: {value}",
    example=spoil(REINTEL_POSTS, "nhận", "nh\u00e2\u0323n"),
)
DUPLICATE_KEY = Rule(
    code="FMT301",
    name="duplicate-key",
    severity=Severity.ERROR,
    meaning="A key occurs in more than one record of a data file or a reference; the finding lists all its rows.",
    why=(
        "A join over the key repeats rows or picks one of them: the FLARES scorer, for one, compares each answer with "
        "the first gold row of its Id and never sees the second."
    ),
    hint="Decide which record is right and remove the others; if two files were put together, give them distinct ids.",
    message={
        "": "{key} appears in {records:record}",
        "labels": "{key} appears in {records:record}, each with the {of} {labels}",
        "contradict": "{key} appears in {records:record} with contradictory labels: {of} {labels}",
    },
    example=spoil(CHEERS_DOCUMENTS, "en,50204", "en,50311"),
)

RULES = (
    DECIMAL_COMMA,
    BAD_VALUE,
    NULL_VALUE,
    SPREADSHEET_NUMBER,
    MOJIBAKE,
    REPLACEMENT_CHARACTER,
    CONTROL_CHARACTER,
    LINE_SEPARATOR_CHARACTER,
    TEXT_NOT_NFC,
    DUPLICATE_KEY,
)
