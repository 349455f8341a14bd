"""A kind of documented file: its canonical columns, its rules, and where they are in the source."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import polars as pl

from sharedtask.schemas.reading import Reading, is_blank, unread
from sharedtask.schemas.rule import Rule, Severity

RAW = "raw."


NO_COLUMNS: Mapping[str, pl.Expr] = MappingProxyType({})
NO_FACTS: Mapping[str, Any] = MappingProxyType({})
NO_SEVERITIES: Mapping[str, Severity] = MappingProxyType({})


class View(StrEnum):
    """The flat table over which a rule's expression is written: one row a record, or one row a span."""

    ROW = "row"
    SPAN = "span"


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column and how it is written in the official file.

    `official` is its documented name, `aliases` are other names that files in the wild give it. A `nullable` column may
    have empty cells; an `optional` one may be missing as a whole (labels in a test file). `prose` marks
    natural-language text, which the rules about odd characters look at. `prose` columns may be long: they are never
    part of a message in full.
    """

    name: str
    official: str
    reading: Reading
    description: str
    aliases: tuple[str, ...] = ()
    nullable: bool = False
    optional: bool = False
    prose: bool = False

    @property
    def raw(self) -> str:
        """The name of the column's raw text beside the canonical column."""
        return RAW + self.name


@dataclass(frozen=True, slots=True)
class Check:
    """A rule bound to a column of a kind; `fails` is true where a row of the view breaks it; null counts as not broken.

    `suspect` is a cheaper question that every row which breaks it answers with yes: only there is `fails` asked.
    `expected` says what the column should hold, `which` is the key of the rule's message. `facts` names a column of the
    view in which a reader has left JSON of that key and of what the message shows. `fixable` is given where a finding
    is not fixable as the rule is. `needs` names a class of bytes without which the rule cannot be broken
    (`encoding.byte_facts.ByteFacts`), so that files without them need not be searched. `repair` gives the columns that
    a safe repair sets; `mended` says that the reading has repaired the value already, `severity` is for a milder form
    of the rule. `once` counts all failing rows of a file as one finding, whose message shows the facts of `shows`. `looks` finds
    what a message shows of one failing text: `index` is the place, in code points from 0. A
    `typed` check is for canonical tables without raw text only. In a record that breaks the check, the form rules of
    the columns named by `instead_of` are silent: this check is the cause of what they would say. `says` is the same as
    JSON Schema of the canonical record (of the span, in that view), for the exports: it refuses nothing that the rule
    lets pass, and with `says_all` all that breaks it.
    """

    rule: Rule
    column: str
    fails: pl.Expr
    expected: str = ""
    which: str = ""
    view: View = View.ROW
    needs: str | None = None
    repair: Mapping[str, pl.Expr] = field(default_factory=lambda: NO_COLUMNS)
    mended: bool = False
    severity: Severity | None = None
    facts: str | None = None
    fixable: bool | None = None
    once: bool = False
    looks: Callable[[str], Mapping[str, Any]] | None = field(default=None, hash=False)
    shows: Mapping[str, Any] = field(default_factory=lambda: NO_FACTS, hash=False)
    typed: bool = False
    instead_of: tuple[str, ...] = ()
    says: Mapping[str, object] | None = field(default=None, hash=False)
    says_all: bool = True
    suspect: pl.Expr | None = None


def property_says(column: str, constraint: Mapping[str, object]) -> Mapping[str, object]:
    """What a check says of one column alone."""
    return {"properties": {column: constraint}}


@dataclass(frozen=True, slots=True)
class TableCheck:
    """Rules that look across rows: a second, small query over `columns` of the view only.

    `find` takes the view cut down to `file`, `row` (and `span`) and `columns`, and returns the columns of
    `table_checks.FOUND`, one row a finding. One query may answer several rules, and where it looks at the view more
    than once it first asks for what is suspect, so that a source without faults is read once. `repair` gives the
    columns that a safe repair sets. With `needs_unread`, what it finds is looked for again where there are records that
    cannot be read: their keys stand below the others then, without a `row`.
    """

    rules: tuple[Rule, ...]
    columns: tuple[str, ...]
    find: Callable[[pl.LazyFrame], pl.LazyFrame]
    view: View = View.ROW
    repair: Mapping[str, pl.Expr] = field(default_factory=lambda: NO_COLUMNS)
    needs_unread: bool = False


@dataclass(frozen=True, slots=True)
class SpanColumn:
    """A list of spans inside a record: the canonical list column and the columns of one span.

    `other_keys` is the rule for tags that use other words for their keys, `other_forms` the one for cells that are
    written in another form than that of a list of dicts.
    """

    name: str
    columns: tuple[Column, ...]
    other_keys: Rule
    other_forms: Rule


