"""A report with everything that a renderer can meet."""

import pytest

from sharedtask.pipelines.report import Input, Output, Report
from sharedtask.schemas.rule import Example, Finding, Rule, Severity, Tally

OUT_OF_BOUNDS = Rule(
    "FLA201",
    "span-out-of-bounds",
    Severity.ERROR,
    "A span starts before the text or ends behind it.",
    "The scorer cuts | at the end, or `fails`.",
    "Count again, <b>from 0</b>.",
    example=Example("flares/subtask1-run", "run.csv", 'Id,Tags\n1,"[]"\n', b"Id,Tags\x00\n"),
)
CAUSE = Rule(
    "FLA501", "offsets-utf16", Severity.ERROR, "UTF-16.", "Emoji count twice.", "Count characters.", fixable=True
)
EXTRA = Rule(
    "FMT105", "extra-column", Severity.WARNING, "A column more.", "Kaggle refuses it.", "Leave it out.", fixable=True
)
NOT_NFC = Rule("FMT903", "text-not-nfc", Severity.INFO, "Not NFC.", "Lengths differ.", "Nothing.")

RUN = "runs/año 1, 100%:a#b.csv"
NASTY = "a|b\n::error::x\r]]>\x1b[31m\x00\x9b1m`c` <script>alert('&')</script> {0} [x](http://y) ##[add-mask]z \u202eend *_~ $1$ www.x.y \ud800"


@pytest.fixture
def report() -> Report:
    error, warning, info = Severity.ERROR, Severity.WARNING, Severity.INFO
    span = {"start": 15, "end": 944, "label": "WHO", "context": "de\nO'Donnell ⟦abrió el | 24/7⟧"}
    cause = {"affected": 40, "explains": {"span-out-of-bounds": 12, "span-text-differs": 3}}
    return Report(
        "check",
        inputs=[
            Input("run", RUN, "flares/subtask1-run", "a" * 64, 7532, 50),
            Input("reference", "/elsewhere/5w1h_test.json", "flares/subtask1", "b" * 64, 9282, 50),
            Input("also", "s3://lake/raw data/50%.csv", None, "c" * 64, 0, None),
        ],
        tallies=[
            Tally(
                OUT_OF_BOUNDS,
                error,
                402,
                (
                    Finding(
                        OUT_OF_BOUNDS, error, "the span '[15, 944)' does not lie within its text", RUN, 2, 1, "Tags",
                        {"Id": 18}, "[15, 944)", "offsets within the text", span=0, details=span,
                    ),
                    Finding(OUT_OF_BOUNDS, error, NASTY, RUN, 3, 2, "Ta|gs\n", {"I`d\n": NASTY, "part": 2**70}, NASTY),
                ),
            ),
            Tally(CAUSE, error, 1, (Finding(CAUSE, error, "40 of 40 spans fit", RUN, column="Tags", details=cause),)),
            Tally(EXTRA, warning, 1, (Finding(EXTRA, warning, "the column 'seed' is extra", RUN, 1, column="seed"),)),
            Tally(NOT_NFC, info, 3, (Finding(NOT_NFC, info, "not NFC", "/elsewhere/5w1h_test.json", row=7, value=float("nan")),)),
            Tally(NOT_NFC, warning, 2, ()),
            Tally(EXTRA, info, 1, (Finding(EXTRA, info, "about no file", details={"rows": [3, 4]}),)),
        ],
        outputs=[Output("out/run.parquet", "flares/subtask1-run", 50, "d" * 64, RUN)],
    )  # fmt: skip
