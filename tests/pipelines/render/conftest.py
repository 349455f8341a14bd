"""A report with everything that a renderer can meet."""

import pytest

from sharedtask.pipelines.results.report import Input, Output, Report
from sharedtask.schemas.rule import At, Example, Role, Rule, Severity, Tally, finding

OUT_OF_BOUNDS = Rule(
    "FLA201",
    "span-out-of-bounds",
    Severity.ERROR,
    "A span starts before the text or ends behind it.",
    "The scorer cuts | at the end, or `fails`.",
    "Count again, <b>from 0</b>.",
    "{words}",
    example=Example("flares/subtask1-run", "run.csv", 'Id,Tags\n1,"[]"\n', b"Id,Tags\x00\n"),
)
CAUSE = Rule(
    "FLA501",
    "offsets-utf16",
    Severity.ERROR,
    "UTF-16.",
    "Emoji count twice.",
    "Count characters.",
    "{fit} of {affected} spans fit",
    fixable=True,
)
EXTRA = Rule(
    "FMT105",
    "extra-column",
    Severity.WARNING,
    "A column more.",
    "Kaggle refuses it.",
    "Leave it out.",
    "the column '{column}' is extra",
    fixable=True,
)
NOT_NFC = Rule("FMT903", "text-not-nfc", Severity.INFO, "Not NFC.", "Lengths differ.", "Nothing.", "not NFC")

RUN = "runs/año 1, 100%:a#b.csv"
NASTY = "a|b\n::error::x\r]]>\x1b[31m\x00\x9b1m`c` <script>alert('&')</script> {0} [x](http://y) ##[add-mask]z \u202eend *_~ $1$ www.x.y \ud800"


@pytest.fixture
def report() -> Report:
    warning, info = Severity.WARNING, Severity.INFO
    span = {"start": 15, "end": 944, "label": "WHO", "context": "de\nO'Donnell ⟦abrió el | 24/7⟧"}
    cause = {"affected": 40, "explains": {"span-out-of-bounds": 12, "span-text-differs": 3}}
    first = finding(
        OUT_OF_BOUNDS,
        At(RUN, 2, 1, "Tags", {"Id": 18}, 0),
        value="[15, 944)",
        expected="offsets within the text",
        details=span,
        words="the span '[15, 944)' does not lie within its text",
    )
    nasty = finding(OUT_OF_BOUNDS, At(RUN, 3, 2, "Ta|gs\n", {"I`d\n": NASTY, "part": 2**70}), value=NASTY, words=NASTY)
    gold = "/elsewhere/5w1h_test.json"
    return Report(
        "check",
        inputs=[
            Input("run", RUN, "flares/subtask1-run", "a" * 64, 7532, 50),
            Input("reference", "/elsewhere/5w1h_test.json", "flares/subtask1", "b" * 64, 9282, 50),
            Input("also", "s3://lake/raw data/50%.csv", None, "c" * 64, 0, None),
        ],
        tallies=[
            Tally.of([first, nasty], 402),
            Tally.of([finding(CAUSE, At(RUN, column="Tags"), details=cause, fit=40, affected=40)]),
            Tally.of([finding(EXTRA, At(RUN, 1, column="seed"))]),
            Tally.of([finding(NOT_NFC, At(gold, row=7), value=float("nan"))], 3),
            Tally.counted(NOT_NFC, warning, 2, []),
            Tally.of([finding(EXTRA, At(column="seed"), severity=info, details={"rows": [3, 4]})]),
            Tally.of([finding(NOT_NFC, At(gold, row=8), severity=warning)], 5).as_role(Role.REFERENCE),
        ],
        outputs=[Output("out/run.parquet", "flares/subtask1-run", 50, "d" * 64, RUN)],
    )  # fmt: skip
