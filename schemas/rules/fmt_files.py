"""Rules about bytes, containers and records.

The FMT rules that speak before a single value is read, but for those of columns.
"""

from dataclasses import replace

from sharedtask.schemas.rule import Example, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    CHEERS_RUN,
    CHEERS_SENTENCES,
    FLARES_TEST,
    REINTEL_RUN,
    REINTEL_ZIP,
    spoil,
    zip_of,
)

MAX_FIELD_BYTES = 64 * 2**20  # of one field, unless the user says otherwise

_RUN = str(CHEERS_RUN.right)
_JSON = str(FLARES_TEST.right)


def _with_bytes(sound: Example, wrong: bytes) -> Example:
    """The example whose files are bytes, since what is wrong would not survive as text."""
    return replace(sound, wrong=wrong, right=str(sound.right).encode())


_ACCENTED = spoil(CHEERS_SENTENCES, "Midwives visit the settlement", "Midwives from Ségou visit the camp")

EMPTY_FILE = Rule(
    code="FMT001",
    name="empty-file",
    severity=Severity.ERROR,
    meaning="The file has no bytes, or a header and no records.",
    why="Nothing can be read from it; most often a job that wrote it stopped, or a download failed.",
    hint="Make or download the file again, and compare its size with that of the source.",
    message={
        "bytes": "the file has no bytes",
        "blank": "the file holds nothing but white space",
        "header": "the file has a header but no records",
        "records": "the file has no records",
        "workbook": "the workbook has no cells",
        "archive": "the archive has no files",
    },
    example=replace(CHEERS_SENTENCES, wrong=b""),
)
NOT_UTF8 = Rule(
    code="FMT002",
    name="not-utf8",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The file holds bytes that are not UTF-8; the finding gives the offset, the line and the likely encoding.",
    why=(
        "The published files of all three tasks are UTF-8. A reader stops at such a byte, or puts something else in "
        "its place, which changes the text and can move the offsets after it."
    ),
    hint="Save the file as UTF-8. `fix` and `convert` re-encode it where the encoding is clear from the bytes.",
    message={
        "byte": "byte {byte} at offset {offset} is not UTF-8; the file looks like {encoding}",
        "wide": "the file looks like {encoding}; expected UTF-8",
    },
    example=_with_bytes(replace(_ACCENTED, right=_ACCENTED.wrong), str(_ACCENTED.wrong).encode("cp1252")),
)
UTF8_BOM = Rule(
    code="FMT003",
    name="utf8-bom",
    severity=Severity.INFO,
    fixable=True,
    meaning="The file starts with a byte order mark, which is not part of the data.",
    why=(
        "The official scripts of FLARES and CHEERS skip the mark; a reader that keeps it makes it part of the first "
        "column name or of the first id, which then joins with nothing."
    ),
    hint="Nothing needs to be done here. To be safe elsewhere, write with encoding utf-8, not utf-8-sig.",
    message="the file starts with a byte order mark",
    example=_with_bytes(CHEERS_RUN, b"\xef\xbb\xbf" + _RUN.encode()),
)
NUL_BYTE = Rule(
    code="FMT004",
    name="nul-byte",
    severity=Severity.ERROR,
    meaning="A text file holds a byte with the value zero.",
    why=(
        "No text of these tasks has one: the file is damaged, or it is UTF-16 or a binary file under a wrong name. "
        "Some readers cut the text there, others accept it silently."
    ),
    hint="Look at the named line in the source, write the file again, or save it as UTF-8 if it is UTF-16.",
    message={
        "text": "{subject} holds a NUL character: {value}",
        "line": "this line holds a NUL byte",
    },
    example=_with_bytes(
        CHEERS_SENTENCES, str(CHEERS_SENTENCES.right).replace("two b", "two\0b").replace("Two b", "Two\0b").encode()
    ),
)
CRLF_LINE_ENDS = Rule(
    code="FMT005",
    name="crlf-line-ends",
    severity=Severity.INFO,
    fixable=True,
    meaning="Lines end with carriage return and line feed, all of them or some.",
    why=(
        "Readers accept this, but the file differs byte for byte from the released form, and a tool that splits at "
        "the line feed leaves a carriage return at the end of the last column."
    ),
    hint="Nothing needs to be done. Python's csv writer makes such ends unless lineterminator is set to a line feed.",
    message={
        "all": "the lines end with CRLF",
        "some": "lines that end with CRLF: {crlf} of {lines}",
    },
    example=_with_bytes(CHEERS_RUN, _RUN.replace("\n", "\r\n").encode()),
)
CR_LINE_ENDS = Rule(
    code="FMT006",
    name="cr-line-ends",
    severity=Severity.WARNING,
    fixable=True,
    meaning="Lines end with a lone carriage return, as some spreadsheets for the Mac write them.",
    why="A reader that waits for line feeds mistakes the whole file for one long header and finds no record.",
    hint="Save as CSV with Windows or Unix line ends, or let `fix` or `convert` rewrite the line ends.",
    message={
        "all": "every line ends with a lone carriage return; expected a line feed",
        "some": "this line ends with a lone carriage return, and others with a line feed",
    },
    example=_with_bytes(CHEERS_RUN, _RUN.replace("\n", "\r").encode()),
)
WRONG_DELIMITER = Rule(
    code="FMT007",
    name="wrong-delimiter",
    severity=Severity.ERROR,
    fixable=True,
    meaning="Semicolons, tabs or vertical bars separate the fields instead of commas.",
    why=(
        "A reader of comma-separated files sees a single column. With semicolons the FLARES scorer fails because Id "
        "is missing, and so does the CHEERS evaluator, which finds none of its columns."
    ),
    hint="Export with commas; spreadsheets under a locale with decimal commas write semicolons by default.",
    message="the fields are separated by {delimiters}; expected commas",
    example=replace(CHEERS_RUN, wrong=_RUN.replace(",", ";")),
)
SPACE_AFTER_DELIMITER = Rule(
    code="FMT008",
    name="space-after-delimiter",
    severity=Severity.WARNING,  # the finding is an error where the header has the spaces
    fixable=True,
    meaning="Spaces follow the commas between fields, as in the printed example of the CHEERS page.",
    why=(
        "In body rows the spaces only become part of the cells. In the header they become part of the names, which "
        "the CHEERS evaluator and the FLARES scorer then do not find, so there it is an error."
    ),
    hint="Write fields with nothing but a comma between them.",
    message={
        "header": "a space follows each delimiter, in the header too",
        "records": "a space follows each delimiter in the records",
        "some": "a space follows each delimiter in some of the records",
    },
    example=spoil(CHEERS_RUN, "50311,0,1,10", "50311, 0, 1, 10"),
)
RAGGED_ROW = Rule(
    code="FMT009",
    name="ragged-row",
    severity=Severity.ERROR,
    meaning="A row has more or fewer fields than the header.",
    why=(
        "Fast readers pad short rows with empty cells and may cut long ones, so values are lost or end up in the "
        "wrong column silently."
    ),
    hint="Look at the named line: most often a text with a comma lacks its quotes, or a row was cut off.",
    message="the record has {fields:field}; expected {width}",
    example=spoil(CHEERS_RUN, "50311,1,0,-1", "50311,1,0,-1,4"),
)
UNBALANCED_QUOTE = Rule(
    code="FMT010",
    name="unbalanced-quote",
    severity=Severity.ERROR,
    meaning="A quoted field is opened and never closed; the finding names the line where it opens.",
    why="Everything after the quote, further rows included, becomes the text of that one field.",
    hint="Close the field, or double the quote if it belongs to the text; a CSV writer does both by itself.",
    message={
        "open": "a quoted field opens here and is never closed",
        "swallows": "a quoted field opens here and is never closed; it swallows {swallowed:more line}",
        "unquoted": "quotes are plain characters in {records:record}: the file was written without quoting",
        "backslash": "backslashes stand before the quotes in {records:record}; expected doubled quotes",
        "inside": "an unquoted field contains a quote; expected quotes around the whole field and doubled quotes inside it",
    },
    example=spoil(CHEERS_SENTENCES, "50311,1,The office", '50311,1,"The office'),
)
BAD_JSON = Rule(
    code="FMT011",
    name="bad-json",
    severity=Severity.ERROR,
    meaning="A line, or the whole file, is not valid JSON; the finding gives line and character.",
    why="The record can't be read, and most JSON readers give up on the whole file without naming the line.",
    hint=(
        "Look at the named place: a line that is cut off, a comma too many, single quotes, or a bare NaN are the "
        "usual causes."
    ),
    message={
        "line": "the line is not valid JSON; parsing stopped at character {character}: {near}",
        "python": "the lines are Python dicts; expected JSON",
        "typographic": "the quotes are typographic, as a word processor writes them; expected straight ones",
        "constant": "the line is not valid JSON: {constant} is not a JSON value",
        "surrogate": "the line holds a lone surrogate, which is not valid Unicode",
        "deep": "the line is nested too deeply",
        "array": "the array is not valid JSON; parsing stopped at character {character}: {near}",
        "value": "the record is not valid JSON; parsing stopped at character {character}: {near}",
        "after": "text follows the end of the array, from character {character} on",
        "file": "the file is not valid JSON; parsing stopped at character {character}: {near}",
    },
    example=spoil(FLARES_TEST, 'mapas y lupas."}', "mapas y lup"),
)
JSON_NOT_RECORDS = Rule(
    code="FMT012",
    name="json-not-records",
    severity=Severity.ERROR,
    meaning="The JSON is valid but is not a series of objects: something else appears in place of a record.",
    why="Columns are found by the keys of the objects; a list, a number or a text has none.",
    hint=(
        'Write one object per record, with the column names as keys; from pandas use orient="records" and lines=True.'
    ),
    message={
        "columns": "the file is one object of columns with {records:record}; expected one object a record",
        "keys": "the file is one object of {records:record} by key; expected one object a record",
        "ids": "the file is one object that maps {records:id} to lists; expected one object a record",
        "around": "the file is one object around a list of {records:record}; expected one object a record",
        "record": "the record is {found}; expected an object",
        "value": "{key} is {found}; expected a plain value",
        "list": "{key} is {found}; expected a list of objects",
        "item": "{key} is not an object of plain values",
        "file": "the file is not a single JSON object that maps names to ids",
    },
    example=spoil(
        FLARES_TEST,
        '{"Id":88,"Text":"El martes, las maestras rurales recibieron mapas y lupas."}',
        '[88,"El martes, las maestras rurales recibieron mapas y lupas."]',
    ),
)
JSON_ARRAY = Rule(
    code="FMT013",
    name="json-array",
    severity=Severity.INFO,
    fixable=True,
    meaning="The file is one JSON array where the task's form is JSON Lines, one object per line.",
    why=(
        "It is read anyway. The six published FLARES files are JSON Lines despite their ending, and scripts that "
        "read line by line fail on an array."
    ),
    hint="Nothing needs to be done; `export` writes the released form.",
    message="the file is one JSON array; expected one object per line",
    example=replace(FLARES_TEST, wrong="[\n" + _JSON.rstrip().replace("\n", ",\n") + "\n]\n"),
)
DUPLICATE_JSON_KEY = Rule(
    code="FMT014",
    name="duplicate-json-key",
    severity=Severity.ERROR,
    meaning="One JSON object has the same key twice.",
    why="JSON leaves open which value counts; most readers keep the last and drop the other silently.",
    hint="Keep the right one of the two values in the named record.",
    message={
        "key": "duplicate key {key!r} in one object",
        "alias": "the keys {first!r} and {key!r} in one object refer to the same column",
        "name": "duplicate name {key!r} in the object",
    },
    example=spoil(FLARES_TEST, '{"Id":157,', '{"Id":157,"Id":158,'),
)
ARCHIVE_UNSAFE = Rule(
    code="FMT015",
    name="archive-unsafe",
    severity=Severity.ERROR,
    meaning=(
        "The archive is encrypted, holds another archive, unpacks to far more than its own size, or has a member "
        "whose path leaves the folder it is unpacked in. Or it is not clear which of its files is meant, or it is a tar, "
        "bzip2, xz, 7-Zip or RAR file."
    ),
    why="Unpacking it could fill the disk or overwrite other files, so it is not read at all.",
    hint=(
        "Zip the plain file again, under its bare name and without a password. Where a file is meant to be that "
        "large, raise the limit with `--max-bytes`."
    ),
    message={
        "leaves": "the member {member!r} would leave the folder of the archive",
        "link": "the member {member!r} is a link",
        "encrypted": "the member {member!r} is encrypted",
        "nested": "the member {member!r} is itself an archive",
        "members": "the archive has {members} members; expected at most {limit}",
        "declared": "the archive unpacks to {bytes} bytes; expected at most {limit}",
        "unpacks": "the member {member!r} unpacks to more than {limit} bytes",
        "workbook": "the workbook unpacks to more than {limit} bytes",
        "far": "a sheet reaches to cell {cell}; expected at most {limit} cells in all sheets",
        "ratio": "the member {member!r} unpacks to more than {ratio} times its packed size",
        "choice": "the archive has {files} candidate files ({names}); expected one",
        "other": "the file is {container}, which is not read; expected a zip, .gz or .zst file",
        "damaged": "the archive is damaged: {why}",
    },
    example=replace(REINTEL_ZIP, wrong=zip_of({"../results.csv": str(REINTEL_RUN.right)})),
)
FIELD_TOO_LARGE = Rule(
    code="FMT016",
    name="field-too-large",
    severity=Severity.ERROR,
    meaning="A single field is longer than the limit, 64 MiB unless `--max-bytes` sets a different limit.",
    why=(
        "The longest field known in these tasks has 2.0 million characters, so one of this size is nearly always a "
        "quote that swallowed the rest of the file; it would also have to be held in memory as a whole."
    ),
    hint="Look for a lost quote before the named line; if the field is meant to be that long, raise `--max-bytes`.",
    message={
        "field": "{subject} is larger than the limit; expected {expected}",
        "line": "a line of more than {limit} bytes starts here; the file was not read",
    },
    example=None,  # it would take 64 MiB
)

RULES = (
    EMPTY_FILE,
    NOT_UTF8,
    UTF8_BOM,
    NUL_BYTE,
    CRLF_LINE_ENDS,
    CR_LINE_ENDS,
    WRONG_DELIMITER,
    SPACE_AFTER_DELIMITER,
    RAGGED_ROW,
    UNBALANCED_QUOTE,
    BAD_JSON,
    JSON_NOT_RECORDS,
    JSON_ARRAY,
    DUPLICATE_JSON_KEY,
    ARCHIVE_UNSAFE,
    FIELD_TOO_LARGE,
)
