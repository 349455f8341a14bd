"""The row loop of the organisers' FLARES script, restated from its description: the quadratic yardstick of the matching.

For each row of the run the rows of the gold are gone through with `iterrows` of pandas until one has the same Id. The spans of the two
rows, read as Python literals, are matched: Correct, then Partial (closed ends, same label, the shortest first), then Incorrect.
"""

import ast
from collections import Counter
from collections.abc import Callable

import pandas as pd

Span = dict[str, int | str]
START, END, LABEL = "Tag_Start", "Tag_End", "5W1H_Label"


def count_spans(gold: pd.DataFrame, run: pd.DataFrame) -> Counter[str]:
    """How many spans are correct, partial, incorrect, missing and spurious; frames with the columns Id and Tags."""
    counts: Counter[str] = Counter()
    for _, answer in run.iterrows():
        for _, row in gold.iterrows():
            if row["Id"] == answer["Id"]:
                counts += match(ast.literal_eval(row["Tags"]), ast.literal_eval(answer["Tags"]))
                break
    return counts


def match(gold: list[Span], predicted: list[Span]) -> Counter[str]:
    """The counts of one row."""
    counts: Counter[str] = Counter()
    unmatched, unused = sorted(gold, key=_order), sorted(predicted, key=_order)
    steps: tuple[tuple[str, Callable[[Span, Span], bool]], ...] = (
        ("correct", lambda one, other: _same_place(one, other) and one[LABEL] == other[LABEL]),
        ("partial", lambda one, other: _touch(one, other) and one[LABEL] == other[LABEL]),
        ("incorrect", _same_place),
    )
    for outcome, fits in steps:
        for span in list(unmatched):
            candidates = [other for other in unused if fits(span, other)]
            if candidates:
                unused.remove(min(candidates, key=_length) if outcome == "partial" else candidates[0])
                unmatched.remove(span)
                counts[outcome] += 1
    counts["missing"], counts["spurious"] = len(unmatched), len(unused)
    return counts


def _order(span: Span) -> tuple[int, str]:
    return int(span[START]), str(span[LABEL])


def _length(span: Span) -> int:
    return int(span[END]) - int(span[START])


def _same_place(one: Span, other: Span) -> bool:
    return one[START] == other[START] and one[END] == other[END]


def _touch(one: Span, other: Span) -> bool:
    starts, ends = (int(other[START]), int(one[START])), (int(other[END]), int(one[END]))
    return (starts[0] <= ends[1] and ends[0] >= starts[1]) or (starts[0] >= starts[1] and ends[0] <= ends[1])
