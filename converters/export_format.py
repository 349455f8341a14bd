"""The formats in which a kind of file is published or handed to other programs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import polars as pl

from sharedtask.converters.csv.formulas import escape_formulas
from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.converters.json.records import first_keys
from sharedtask.converters.source import FIRST
from sharedtask.converters.source_form import SourceForm

Frame = Callable[[pl.LazyFrame], pl.LazyFrame]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One form of one kind; the first of a kind with the ending of the output is written unless another is named.

    `table` turns the canonical table into the columns of a `csv`, or into one column of lines for any other container.
    `beside` is the ending and the lines of a second file. `unfit` finds the records that this form cannot hold
    (`raw_table.UNFIT`) in a table with the columns `reads`.
    """

    kind: str
    variant: str
    container: str
    endings: tuple[str, ...]
    table: Frame
    description: str
    header: bool = True
    final_newline: bool = True
    beside: tuple[str, Frame] | None = None
    unfit: Frame | None = None
    reads: tuple[str, ...] = ()

    def beside_path(self, out: str) -> list[str]:
        """The path of the second file, if there is one."""
        return [out.removesuffix(PurePath(out).suffix) + self.beside[0]] if self.beside else []


def goes_back(release: ExportFormat, form: SourceForm | None) -> bool:
    """Whether this form is the one that the source had."""
    if form is None:
        return False
    return release.container == form.container or (release.container == "jsonl" and form.container == "json")


def write_format(
    release: ExportFormat,
    frame: pl.LazyFrame,
    paths: Sequence[Path],
    form: SourceForm | None,
    escaped: list[int] | None = None,
) -> list[str]:
    """Write a canonical table in this form, with line ends, mark and order of columns of `form` if it is given.

    Formulas in a CSV are escaped and counted if there is a list `escaped`. The names of its columns or keys.
    """
    kept = form or SourceForm(final_newline=release.final_newline)
    table = release.table(frame)
    if release.container == "csv":
        names = table.collect_schema().names()
        if {*kept.columns} == {*names}:
            table, names = table.select(kept.columns), list(kept.columns)
        sink_delimited(
            table if escaped is None else escape_formulas(table, escaped),
            paths[0],
            header=release.header,
            final_newline=kept.final_newline,
            line_end=kept.line_end,
            bom=kept.bom,
        )
        return names
    sink_lines(
        table,
        paths[0],
        final_newline=kept.final_newline,
        line_end=kept.line_end,
        bom=kept.bom,
        array=kept.around() if release.container == "jsonl" else None,
    )
    if release.beside:
        sink_lines(release.beside[1](frame), paths[1])
    with paths[0].open("rb") as file:
        return first_keys(file.read(FIRST)) if release.container in ("json", "jsonl") else []
