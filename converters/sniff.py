"""What a source holds, found out from its first bytes.

Packed or not, which container, and the cells or keys of its first record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import polars as pl

from sharedtask.converters import bio, brat
from sharedtask.converters.archive import Packed, Refusal, is_zip, other_archive, read_archive
from sharedtask.converters.columnar.source import column_names, columnar_container, stored_metadata
from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.csv.odd_shapes import beyond_limits
from sharedtask.converters.encoding.text import UTF8_BOM_BYTES, plain_text
from sharedtask.converters.excel import first_cells, is_workbook, read_cells
from sharedtask.converters.json.mapping import is_mapping
from sharedtask.converters.json.other_forms import as_lines, is_encoded
from sharedtask.converters.json.records import keys_of_first
from sharedtask.converters.limits import Limits
from sharedtask.converters.source import Source
from sharedtask.schemas.rule import At, Tally, tally_one
from sharedtask.schemas.rules.fmt_files import ARCHIVE_UNSAFE, EMPTY_FILE

SPANNED = ("brat", "bio")  # containers of texts with spans, whatever the task


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A source as what can be read: `container` is csv, json, parquet, ipc, xlsx, brat or bio.

    The last two hold texts with spans and no names.

    It is empty where there is nothing to find, which `findings` explain; otherwise they are what is wrong with the
    bytes. `names` are the cells or keys of the first record, `name` is the file's own or that of the archive member.
    `stored` is what this tool has written into a typed file about its table, `mapping` is true of JSON that is one
    object of names and numbers, `cells` are those of a workbook, `packed` says what was in an archive, `has_lines`
    whether the lines of the source are those of the file. `refusal` is why no file of an archive is read.
    """

    source: Source
    container: str = ""
    name: str = ""
    names: list[str] = field(default_factory=list)
    findings: list[Tally] = field(default_factory=list)
    stored: Mapping[str, str] = field(default_factory=dict)
    mapping: bool = False
    packed: Packed | None = None
    has_lines: bool = True
    cells: pl.DataFrame | None = None
    refusal: Refusal | None = None


def sniff(source: Source, members: Collection[str], limits: Limits) -> Sniffed:
    """Find out what a source holds. `members` are names that the member of an archive may have.

    Raises UnusableError for a workbook that cannot be read.
    """
    packed = None
    if source.unsafe is not None:
        return Sniffed(source, findings=[tally_one(ARCHIVE_UNSAFE, At(source.path), **source.unsafe)])
    if is_zip(source.head):
        if is_workbook(source.local):
            cells, findings = read_cells(source, limits)
            if cells.height == 0:
                return _empty(source, "workbook")
            return Sniffed(source, "xlsx", source.name, first_cells(cells), findings, cells=cells)
        taken = read_archive(source, members, limits.archive_bytes)
        if isinstance(taken, list):
            return Sniffed(source, findings=taken)
        if isinstance(taken, Refusal):
            return Sniffed(source, names=list(taken.names), refusal=taken)
        source, packed = taken
    name = packed.member if packed else source.name
    if refusal := other_archive(source.head):
        return Sniffed(source, refusal=refusal)
    if not source.head:
        return _empty(source, "bytes")
    if typed := columnar_container(source.head):
        names, stored = column_names(source, typed), stored_metadata(source, typed)
        return Sniffed(source, typed, name, names, stored=stored, packed=packed)
    text, findings = plain_text(source)
    start = text.head.removeprefix(UTF8_BOM_BYTES).lstrip()
    if not start:
        return _empty(source, "blank", findings)
    if brat.is_brat(text.head, name):
        return Sniffed(text, "brat", name, [], findings, packed=packed)
    if bio.is_bio(text.head):
        return Sniffed(text, "bio", name, [], findings, packed=packed)
    if start[:1] in (b"{", b"[") or is_encoded(start):
        other = as_lines(text)
        if other is not None:
            text, findings = other.source, [*findings, other.finding]
        keys, mapping = keys_of_first(text), is_mapping(text.head)
        has_lines = other is None or other.keeps_lines
        return Sniffed(text, "json", name, keys, findings, mapping=mapping, packed=packed, has_lines=has_lines)
    names = Layout(text.head).cells
    if beyond := beyond_limits(text, names, limits):
        return Sniffed(source, findings=[*findings, *beyond])
    return Sniffed(text, "csv", name, names, findings, packed=packed)


def _empty(source: Source, which: str, findings: list[Tally] | None = None) -> Sniffed:
    """A source in which there is nothing to find: this message of `empty-file` says so."""
    return Sniffed(source, findings=[*(findings or []), tally_one(EMPTY_FILE, At(source.path), which=which)])
