"""Made tables of every kind, faulty cells included, and the engines that write them: as CSV, JSON Lines, Parquet and Arrow."""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
NUMBERS = re.compile(r"\[(?:[0-9]+(?:, [0-9]+)*)?\]")
WORDS = ("agua", "camino", "«feria»", "mercado", "lúa", "100 %", 'el "alto"', "a,b", "Đà Nẵng")

Cell = Callable[[Random, int], str]


def words(random: Random, row: int) -> str:
    return f"{row} " + " ".join(random.choices(WORDS, k=4))


def either(*usual: str, odd: Sequence[str] = ()) -> Cell:
    """One of the usual cells, or now and then an odd one."""
    return lambda random, row: random.choice(odd) if odd and random.random() < 0.15 else random.choice(usual)


def number(random: Random, row: int) -> str:
    return "x7" if random.random() < 0.05 else str(row)


def spans(random: Random, row: int) -> list[dict[str, Any]]:
    """The spans of a text of `words`, which always has more than twelve characters."""
    tags = []
    for start in sorted(random.sample(range(10), random.randrange(4))):
        label = random.choice(("WHO", "WHAT", "when", "PLACE", "WHY"))
        reliability = random.choice(("confiable", "no confiable", "reliable"))
        end = start + random.choice((1, 1, 0, 900))
        tag = {"Tag_Start": start, "Tag_End": end, "5W1H_Label": label, "Reliability_Label": reliability}
        tags.append({**tag, "Tag_Text": "x"})
    return tags


@dataclass(frozen=True)
class Shape:
    """A kind of file, the name that a file of it has, and what its cells may hold; `texts` are never numbers."""

    name: str
    cells: Mapping[str, Cell]
    texts: tuple[str, ...] = ()
    tags: str | None = None


def _runs() -> dict[str, Shape]:
    relevance = either("0", "1", odd=("2", "maybe", ""))
    return {
        "cheers/run": Shape(
            "run.csv",
            {
                "doc_id": either("7"),
                "sentence_id": number,
                "is_relevant": relevance,
                "sector_id": either("-1", "3", odd=("11", "300", "Health", "2.5")),
            },
        ),
        "flares/subtask2-run": Shape(
            "run2.csv",
            {"Id": number, "Reliability_Label": either("confiable", "no confiable", odd=("reliable", "Confiable", ""))},
            texts=("Reliability_Label",),
        ),
        "flares/subtask1-run": Shape("run1.csv", {"Id": number}, tags="Tags"),
    }


def _data() -> dict[str, Shape]:
    count = either("0", "12", "3", odd=("", "54 like", "unknown", "4.5", "-3"))
    return {
        "cheers/sentences": Shape(
            "sentences_en_train.csv",
            {
                "doc_id": either("7", odd=("7.5", "x7", "")),
                "sentence_id": number,
                "sentence_text": words,
                "is_relevant": either("0", "1", odd=("2", "maybe", "")),
                "sector_ids": either("[]", "[3]", "[2, 8]", odd=("[300]", "[8, 2]", "3;4", "")),
            },
            texts=("sentence_text",),
        ),
        "cheers/documents": Shape(
            "documents_en_train.csv",
            {
                "project_name": either("IMMAP/DFS Nigeria", odd=("Mars",)),
                "country_code": either("NGA", odd=("XXX", "")),
                "lang_code": either("en", odd=("es",)),
                "doc_id": number,
                "doc_text": words,
                "doc_url": either("https://example.org/a", odd=("",)),
            },
            texts=("project_name", "country_code", "lang_code", "doc_text", "doc_url"),
        ),
        "reintel/posts": Shape(
            "public_train.csv",
            {
                "id": number,
                "user_name": either("0" * 31 + "a", odd=("",)),
                "post_message": words,
                "timestamp_post": either("1585720800", odd=("", "1400000000", "1585720800000", "May")),
                "num_like_post": count,
                "num_comment_post": count,
                "num_share_post": count,
                "label": either("0", "1", odd=("0.6", "7", "")),
            },
            texts=("user_name", "post_message"),
        ),
        "reintel/annotations": Shape(
            "annotations.csv",
            {
                "id": number,
                "annotator_id": either("a1", "a2", odd=("",)),
                "score": either("0", "5", "3", odd=("9", "x", "")),
            },
            texts=("annotator_id",),
        ),
        "reintel/labels": Shape("labels.csv", {"id": number, "label": either("0", "1", odd=("2", "0.5", ""))}),
        "flares/subtask1": Shape(
            "5w1h_subtask_1_train.csv", {"Id": number, "Text": words}, texts=("Text",), tags="Tags"
        ),
        "flares/subtask2": Shape(
            "5w1h_subtask_2_train.csv",
            {
                "Id": number,
                "Text": words,
                "Reliability_Label": either("confiable", odd=("reliable", "")),
                "5W1H_Label": either("WHO", "WHAT", odd=("who", "PLACE")),
                "Tag_Text": either("x"),
                "Tag_Start": either("0", "2", odd=("", "0.5")),
                "Tag_End": either("1", "4", odd=("999", "")),
            },
            texts=("Text", "Reliability_Label", "5W1H_Label", "Tag_Text"),
        ),
    }


