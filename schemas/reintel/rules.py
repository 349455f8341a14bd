"""The rules of ReINTEL: results files, posts and raw annotations."""

from collections.abc import Mapping
from dataclasses import replace

from sharedtask.schemas.rule import FOUND_AND_EXPECTED, Rule, Severity
from sharedtask.schemas.rules.example_files import (
    REINTEL_POSTS,
    REINTEL_RUN,
    REINTEL_ZIP,
    clean,
    lines,
    spoil,
    zip_of,
)

_RUN = str(REINTEL_RUN.right)
_ANNOTATIONS = clean(
    "reintel/annotations",
    "annotations.csv",
    lines("id,annotator_id,score", "71,4,1", "71,9,2", "71,17,4", "72,4,5", "72,11,4", "72,20,3"),
)

RESULTS_NAME = Rule(
    code="REI001",
    name="results-name",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The zip has no results.csv at its root: the file has another name, or is in a folder inside the zip.",
    why=(
        "CodaLab unpacks the zip and the scorer opens results.csv and nothing else. Zipping the folder in place of "
        "the file is the most reported failure of its uploads."
    ),
    hint="Zip the file itself under the name results.csv; `fix` and `pack` do so.",
    message={
        "": "the zip holds {value}; expected {expected} at its root",
        "choice": "the zip has {files} candidate files ({names}); expected one of them to be {expected} at its root",
    },
    example=replace(REINTEL_ZIP, wrong=zip_of({"results/results.csv": _RUN})),
)
ZIP_EXTRA_MEMBER = Rule(
    code="REI002",
    name="zip-extra-member",
    severity=Severity.INFO,
    fixable=True,
    meaning="The zip holds more than results.csv, such as .DS_Store or __MACOSX.",
    why="The scorer opens results.csv only; the rest is ignored, and archives made on a Mac nearly always have it.",
    hint="Nothing needs to be done; `pack` writes a zip with nothing else in it.",
    message="the zip also holds {value}",
    example=replace(REINTEL_ZIP, wrong=zip_of({"results.csv": _RUN, "__MACOSX/._results.csv": "x", ".DS_Store": "x"})),
)
PROBABILITY_NOT_FINITE = Rule(
    code="REI101",
    name="probability-not-finite",
    severity=Severity.ERROR,
    meaning="A probability is empty, NaN or infinite.",
    why=(
        "The AUC ranks posts by probability, and this value has no rank; scikit-learn's roc_auc_score raises a "
        "ValueError."
    ),
    hint="Give the post a number; 0.5 says that the system does not know.",
    message=FOUND_AND_EXPECTED,
    example=spoil(REINTEL_RUN, "5003,0.34", "5003,nan"),
)
PROBABILITY_OUT_OF_RANGE = Rule(
    code="REI102",
    name="probability-out-of-range",
    severity=Severity.ERROR,
    meaning="A probability is below 0 or above 1.",
    why=(
        "The task asks for the probability that a post is unreliable. The AUC only looks at the order and would not "
        "change, but such values are logits or percentages, or another column."
    ),
    hint="Write the output of a sigmoid or softmax, for label 1. Percentages are divided by 100; scores without bounds are not probabilities.",
    message=FOUND_AND_EXPECTED,
    example=spoil(REINTEL_RUN, "5002,0.87", "5002,1.87"),
)
COUNT_WITH_UNIT = Rule(
    code="REI103",
    name="count-with-unit",
    severity=Severity.WARNING,
    fixable=True,
    meaning="A count is written with its unit, such as 7 share; it is read as the number.",
    why=(
        "One such cell makes the column text in a data frame; scripts that then force numbers turn the true count "
        "into a missing value or 0."
    ),
    hint="Nothing needs to be done here: `convert` reads the number and `export` writes it plain.",
    message="{subject} is {value}, with its unit; expected {expected}",
    example=spoil(REINTEL_POSTS, ",8,0,1,0", ",8,0,1 share,0"),
)
COUNT_UNKNOWN = Rule(
    code="REI104",
    name="count-unknown",
    severity=Severity.INFO,
    meaning="The counts of a post are the word unknown, which is neither 0 nor an empty cell.",
    why=(
        "In the warm-up set all 56 such posts are unreliable, so the word gives the label away; the private test set "
        "has none of them, and a model that learnt the word gains nothing there."
    ),
    hint=(
        "The canonical table keeps them apart as counts_unknown. Do not fill in 0, and think twice before using the "
        "flag."
    ),
    message="the counts of this post are 'unknown'; expected numbers",
    example=spoil(REINTEL_POSTS, ",52,9,31,1", ",unknown,unknown,unknown,1"),
)
TIMESTAMP_NOT_EPOCH = Rule(
    code="REI105",
    name="timestamp-not-epoch",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A timestamp is not whole seconds since 1970 in UTC but a date as text, milliseconds or a decimal number.",
    why=(
        "Copies of the data mix both forms in one column; read as a number, a date is lost, and milliseconds lie in "
        "the far future."
    ),
    hint="Write ten digits of epoch seconds; `convert` reads other forms where only one reading is possible.",
    message=FOUND_AND_EXPECTED,
    example=spoil(REINTEL_POSTS, "1587016800", "2020-04-16 06:00:00"),
)
TIMESTAMP_OUT_OF_RANGE = Rule(
    code="REI106",
    name="timestamp-out-of-range",
    severity=Severity.INFO,
    meaning="A post is dated outside March to June 2020, the time that the paper gives for all posts.",
    why="About 6 % of the posts in both test sets have such a time, from 2015 to October 2020, so it is an info, not an error.",
    hint="Nothing needs to be done, unless most posts are listed: then look for a wrong unit or time zone.",
    message=FOUND_AND_EXPECTED,
    example=spoil(REINTEL_POSTS, "1588312800", "1579046400"),
)
LABEL_NOT_BINARY = Rule(
    code="REI107",
    name="label-not-binary",
    severity=Severity.ERROR,
    meaning="A label is neither 0 for reliable nor 1 for unreliable.",
    why=(
        "The AUC takes the greater of two labels as unreliable, so another value swaps the classes or makes a third "
        "one."
    ),
    hint="Write 0 or 1. Raw scores from 0 to 5 run the other way: there a high score means reliable.",
    message=FOUND_AND_EXPECTED,
    example=spoil(REINTEL_POSTS, ",21,4,0,0", ",21,4,0,2"),
)
USER_NAME_LOST_DIGITS = Rule(
    code="REI108",
    name="user-name-lost-digits",
    severity=Severity.WARNING,
    meaning=(
        "A user_name is a long number that went through a spreadsheet or a float, so that its last digits are lost."
    ),
    why=(
        "Different users can get the same name, and the name joins with no other file. All users of the warm-up "
        "workbook are like this."
    ),
    hint="Take the file from before the spreadsheet and read user_name as text; the digits can't be recovered.",
    message="{subject} is {value}, a number that has lost its last digits; expected {expected}",
    example=spoil(REINTEL_POSTS, "c80a5e1f94d27b36a1f0e8b7536d2c94", "-4.81903367120945E+018"),
)
ANNOTATION_SCORE = Rule(
    code="REI109",
    name="annotation-score",
    severity=Severity.ERROR,
    meaning="An annotation has a score that is not one of 0, 1, 2, 3, 4, 5.",
    why=(
        "The scale has no other value, 0 meaning an opinion and 1 to 5 unreliable to reliable, so the vote can't be "
        "counted."
    ),
    hint="Correct the score in the source; only the annotator can decide what a half or an empty score means.",
    message=FOUND_AND_EXPECTED,
    example=spoil(_ANNOTATIONS, "72,11,4", "72,11,6"),
)
DISPLACED_ROW = Rule(
    code="REI201",
    name="displaced-row",
    severity=Severity.ERROR,
    meaning=(
        "The values of a post are in the wrong columns: text in a number column, or an epoch time where a count "
        "should be."
    ),
    why=(
        "Commas in the message were mistaken for delimiters, as in one post of the public test set. The message is "
        "cut, the counts are those of other columns, and the last ones are lost."
    ),
    hint="Join the parts of the message again, quote it, and move the values back. Lost counts stay empty.",
    message="{subject} is {value}; expected {expected}; the values of this post are in the wrong columns",
    example=spoil(
        REINTEL_POSTS,
        "Nghe nói giá gạo tuần sau tăng gấp ba.,1586325600,52,9,31",
        "Nghe nói giá gạo, giá muối, giá dầu tuần sau tăng gấp ba.,1586325600,52",
    ),
)
PLACEHOLDER_MESSAGE = Rule(
    code="REI202",
    name="placeholder-message",
    severity=Severity.INFO,
    meaning="The whole message is the placeholder <URL>, which stands for a link.",
    why="There is no text to judge: 25 posts of the public test set and 30 of the private one are like this.",
    hint="Nothing needs to be done. A run must answer these posts too, from user, time and counts.",
    message="{subject} is nothing but the placeholder {value}",
    example=spoil(REINTEL_POSTS, "Lớp dạy bơi của phường nhận thêm hai mươi em nhỏ.", "<URL>"),
)
HARD_LABELS = Rule(
    code="REI301",
    name="hard-labels",
    severity=Severity.WARNING,
    meaning="All probabilities of the run are 0 or 1.",
    why=(
        "The AUC ranks posts, and all pairs inside one of the two groups are ties. Four posts that are ranked "
        "perfectly score 1.0, and 0.75 once a threshold puts one of them on the wrong side."
    ),
    hint="Write the probability of label 1 before it is rounded, predict_proba in place of predict.",
    message="every probability is 0 or 1 ({answers:answer})",
    example=replace(REINTEL_RUN, wrong=lines("5001,0", "5002,1", "5003,0", "5004,0")),
)
SINGLE_CLASS = Rule(
    code="REI302",
    name="single-class",
    severity=Severity.ERROR,
    meaning="The gold holds one class only, so there is no AUC.",
    why=(
        "The AUC counts pairs of an unreliable and a reliable post, and there is none. scikit-learn raised an error "
        "up to 1.5.2 and returns NaN from 1.6.1 on; here it is always an error."
    ),
    hint=(
        "Score on a gold file with both labels; the warm-up file is sorted by label, so its first rows are of one "
        "class."
    ),
    message="every label is {value} ({labels:label}); the AUC needs both classes",
    # the file at fault is the gold: `against` is the run that is scored on it
    example=replace(
        spoil(REINTEL_POSTS, ",52,9,31,1", ",52,9,31,0"), name="gold.csv", against=_RUN, against_name=REINTEL_RUN.name
    ),
)
CONSTANT_PROBABILITY = Rule(
    code="REI303",
    name="constant-probability",
    severity=Severity.WARNING,
    meaning="All posts of the run have the same probability.",
    why="Every pair is a tie, so the AUC is 0.5 whatever the gold says, as if the posts had been ranked by chance.",
    hint="Look for a model that was not loaded or a column of defaults. For a template this is as it should be.",
    message="every probability is {same} ({answers:answer})",
    example=replace(REINTEL_RUN, wrong=lines("5001,0.4", "5002,0.4", "5003,0.4", "5004,0.4")),
)
DUPLICATE_POST = Rule(
    code="REI304",
    name="duplicate-post",
    severity=Severity.WARNING,
    meaning="The same message appears in more than one post of the file.",
    why=(
        "Copies count twice in training and scoring, and may carry different labels. Beyond bare <URL> messages the "
        "public test set has 7 of them and the private one 5; a much-used copy of the data holds nearly every post "
        "twice."
    ),
    hint="Keep one for training, or keep all copies on the same side of a split; a run must answer each of them.",
    message="the message is the same as in record {first}",
    example=spoil(
        REINTEL_POSTS,
        "Cầu treo ở bản trên đã sửa xong từ hôm qua.",
        "Trạm y tế xã phát thuốc muỗi cho các hộ ven suối.",
    ),
)
ANNOTATION_COUNT = Rule(
    code="REI305",
    name="annotation-count",
    severity=Severity.ERROR,
    meaning="An item does not have the annotations of three different annotators.",
    why=(
        "The labelling rule is a vote of three people; the paper does not say what two votes, four, or one given "
        "twice would mean."
    ),
    hint="Add the missing annotation, or drop the repeated one after asking which is valid.",
    message="item {id} has {annotations:annotation} by {people:annotator}; expected 3 annotations by 3 annotators",
    example=spoil(_ANNOTATIONS, "72,20,3", "72,4,3"),
)
LABEL_UNDETERMINED = Rule(
    code="REI306",
    name="label-undetermined",
    severity=Severity.ERROR,
    meaning="The three scores of an item give no label unless a ground truth, or a re-check by hand, decides.",
    why=(
        "Where neutral votes win, or all three classes differ, the paper's table asks for the ground truth, and for a "
        "re-check where that is 0; without them the table gives no label, and any label would be invented."
    ),
    hint="Give `--ground-truth` and, where needed, `--recheck` to `derive labels`, or move such items to quarantine.",
    message={
        "neutral": "the scores {scores} give no label: neutral votes win, and no ground truth decides",
        "recheck": "the scores {scores} give no label: they fall into three classes, and a ground truth of 0 needs a recheck",
        "classes": "the scores {scores} give no label: they fall into three classes, and no ground truth decides",
    },
    example=spoil(_ANNOTATIONS, "71,4,1\n71,9,2\n71,17,4", "71,4,0\n71,9,3\n71,17,4"),  # found by `derive labels`
)

RULES = (
    RESULTS_NAME,
    ZIP_EXTRA_MEMBER,
    PROBABILITY_NOT_FINITE,
    PROBABILITY_OUT_OF_RANGE,
    COUNT_WITH_UNIT,
    COUNT_UNKNOWN,
    TIMESTAMP_NOT_EPOCH,
    TIMESTAMP_OUT_OF_RANGE,
    LABEL_NOT_BINARY,
    USER_NAME_LOST_DIGITS,
    ANNOTATION_SCORE,
    DISPLACED_ROW,
    PLACEHOLDER_MESSAGE,
    HARD_LABELS,
    SINGLE_CLASS,
    CONSTANT_PROBABILITY,
    DUPLICATE_POST,
    ANNOTATION_COUNT,
    LABEL_UNDETERMINED,
)

SEVERITIES: Mapping[str, Mapping[str, Severity]] = {
    "reintel/run": {
        "extra-column": Severity.ERROR,
        "index-column": Severity.ERROR,
        "order-differs": Severity.ERROR,
        "row-index-instead-of-id": Severity.WARNING,
    }
}
"""The severities that differ from those of the rules: kind, name of the rule, severity."""
