"""Matching of predicted spans to gold spans, as the published scripts do it: FLARES subtask 1 and eHealth-KD.

A flat span table has one row a span: `item` (an integer: spans meet only inside one item), `start`, `end` (0-based,
end-exclusive code points; any integers, `end` may lie at or before `start`) and `label`. Row order is the order in
which the spans were given. No nulls.
"""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from sharedtask.pipelines.metrics.greedy import assign

OUTCOMES: Final = ("correct", "incorrect", "partial", "missing", "spurious")
How: Final = pl.Enum(OUTCOMES)
SPAN: Final = ("item", "start", "end")


def match(gold: pl.DataFrame, run: pl.DataFrame, matching: str = "official") -> pl.DataFrame:
    """Which gold span was matched by which predicted span, and how.

    `gold` and `run` are flat span tables. The result has `gold` and `run` (row numbers of the inputs, UInt32; `run`
    null where a gold span is missing, `gold` null where a prediction is spurious) and `how`, sorted by `gold` with the
    spurious rows last. Each span of either table is in exactly one row. Spans of items that only one table has are
    missing or spurious.

    `official`: Correct, then Partial, then Incorrect, as `detect_and_classify_texts` of the FLARES organisers.
    `ehealthkd-2020`: Correct, then Incorrect, then Partial, as `match_keyphrases` of ehealthkd/corpora
    `scripts/score.py`. Raises KeyError on another name.
    """
    steps = MATCHINGS[matching]
    gold, run = _indexed(gold), _indexed(run)
    found: list[pl.DataFrame] = []
    for how, step in steps:
        pairs = step(gold, run) if gold.height and run.height else None
        if pairs is None or pairs.is_empty():
            continue
        found.append(pairs.select("gold", "run", pl.lit(how, dtype=How).alias("how")))
        gold = gold.join(pairs, left_on="index", right_on="gold", how="anti", maintain_order="left")
        run = run.join(pairs, left_on="index", right_on="run", how="anti", maintain_order="left")
    nobody = pl.lit(None, dtype=pl.UInt32)
    found.append(
        gold.select(pl.col("index").alias("gold"), nobody.alias("run"), pl.lit("missing", dtype=How).alias("how"))
    )
    found.append(
        run.select(nobody.alias("gold"), pl.col("index").alias("run"), pl.lit("spurious", dtype=How).alias("how"))
    )
    return pl.concat(found).sort("gold", "run", nulls_last=True)


def _indexed(spans: pl.DataFrame) -> pl.DataFrame:
    """The columns that matching needs; labels as String, since the scripts sort them as text and not by an Enum's
    order.
    """
    return spans.select("item", "start", "end", pl.col("label").cast(pl.String)).with_row_index("index")


def _by_rank(gold: pl.DataFrame, run: pl.DataFrame, keys: Sequence[str], order: Sequence[str]) -> pl.DataFrame:
    """The k-th gold span with the k-th predicted span of the same `keys`, both counted in `order`: columns `gold`,
    `run`.

    This is what "the first unused one" comes to where all candidates are alike.
    """
    gold, run = (_ranked(side, keys, order) for side in (gold, run))
    pairs = gold.join(run, on=[*keys, "rank"], suffix="_run")
    return pairs.select(pl.col("index").alias("gold"), pl.col("index_run").alias("run"))


def _ranked(spans: pl.DataFrame, keys: Sequence[str], order: Sequence[str]) -> pl.DataFrame:
    """The spans with `rank`, their number among those of the same `keys`. Sorting is far cheaper here than a window."""
    place = pl.int_range(pl.len())
    new = pl.any_horizontal(pl.col(key).ne_missing(pl.col(key).shift()) for key in keys)
    return spans.sort(*keys, *order).with_columns((place - pl.when(new).then(place).forward_fill()).alias("rank"))


