"""`fix` hides nothing and worsens nothing, whatever is wrong with a run, and counts what it changed."""

import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sharedtask.pipelines.results.fix_result import FixResult
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.fix import fix
from sharedtask.pipelines.verbs.score import score
from sharedtask.schemas.flares.tag_rules import LABELS

Span = dict[str, Any]
Records = dict[int, list[Span]]
Made = tuple[list[str], Records, Records]

WORDS = ["Ayer", "el", "alcalde", "cerró", "«Niño»", "l'Escala", "24/7", "🔴", "São", "x\u0301", "a", "y", "mil", "🇪🇸"]
GAPS = [" ", " ", " ", ", ", "  ", "\n", "\u00a0"]

Move = Callable[[str, int, int], tuple[int, int]]


def _units(text: str, at: int, encoding: str, size: int) -> int:
    return len(text[:at].encode(encoding)) // size


CAUSES: dict[str, Move] = {
    "none": lambda text, start, end: (start, end),
    "utf-16": lambda text, start, end: (_units(text, start, "utf-16-le", 2), _units(text, end, "utf-16-le", 2)),
    "bytes": lambda text, start, end: (_units(text, start, "utf-8", 1), _units(text, end, "utf-8", 1)),
    "end-inclusive": lambda text, start, end: (start, end - 1),
    "one-based": lambda text, start, end: (start + 1, end + 1),
    "shift": lambda text, start, end: (start + 3, end + 3),
    "back": lambda text, start, end: (max(start - 1, 0), end - 1),
    "stripped": lambda text, start, end: (start - len(text) + len(text.lstrip()), end - len(text) + len(text.lstrip())),
}


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and its spans over whole words, each with a label of its own."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=14))
    text, spans = draw(st.sampled_from(["", "", " ", "\n "])), []
    labels = list(draw(st.permutations(LABELS)))
    open_at: int | None = None
    for word in words:
        if open_at is None and labels and draw(st.booleans()):
            open_at = len(text)
        text += word
        if open_at is not None and draw(st.booleans()):
            spans.append({"Tag_Start": open_at, "Tag_End": len(text), "5W1H_Label": labels.pop()})
            open_at = None
        text += draw(st.sampled_from(GAPS))
    return text, spans


@st.composite
def runs(draw: st.DrawFn) -> Made:
    """Texts, the spans of their gold, and those of a run that was made from it with faults."""
    made = draw(st.lists(texts(), min_size=3, max_size=9))
    gold = {key: spans for key, (_, spans) in enumerate(made)}
    cause, share = CAUSES[draw(st.sampled_from(list(CAUSES)))], draw(st.sampled_from([1.0, 1.0, 0.5]))
    noise, evidence = draw(st.sampled_from([0.0, 0.2, 0.6])), draw(st.sampled_from([0.0, 0.5, 1.0]))
    dice = draw(st.randoms(use_true_random=False))
    run: Records = {}
    for key, (text, spans) in enumerate(made):
        moved = cause if dice.random() < share else CAUSES["none"]
        run[key] = []
        for span in spans:
            start, end = moved(text, span["Tag_Start"], span["Tag_End"])
            one: Span = {"Tag_Start": start, "Tag_End": end, "5W1H_Label": span["5W1H_Label"]}
            if dice.random() < noise:
                _spoil(one, text, dice)
            if dice.random() < evidence:
                right = text[span["Tag_Start"] : span["Tag_End"]]
                one["Tag_Text"] = dice.choice([right, right, right, f"{right} ", "el puente", text[:2]])
            run[key].append(one)
        if dice.random() < noise / 2:
            run[key] = run[key][::-1]
        if run[key] and dice.random() < noise / 2:
            run[key].append({**run[key][0], **dice.choice([{}, {"Tag_Text": "otra cosa"}])})
    return [text for text, _ in made], gold, run


def _spoil(one: Span, text: str, dice: Any) -> None:
    """One of the faults that a single span has."""
    fault = dice.choice(["random", "wide", "left", "case", "label", "text", "cut"])
    if fault == "random":
        one["Tag_Start"], one["Tag_End"] = dice.randint(-2, len(text)), dice.randint(0, len(text) + 4)
    elif fault == "wide":
        one["Tag_End"] += 1
    elif fault == "left":
        one["Tag_Start"] -= 1
    elif fault == "case":
        one["5W1H_Label"] = one["5W1H_Label"].title()
    elif fault == "label":
        one["5W1H_Label"] = "WHOM"
    elif fault == "text":
        one["Tag_Start"] = str(one["Tag_Start"])
    else:
        one["Tag_End"] = max(one["Tag_End"] - 1, 0)


