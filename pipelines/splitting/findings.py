"""Findings between two splits: what is here, and where it is in the other file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sharedtask.pipelines.inputs.findings import Record, records_of
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.splitting.hashes import Subject
from sharedtask.pipelines.splitting.similar_texts import THRESHOLD
from sharedtask.schemas.messages import clipped
from sharedtask.schemas.rule import At, Finding, Rule, Severity, Tally, finding, tally_one
from sharedtask.schemas.rules.spl import (
    GROUP_SPLIT,
    ID_COLLISION,
    ID_LEAK,
    SIMILAR_TEXT_LEAK,
)

_ABOUT_IDS = (ID_LEAK, ID_COLLISION)


@dataclass(frozen=True, slots=True)
class Split:
    """One judged file with what of it is compared."""

    judged: Judged
    subject: Subject


def leak_tallies(splits: Sequence[Split], found: Mapping[Rule, pl.DataFrame], limit: int) -> list[Tally]:
    """The findings of each rule, in each file of their own; the first `limit` of a rule with both places."""
    shown = {rule: pairs.head(limit) for rule, pairs in found.items()}
    records = _records(splits, shown.values())
    tallies = []
    for rule, pairs in found.items():
        for (file,), count in sorted(
            (key, part.height) for key, part in pairs.partition_by("file", as_dict=True).items()
        ):
            severity = rule.severity_for(splits[file].subject.kind)
            places = shown[rule].filter(pl.col("file") == file).iter_rows(named=True)
            samples = [_finding(rule, severity, splits, place, records) for place in places]
            tallies.append(Tally.counted(rule, severity, count, samples))
    return tallies


def _records(splits: Sequence[Split], shown: Iterable[pl.DataFrame]) -> list[dict[int, Record]]:
    """The records that are shown, from one look into each file."""
    places = [pairs.select("file", "row") for pairs in shown]
    places += [pairs.select(file="other_file", row="other_row") for pairs in shown]
    wanted = pl.concat(places).unique().sort("file", "row")
    return [
        records_of(split.judged.opened, split.judged.frame, wanted.filter(pl.col("file") == at)["row"].to_list())
        for at, split in enumerate(splits)
    ]


def _finding(
    rule: Rule,
    severity: Severity,
    splits: Sequence[Split],
    place: Mapping[str, int],
    records: Sequence[dict[int, Record]],
) -> Finding:
    here, there = splits[place["file"]], splits[place["other_file"]]
    record, other = records[place["file"]][place["row"]], records[place["other_file"]][place["other_row"]]
    names = here.judged.opened.table.names
    source, other_path = here.judged.opened.source, there.judged.opened.source.path
    group = here.subject.group or ""
    about = here.subject.kind.key[0] if rule in _ABOUT_IDS else group if rule is GROUP_SPLIT else here.subject.text
    group_key = {names.get(group, group): record.values.get(group)}
    details: dict[str, object] = {
        "other": {"file": other_path, "line": other.line, "row": other.number, "key": other.key}
    }
    facts: dict[str, Any] = {
        "key": _named(group_key if rule is GROUP_SPLIT else record.key),
        "other": _named(other.key),
        "there": other_path if other.line is None else f"{other_path}:{other.line}",
    }
    if rule is SIMILAR_TEXT_LEAK:
        details |= {"similarity": round(place["similarity"], 4), "threshold": THRESHOLD}
        facts |= {"similarity": place["similarity"], "threshold": THRESHOLD}
    key = group_key if rule is GROUP_SPLIT else record.key
    return finding(
        rule,
        At(source.path, record.line, record.number, names.get(about, about), key),
        severity=severity,
        value=clipped(record.values.get(about)),
        details=details,
        **facts,
    )


def _named(key: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {clipped(value)}" for name, value in key.items())


def note(split: Split, rule: Rule, *, which: str, affected: int = 0, **facts: Any) -> Tally:
    """One info on a whole file about what a rule leaves aside."""
    return tally_one(
        rule,
        At(split.judged.opened.source.path),
        kind=split.subject.kind,
        severity=Severity.INFO,
        which=which,
        details={"affected": affected} if affected else {},
        **facts,
    )
