"""The rules of CHEERS: relevance, sectors, and how sentences and documents belong together."""

from dataclasses import replace

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    CHEERS_DOCUMENTS,
    CHEERS_RUN,
    CHEERS_SENTENCES,
    CHEERS_TEST,
    lines,
    spoil,
)

_ROWS = str(CHEERS_SENTENCES.right).splitlines()
_WITH_DOCUMENTS = replace(CHEERS_SENTENCES, against=str(CHEERS_DOCUMENTS.right), against_name=CHEERS_DOCUMENTS.name)
_AGAINST_GOLD = replace(CHEERS_RUN, against=str(CHEERS_SENTENCES.right), against_name=CHEERS_SENTENCES.name)

RELEVANCE_NOT_BINARY = Rule(
    code="CHE101",
    name="relevance-not-binary",
    severity=Severity.ERROR,  # True and False are read and only noted: that finding is an info
    meaning=(
        "The column is_relevant holds something other than 0 and 1. True and False are read as 1 and 0, with an info finding."
    ),
    why=(
        "The evaluator lets any value pass its checks; a 2 becomes a third class, and the macro F1 is then a mean "
        "over three classes."
    ),
    hint="Write 0 or 1.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_RUN, "50311,1,0,-1", "50311,1,2,-1"),
)
UNKNOWN_SECTOR = Rule(
    code="CHE102",
    name="unknown-sector",
    severity=Severity.ERROR,
    meaning="A sector id is not one of the ids 0 to 10 of the sectors file.",
    why=(
        "The evaluator refuses the whole run, with a message on stdout and exit status 0. Some models use the id 11 "
        "for “no sector”; it does not exist, and a relevant sentence without a sector has no id."
    ),
    hint="Write the id, not the name; 0 is Agriculture and valid. A relevant sentence needs one of the eleven sectors.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_RUN, "50204,0,1,3", "50204,0,1,11"),
)
SEVERAL_SECTORS = Rule(
    code="CHE103",
    name="several-sectors",
    severity=Severity.ERROR,
    meaning="A run gives a list of sectors for one sentence where a single id is expected.",
    why=(
        "Drafts of the task had such a list. The final evaluator compares one id; a list never equals an id, and the "
        "evaluator refuses the run."
    ),
    hint=(
        "Choose one sector for each sentence. The score of a hit is one over the number of true sectors, whichever is "
        "named."
    ),
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_RUN, "50204,0,1,3", '50204,0,1,"[0, 3]"'),
)
BAD_SECTOR_LIST = Rule(
    code="CHE104",
    name="bad-sector-list",
    severity=Severity.ERROR,
    meaning="A cell of sector_ids is not a list of ids such as [], [3] or [2, 3].",
    why=(
        "The evaluator reads the cell as a Python literal and stops with a ValueError if it is not one; an empty cell "
        "is not one either."
    ),
    hint="Write a list in brackets, quoted in the CSV if it has a comma, and [] for no sector.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_SENTENCES, '"[4, 8]"', "4;8"),
)
UNKNOWN_PROJECT = Rule(
    code="CHE105",
    name="unknown-project",
    severity=Severity.WARNING,
    meaning="A project_name is not one of the six documented projects.",
    why=(
        "All published documents belong to six projects, each with the prefix IMMAP/DFS; another spelling becomes a "
        "project of its own in every count by project."
    ),
    hint="Write the name with its prefix, as in IMMAP/DFS Syria. Ignore the warning for documents of your own.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_DOCUMENTS, "IMMAP/DFS Nigeria", "Nigeria"),
)
UNKNOWN_COUNTRY = Rule(
    code="CHE106",
    name="unknown-country",
    severity=Severity.WARNING,
    meaning="A country_code is not one of SYR, BGD, NGA, BFA, COD, COL.",
    why="The files use three-letter codes. Another code joins with no published document of the same country.",
    hint=(
        "Write the ISO 3166 code of three letters; the project for RDC has COD. Ignore the warning for other countries."
    ),
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_DOCUMENTS, "NGA", "NG"),
)
UNKNOWN_LANGUAGE = Rule(
    code="CHE107",
    name="unknown-language",
    severity=Severity.WARNING,
    meaning="A lang_code is not en, the only language of round 1.",
    why="Files in other languages were announced and never published, so a model for this round has not seen any.",
    hint="Check the code; ignore the warning for files of your own in another language.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_DOCUMENTS, "NGA,en", "NGA,eng"),
)
LABELS_IN_TEST = Rule(
    code="CHE108",
    name="labels-in-test",
    severity=Severity.WARNING,
    meaning="A sentences file whose name says test has the label columns is_relevant and sector_ids.",
    why="The published test file has none. Labels in a test file are predictions by mistake, or a leak of the answers.",
    hint="Rename the file if it is a training or validation file; if it is a run, keep the four run columns only.",
    message="a test file has the label column {column}; expected none",
    example=replace(CHEERS_TEST, wrong=str(CHEERS_SENTENCES.right)),
)
SECTOR_ON_IRRELEVANT = Rule(
    code="CHE201",
    name="sector-on-irrelevant",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A sentence that is not relevant has a sector: not -1 in a run, or not [] in a data file.",
    why="The rules of the task allow a sector for relevant sentences only, and the evaluator refuses the whole run.",
    hint="Write -1 (in data: []) where is_relevant is 0; `fix` does so and leaves is_relevant as it is.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_RUN, "50311,1,0,-1", "50311,1,0,8"),
)
SECTOR_MISSING_ON_RELEVANT = Rule(
    code="CHE202",
    name="sector-missing-on-relevant",
    severity=Severity.ERROR,
    meaning="A run calls a sentence relevant and gives it the sector -1.",
    why=(
        "The evaluator refuses the whole run. Setting a sector on a copy of a data frame is a known cause: the "
        "assignment is lost and -1 stays."
    ),
    hint="Name the most likely sector, or call the sentence irrelevant: a run cannot say relevant and no sector.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_RUN, "50204,0,1,3", "50204,0,1,-1"),
)
UNSORTED_SECTOR_IDS = Rule(
    code="CHE203",
    name="unsorted-sector-ids",
    severity=Severity.INFO,
    meaning="The ids of a sector list are not in ascending order, or one is repeated.",
    why=(
        "The lists seen in the published files are ascending and without repeats; scores do not depend on it, but "
        "bytes do."
    ),
    hint="Nothing needs to be done; `convert` reads the list as it is.",
    message=FOUND_AND_EXPECTED,
    example=spoil(CHEERS_SENTENCES, "[4, 8]", "[8, 4]"),
)
DEBRIS_SENTENCE = Rule(
    code="CHE204",
    name="debris-sentence",
    severity=Severity.INFO,
    meaning="A sentence of one or two characters is labelled relevant.",
    why=(
        "They are left over from sentence splitting: 5,138 of the 41,895 relevant training sentences, nearly all of "
        "them with a full stop, and can teach a model that a full stop matters."
    ),
    hint="Nothing needs to be done in the data, and a run must answer them too; consider leaving them out of training.",
    message="a relevant sentence has one or two characters: {value}",
    example=spoil(CHEERS_SENTENCES, "50204,1,Photographs may be used with credit.,0,[]", "50204,1,..,1,[3]"),
)
SENTENCE_GAP = Rule(
    code="CHE301",
    name="sentence-gap",
    severity=Severity.ERROR,
    meaning="The sentence ids of a document are not 0, 1, 2 … without a gap.",
    why=(
        "In the published files each document is numbered this way; a gap means that sentences were lost, for example short "
        "ones that were filtered out, and such a file no longer pairs with the runs for it."
    ),
    hint="Take the missing sentences from the source again. Do not renumber: the ids are the keys of every run.",
    message="document {doc_id} has {sentences:sentence}, numbered {numbers}; expected 0, 1, 2 … without a gap",
    example=spoil(CHEERS_SENTENCES, "50311,2,", "50311,3,"),
)
SPLIT_DOCUMENT = Rule(
    code="CHE302",
    name="split-document",
    severity=Severity.ERROR,
    meaning="The sentences of a document appear in two or more blocks, with other documents in between.",
    why="Readers that go through a file document by document mistake the second block for a new document.",
    hint="Put the rows of each document together again, in the order of sentence_id.",
    message="document {doc_id} is split into several blocks of rows",
    example=replace(CHEERS_SENTENCES, wrong=lines(*_ROWS[:3], _ROWS[4], _ROWS[3], _ROWS[5])),
)
SECTOR_UNSEEN_IN_REFERENCE = Rule(
    code="CHE401",
    name="sector-unseen-in-reference",
    severity=Severity.WARNING,
    meaning="A sector id is valid but occurs nowhere in the ground truth that the run is checked against.",
    why=(
        "The evaluator takes its list of sectors from the ground truth, not from the sectors file, so it refuses the "
        "run; this happens with small ground truths."
    ),
    hint=(
        "Nothing is wrong with the run, and `score` takes it. The official script needs a ground truth that has the "
        "sector."
    ),
    message="sector {value} does not occur in {reference}",
    example=spoil(_AGAINST_GOLD, "50311,2,1,4", "50311,2,1,7"),
)
ORPHAN_SENTENCE = Rule(
    code="CHE402",
    name="orphan-sentence",
    severity=Severity.ERROR,
    meaning="The doc_id of a sentence is not in the documents file.",
    why=(
        "The sentence has no project, country or full text, and a script that looks its document up stops with an "
        "error."
    ),
    hint="Give the documents file of the same split with `--with`; if this is the right file, a document was lost.",
    message="{column} {value} is not in {other}",
    example=replace(  # against is the documents file, for --with
        _WITH_DOCUMENTS, wrong=lines(*_ROWS, "50688,0,The ferry runs twice a week again.,0,[]")
    ),
)
DOCUMENT_WITHOUT_SENTENCE = Rule(
    code="CHE403",
    name="document-without-sentence",
    severity=Severity.WARNING,
    meaning="A document of the documents file has no sentence in the sentences file.",
    why="Every published training document has at least one sentence, so the sentences of this one were probably lost.",
    hint="Give the sentences file of the same split, and look for a filter that emptied the document.",
    message="{column} {value} has no sentence in {other}",
    example=replace(_WITH_DOCUMENTS, wrong=lines(*_ROWS[:4])),  # against is the documents file, for --with
)

RULES = (
    RELEVANCE_NOT_BINARY,
    UNKNOWN_SECTOR,
    SEVERAL_SECTORS,
    BAD_SECTOR_LIST,
    UNKNOWN_PROJECT,
    UNKNOWN_COUNTRY,
    UNKNOWN_LANGUAGE,
    LABELS_IN_TEST,
    SECTOR_ON_IRRELEVANT,
    SECTOR_MISSING_ON_RELEVANT,
    UNSORTED_SECTOR_IDS,
    DEBRIS_SENTENCE,
    SENTENCE_GAP,
    SPLIT_DOCUMENT,
    SECTOR_UNSEEN_IN_REFERENCE,
    ORPHAN_SENTENCE,
    DOCUMENT_WITHOUT_SENTENCE,
)
