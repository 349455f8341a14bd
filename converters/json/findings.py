"""Collects the findings of one JSON file, and the records that are lost to them."""

import polars as pl

from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Finding, Rule, Tally, tally_one


class Teller:
    """The findings of one file: single ones, and counted ones of which the first `limit` are kept."""

    def __init__(self, kind: Kind, path: str, limit: int) -> None:
        self.kind, self.path, self.limit = kind, path, limit
        self.single: list[Tally] = []
        self.counted: dict[Rule, tuple[int, list[Finding]]] = {}
        self._lost: list[dict[str, object]] = []

    def tell(self, rule: Rule, message: str, **place: object) -> None:
        self.single.append(tally_one(rule, self.kind.name, message, file=self.path, hint=rule.hint, **place))  # type: ignore[arg-type]

    def count(self, rule: Rule, message: str, **place: object) -> None:
        number, samples = self.counted.setdefault(rule, (0, []))
        if len(samples) < self.limit:
            severity = rule.severity_for(self.kind.name)
            samples.append(Finding(rule, severity, message, self.path, hint=rule.hint, **place))  # type: ignore[arg-type]
        self.counted[rule] = (number + 1, samples)

    def lose(self, rule: Rule, row: int | None, line: int, text: str, message: str, **place: object) -> None:
        """Count a finding whose record cannot be read, and keep the record as it is."""
        self.count(rule, message, line=line, row=None if row is None else row + 1, value=text[:200], **place)
        self._lost.append({"row": row, "line": line, "text": text, "rules": [rule.name]})

    @property
    def lost(self) -> pl.DataFrame:
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            "row": pl.UInt32,
            "line": pl.UInt32,
            "text": pl.String,
            "rules": pl.List(pl.String),
        }
        return pl.DataFrame(self._lost, schema=schema, orient="row")

    def tallies(self) -> list[Tally]:
        counted = [
            Tally(rule, rule.severity_for(self.kind.name), number, tuple(some))
            for rule, (number, some) in self.counted.items()
        ]
        return [*self.single, *counted]