def _equal(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """FLARES Correct: for each gold span the first unused prediction with the same start, end and label."""
    return _by_rank(gold, run, [*SPAN, "label"], ["index"])


def _equal_span(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """FLARES Incorrect: for each gold span, sorted by label, the first unused prediction with the same span and another
    label.

    Correct has used up every label that both sides have on the span, so any two that are left differ in label.
    """
    return _by_rank(gold, run, SPAN, ["label", "index"])


def _touching(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """FLARES Partial: for each gold span, sorted by start, the shortest unused prediction of its label that meets it.

    The script joins four comparisons by "or". They come to closed intervals between the lower and the higher offset,
    touching ends included, for well-formed and for inverted spans alike. Only two inverted spans (end before start)
    differ: one must hold the other. Ties in length go by start, then by the order given. Inverted spans have a negative
    length, so they count as the shortest.
    """
    closed = (
        pl.min_horizontal("start", "end").alias("low"),
        pl.max_horizontal("start", "end").alias("high"),
        (pl.col("end") < pl.col("start")).alias("odd"),
    )
    length = pl.col("end").cast(pl.Int128) - pl.col("start").cast(pl.Int128)  # offsets can be any 64-bit number
    claimants = gold.with_columns(closed).sort("start", "index")
    options = run.with_columns(*closed, length.alias("length")).sort("length", "start", "index")
    return assign(claimants, options, odd_pairs=True).rename({"claimant": "gold", "option": "run"})


def _first_on_span(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """eHealth-KD Correct: each prediction is compared with the first unused gold span at its place only, whatever the
    label of that.

    Where the gold has one label on a span, as real gold does, this is the join on rank. Where it has several, the first
    one stands before the others until a prediction takes it.
    """
    several = gold.group_by(SPAN).agg(pl.col("label").n_unique()).filter(pl.col("label") > 1).select(SPAN)
    plain = gold.join(several, on=SPAN, how="anti", maintain_order="left")
    pairs = [_by_rank(plain, run, [*SPAN, "label"], ["index"])]
    queued = gold.join(several, on=SPAN, how="semi", maintain_order="left")
    queues: dict[tuple[int, ...], list[tuple[str, int]]] = {}
    for *span, label, index in queued.reverse().select(*SPAN, "label", "index").iter_rows():
        queues.setdefault(tuple(span), []).append((label, index))
    taken: list[tuple[int, int]] = []
    waiting = run.join(several, on=SPAN, how="semi", maintain_order="left")
    for *span, label, index in waiting.select(*SPAN, "label", "index").iter_rows():
        queue = queues[tuple(span)]
        if queue and queue[-1][0] == label:
            taken.append((queue.pop()[1], index))
    return pl.concat([*pairs, pl.DataFrame(taken, schema=pairs[0].schema, orient="row")])


def _equal_span_as_given(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """eHealth-KD Incorrect: for each prediction the first unused gold span at its place.

    The script asserts that the labels differ and stops where they do not; here such a pair is Incorrect, as without the
    assertion.
    """
    return _by_rank(gold, run, SPAN, ["index"])


def _crossing(gold: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """eHealth-KD Partial: for each prediction the first unused gold span of its label such that one starts inside the
    other.

    Half-open, so touching spans do not meet. A span that is empty or inverted holds no start, but its own can lie in
    another span: it stands for the single character at its start, and two such spans never meet.
    """
    half_open = (
        pl.col("start").alias("low"),
        pl.when(pl.col("end") > pl.col("start")).then(pl.col("end") - 1).otherwise("start").alias("high"),
        (pl.col("end") <= pl.col("start")).alias("odd"),
    )
    pairs = assign(run.with_columns(half_open), gold.with_columns(half_open), odd_pairs=False)
    return pairs.select(pl.col("option").alias("gold"), pl.col("claimant").alias("run"))


Step = Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame]
MATCHINGS: Final[dict[str, tuple[tuple[str, Step], ...]]] = {
    "official": (("correct", _equal), ("partial", _touching), ("incorrect", _equal_span)),
    "ehealthkd-2020": (("correct", _first_on_span), ("incorrect", _equal_span_as_given), ("partial", _crossing)),
}
