"""How one file of a task is made from others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Tally


@dataclass(frozen=True, slots=True)
class Given:
    """What a derivation works on.

    The judged source, `row` and `rules` of its records that cannot be used, the usable records of the files beside it
    by option name, and how many findings are listed for a rule.
    """

    source: Judged
    bad: pl.DataFrame
    beside: Mapping[str, pl.LazyFrame]
    limit: int


@dataclass(frozen=True, slots=True)
class Derived:
    """The derived canonical table; `bad` has `row` and `rules` of all records of the source that are left out."""

    table: pl.LazyFrame
    bad: pl.DataFrame
    tallies: list[Tally] = field(default_factory=list)
    measures: dict[str, float | int | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one kind of file is derived from another.

    `name` is what `derive` calls it, `source` the kind of file that it takes, `result` the kind that it makes,
    `beside` the kinds of files that it can use as well, by option name. `make` raises UnusableError where the source
    has nothing to make it from.
    """

    name: str
    source: Kind
    result: Kind
    make: Callable[[Given], Derived]
    beside: Mapping[str, Kind] = field(default_factory=dict)
