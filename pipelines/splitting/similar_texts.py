"""Texts of two splits that share nearly all their word sequences.

MinHash by `rensa`, then the true similarity of what it finds.

A text is the set of its triples of neighbouring words. `rensa` sketches all texts from one flat buffer and marks those
that meet another one in a band. Only for these the pairs are looked up, and their Jaccard similarity is computed from
the sets themselves, so what is found is no error of an estimate. A pair at the threshold is missed once in eighty; one
at 0.8, hardly ever.
"""

from array import array
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from types import ModuleType

import polars as pl

THRESHOLD = 0.7
FEWEST_WORDS = 8  # in a shorter text one other word changes half of the triples
HASHES, BANDS = 64, 16
SEED = 2020
MOST_EARLIER = 8  # texts of earlier files that are looked at in one band; a flood of near copies has more
ROWS_AT_ONCE = 1 << 15

_FACTOR = pl.lit(6364136223846793005, pl.UInt64)


def minhash() -> ModuleType | None:
    """The library that sketches; None where the extra `splits` is not installed."""
    return import_module("rensa") if find_spec("rensa") else None


def similar(texts: pl.DataFrame, rensa: ModuleType) -> pl.DataFrame:
    """The texts (`words, file, row`, all different) of later files that are similar to one of an earlier file.

    Gives `file, row, other_file, other_row, similarity`, one row a text, with the most similar one of those that were
    looked at.
    """
    hashes = _word_hashes(texts)
    met = hashes.filter(_meets_another(hashes, rensa)).with_row_index("at")
    bands, sets = _bands(met, rensa), _triples(met)
    found, left = [], met.select("at", "file")
    for name in bands.columns:
        earlier = met.select("at", "file", band=bands[name])
        pairs = _pairs(left.with_columns(band=bands[name].gather(left["at"])), earlier)
        found.append(_most_similar(pairs, sets))
        left = left.join(found[-1], on="at", how="anti", maintain_order="left")
    places = met.select("at", "file", "row")
    others = places.select(other="at", other_file="file", other_row="row")
    pairs = pl.concat(found).join(places, on="at").join(others, on="other")
    return pairs.select("file", "row", "other_file", "other_row", "similarity").sort("file", "row")


def _word_hashes(texts: pl.DataFrame) -> pl.DataFrame:
    """`file, row` and the hashed `words` of the texts that are long enough, made in blocks.

    Words as texts take much memory.
    """
    spaces = pl.col("words").str.count_matches(" ", literal=True)
    words = pl.col("words").str.split(" ").list.eval(pl.element().hash())
    plans = [
        block.lazy().filter(spaces >= FEWEST_WORDS - 1).select("file", "row", words)
        for block in texts.iter_slices(ROWS_AT_ONCE)
    ]
    empty = pl.DataFrame(schema={"file": pl.UInt32, "row": pl.UInt32, "words": pl.List(pl.UInt64)})
    return pl.concat([empty, *pl.collect_all(plans)], rechunk=True)


def _triple(word: pl.Expr) -> pl.Expr:
    return (word * _FACTOR + word.shift(-1)) * _FACTOR + word.shift(-2)


def _triples(hashes: pl.DataFrame) -> pl.Series:
    """The triples of each text as a list."""
    words = pl.col("words")
    return hashes.select(words.list.eval(_triple(pl.element())).list.head(words.list.len() - 2))["words"]


def _sketches(hashes: pl.DataFrame, rensa: ModuleType) -> object:
    """The sketch of each text, from all triples in one row.

    The two that would reach into the next text are taken out.
    """
    flat = hashes.select(pl.col("words").explode())["words"]
    ends = hashes["words"].list.len().cast(pl.UInt32).cum_sum()
    inside = pl.repeat(value=True, n=len(flat), eager=True).scatter(ends - 1, False).scatter(ends - 2, False)
    triples = pl.DataFrame({"words": flat}).select(_triple(pl.col("words")).filter(inside))["words"]
    lengths = (hashes["words"].list.len() - 2).cast(pl.UInt64)
    offsets = pl.concat([pl.Series([0], dtype=pl.UInt64), lengths.cum_sum()], rechunk=True)
    return rensa.RMinHash.digest_matrix_from_flat_token_hashes(_buffer(triples), _buffer(offsets), HASHES, SEED)


def _buffer(numbers: pl.Series) -> memoryview:
    arrow = numbers.rechunk().to_arrow()
    start = arrow.offset
    return memoryview(arrow.buffers()[1]).cast("B").cast("Q")[start : start + len(arrow)]


def _meets_another(hashes: pl.DataFrame, rensa: ModuleType) -> pl.Series:
    """Whether a text has a band in common with any other, of whatever file."""
    if not hashes.height:
        return pl.Series(dtype=pl.Boolean)
    index = rensa.RMinHashLSH(THRESHOLD, HASHES, BANDS)
    return pl.Series(index.query_duplicate_flags_matrix_one_shot(_sketches(hashes, rensa)), dtype=pl.Boolean)


def _bands(hashes: pl.DataFrame, rensa: ModuleType) -> pl.DataFrame:
    """The hash of each band of each sketch, a column a band."""
    width = HASHES // BANDS
    names = [f"field_{at}" for at in range(HASHES)]
    bands = [pl.struct(names[at * width : (at + 1) * width]).hash(at).alias(str(at)) for at in range(BANDS)]
    parts = [pl.DataFrame(schema={str(at): pl.UInt64 for at in range(BANDS)})]
    for block in hashes.iter_slices(ROWS_AT_ONCE):
        flat = array("I", chain.from_iterable(_sketches(block, rensa).to_rows()))  # type: ignore[attr-defined]
        sketches = pl.Series("sketch", flat, dtype=pl.UInt32).reshape((block.height, HASHES))
        parts.append(pl.DataFrame(sketches.arr.to_struct()).unnest("sketch").select(bands))
    return pl.concat(parts)


def _pairs(later: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The texts that meet in one band, those of a later file with some of the earlier files': `at, other`."""
    before = earlier.filter(pl.col("file") < pl.lit(earlier["file"].max()))
    some = before.group_by("band", maintain_order=True).agg(pl.col("at", "file").head(MOST_EARLIER))
    met = later.join(some.explode("at", "file"), on="band", suffix="_other")
    return met.filter(pl.col("file") > pl.col("file_other")).select("at", other="at_other")


def _most_similar(pairs: pl.DataFrame, sets: pl.Series) -> pl.DataFrame:
    """The most similar partner of each text, if it is similar enough: `at, other, similarity`."""
    both = pl.DataFrame([sets.gather(pairs[name]).alias(name) for name in ("at", "other")])
    common = pl.col("at").list.set_intersection("other").list.len()
    sizes = pl.col("at").list.n_unique() + pl.col("other").list.n_unique()
    judged = pairs.with_columns(both.select(similarity=common / (sizes - common))["similarity"])
    close = judged.filter(pl.col("similarity") >= THRESHOLD).sort("similarity", "other", descending=[True, False])
    return close.unique("at", keep="first", maintain_order=True)
