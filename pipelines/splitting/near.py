"""Texts of two splits that share nearly all their word sequences: MinHash by `rensa`, then the true similarity of what it finds.

A text is the set of its triples of neighbouring words. `rensa` sketches all texts from one flat buffer and marks those that meet another
in a band; only for these the pairs are looked up, and their Jaccard similarity is computed from the sets themselves, so what is found is
never an error of the estimate. A pair at the threshold is missed once in eighty; one at 0.8, hardly ever.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import polars as pl

THRESHOLD = 0.7
FEWEST_WORDS = 8  # in fewer, one word makes half of the triples
HASHES, BANDS = 64, 16
SEED = 20201
MOST_EARLIER = 8  # texts of earlier files that are looked at for one band of a text; the rest of a flood of copies
ROWS_AT_ONCE = 1 << 16

_FACTOR = pl.lit(6364136223846793005, pl.UInt64)


def minhash() -> ModuleType | None:
    """The library that sketches; None where the extra `splits` is not installed."""
    return import_module("rensa") if find_spec("rensa") else None


def similar(texts: pl.DataFrame, rensa: ModuleType) -> pl.DataFrame:
    """The texts (`words, file, row`, no two of the same words) of later files that are similar to one of an earlier file.

    Gives `file, row, other_file, other_row, similarity`, one row a text with the most similar one that was found.
    """
    sets = triples(texts)
    met = sets.filter(_meets_another(sets, rensa))
    bands = _bands(met, rensa)
    numbered = met.with_row_index("at")
    found: list[pl.DataFrame] = []
    left = numbered.select("at", "file")
    for band in bands.columns:
        meeting = left.with_columns(band=bands[band].gather(left["at"]))
        pairs = _pairs(meeting, numbered.select("at", "file", band=bands[band]))
        best = _similar_pairs(pairs, numbered)
        found.append(best)
        left = left.join(best, on="at", how="anti", maintain_order="left")
    places = numbered.select("at", "file", "row")
    told = pl.concat(found).join(places, on="at")
    other = places.rename({"at": "other", "file": "other_file", "row": "other_row"})
    return told.join(other, on="other").select("file", "row", "other_file", "other_row", "similarity").sort("file", "row")


def triples(texts: pl.DataFrame) -> pl.DataFrame:
    """`file, row` and the hashed triples of words of each text that is long enough."""
    word = pl.element()
    return (
        texts.lazy()
        .filter(pl.col("words").str.count_matches(" ", literal=True) >= FEWEST_WORDS - 1)
        .with_columns(hashes=pl.col("words").str.split(" ").list.eval(word.hash()))
        .select(
            "file",
            "row",
            triples=pl.col("hashes")
            .list.eval((word * _FACTOR + word.shift(-1)) * _FACTOR + word.shift(-2))
            .list.head(pl.col("hashes").list.len() - 2),
        )
        .collect(engine="streaming")
    )


def _sketches(sets: pl.DataFrame, rensa: ModuleType) -> object:
    flat = sets["triples"].explode().to_arrow()
    ends = pl.concat([pl.Series([0], dtype=pl.UInt64), sets["triples"].list.len().cast(pl.UInt64).cum_sum()]).to_arrow()
    hashes, offsets = (memoryview(one.buffers()[1]).cast("B").cast("Q")[: len(one)] for one in (flat, ends))
    return rensa.RMinHash.digest_matrix_from_flat_token_hashes(hashes, offsets, HASHES, SEED)


def _meets_another(sets: pl.DataFrame, rensa: ModuleType) -> pl.Series:
    """Whether a text has a band in common with any other, of whatever file."""
    if not sets.height:
        return pl.Series(dtype=pl.Boolean)
    index = rensa.RMinHashLSH(THRESHOLD, HASHES, BANDS)
    return pl.Series(index.query_duplicate_flags_matrix_one_shot(_sketches(sets, rensa)), dtype=pl.Boolean)


def _bands(sets: pl.DataFrame, rensa: ModuleType) -> pl.DataFrame:
    """The hash of each band of each sketch, a column a band."""
    width = HASHES // BANDS
    names = [f"field_{at}" for at in range(HASHES)]
    bands = [pl.struct(names[at * width : (at + 1) * width]).hash(at).alias(str(at)) for at in range(BANDS)]
    parts = [pl.DataFrame(schema={str(at): pl.UInt64 for at in range(BANDS)})]
    for block in sets.iter_slices(ROWS_AT_ONCE):
        rows = _sketches(block, rensa).to_rows()  # type: ignore[attr-defined]
        sketch = pl.DataFrame({"sketch": pl.Series(rows, dtype=pl.Array(pl.UInt32, HASHES))})
        parts.append(sketch.select(pl.col("sketch").arr.to_struct()).unnest("sketch").select(bands))
    return pl.concat(parts)


def _pairs(later: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The texts that meet in one band, a later file's with some of the earlier files': `at, other`."""
    first = earlier.group_by("band", maintain_order=True).agg(pl.col("at", "file").head(MOST_EARLIER))
    met = later.join(first.explode("at", "file"), on="band", suffix="_other")
    return met.filter(pl.col("file") > pl.col("file_other")).select("at", other="at_other")


def _similar_pairs(pairs: pl.DataFrame, sets: pl.DataFrame) -> pl.DataFrame:
    """The most similar partner of each text, if it is similar enough: `at, other, similarity`."""
    mine, theirs = (sets["triples"].gather(pairs[name]).alias(name) for name in ("at", "other"))
    both = pl.DataFrame([mine, theirs])
    common = pl.col("at").list.set_intersection("other").list.len()
    sizes = pl.col("at").list.n_unique() + pl.col("other").list.n_unique()
    judged = pairs.with_columns(both.select(similarity=common / (sizes - common))["similarity"])
    close = judged.filter(pl.col("similarity") >= THRESHOLD).sort("similarity", "other", descending=[True, False])
    return close.unique("at", keep="first", maintain_order=True)
