"""What a source holds, found out from its first bytes: packed or not, which container, and the cells or keys of its first record."""

from collections.abc import Collection
from dataclasses import dataclass, field

import polars as pl

from sharedtask.converters import bio, brat
from sharedtask.converters.archive import LARGEST, Packed, is_zip, read_archive
from sharedtask.converters.csv.read import Layout
from sharedtask.converters.encoding.text import UTF8_BOM_BYTES, plain_text
from sharedtask.converters.excel import first_cells, is_workbook, read_cells
from sharedtask.converters.json.mapping import is_mapping
from sharedtask.converters.json.records import keys_of_first
from sharedtask.converters.limits import beyond_limits
from sharedtask.converters.parquet import PARQUET_MAGIC, parquet_columns, stored_kind
from sharedtask.converters.source import Source
from sharedtask.schemas.rule import Tally, tally_one
from sharedtask.schemas.rules.fmt_files import EMPTY_FILE


@dataclass(slots=True)
class Sniffed:
    """A source as what can be read: `container` is csv, json, parquet, xlsx, brat or bio; the last two hold texts with spans and no names.

    `names` are the cells or keys of the first record, `name` is the file's own or that of the archive member. `stored` is the kind that a
    Parquet file says it holds, `mapping` is true of JSON that is one object of names and numbers, `cells` are those of a workbook, `packed`
    says what was in an archive.
    """

    source: Source
    container: str
    name: str
    names: list[str]
    tallies: list[Tally] = field(default_factory=list)
    stored: str | None = None
    mapping: bool = False
    packed: Packed | None = None
    cells: pl.DataFrame | None = None


def look_into(source: Source, members: Collection[str], kind_name: str | None, max_bytes: int) -> Sniffed | list[Tally]:
    """Find out what a source holds. One in which there is nothing to find is only its findings.

    `members` are names that the member of an archive may have, which may unpack to `max_bytes` where this is more than `LARGEST`.
    `kind_name` is the kind if it is known. Raises UnusableError for a workbook that cannot be read.
    """
    limit, packed = max(LARGEST, max_bytes), None
    if is_zip(source.head):
        if is_workbook(source.local):
            cells = read_cells(source, limit)
            if cells.height == 0:
                return [tally_one(EMPTY_FILE, kind_name, "the workbook has no cells", file=source.path)]
            return Sniffed(source, "xlsx", source.name, first_cells(cells), cells=cells)
        taken = read_archive(source, members, kind_name, limit)
        if isinstance(taken, list):
            return taken
        source, packed = taken
    name = packed.member if packed else source.name
    if not source.head:
        return [tally_one(EMPTY_FILE, kind_name, "the file has no bytes", file=source.path)]
    if source.head.startswith(PARQUET_MAGIC):
        columns = parquet_columns(source)
        return Sniffed(source, "parquet", name, columns, stored=stored_kind(source), packed=packed)
    text, tallies = plain_text(source, kind_name)
    start = text.head.removeprefix(UTF8_BOM_BYTES).lstrip()
    if not start:
        return [*tallies, tally_one(EMPTY_FILE, kind_name, "the file holds nothing but white space", file=source.path)]
    if brat.is_brat(text.head, name):
        return Sniffed(text, "brat", name, [], tallies, packed=packed)
    if bio.is_bio(text.head):
        return Sniffed(text, "bio", name, [], tallies, packed=packed)
    if start[:1] in (b"{", b"["):
        keys, mapping = keys_of_first(text), is_mapping(text.head)
        return Sniffed(text, "json", name, keys, tallies, mapping=mapping, packed=packed)
    names = Layout(text.head).cells
    beyond = beyond_limits(text, names, kind_name, max_bytes)
    return [*tallies, *beyond] if beyond else Sniffed(text, "csv", name, names, tallies, packed=packed)
