"""The vectorised matching against a plain restatement of both scripts, and against worked examples."""

from collections import Counter
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.pipelines.metrics import greedy as claims
from sharedtask.pipelines.metrics.span_matching import OUTCOMES, match

Span = tuple[int, int, str]
Spans = list[Span]


def table(items: list[Spans]) -> pl.DataFrame:
    rows = [(item, *span) for item, spans in enumerate(items) for span in spans]
    schema = {"item": pl.Int64, "start": pl.Int64, "end": pl.Int64, "label": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def counted(gold: list[Spans], run: list[Spans], matching: str) -> Counter[tuple[str, Span | None, Span | None]]:
    """What the vectorised matching found, with the spans themselves in place of row numbers; all items together."""
    gold_spans = [span for spans in gold for span in spans]
    run_spans = [span for spans in run for span in spans]
    found = match(table(gold), table(run), matching)
    return Counter(
        (how, None if g is None else gold_spans[g], None if r is None else run_spans[r]) for g, r, how in found.rows()
    )


def official(gold: Spans, run: Spans) -> Counter[tuple[str, Span | None, Span | None]]:
    """`detect_and_classify_texts` of the FLARES organisers, restated: sort, take spans off two lists one by one."""
    golds = sorted(gold, key=lambda span: (span[0], span[2]))
    free = sorted(run, key=lambda span: (span[0], span[2]))
    found: Counter[tuple[str, Span | None, Span | None]] = Counter()

    def take(how: str, g: Span, candidates: Spans) -> bool:
        if not candidates:
            return False
        found[how, g, candidates[0]] += 1
        free.remove(candidates[0])
        return True

    def meets(p: Span, g: Span) -> bool:
        inside = p[0] >= g[0] and p[1] <= g[1]
        over_start = p[0] <= g[0] and g[0] <= p[1] <= g[1]
        over_end = g[0] <= p[0] <= g[1] and p[1] >= g[1]
        around = p[0] <= g[0] and p[1] >= g[1]
        return inside or over_start or over_end or around

    golds = [g for g in golds if not take("correct", g, [p for p in free if p == g])]
    golds = [
        g
        for g in golds
        if not take("partial", g, sorted([p for p in free if p[2] == g[2] and meets(p, g)], key=lambda p: p[1] - p[0]))
    ]
    golds = [g for g in golds if not take("incorrect", g, [p for p in free if p[:2] == g[:2] and p[2] != g[2]])]
    return found + Counter(("missing", g, None) for g in golds) + Counter(("spurious", None, p) for p in free)


def ehealthkd(gold: Spans, run: Spans) -> Counter[tuple[str, Span | None, Span | None]]:
    """`match_keyphrases` of ehealthkd/corpora `scripts/score.py` for one sentence, without its assertion."""
    free, waiting = list(gold), list(run)
    found: Counter[tuple[str, Span | None, Span | None]] = Counter()

    def starts_inside(a: Span, b: Span) -> bool:
        return b[0] <= a[0] < b[1]

    for p in list(waiting):
        first = next((g for g in free if g[:2] == p[:2]), None)
        if first is not None and first[2] == p[2]:
            found["correct", first, p] += 1
            free.remove(first)
            waiting.remove(p)
    for p in list(waiting):
        first = next((g for g in free if g[:2] == p[:2]), None)
        if first is not None:
            found["incorrect", first, p] += 1
            free.remove(first)
            waiting.remove(p)
    for p in list(waiting):
        crossing = (g for g in free if g[2] == p[2] and (starts_inside(g, p) or starts_inside(p, g)))
        first = next(crossing, None)
        if first is not None:
            found["partial", first, p] += 1
            free.remove(first)
            waiting.remove(p)
    return found + Counter(("missing", g, None) for g in free) + Counter(("spurious", None, p) for p in waiting)


RESTATED = {"official": official, "ehealthkd-2020": ehealthkd}

# A narrow range of offsets makes duplicates, overlaps, touching, zero-length and inverted spans common.
labels = st.sampled_from(["WHAT", "WHO", "What"])
any_span = st.tuples(st.integers(0, 12), st.integers(0, 12), labels)
proper_span = st.tuples(st.integers(0, 20), st.integers(0, 6), labels).map(lambda s: (s[0], s[0] + s[1], s[2]))
documents = st.lists(
    st.tuples(st.lists(any_span | proper_span, max_size=9), st.lists(any_span | proper_span, max_size=9)),
    min_size=1,
    max_size=3,
)
one_label = st.tuples(st.integers(0, 60), st.integers(-2, 9)).map(lambda s: (s[0], s[0] + s[1], "WHO"))
crowded = st.lists(
    st.tuples(st.lists(one_label, max_size=40), st.lists(one_label, max_size=40)), min_size=1, max_size=2
)


@pytest.mark.parametrize("matching", RESTATED)
@given(rows=documents)
def test_equals_the_restated_script(matching: str, rows: list[tuple[Spans, Spans]]) -> None:
    expected = sum((RESTATED[matching](gold, run) for gold, run in rows), Counter())
    assert counted([gold for gold, _ in rows], [run for _, run in rows], matching) == expected


@pytest.mark.parametrize("matching", RESTATED)
@pytest.mark.parametrize(
    ("limit", "value"),
    [("ROUNDS", 0), ("ROUNDS", 1), ("BLOCK_PAIRS", 3), ("DENSE_PAIRS", -1)],
    ids=["greedy only", "one round", "small blocks", "walk"],
)
@given(rows=crowded)
def test_every_way_to_the_partial_matches_gives_the_same(
    matching: str, limit: str, value: int, rows: list[tuple[Spans, Spans]]
) -> None:
    expected = sum((RESTATED[matching](gold, run) for gold, run in rows), Counter())
    with mock.patch.object(claims, limit, value):
        assert counted([gold for gold, _ in rows], [run for _, run in rows], matching) == expected


@pytest.mark.parametrize("matching", RESTATED)
@given(rows=documents)
def test_every_span_is_in_one_row_of_the_result(matching: str, rows: list[tuple[Spans, Spans]]) -> None:
    gold, run = table([gold for gold, _ in rows]), table([run for _, run in rows])
    found = match(gold, run, matching)
    assert found["gold"].drop_nulls().to_list() == list(range(gold.height))  # sorted, too
    assert sorted(found["run"].drop_nulls().to_list()) == list(range(run.height))
    assert found.filter(pl.col("gold").is_null() & pl.col("run").is_null()).is_empty()


# facts/flares.md 3.8; the counts are correct/incorrect/partial/missing/spurious. The last example of the table, a row
# without gold spans, differs for eHealth-KD only because its script skips such rows: see test_flares.py.
WORKED = {
    "exact": ([(0, 5, "WHAT")], [(0, 5, "WHAT")], "1/0/0/0/0", "1/0/0/0/0"),
    "same span, wrong label": ([(0, 5, "WHAT")], [(0, 5, "WHO")], "0/1/0/0/0", "0/1/0/0/0"),
    "overlap, wrong label": ([(0, 6, "WHAT")], [(4, 9, "WHO")], "0/0/0/1/1", "0/0/0/1/1"),
    "touching": ([(0, 5, "WHAT")], [(5, 8, "WHAT")], "0/0/1/0/0", "0/0/0/1/1"),
    "gap of one": ([(0, 5, "WHAT")], [(6, 8, "WHAT")], "0/0/0/1/1", "0/0/0/1/1"),
    "partial before incorrect": ([(0, 5, "WHAT")], [(0, 5, "WHO"), (0, 3, "WHAT")], "0/0/1/0/1", "0/1/0/0/1"),
    "long over two golds": ([(0, 5, "WHO"), (6, 10, "WHO")], [(0, 10, "WHO")], "0/0/1/1/0", "0/0/1/1/0"),
    "two over one gold": ([(0, 10, "WHO")], [(0, 4, "WHO"), (5, 10, "WHO")], "0/0/1/0/1", "0/0/1/0/1"),
    "shortest steals": (
        [(0, 10, "WHAT"), (12, 20, "WHAT")],
        [(0, 9, "WHAT"), (9, 13, "WHAT")],
        "0/0/1/1/1",
        "0/0/2/0/0",
    ),
    "duplicate prediction": ([(0, 5, "WHAT")], [(0, 5, "WHAT")] * 2, "1/0/0/0/1", "1/0/0/0/1"),
    "duplicate, next gold touches": (
        [(0, 5, "WHAT"), (5, 9, "WHAT")],
        [(0, 5, "WHAT")] * 2,
        "1/0/1/0/0",
        "1/0/0/1/1",
    ),
    "duplicate gold": ([(0, 5, "WHAT")] * 2, [(0, 5, "WHAT")], "1/0/0/1/0", "1/0/0/1/0"),
    "two labels on one gold span": ([(0, 5, "WHAT"), (0, 5, "WHO")], [(0, 5, "WHO")], "1/0/0/1/0", "0/1/0/1/0"),
    "zero length at the end": ([(0, 5, "WHY")], [(5, 5, "WHY")], "0/0/1/0/0", "0/0/0/1/1"),
    "mixed": (
        [(0, 5, "WHAT"), (6, 10, "WHO"), (11, 15, "WHEN"), (16, 20, "WHERE")],
        [(0, 5, "WHAT"), (6, 9, "WHO"), (11, 15, "WHY"), (30, 35, "HOW")],
        "1/1/1/1/1",
        "1/1/1/1/1",
    ),
    "inverted prediction": ([(5, 6, "WHO")], [(7, 6, "WHO")], "0/0/1/0/0", "0/0/0/1/1"),  # facts 3.2, step 3
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_examples(case: str) -> None:
    gold, run, flares, ehealth = WORKED[case]
    for matching, expected in (("official", flares), ("ehealthkd-2020", ehealth)):
        found = match(table([gold]), table([run]), matching)["how"].to_list()
        assert "/".join(str(found.count(how)) for how in OUTCOMES) == expected, matching


def test_a_wrong_label_goes_to_the_first_gold_label() -> None:
    """Incorrect walks the gold sorted by label: of two gold labels on one span the first one is taken, not the one
    given first.
    """
    found = match(table([[(0, 5, "WHO"), (0, 5, "WHAT")]]), table([[(0, 5, "HOW")]]))
    assert found.select("gold", "run", pl.col("how").cast(pl.String)).rows() == [
        (0, None, "missing"),
        (1, 0, "incorrect"),
    ]


def test_a_long_chain_of_touching_spans() -> None:
    """Each gold span [5i, 5i+5) meets the predictions before and after its own; the first one has only its own left."""
    gold: Spans = [(5 * i, 5 * i + 5, "WHAT") for i in range(10_000)]
    run = [(start + 1, end + 1, label) for start, end, label in gold]
    found = match(table([gold]), table([run]))
    assert found["how"].unique().to_list() == ["partial"]
    assert found["gold"].equals(found["run"], check_names=False)


def test_a_row_stuffed_with_overlapping_spans() -> None:
    """4,000 x 4,000 spans that all meet: each gold span gets the shortest one left, in their order."""
    gold: Spans = [(i, 20_000 - i, "WHAT") for i in range(4_000)]
    run: Spans = [(10_000 - i, 10_001 + i, "WHAT") for i in range(4_000)]
    found = match(table([gold]), table([run]))
    assert found["how"].unique().to_list() == ["partial"]
    assert found["gold"].equals(found["run"], check_names=False)


def test_any_64_bit_offset_is_an_offset() -> None:
    low, high = -(2**63), 2**63 - 1
    gold: Spans = [(low, high, "WHAT"), (high, low, "WHO")]
    run: Spans = [(0, 1, "WHAT"), (low, low, "WHAT"), (high - 1, high, "WHO"), (high, high, "WHO")]
    assert counted([gold], [run], "official") == official(gold, run)
    assert counted([gold], [run], "ehealthkd-2020") == ehealthkd(gold, run)


@pytest.mark.parametrize("matching", RESTATED)
def test_nothing_on_a_side(matching: str) -> None:
    spans = [[(0, 5, "WHAT"), (6, 9, "WHO")]]
    assert match(table([[]]), table([[]]), matching).is_empty()
    assert match(table(spans), table([[]]), matching).rows() == [(0, None, "missing"), (1, None, "missing")]
    assert match(table([[]]), table(spans), matching).rows() == [(None, 0, "spurious"), (None, 1, "spurious")]


def test_spans_meet_only_inside_their_item() -> None:
    gold, run = [[(0, 5, "WHAT")], []], [[], [(0, 5, "WHAT")]]
    assert match(table(gold), table(run))["how"].to_list() == ["missing", "spurious"]


def test_labels_of_an_enum_are_sorted_as_text() -> None:
    backwards = pl.Enum(["WHO", "WHAT", "HOW"])
    gold = table([[(0, 5, "WHO"), (0, 5, "WHAT")]]).with_columns(pl.col("label").cast(backwards))
    found = match(gold, table([[(0, 5, "HOW")]]))
    assert found.filter(how="incorrect")["gold"].to_list() == [1]


def test_an_unknown_matching_is_an_error() -> None:
    with pytest.raises(KeyError):
        match(table([[]]), table([[]]), "exact")