def written(path: Path, records: Records) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["Id", "Tags"])
        out.writerows([key, str(spans)] for key, spans in records.items())
    return path


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def read(path: Path) -> Records:
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row["Id"]): _literal(row["Tags"]) for row in csv.DictReader(file)}


def _literal(cell: str) -> list[Span]:
    import ast

    spans: list[Span] = ast.literal_eval(cell)
    return spans


def with_texts_of(fixed: Records, run: Records) -> Records:
    """The spans of a fixed run with what the run said about each, which its label tells, where it occurs once in the record."""
    said: Records = {}
    for key, spans in fixed.items():
        by_label: dict[str, list[Span]] = {}
        for span in run[key]:
            by_label.setdefault(span["5W1H_Label"].upper(), []).append(span)
        texts = {label: own[0]["Tag_Text"] for label, own in by_label.items() if len(own) == 1 and "Tag_Text" in own[0]}
        labels = [span["5W1H_Label"].upper() for span in spans]
        said[key] = [
            {**span, "Tag_Text": texts[label]} if label in texts else span
            for span, label in zip(spans, labels, strict=True)
        ]
    return said


def errors(report: Report) -> dict[str, int]:
    return {one.rule.name: one.count for one in report.rules() if one.severity == "error"}


def f1(run: Path, gold: Path) -> float | None:
    found = score(run, gold).score
    return None if found is None else found.scores["f1"]


def tried(folder: Path, given: Made) -> tuple[FixResult, Path, Path, Path]:
    texts, _, run = given
    reference = lines(folder / "test.json", [{"Id": key, "Text": text} for key, text in enumerate(texts)])
    path, out = written(folder / "run.csv", run), folder / "fixed.csv"
    return fix(path, reference, out), reference, path, out


def hides_nothing(made: Made) -> None:
    """What `check` says of the fixed run with the texts of the run, `fix` has said."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done, reference, _, out = tried(folder, made)
        assert done.after is not None
        evidence = written(folder / "evidence.csv", with_texts_of(read(out), made[2]))
        left, shown = errors(check(evidence, reference)), errors(done.after)
        symptoms = {"span-text-differs", "span-out-of-bounds", "span-cuts-word"} & shown.keys()
        named = {name for name in left if name.startswith("offsets-") and symptoms}  # a cause is told by its symptoms
        assert left.keys() - named <= shown.keys(), (left, shown, done.repairs)
        assert done.ok == (not shown)
        assert (
            not errors(check(out, reference)) or shown
        )  # without their texts, another rule may speak of the same spans


def worsens_nothing(made: Made) -> None:
    """F1 against the gold does not fall, and each span that moved is counted."""
    texts, gold, run = made
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done, _, path, out = tried(folder, made)
        records = [{"Id": key, "Text": text, "Tags": gold[key]} for key, text in enumerate(texts)]
        if any(gold.values()):
            truth = lines(folder / "gold.json", records)
            before, after = f1(path, truth), f1(out, truth)
            assert before is None or (after is not None and after >= before - 1e-12), (before, after, done.repairs)
        fixed = read(out)
        places = [
            {(span["5W1H_Label"].upper(), int(span["Tag_Start"]), int(span["Tag_End"])) for span in spans}
            for spans in (*run.values(), *fixed.values())
        ]
        moved = sum(len(after - before) for before, after in zip(places[: len(run)], places[len(run) :], strict=True))
        counted = sum(
            one.count
            for one in done.repairs
            if one.rule.name.startswith("offsets-") or one.rule.name == "span-edge-whitespace"
        )
        assert counted >= moved  # a copy that was moved and left out is counted, too


QUICK = settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(QUICK, max_examples=600, derandomize=False)


@QUICK
@given(made=runs())
def test_no_error_is_hidden(made: Made) -> None:
    hides_nothing(made)


@QUICK
@given(made=runs())
def test_no_score_falls_and_each_moved_span_is_counted(made: Made) -> None:
    worsens_nothing(made)


@pytest.mark.slow
@LONG
@given(made=runs())
def test_no_error_is_hidden_in_many_runs(made: Made) -> None:
    hides_nothing(made)


@pytest.mark.slow
@LONG
@given(made=runs())
def test_no_score_falls_in_many_runs(made: Made) -> None:
    worsens_nothing(made)
