"""Rules about damage that a program or a hand has done to a whole file: records that are none, and texts that were others."""

import json
from dataclasses import replace

from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.example_files import CHEERS_RUN, FLARES_TEST, REINTEL_POSTS, spoil

_RUN = str(CHEERS_RUN.right)
_HEADER = _RUN.partition("\n")[0]
_LINES = str(FLARES_TEST.right)

REPEATED_HEADER = Rule(
    code="FMT017",
    name="repeated-header",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "The header appears again between the records, or in a file without one, most often because files were put "
        "together."
    ),
    why="It is read as one more record, whose id and answer are words.",
    hint="Take the line out; `fix` leaves it out, and so does `convert --on-error quarantine`.",
    message={
        "again": "the line is the header again; expected a record",
        "inside": "the line is a header between the records; expected a record",
    },
    example=replace(CHEERS_RUN, wrong=_RUN.replace("\n50311,2,", f"\n{_HEADER}\n50311,2,")),
)
BLANK_RECORD = Rule(
    code="FMT018",
    name="blank-record",
    severity=Severity.WARNING,
    fixable=True,
    meaning="A record holds nothing but delimiters or white space.",
    why=(
        "Most readers skip a blank line, but a line of delimiters is a record without values: the CHEERS evaluator "
        "compares the numbers of rows and refuses the run."
    ),
    hint="Take the line out; `fix` leaves it out, and so does `convert --on-error quarantine`.",
    message={
        "line": "the line is blank",
        "end": "the file ends with blank lines, from this line on",
        "delimiters": "the record holds nothing but delimiters",
    },
    example=replace(CHEERS_RUN, wrong=_RUN.replace("\n50311,2,", "\n\n50311,2,")),
)
JSON_OVER_LINES = Rule(
    code="FMT019",
    name="json-over-lines",
    severity=Severity.WARNING,
    fixable=True,
    meaning="The records of a JSON file are written over several lines each, where JSON Lines has one record a line.",
    why="A reader of JSON Lines takes each line for a record and fails at the first one.",
    hint="Write one object a line: jq -c, or lines=True in pandas. The records are read as they are.",
    message="the records are written over several lines; expected one record a line",
    example=replace(
        FLARES_TEST,
        wrong="".join(
            json.dumps(json.loads(line), indent=2, ensure_ascii=False) + "\n" for line in _LINES.splitlines()
        ),
    ),
)
JSON_ENCODED_TWICE = Rule(
    code="FMT020",
    name="json-encoded-twice",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A JSON string holds the record, or all records, so they were encoded twice.",
    why="A JSON reader finds a text where it looks for an object.",
    hint="Write the object, not its text: json.dumps(record), once.",
    message={
        "line": "each line is a JSON string that holds the record; expected the record itself",
        "file": "the records are JSON inside a JSON string; expected the records themselves",
    },
    example=replace(FLARES_TEST, wrong="".join(json.dumps(line) + "\n" for line in _LINES.splitlines())),
)
UNREAD = Rule(
    code="FMT021",
    name="unread",
    severity=Severity.WARNING,
    meaning="A data file is of no known kind, or is damaged; the other files were read.",
    why="What is in it was not checked, and nothing was made of it.",
    hint="Say what it is with `--kind`, mend it, or leave it out with `--exclude`.",
    message="was not read: {why}",
)
WORKBOOK_SHEETS = Rule(
    code="FMT022",
    name="workbook-sheets",
    severity=Severity.INFO,
    meaning="A workbook has several sheets with cells, of which one was read.",
    why="The records may be in another one.",
    hint="Name the sheet with `--sheet`.",
    message="the workbook has cells in the sheets {sheets}; {sheet} was read",
)
TEXT_BEGINS_WITH_BOM = Rule(
    code="FMT206",
    name="text-begins-with-bom",
    severity=Severity.WARNING,
    fixable=True,
    meaning="A text holds the byte order mark U+FEFF, which belongs at the start of a file.",
    why="Nobody sees it, but it counts as a character: all offsets behind it are one higher than they look.",
    hint="Keep it as long as offsets count it; take it out before anything is annotated or counted.",
    message="{subject} holds a byte order mark, U+FEFF, at {index}: {value}",
    example=spoil(FLARES_TEST, '"Text":"', '"Text":"\ufeff'),
)
SPREADSHEET_ERROR = Rule(
    code="FMT207",
    name="spreadsheet-error",
    severity=Severity.WARNING,
    meaning="A text is the error of a spreadsheet, such as #NAME? or #REF!.",
    why="The text began with =, + or - and was taken for a formula; what it said is lost.",
    hint="Go back to the file from before the spreadsheet, or import the column as text.",
    message="{subject} is {value}, an error of a spreadsheet; expected a text",
    example=spoil(REINTEL_POSTS, "Cầu treo ở bản trên đã sửa xong từ hôm qua.", "#NAME?"),
)
TRUNCATED_CELL = Rule(
    code="FMT208",
    name="truncated-cell",
    severity=Severity.WARNING,
    meaning="A text has exactly as many characters as a spreadsheet cell or a text column of a database can hold.",
    why="What came behind character 32,767 (or 65,535) was cut off without a word.",
    hint="Take the text from the source before the spreadsheet.",
    message="{subject} has exactly {characters} characters, the most that {holder} holds; it may be cut off",
)
SWALLOWED_RECORDS = Rule(
    code="FMT209",
    name="swallowed-records",
    severity=Severity.WARNING,
    meaning="A text holds what looks like whole records of its own file: stray quotes have joined them.",
    why="The file is valid CSV, so no reader complains, but the records inside the text are missing.",
    hint="Look for a quote at the start of this text and for one behind a later one; close or double them.",
    message="{subject} holds what looks like whole records, from character {index} on: {value}",
    example=replace(
        REINTEL_POSTS,
        wrong=str(REINTEL_POSTS.right)
        .replace("Trạm y tế", '"Trạm y tế')
        .replace("hai mươi em nhỏ.", 'hai mươi em nhỏ."'),
    ),
)

RULES = (
    REPEATED_HEADER,
    BLANK_RECORD,
    JSON_OVER_LINES,
    JSON_ENCODED_TWICE,
    UNREAD,
    WORKBOOK_SHEETS,
    TEXT_BEGINS_WITH_BOM,
    SPREADSHEET_ERROR,
    TRUNCATED_CELL,
    SWALLOWED_RECORDS,
)
