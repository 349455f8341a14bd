"""The cause of broken offsets: each way of counting is named, with and without the text of the spans, and through the noise of a model.

The wrong offsets are counted here in plain Python from the definition of each fault, not by the table under test.
"""

import html
import json
import random
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.pipelines.runs.flares_offsets import diagnose, movable
from sharedtask.pipelines.verbs.check import check
from sharedtask.pipelines.verbs.fix import fix
from sharedtask.schemas.flares.causes import CAUSES, Cause, counted, meant

TRAIN = Path(__file__).parents[4] / "shared/data/flares/5w1h_subtarea_1_train.json"
Place = Callable[[str, int], int]
Span = tuple[int, int]


def _collapse(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _both(place: Place) -> tuple[Place, Place]:
    return place, place


FAULTS: dict[str, tuple[str, Place, Place]] = {
    "utf-8 bytes": ("offsets-utf8-bytes", *_both(lambda t, o: len(t[:o].encode()))),
    "end inclusive": ("offsets-end-inclusive", lambda t, o: o, lambda t, o: o - 1),
    "one-based": ("offsets-one-based", *_both(lambda t, o: o + 1)),
    "one-based inclusive": ("offsets-one-based-inclusive", lambda t, o: o + 1, lambda t, o: o),
    "shift -1": ("offsets-shifted", *_both(lambda t, o: o - 1)),
    "shift +2": ("offsets-shifted", *_both(lambda t, o: o + 2)),
    "shift +3": ("offsets-shifted", *_both(lambda t, o: o + 3)),
    "stripped": ("offsets-on-stripped-text", *_both(lambda t, o: max(o - (len(t) - len(t.lstrip())), 0))),
    "collapsed": ("offsets-on-collapsed-whitespace", *_both(lambda t, o: len(_collapse(t[:o])))),
    "NFKC": ("offsets-on-normalized-text", *_both(lambda t, o: len(unicodedata.normalize("NFKC", t[:o])))),
}


@pytest.fixture(scope="module")
def gold() -> list[tuple[str, list[Span]]]:
    if not TRAIN.exists():
        pytest.skip("the FLARES training file is not here")
    records = [json.loads(line) for line in TRAIN.read_text("utf-8").splitlines()]
    return [(one["Text"], [(tag["Tag_Start"], tag["Tag_End"]) for tag in one["Tags"]]) for one in records]


def _view(records: list[tuple[str, list[Span]]], start: Place, end: Place, *, with_text: bool) -> pl.DataFrame:
    rows = [
        (row, number, text, start(text, first), end(text, last), text[first:last] if with_text else None)
        for row, (text, spans) in enumerate(records)
        for number, (first, last) in enumerate(spans)
    ]
    schema = {
        "row": pl.UInt32,
        "span": pl.UInt32,
        "text": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
        "span_text": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _noisy(records: list[tuple[str, list[Span]]], dice: random.Random) -> list[tuple[str, list[Span]]]:
    """What a model makes of the gold: of 40 % of the spans one is shortened or lengthened by a word, dropped, or kept with another label."""
    noisy = []
    for text, spans in records:
        words = [match.span() for match in re.finditer(r"\S+", text)]
        kept = []
        for first, last in spans:
            inside = [word for word in words if word[0] < last and word[1] > first]
            change = dice.choice(["shorter", "longer", "dropped", "relabelled"]) if dice.random() < 0.4 else "kept"
            if change == "shorter" and len(inside) > 1:
                kept.append((first, inside[-2][1]))
            elif change == "longer" and (after := [word for word in words if word[0] >= last]):
                kept.append((first, after[0][1]))
            elif change != "dropped":
                kept.append((first, last))
        noisy.append((text, kept))
    return noisy


@pytest.mark.parametrize("with_text", [True, False], ids=["Tag_Text", "word edges"])
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_the_real_gold_is_named_and_put_right(
    gold: list[tuple[str, list[Span]]], fault: str, with_text: bool
) -> None:
    rule, start, end = FAULTS[fault]
    found = diagnose(_view(gold, start, end, with_text=with_text))
    assert found is not None
    assert found.cause.rule.name == rule
    assert not found.mixed
    right = _view(gold, lambda _, o: o, lambda _, o: o, with_text=with_text)
    joined = found.spans.join(right, on=["row", "span"], suffix="_right")
    assert joined.height == found.spans.height > 0
    assert joined.filter((pl.col("start") != pl.col("start_right")) | (pl.col("end") != pl.col("end_right"))).is_empty()


def test_right_offsets_have_no_cause(gold: list[tuple[str, list[Span]]]) -> None:
    for with_text in (True, False):
        assert diagnose(_view(gold, lambda _, o: o, lambda _, o: o, with_text=with_text)) is None


def _seeds(few: int, many: int) -> pytest.MarkDecorator:
    """A test over a few seeds, and over many where the slow tests run."""
    return pytest.mark.parametrize("seeds", [few, pytest.param(many, marks=pytest.mark.slow)])


@_seeds(1, 20)
def test_faults_are_named_through_the_noise_of_a_model(gold: list[tuple[str, list[Span]]], seeds: int) -> None:
    """At least 95 % of fault x seed."""
    named = total = 0
    for seed in range(seeds):
        noisy = _noisy(gold, random.Random(seed))
        for rule, start, end in FAULTS.values():
            found = diagnose(_view(noisy, start, end, with_text=False))
            named += found is not None and found.cause.rule.name == rule
            total += 1
    assert named >= 0.95 * total, f"{named} of {total}"


@_seeds(40, 1000)
def test_noise_without_a_fault_has_no_cause(gold: list[tuple[str, list[Span]]], seeds: int) -> None:
    """Noisy runs of 402 records each, the size of a real test file."""
    for seed in range(seeds):
        dice = random.Random(seed)
        found = diagnose(_view(_noisy(dice.sample(gold, 402), dice), lambda _, o: o, lambda _, o: o, with_text=False))
        assert found is None, (seed, found)


def told(cause: Cause) -> tuple[str, str]:
    """The name of a cause, and what tells it from the others of that name."""
    return cause.rule.name, "".join(
        str(cause.facts[fact]) for fact in ("form", "line_end", "by", "direction") if fact in cause.facts
    )


TRICKY = st.text(alphabet=st.sampled_from("ab é\u0301ñ😀 \u00a0\t\r\n&ﬁ½"), max_size=24) | st.lists(
    st.sampled_from(["a", " ", "&amp;", "&eacute;", "&#233;", "\r\n", "\n", "e\u0301", "😀", "  ", "ﬁ", "x"]),
    max_size=12,
).map("".join)


@settings(max_examples=150)
@given(
    texts=st.lists(TRICKY, min_size=1, max_size=4),
    cause=st.sampled_from([one for one in CAUSES if one.pattern is not None]),
)
def test_conversions_of_offsets_invert_each_other(texts: list[str], cause: Cause) -> None:
    """Every offset that does not lie inside a piece comes back; a stripped text has one place for all of its leading white space."""
    frame = pl.DataFrame({"key": range(len(texts)), "text": texts}, schema={"key": pl.UInt32, "text": pl.String})
    lead = [len(text) - len(text.lstrip()) if "stripped" in cause.rule.name else 0 for text in texts]
    places = [(key, offset, offset) for key, text in enumerate(texts) for offset in range(lead[key], len(text) + 1)]
    offsets = pl.DataFrame(places, schema={"key": pl.UInt32, "start": pl.Int64, "end": pl.Int64}, orient="row")
    there = counted(offsets, frame, cause)
    back = meant(there, frame, cause)
    lost = there["start"].is_null()
    assert back.filter(~lost).equals(offsets.filter(~lost))


COUNTS: dict[tuple[str, str], Callable[[str], int]] = {
    ("offsets-utf16", ""): lambda text: len(text.encode("utf-16-le")) // 2,
    ("offsets-utf8-bytes", ""): lambda text: len(text.encode()),
    ("offsets-on-unescaped-html", ""): lambda text: len(html.unescape(text)),
    ("offsets-on-crlf-text", "CRLF"): lambda text: len(text.replace("\r\n", "\n")),
    ("offsets-on-collapsed-whitespace", ""): lambda text: len(_collapse(text)),
    ("offsets-on-normalized-text", "NFC"): lambda text: len(unicodedata.normalize("NFC", text)),
    ("offsets-on-normalized-text", "NFD"): lambda text: len(unicodedata.normalize("NFD", text)),
    ("offsets-on-normalized-text", "NFKC"): lambda text: len(unicodedata.normalize("NFKC", text)),
}


@settings(max_examples=100)
@given(text=TRICKY, way=st.sampled_from(sorted(COUNTS)))
def test_the_end_of_a_text_is_its_length_as_the_tool_counted(text: str, way: tuple[str, str]) -> None:
    cause = next(one for one in CAUSES if told(one) == way)
    frame = pl.DataFrame({"key": [0], "text": [text]}, schema={"key": pl.UInt32, "text": pl.String})
    whole = pl.DataFrame(
        {"key": [0], "start": [0], "end": [len(text)]}, schema={"key": pl.UInt32, "start": pl.Int64, "end": pl.Int64}
    )
    assert counted(whole, frame, cause)["end"].item() == COUNTS[way](text)


SEEDED = "Ay, 😀 caf\u00e9 nuevo y vi\u0301a  larga\r\ncon &amp; si\u0301 ﬁn"


@pytest.mark.parametrize("cause", CAUSES, ids=lambda one: " ".join(told(one)))
def test_every_row_of_the_table_is_found_when_it_is_seeded(cause: Cause) -> None:
    """Texts in which every piece of every cause occurs; the offsets are those that the row itself would have written."""
    words = ["Ayer", "el", "alcalde", "nombró", "a", "tres", "personas", "nuevas", "para", "la", "obra"]
    texts = [f" \u00a0{SEEDED}\n {' '.join(words[at:] + words[:at])} 😀 &lt; ½ {at}" for at in range(8)]
    records = [(text, [m.span() for m in re.finditer(r"nombró|personas|alcalde|tres", text)]) for text in texts]
    right = _view(records, lambda _, o: o, lambda _, o: o, with_text=True)
    frame = pl.DataFrame({"key": range(len(texts)), "text": texts}, schema={"key": pl.UInt32, "text": pl.String})
    wrong = counted(right.select(pl.col("row").alias("key"), "start", "end"), frame, cause)
    found = diagnose(right.with_columns(wrong["start"], wrong["end"]))
    assert found is not None
    assert (found.cause is cause) or cause.rule.name in found.others or found.cause.rule is cause.rule
    there = found.spans.join(right, on=["row", "span"], suffix="_right")
    assert there.filter((pl.col("start") != pl.col("start_right")) | (pl.col("end") != pl.col("end_right"))).is_empty()


def test_nothing_moves_where_words_may_be_numbered_in_two_ways() -> None:
    records = [
        ("El gremio de Arcos logró tres turnos hoy", [(0, 18), (25, 36)]),
        ("El coro cantó en Vigo ayer", [(14, 21)]),
    ]
    numbers = {0: 0, 18: 4, 25: 5, 36: 7, 14: 3, 21: 5}
    view = _view(records, lambda _, at: numbers[at], lambda _, at: numbers[at], with_text=False)
    found = diagnose(view)
    assert found is not None
    assert (found.cause.rule.name, found.alike, movable(view, found).height) == ("offsets-in-words", True, 0)
    # A span of one word begins and ends with the same number where the last word is named.
    told = diagnose(
        _view(
            [*records, ("Ni el aviso llegó", [(3, 5)])],
            lambda _, at: {**numbers, 3: 1, 5: 1}[at],
            lambda _, at: {18: 3, 36: 6, 21: 4, 5: 1}[at],
            with_text=False,
        )
    )
    assert told is not None
    assert (told.cause.end, told.alike) == (1, False)


def test_a_span_that_the_cause_does_not_put_right_stays_reported(tmp_path: Path) -> None:
    text = "📢📢📢 Mira: el coro cantó bajo la lluvia"
    units = {at: len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)}
    places = [
        (text.index(words), text.index(words) + len(words)) for words in ("el coro", "cantó", "bajo", "la lluvia")
    ]
    reference, run = tmp_path / "test.json", tmp_path / "run.csv"
    reference.write_text("".join(f'{{"Id": {key}, "Text": "{text}"}}\n' for key in range(5)), encoding="utf-8")
    rows = ["Id,Tags"]
    for key in range(5):
        texts = [text[first:last] for first, last in places[:-1]] + ["la lluvia" if key else "el granizo"]
        tags = [
            {"Tag_Start": units[first], "Tag_End": units[last], "5W1H_Label": "WHAT", "Tag_Text": own}
            for (first, last), own in zip(places, texts, strict=True)
        ]
        rows.append(f'{key},"{tags}"')
    run.write_text("\n".join(rows) + "\n", encoding="utf-8")
    report = check(run, reference)
    assert {one.rule.name: one.count for one in report.rules()} == {"offsets-utf16": 1, "span-out-of-bounds": 1}
    (told,) = [one for one in report.tallies if one.rule.name == "span-out-of-bounds"]
    assert (told.samples[0].at.line, told.samples[0].at.key) == (2, {"Id": 0})


def test_texts_that_were_cut_out_at_wrong_offsets_do_not_hide_the_cause(tmp_path: Path) -> None:
    text = "El jueves la brigada de Robledal abrió dos zanjas nuevas junto al viejo molino"
    places = [
        (text.index(words), text.index(words) + len(words)) for words in ("El jueves", "la brigada", "dos zanjas")
    ]
    reference, run, out = tmp_path / "test.json", tmp_path / "run.csv", tmp_path / "fixed.csv"
    reference.write_text("".join(f'{{"Id": {key}, "Text": "{text}"}}\n' for key in range(5)), encoding="utf-8")

    def tags(by: int, *, cut_out: bool) -> str:
        made = [{"Tag_Start": first + by, "Tag_End": last + by, "5W1H_Label": "WHAT"} for first, last in places]
        own = [{"Tag_Text": text[first + by : last + by]} if cut_out else {} for first, last in places]
        return str([tag | more for tag, more in zip(made, own, strict=True)])

    run.write_text("Id,Tags\n" + "".join(f'{key},"{tags(1, cut_out=True)}"\n' for key in range(5)), encoding="utf-8")
    assert [one.rule.name for one in check(run, reference).rules()] == ["offsets-one-based"]
    assert fix(run, reference, out).ok
    assert out.read_text("utf-8") == "Id,Tags\n" + "".join(f'{key},"{tags(0, cut_out=False)}"\n' for key in range(5))


def test_a_span_that_fits_in_both_places_stays_where_others_speak_against_the_cause() -> None:
    inclusive = ("El club vio la muestra en Maro ayer de noche", [(12, 21), (23, 29)])  # without their last letters
    right, contrary = ("Dice Ana, que vino", [(5, 8)]), ("Dice que vino pronto ayer", [(14, 20)])

    def moved(records: list[tuple[str, list[Span]]]) -> tuple[int, set[int]]:
        view = _view(records, lambda _, at: at, lambda _, at: at, with_text=False)
        found = diagnose(view)
        assert found is not None
        assert found.cause.rule.name == "offsets-end-inclusive"
        return view.height, set(movable(view, found)["row"])

    assert moved([inclusive] * 20 + [right]) == (41, set(range(21)))
    assert moved([inclusive] * 20 + [right, contrary]) == (42, set(range(20)))
