"""The outcome of one input of a job, as data for the journal and the tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

import orjson
import polars as pl

from sharedtask.pipelines.results.listing import Shown
from sharedtask.pipelines.results.report import Report, finding_as_json
from sharedtask.schemas.rule import SEVERITIES, Severity

Status = Literal["ok", "errors", "unread"]

FINDINGS = {
    "file": pl.String(),
    "kind": pl.String(),
    "code": pl.String(),
    "name": pl.String(),
    "severity": pl.String(),
    "count": pl.Int64(),  # how many findings of this rule and severity the file has; the rows are the first of them
    "message": pl.String(),
    "line": pl.Int64(),  # the physical line, from 1
    "row": pl.Int64(),  # the record, from 1
    "column": pl.String(),
    "span": pl.Int64(),  # from 0, in the record's list
    "key": pl.String(),  # JSON
    "value": pl.String(),  # text as it is, anything else as JSON
    "expected": pl.String(),
    "role": pl.String(),
    "fixable": pl.Boolean(),
    "hint": pl.String(),
    "details": pl.String(),  # JSON: whatever else a finding says
}


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written for an input; `name` is relative to the output folder."""

    name: str
    kind: str
    rows: int
    sha256: str
    quarantine: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """One input: `status` is ok, errors (findings of severity error) or unread (`error` says why).

    `counts` is by severity, `rules` has code, severity and count of each broken rule. `scores` is null where the run
    was not scored, or no score was requested. `settings` is a hash of what the outcome depends on beside the bytes of
    the input.
    """

    path: str
    sha256: str
    bytes: int
    kind: str | None = None
    rows: int | None = None
    status: Status = "ok"
    error: str | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, SEVERITIES), 0))
    rules: list[dict[str, object]] = field(default_factory=list)
    outputs: list[Written] = field(default_factory=list)
    scorer: str | None = None
    scores: dict[str, float | None] | None = None
    findings: list[dict[str, object]] = field(default_factory=list)
    settings: str = ""

    def without_findings(self) -> dict[str, object]:
        """Everything but the findings, which have a table of their own."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "findings"}

    @classmethod
    def from_json(cls, data: dict[str, object]) -> "Outcome":
        outputs = [Written(**one) for one in data["outputs"]]  # type: ignore[attr-defined]
        return cls(**{**data, "outputs": outputs})  # type: ignore[arg-type]

    def is_bad(self, fail_on: str) -> bool:
        """Whether this input makes the job fail."""
        return self.status != "ok" or (fail_on == "warning" and self.counts[str(Severity.WARNING)] > 0)


def found_in(report: Report, kind: str | None) -> dict[str, object]:
    """The fields `status`, `counts`, `rules` and `findings` of an outcome, from the report on it."""
    counted = report.rules()
    counts = {(one.rule.code, one.severity): one.count for one in counted}
    return {
        "status": "ok" if report.ok else "errors",
        "counts": report.counts,
        "rules": [{"code": one.rule.code, "severity": str(one.severity), "count": one.count} for one in counted],
        "findings": [
            _row(shown, kind, counts[shown.rule.code, shown.finding.severity])
            for shown in report.findings()
            if shown.is_counted
        ],
    }


def _row(shown: Shown, kind: str | None, count: int) -> dict[str, object]:
    """A finding as a row of `FINDINGS`."""
    data = finding_as_json(shown)
    details = {name: data.pop(name) for name in list(data) if name not in FINDINGS}
    key, value = data["key"], data["value"]
    row = {
        **data,
        "kind": kind,
        "count": count,
        "key": None if key is None else orjson.dumps(key).decode(),
        "value": value if value is None or isinstance(value, str) else orjson.dumps(value).decode(),
        "expected": None if data["expected"] is None else str(data["expected"]),
        "details": orjson.dumps(details).decode() if details else None,
    }
    return {name: row.get(name) for name in FINDINGS}


def findings_table(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """The findings of some inputs, a row each."""
    rows = [{**row, "file": row["file"] or one.path} for one in outcomes for row in one.findings]
    return pl.DataFrame(rows, schema=FINDINGS)


def scores_table(outcomes: Sequence[Outcome], headlines: Mapping[str, str]) -> pl.DataFrame:
    """One row a run.

    `file`, `sha256`, `kind`, `status`, `errors`, `warnings`, `scorer`, `scored`, and a column for each score (Float64,
    null where the run was refused). Some errors do not stop a score.

    By kind, within it the best first, by the score that `headlines` has for the kind; equal ones by name.
    """
    runs = [one for one in outcomes if one.scorer is not None]
    names = list(dict.fromkeys(name for one in runs for name in one.scores or ()))
    texts = dict.fromkeys(["file", "sha256", "kind", "status"], pl.String)
    fixed = {**texts, "errors": pl.Int64, "warnings": pl.Int64, "scorer": pl.String, "scored": pl.Boolean}
    rows = [
        {
            "file": one.path,
            "sha256": one.sha256,
            "kind": one.kind,
            "status": one.status,
            "errors": one.counts[str(Severity.ERROR)],
            "warnings": one.counts[str(Severity.WARNING)],
            "scorer": one.scorer,
            "scored": one.scores is not None,
            **(one.scores or {}),
        }
        for one in runs
    ]
    table = pl.DataFrame(rows, schema={**fixed, **dict.fromkeys(names, pl.Float64)})
    ranked = [pl.when(pl.col("kind") == kind).then(pl.col(name)) for kind, name in headlines.items() if name in names]
    best = pl.coalesce(pl.lit(None, pl.Float64), *ranked)
    ordered = table.with_columns(best=best).sort(
        "kind", "best", "file", descending=[False, True, False], nulls_last=True
    )
    return ordered.drop("best")
