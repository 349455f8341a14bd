"""Rules for any run file against its reference: the RUN rules."""

from dataclasses import replace

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    CHEERS_RUN,
    FLARES_LABELS_RUN,
    FLARES_MARKED,
    FLARES_RUN,
    clean,
    flares_run,
    json_lines,
    lines,
    spoil,
    unmark,
)

_TAGS = {key: unmark(text)[1] for key, text in FLARES_MARKED.items()}
_ROWS = str(FLARES_RUN.right).splitlines()

WRONG_SPLIT_ALSO = clean(
    "cheers/sentences",
    "sentences_en_val.csv",
    lines(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids",
        "50477,0,Classes resumed in tents beside the old school.,1,[2]",
        "50477,1,Sign up for the newsletter.,0,[]",
        "50477,2,The bridge on the main road was closed to trucks.,1,[6]",
    ),
)
"""The split that the wrong run of `wrong-split` answers: the file for `--also`."""

EMPTY_RUN = Rule(
    code="RUN001",
    name="empty-run",
    severity=Severity.ERROR,
    meaning="The run has a header and no answers.",
    why="There is nothing to score. Rows whose list of spans is empty are answers and do not make a run empty.",
    hint="Look for the step that dropped all rows, a filter or a join, and write one row for each id of the reference.",
    message={
        "header": "the run has a header but no answers",
        "records": "the run has no answers",
    },
    example=replace(FLARES_RUN, wrong=lines(_ROWS[0])),
)
NOT_UPLOAD_FORM = Rule(
    code="RUN002",
    name="not-upload-form",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "The answers are readable, but in a container that the upload does not accept, such as JSON Lines or Parquet, in a "
        "file whose name says what it is not, or under the names of a canonical table. What only has to be packed, as a "
        "bare CSV of ReINTEL, or unpacked, is an info."
    ),
    why=(
        "Kaggle takes FLARES runs as CSV with the columns of its sample, CodaLab takes ReINTEL results in a zip, and "
        "the CHEERS evaluator reads CSV; anything else fails there."
    ),
    hint="Let `fix` write the same answers in the task's form; `pack` makes the file to upload.",
    message={
        "": "the run is {container}; the upload takes {expected}",
        "bare": "the run is {container}; the upload takes {expected}, which `sharedtask pack` makes",
        "ending": "the run is {container} in a file named {ending}; the upload takes {expected}",
        "choice": "the zip has {files} candidate files ({names}); the upload takes {expected}",
        "names": "the run has the canonical columns {value}; the upload takes {expected}",
    },
    example=replace(
        FLARES_RUN,
        name="run.txt",  # an ending that leaves the container to the content
        wrong=json_lines(
            {"Id": key, "Tags": [{name: tag[name] for name in tag if name != "Tag_Text"} for tag in tags]}
            for key, tags in _TAGS.items()
        ),
    ),
)
DUPLICATE_ID = Rule(
    code="RUN301",
    name="duplicate-id",
    severity=Severity.ERROR,
    meaning="The run answers the same id more than once; the finding lists all its rows.",
    why=(
        "The FLARES scorer scores each of the rows anew. In CHEERS, where the number of rows must be right, each copy "
        "takes the place of a missing answer and makes the evaluator stop."
    ),
    hint="Keep one answer for each id. Runs that were put together from parts often overlap at the seams.",
    message="{key} appears in {records:record}",
    example=replace(FLARES_RUN, wrong=lines(*_ROWS, _ROWS[2])),
)
MISSING_ID = Rule(
    code="RUN401",
    name="missing-id",
    severity=Severity.ERROR,
    meaning="The reference has an id that the run does not answer.",
    why=(
        "The FLARES scorer skips such rows, so that three perfect rows of 1,585 score F1 1.0 locally; platforms "
        "refuse the file or count the rows as wrong. The CHEERS evaluator prints that the numbers of rows differ and "
        "exits with 0."
    ),
    hint=(
        "Write a row for every id, even where there is nothing to say: `[]` in FLARES, 0 and -1 in CHEERS. "
        "`fix --fill-missing` does so."
    ),
    message="{key} of {reference} is missing from the run",
    example=replace(FLARES_RUN, wrong=lines(*_ROWS[:2], *_ROWS[3:])),
)
UNKNOWN_ID = Rule(
    code="RUN402",
    name="unknown-id",
    severity=Severity.ERROR,
    meaning="The run answers an id that the reference does not have.",
    why=(
        "The FLARES scorer ignores such a row, so a mistyped id looks like no answer. The CHEERS evaluator stops when "
        "one takes the place of a correct id, and refuses the file when there is one row too many."
    ),
    hint="Compare the id with the reference: a row of another split, an id that was shifted, or a header read as data.",
    message="{key} is not in {reference}",
    example=replace(FLARES_RUN, wrong=lines(*_ROWS, "913,[]")),
)
ORDER_DIFFERS = Rule(
    code="RUN403",
    name="order-differs",
    severity=Severity.INFO,
    fixable=True,
    meaning=(
        "The ids are those of the reference in another order; the finding gives the first id that is out of order, "
        "and says so if the ids are sorted as text, with 10 before 9."
    ),
    why=(
        "The scorer of FLARES subtask 2 compares the lists of ids in order and stops. ReINTEL asks for the order of "
        "the test set and seems to have scored by position. The other scorers join by id and accept any order."
    ),
    hint=(
        "Write the rows in the order of the reference; `fix` does so, by their ids. Check first that they are ids: row "
        "numbers stay with the wrong records."
    ),
    message={
        "": "the records are not in the order of {reference}; the first out of order is {key}",
        "text": "the records are not in the order of {reference} but sorted as text, 10 before 9; the first out of order is {key}",
        "counted": (
            "the records are not in the order of {reference} but count up one by one; the first out of order is {key}. "
            "If these are row numbers and not ids, the answers belong to other records"
        ),
    },
    example=replace(
        FLARES_LABELS_RUN,
        wrong=lines("Id,Reliability_Label", "15,confiable", "21,semiconfiable", "3,no confiable"),
    ),
)
NO_COMMON_ID = Rule(
    code="RUN404",
    name="no-common-id",
    severity=Severity.ERROR,
    meaning="The run and the reference have no id in common.",
    why="Nothing can be joined. The FLARES scorer then reports zero counts and an F1 that is not a number.",
    hint="Check that you predicted on this reference; give the other splits with `--also` to find the right one.",
    message="no id of the run is in {reference} ({ids:id})",
    example=replace(FLARES_RUN, wrong=flares_run({key + 2000: tags for key, tags in _TAGS.items()})),
)
WRONG_SPLIT = Rule(
    code="RUN405",
    name="wrong-split",
    severity=Severity.ERROR,
    meaning=(
        "The ids of the run are those of another split that was given with `--also`, and not those of the reference; or "
        "they are row numbers, as many as the other split has records."
    ),
    why=(
        "Answers for one split scored on another are worthless even where ids happen to match: in FLARES every test "
        "Id also appears in the training file, with another text."
    ),
    hint="Predict on the reference, or check against the split that the finding names.",
    message={
        "": (
            "{there} of {ids:id} of the run are in {other}, which has {others}, and {common} in {reference}, which has "
            "{records}; expected the ids of {reference}"
        ),
        "rows": (
            "the ids are the row numbers {first} to {last}, as many as {other} has records; expected the ids of "
            "{reference}, which has {records:record}"
        ),
    },
    example=replace(  # with WRONG_SPLIT_ALSO as the file for --also
        CHEERS_RUN,
        wrong=lines("doc_id,sentence_id,is_relevant,sector_id", "50477,0,1,2", "50477,1,0,-1", "50477,2,1,6"),
    ),
)
ID_FORM_DIFFERS = Rule(
    code="RUN406",
    name="id-form-differs",
    severity=Severity.WARNING,
    fixable=True,
    once=True,
    meaning=(
        "An id is the reference's number in another form: 1.0, 001, with a space, quoted, or kept as text for a "
        'spreadsheet: ="4373" or \'4373.'
    ),
    why=(
        "Scripts that read ids as numbers still join them, as the FLARES and CHEERS scorers do; any that compare text "
        "do not. Pandas writes 1.0 when the id column has a missing value."
    ),
    hint="Write ids as plain whole numbers, as they appear in the reference.",
    message=FOUND_AND_EXPECTED,
    example=spoil(FLARES_RUN, "\n88,", "\n88.0,"),
)
ROW_INDEX_INSTEAD_OF_ID = Rule(
    code="RUN407",
    name="row-index-instead-of-id",
    severity=Severity.ERROR,
    fixable=True,
    meaning=(
        "The ids are row numbers, from 0 or from 1, and those of the reference are not. Some may be missing, or there may "
        "be more or fewer than the reference has records."
    ),
    why=(
        "Joined by id, the answers match other items or none. A ReINTEL team whose results file was numbered this way "
        "reports an AUC of 0.94, so that scorer seems to match by position; there it is a warning if the numbers of "
        "records are equal."
    ),
    hint=(
        "Write the ids of the reference. `fix` puts in the id of the record that each number means, which is correct only "
        "if no row was moved; where the records may be others, predict again with the ids kept."
    ),
    message={
        "": "the ids are the row numbers {first} to {last}; expected the ids of {reference}",
        "gaps": (
            "the ids are {ids:row number} from {first} to {last}, of the {records} that {reference} has; expected its ids"
        ),
        "unclear": (
            "the ids are {ids:row number} from {first} to {last}, which may count the {records:record} of {reference} "
            "from 0 or from 1; expected its ids"
        ),
        "number": (
            "the ids are the row numbers {first} to {last}, and {reference} has {records:record}; expected its ids, since "
            "the numbers do not say which records are answered"
        ),
    },
    example=replace(FLARES_RUN, wrong=flares_run(dict(enumerate(_TAGS.values())))),
)
TEXT_DIFFERS = Rule(
    code="RUN408",
    name="text-differs",
    severity=Severity.WARNING,
    meaning="The run has a text for an id that differs from the text in the reference.",
    why=(
        "The answer was made for another text, so its offsets do not fit. The FLARES scorer does not look at the "
        "text, so it scores them anyway; the eHealth-KD 2024 scorer drops the row."
    ),
    hint="Predict on the text exactly as the reference has it, without cleaning. A run needs no text at all.",
    message="the text differs from the one in {reference} from character {index} on: {value}; expected {expected!r}",
    # an extra-column warning comes with it
    example=replace(
        CHEERS_RUN,
        wrong=lines(
            "doc_id,sentence_id,sentence_text,is_relevant,sector_id",
            "50311,0,Two boreholes were drilled for the host community.,1,10",
            "50311,1,The office moves to another street next week.,0,-1",
            "50311,2,Midwives left the settlement last Monday.,1,4",
            "50204,0,Farmers lost most of the maize to the flood.,1,3",
            "50204,1,Photographs may be used with credit.,0,-1",
        ),
    ),
)

RULES = (
    EMPTY_RUN,
    NOT_UPLOAD_FORM,
    DUPLICATE_ID,
    MISSING_ID,
    UNKNOWN_ID,
    ORDER_DIFFERS,
    NO_COMMON_ID,
    WRONG_SPLIT,
    ID_FORM_DIFFERS,
    ROW_INDEX_INSTEAD_OF_ID,
    TEXT_DIFFERS,
)
