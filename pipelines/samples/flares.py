"""Synthetic FLARES files under their documented names (facts/flares.md 1 and 2).

A text is a row of slots, each of which is one span. Text and spans are expressions of the column `row` alone, so
subtask 2 is shuffled as numbers and its texts are made afterwards. Each text holds its `row`, so no two are equal.
"""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.converters.flares import write as official
from sharedtask.pipelines.samples.text import Dice, listed, numbered, spanish_facts


class _Slot(NamedTuple):
    """A span of a text: what stands around it, and the percentage of rows that have it."""

    label: str
    words: list[str]
    percent: int = 100
    before: str = " "
    after: str = ""


def _pairs(first: str, second: str) -> list[str]:
    return [f"{left} {right}" for left, right in product(listed(first), listed(second))]


_FACTS = spanish_facts()
_WHO = _pairs("Radio | Protección Civil de | El club", "Almena | O'Donnell | “La Vega”")
_WHO += listed("""Íñigo d'Arles ("Xan") | ONG Agua/Tierra | María\xa0José Peñalver""")
_WHEN = _pairs("el lunes | el 3 de marzo | ayer", "por la mañana | a las 20:30 | de noche")
_WHERE = _pairs("en | cerca de | a las afueras de", "Valdeluz | Maro | San\xa0Telmo | Güímar")
_HOW = listed("""con ayuda de voluntarios | mediante un sorteo público | casa por casa
    | en la web de la co\u200boperativa | con 3\xa0000 euros""")
_WHY = listed("porque faltaba personal | para ahorrar agua | por la subida del “pan rústico” | debido al temporal")
_SLOTS = {
    "when first": _Slot("WHEN", _WHEN, 25, before="", after=", "),
    "who": _Slot("WHO", _WHO, before=""),
    "what": _Slot("WHAT", _FACTS),
    "where": _Slot("WHERE", _WHERE, 45),
    "when": _Slot("WHEN", _WHEN, 20),
    "how": _Slot("HOW", _HOW, 30),
    "why": _Slot("WHY", _WHY, 15),
    "who else": _Slot("WHO", _WHO, 30, before=" y "),
    "what else": _Slot("WHAT", _FACTS, 30, before=" y "),
}
_LEADS = [*[""] * 8, "Según la agencia, ", "🔴 Última hora: ", "\u200bAviso: ", " ", "“Exclusiva”: "]
_ENDS = [*["."] * 5, ". ", ".\xa0", " 🙂", "\u200b."]
_RELIABILITY = ["confiable"] * 7 + ["semiconfiable"] * 2 + ["no confiable"]


def write(out: Path, rows: int, seed: int) -> list[Path]:
    """Write the files into `out`, with `rows` records in train of subtask 1; their paths."""
    dice = Dice(seed)
    test_rows, other_texts = max(5, rows * 402 // 1585), max(5, rows * 269 // 1585)
    train_numbers = _shuffled(dice, rows, 0)
    train = _articles(dice, train_numbers.with_columns(id="row"))
    test = _articles(dice, _shuffled(dice, test_rows, rows).with_columns(id=2 + (pl.col("row") - rows) * 5 // 3))
    predicted = test.with_columns(pl.col("spans").list.head(dice.below("predicted", len(_SLOTS))))
    train_spans = _spans(dice, train_numbers)
    test_spans = _spans(dice, _shuffled(dice, other_texts, rows + test_rows))
    guess = Dice(seed, "id").pick("predicted", _RELIABILITY)
    lines = {
        "5w1h_subtarea_1_train.json": official.subtask1_lines(train),
        "5w1h_subtarea_1_test.json": official.subtask1_lines(test.drop("spans")),
        "5w1h_subtarea_2_train.json": official.subtask2_lines(train_spans),
        "5w1h_subtarea_2_test.json": official.subtask2_lines(test_spans.drop("reliability")),
    }
    tables = {
        "5w1h_subtask_1_train.csv": official.subtask1_csv(train),
        "subtask_1_run.csv": official.subtask1_run(predicted),
        "subtask_2_run.csv": official.subtask2_run(test_spans.select("id", reliability=guess)),
    }
    for name, frame in lines.items():
        sink_lines(frame, out / name)
    for name, frame in tables.items():
        sink_delimited(frame, out / name)
    return [out / name for name in (*lines, *tables)]


def _shuffled(dice: Dice, count: int, first: int) -> pl.DataFrame:
    return numbered(count, first).sort(dice.bits("file order"))


def _articles(dice: Dice, numbers: pl.DataFrame) -> pl.LazyFrame:
    """The columns of `numbers`, one of them `row`, with the canonical `text` and `spans` of that row."""
    words = {name: pl.when(_has(dice, name)).then(dice.pick(name, slot.words)) for name, slot in _SLOTS.items()}
    phrases = {name: pl.concat_str(pl.lit(slot.before), name, pl.lit(slot.after)) for name, slot in _SLOTS.items()}
    widths = {f"{name} width": _length(phrase).fill_null(0) for name, phrase in phrases.items()}
    starts = {
        f"{name} start": pl.sum_horizontal(_length(pl.col("lead")), *list(widths)[:place]) + len(slot.before)
        for place, (name, slot) in enumerate(_SLOTS.items())
    }
    end = pl.format(" (acta {}/24){}", "row", dice.pick("end", _ENDS))
    filled = numbers.lazy().with_columns(lead=dice.pick("lead", _LEADS), **words)
    present = pl.element().filter(pl.element().is_not_null())
    return (
        filled.with_columns(**widths)
        .with_columns(**starts)
        .select(
            *numbers.columns,
            text=pl.concat_str("lead", *phrases.values(), end, ignore_nulls=True),
            spans=pl.concat_arr(_span(dice, name) for name in _SLOTS).arr.to_list().list.eval(present),
        )
    )


def _has(dice: Dice, slot: str) -> pl.Expr:
    return dice.chance(f"{slot} is there", _SLOTS[slot].percent)


def _length(text: pl.Expr) -> pl.Expr:
    return text.str.len_chars().cast(pl.Int64)


def _span(dice: Dice, slot: str) -> pl.Expr:
    start, text = pl.col(f"{slot} start"), pl.col(slot)
    span = pl.struct(
        start=start,
        end=start + _length(text),
        label=pl.lit(_SLOTS[slot].label),
        reliability=dice.pick(f"{slot} reliability", _RELIABILITY),
        span_text=text,
    )
    return pl.when(text.is_not_null()).then(span)


def _spans(dice: Dice, numbers: pl.DataFrame) -> pl.LazyFrame:
    """The subtask 2 table of these texts: spans numbered from 0 in the order of `numbers`, then shuffled."""
    count = pl.sum_horizontal(_has(dice, slot).cast(pl.Int64) for slot in _SLOTS)
    spans = (
        numbers.select("row", place=pl.int_ranges(0, count)).explode("place").with_columns(id=pl.int_range(pl.len()))
    )
    shuffled = spans.sort(Dice(dice.seed, "id").bits("file order"))
    return _articles(dice, shuffled).select("id", "text", pl.col("spans").list.get(pl.col("place")).struct.unnest())