@dataclass(frozen=True, slots=True)
class Link:
    """A column whose values are the keys of another kind of file.

    `missing` where one is not there, `unused` where none refers to it.
    """

    column: str
    kind: str
    missing: Rule
    unused: Rule


@dataclass(frozen=True, slots=True)
class NameFault:
    """A column (by its official name) that the name of a file promises to be there, or not to be.

    The rule, and the split that it names.
    """

    rule: Rule
    column: str
    split: str
    which: str = ""


@dataclass(frozen=True, slots=True)
class PageForm:
    """The form of a file on the page of its competition, where the official reader takes another.

    A file has it where its header has these `columns`, and its tags have these `keys` and `labels` and no others. Then
    `rule` stands for what the rules `replaces` would say.
    """

    rule: Rule
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    labels: tuple[str, ...]
    replaces: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Upload:
    """What the upload zip of a run holds: `member` at its root.

    `misnamed` and `extra` are the rules for another name and for more members.
    """

    member: str
    misnamed: Rule
    extra: Rule


@dataclass(frozen=True, slots=True)
class Kind:
    """One documented file.

    `name` is `task/what`, `columns` are in canonical order, `key` names those that identify a record.

    `is_run` says that participants make it. `header` says whether its delimited form has one. `container` is the
    documented form (`csv`, `jsonl` or `json`). `spans` is the list of spans where records have one, `links` the
    files that belong to it. `file_names` is a pattern of the names under which it was published, `mapped` has the
    names that an object of the kind gives numbers to. `name_faults` says, from a file's name and columns, what its
    name promises otherwise: a `NameFault` each. `upload` is the zip that the task takes, if it takes one. `severities`
    has those of rules that are another severity here than usual, by the name of the rule. `canonical` marks a kind that
    describes its canonical table and not its official file (`column_names.in_canonical_form`).

    `derived` holds columns that no official file has, each computed once for a record from its raw text and values:
    canonical columns that say what a cell alone cannot (a Column of that name describes it), and marks that only the
    checks look at.
    """

    name: str
    title: str
    description: str
    source: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    container: str = "csv"
    is_run: bool = False
    header: bool = True
    checks: tuple[Check, ...] = ()
    table_checks: tuple[TableCheck, ...] = ()
    spans: SpanColumn | None = None
    links: tuple[Link, ...] = ()
    name_faults: Callable[[str, Collection[str]], list[NameFault]] | None = None
    page_form: PageForm | None = None
    upload: Upload | None = None
    severities: Mapping[str, Severity] = field(default_factory=lambda: NO_SEVERITIES)
    derived: Mapping[str, pl.Expr] = field(default_factory=lambda: NO_COLUMNS)
    file_names: str = ""
    mapped: tuple[str, ...] = ()
    canonical: bool = False
    version: int = 1

    @property
    def task(self) -> str:
        return self.name.partition("/")[0]

    @property
    def uploaded_as(self) -> str:
        """The file that the task takes as the upload of a run, in words."""
        return "a CSV file" if self.upload is None else f"a zip with {self.upload.member} at its root"

    @property
    def official(self) -> tuple[Column, ...]:
        """The columns of the official file, in its order."""
        return tuple(column for column in self.columns if column.name not in self.derived)

    @property
    def official_header(self) -> str:
        """The names of the official columns as a line of CSV."""
        return ",".join(column.official for column in self.official)

    def column(self, name: str) -> Column:
        """The canonical column of this name. Raises KeyError."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def form_checks(column: Column, *, view: View = View.ROW, given: bool = True) -> list[Check]:
    """The form rules of one column as checks over its raw text, the first that applies to a cell shutting out the rest.

    `given` says that the raw text is there; a typed source (Parquet) has only values, of which only nullness can be
    wrong.
    """
    value = pl.col(column.name)
    raw = pl.col(column.raw) if given else value
    checks: list[Check] = []
    if not column.nullable:
        empty = is_blank(raw) if given and column.reading.dtype != pl.List else raw.is_null()
        checks.append(
            Check(column.reading.empty, column.name, empty, column.reading.expected, view=view, fixable=False)
        )
    spoken: pl.Expr | None = None
    for fault in column.reading.faults if given else ():
        fails = fault.fails(raw, value)
        asks = (fault.suspect or fault.fails) if fault.mended else unread
        alone = fails if spoken is None else fails & ~spoken.fill_null(False)
        checks.append(
            Check(
                fault.rule,
                column.name,
                alone,
                fault.expected,
                fault.which,
                view=view,
                mended=fault.mended,
                severity=fault.severity,
                fixable=fault.mended,
                suspect=asks(raw, value),
            )
        )
        spoken = fails if spoken is None else spoken | fails
    return checks
