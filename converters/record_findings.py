"""Collects the findings of one file that is read record by record, and the records that are lost to them."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import At, Finding, Rule, Tally, finding, tally_one


class RecordFindings:
    """The findings of one file: single ones, and counted ones of which the first `limit` are kept."""

    def __init__(self, kind: Kind, path: str, limit: int) -> None:
        self.kind, self.path, self.limit = kind, path, limit
        self.single: list[Tally] = []
        self.counted: dict[Rule, tuple[int, list[Finding]]] = {}
        self._lost: list[dict[str, object]] = []

    def add(self, rule: Rule, *, line: int | None = None, column: str | None = None, **facts: Any) -> None:
        """One finding about the whole file, with the facts of its message."""
        self.single.append(tally_one(rule, At(self.path, line, column=column), kind=self.kind, **facts))

    def count(self, rule: Rule, found: Sequence[Mapping[str, Any]]) -> None:
        """Findings of one rule about the whole file, each with the facts of its message."""
        if found:
            at = At(self.path)
            samples = [finding(rule, at, kind=self.kind, **facts) for facts in found[: self.limit]]
            self.single.append(Tally.counted(rule, rule.severity_for(self.kind), len(found), samples))

    def lose(
        self,
        rule: Rule,
        row: int | None,
        line: int,
        text: str,
        *,
        column: str | None = None,
        value: str | None = None,
        **facts: Any,
    ) -> None:
        """Count a finding whose record cannot be read, and keep the record as it is. `row` counts from 0.

        `value` is what is wrong in it, where that is known.
        """
        number, samples = self.counted.setdefault(rule, (0, []))
        if len(samples) < self.limit:
            at = At(self.path, line, None if row is None else row + 1, column)
            samples.append(finding(rule, at, kind=self.kind, value=text[:200] if value is None else value, **facts))
        self.counted[rule] = (number + 1, samples)
        self._lost.append({"row": row, "line": line, "text": text, "rules": [rule.name]})

    @property
    def lost(self) -> pl.DataFrame:
        """`row`, `line`, `text` and `rules` of the records that cannot be read."""
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            "row": pl.UInt32,
            "line": pl.UInt32,
            "text": pl.String,
            "rules": pl.List(pl.String),
        }
        return pl.DataFrame(self._lost, schema=schema, orient="row")

    def tallies(self) -> list[Tally]:
        """All findings, the counted ones last."""
        counted = [
            Tally.counted(rule, rule.severity_for(self.kind), number, some)
            for rule, (number, some) in self.counted.items()
        ]
        return [*self.single, *counted]