SHAPES = {**_data(), **_runs()}


@dataclass(frozen=True)
class Made:
    """A table: its kind, its columns of cells (text, or lists of spans), and the type that each could have."""

    kind: str
    shape: Shape
    columns: dict[str, list[Any]]

    def typed(self) -> dict[str, list[Any]]:
        """The columns with values of their types, where every cell is one."""
        return {name: self._typed(name, cells) for name, cells in self.columns.items()}

    def _typed(self, name: str, cells: list[Any]) -> list[Any]:
        given = [cell for cell in cells if cell != ""]
        if name in self.shape.texts or name == self.shape.tags or not given:
            return [cell if cell != "" else None for cell in cells]
        for pattern, read in ((WHOLE, int), (NUMBERS, json.loads)):
            if all(pattern.fullmatch(cell) for cell in given):
                return [read(cell) if cell != "" else None for cell in cells]
        if all(WHOLE.fullmatch(cell) or DECIMAL.fullmatch(cell) for cell in given):
            return [float(cell) if cell != "" else None for cell in cells]
        return [cell if cell != "" else None for cell in cells]

    def as_text(self) -> dict[str, list[str | None]]:
        """The columns as `read_csv` of an engine gives them where all are text."""
        return {name: [_text(cell) or None for cell in cells] for name, cells in self.columns.items()}


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else str(cell)


def made(seed: int) -> Made:
    """The table of a seed; the kinds come in turn."""
    random = Random(seed)
    kind = sorted(SHAPES)[seed % len(SHAPES)]
    shape, rows = SHAPES[kind], random.randrange(1, 12)
    columns: dict[str, list[Any]] = {
        name: [cell(random, row) for row in range(rows)] for name, cell in shape.cells.items()
    }
    if shape.tags:
        columns[shape.tags] = [spans(random, row) for row in range(rows)]
    return Made(kind, shape, columns)


def write_csv(table: Made, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(zip(*([_text(cell) for cell in cells] for cells in table.columns.values()), strict=True))


def write_json_lines(table: Made, path: Path) -> None:
    """Numbers as numbers, empty cells as null, all else as strings."""

    def value(name: str, cell: Any) -> str:
        if not isinstance(cell, str):
            return json.dumps(cell, ensure_ascii=False)
        if cell == "":
            return "null"
        is_number = name not in table.shape.texts and (WHOLE.fullmatch(cell) or DECIMAL.fullmatch(cell))
        return cell if is_number else json.dumps(cell, ensure_ascii=False)

    with path.open("w", encoding="utf-8", newline="\n") as file:
        for cells in zip(*table.columns.values(), strict=True):
            fields = (
                f"{json.dumps(name)}:{value(name, cell)}" for name, cell in zip(table.columns, cells, strict=True)
            )
            file.write("{" + ",".join(fields) + "}\n")


Columns = Mapping[str, list[Any]]


def by_polars(columns: Columns, path: Path) -> None:
    frame = pl.DataFrame(dict(columns), strict=False)
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path, compression="zstd")


def by_pyarrow(columns: Columns, path: Path) -> None:
    """With large and dictionary types, as other programs like them."""
    table = pa.table(dict(columns))
    for at, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            column = table.column(at).dictionary_encode() if at % 2 else table.column(at).cast(pa.large_string())
            table = table.set_column(at, field.name, column)
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with pa.ipc.new_file(str(path), table.schema) as out:
        out.write_table(table)


def by_pandas(columns: Columns, path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(dict(columns))  # whole numbers beside empty cells become floats here
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_feather(path)


def by_duckdb(columns: Columns, path: Path) -> None:
    import duckdb

    table = pa.table(dict(columns))
    with duckdb.connect() as connection:
        connection.register("made", table)
        if path.suffix == ".parquet":
            connection.execute(f"copy (from made) to '{path}' (format parquet)")
            return
        reader = connection.sql("from made").to_arrow_reader(1000)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, reader.schema) as out:
            for batch in reader:
                out.write_batch(batch)


def by_datasets(columns: Columns, path: Path) -> None:
    """An Arrow stream, as in the cache of the library, or Parquet."""
    import datasets

    made = datasets.Dataset.from_dict(dict(columns))
    if path.suffix == ".parquet":
        made.to_parquet(path)
        return
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, made.data.schema) as out:
        out.write_table(made.data.table)


WRITERS: dict[str, Callable[[Columns, Path], None]] = {
    "polars": by_polars,
    "pyarrow": by_pyarrow,
    "pandas": by_pandas,
    "duckdb": by_duckdb,
    "datasets": by_datasets,
}
