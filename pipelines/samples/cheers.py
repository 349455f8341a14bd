"""Synthetic CHEERS files under the names that are on disk (facts/cheers.md 1 and 2)."""

from pathlib import Path

import polars as pl

from sharedtask.converters.cheers import write as official
from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.pipelines.samples.text import Dice, english, listed, numbered

_SECTORS = listed("""Agriculture | Cross | Education | Food Security | Health | Livelihoods | Logistics | Nutrition
    | Protection | Shelter | WASH""")
_PROJECTS = listed("Syria | Bangladesh | Nigeria | Burkina Faso | RDC | Colombia")
_COUNTRIES = listed("SYR | BGD | NGA | BFA | COD | COL")
_SPLITS = ("train", "val", "test")
_SENTENCES = english()
_PARAGRAPHS = [". ".join(_SENTENCES[first : first + 15]) + "." for first in range(0, len(_SENTENCES), 15)]
_VOICES = listed("""“The pump broke twice”, says Zoë. | The centre’s 20\xa0% share, see annex 2; costs: 5 €
    | "We need a road," one mother said.""")
_DEBRIS = [".", ".", ".", "..", "20", "2020.", "p."]
_LONG_FIELD = 140_000  # characters, above the limit of Python's csv module (131,072)


def write(out: Path, rows: int, seed: int) -> list[Path]:
    """Write the files into `out`, with `rows` sentences in train; their paths."""
    dice = Dice(seed)
    counts = {"train": rows, "val": max(5, rows // 7), "test": max(5, rows // 5)}
    tables: dict[str, pl.LazyFrame] = {}
    first = 0
    for split, count in counts.items():
        keys = _keys(dice, count, first, split)
        first += count
        labelled = _sentences(dice, keys)
        kept = labelled.drop("is_relevant", "sector_ids") if split == "test" else labelled
        tables[f"sentences_en_{split}.csv"] = official.sentences(kept)
        tables[f"documents_en_{split}.csv"] = official.documents(_documents(dice, keys, with_long_field=count >= 1000))
        if split == "val":
            tables["run_en_val.csv"] = official.run(_run(dice, labelled))
    for name, frame in tables.items():
        sink_delimited(frame, out / name)
    sectors = pl.LazyFrame({"sector_id": range(len(_SECTORS)), "sector_name": _SECTORS})
    sectors_path = out / "immap_sector_name_to_id.json"
    sink_lines(official.sectors(sectors), sectors_path, final_newline=False)
    return [*(out / name for name in tables), sectors_path]


def _keys(dice: Dice, count: int, first: int, split: str) -> pl.DataFrame:
    """`row, document, sentence_id, doc_id` of a split, 95 sentences a document on average (fewer in a small file).

    Documents are numbered from 0 in the order of the file; `doc_id` is in another order, and shows the split by its
    remainder when divided by three.
    """
    size = max(1, min(95, count // 8))
    begins = (pl.col("row") == first) | (dice.below("new document", size) == 0)
    keys = numbered(count, first).with_columns(
        document=begins.cum_sum().cast(pl.Int64) - 1,
        sentence_id=pl.col("row") - pl.when(begins).then("row").forward_fill(),
    )
    rank = Dice(dice.seed, "document").bits(f"{split} ids").rank("dense").cast(pl.Int64)
    return keys.with_columns(doc_id=30_000 + 3 * rank + _SPLITS.index(split))


def _sentences(dice: Dice, keys: pl.DataFrame) -> pl.LazyFrame:
    """The canonical sentences table of these keys, and `row`."""
    debris = pl.when("is_relevant").then(dice.chance("debris", 12)).otherwise(dice.chance("debris", 1))
    sentence = pl.format("{} (note {}).", dice.pick("sentence", _SENTENCES), "row")
    has_sector = pl.col("is_relevant") & dice.chance("any sector", 70)
    return (
        keys.lazy()
        .with_columns(is_relevant=dice.chance("relevant", 16))
        .select(
            "row",
            "doc_id",
            "sentence_id",
            sentence_text=pl.when(debris).then(dice.pick("debris text", _DEBRIS)).otherwise(sentence),
            is_relevant="is_relevant",
            sector_ids=pl.when(has_sector).then(_sector_ids(dice)).otherwise(pl.lit([], dtype=pl.List(pl.Int8))),
        )
    )


def _sector_ids(dice: Dice) -> pl.Expr:
    """One to three different sectors, ascending."""
    low = dice.below("first sector", 4)
    middle = low + 1 + dice.below("second sector", 3)
    high = middle + 1 + dice.below("third sector", 4)
    several = pl.concat_list(low, middle, high).list.head(2 + dice.below("sectors", 2))
    one = pl.concat_list(dice.below("only sector", len(_SECTORS)))
    return pl.when(dice.chance("one sector", 60)).then(one).otherwise(several).cast(pl.List(pl.Int8))


def _documents(dice: Dice, keys: pl.DataFrame, *, with_long_field: bool) -> pl.LazyFrame:
    """The canonical documents table of these keys, in another order; on demand one text of `_LONG_FIELD` or more."""
    own = Dice(dice.seed, "doc_id")
    documents = keys.select("document", "doc_id").unique().sort(own.bits("file order"))
    paragraphs = own.below("paragraphs", 6) + 1
    if with_long_field:
        enough = _LONG_FIELD // min(map(len, _PARAGRAPHS))
        paragraphs = pl.when(pl.col("document") == 0).then(enough).otherwise(paragraphs)
    body = own.pick("paragraph", _PARAGRAPHS).repeat_by(paragraphs).list.join("\n\n")
    last = own.pick("last paragraph", _PARAGRAPHS)
    return documents.lazy().select(
        "doc_id",
        project_name=own.pick("project", [f"IMMAP/DFS {name}" for name in _PROJECTS]),
        country_code=own.pick("project", _COUNTRIES),
        lang_code=pl.lit("en"),
        doc_text=pl.format("Report {}\n{}\x0c{}\n{}\n", "doc_id", own.pick("voice", _VOICES), body, last),
        doc_url=pl.when(own.chance("url", 85)).then(pl.format("https://www.example.org/reports/{}", "doc_id")),
    )


def _run(dice: Dice, labelled: pl.LazyFrame) -> pl.LazyFrame:
    """A valid run for these sentences; its sectors are among those that occur there, as the official script demands."""
    sectors = labelled.select(pl.col("sector_ids").explode()).drop_nulls().unique().sort("sector_ids")
    seen = sectors.collect(engine="streaming").to_series()
    if seen.is_empty():
        return labelled.with_columns(is_relevant=False, sector_id=-1)
    sector = pl.lit(seen).gather(dice.below("predicted sector", len(seen)))
    predicted = labelled.with_columns(is_relevant=dice.chance("predicted relevant", 16))
    return predicted.with_columns(sector_id=pl.when("is_relevant").then(sector).otherwise(-1))
