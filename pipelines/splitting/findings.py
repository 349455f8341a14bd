"""Findings between two splits put into words and places: what stands here, and where it stands in the other file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.inputs.findings import Record, clipped, records_of
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.splitting.hashes import Subject
from sharedtask.pipelines.splitting.minhash import THRESHOLD
from sharedtask.schemas.rule import Finding, Rule, Severity, Tally, tally_one
from sharedtask.schemas.rules.spl import (
    CONFLICTING_DUPLICATE,
    GROUP_SPLIT,
    ID_COLLISION,
    ID_LEAK,
    NEAR_TEXT_LEAK,
    SIMILAR_TEXT_LEAK,
    TEXT_LEAK,
)

_ABOUT_IDS = (ID_LEAK, ID_COLLISION)
_TOLD = {
    ID_LEAK: "{id} stands in {there} with the same text",
    ID_COLLISION: "{id} stands in {there} with another text",
    TEXT_LEAK: "the text stands in {there} too, as {other}",
    NEAR_TEXT_LEAK: "the text stands in {there} too, as {other}, but for case, white space, punctuation or URLs",
    SIMILAR_TEXT_LEAK: "the text is much like that of {other} in {there}: similarity {similarity:.2f}, from {threshold} on",
    CONFLICTING_DUPLICATE: "the text has another label in {there}, as {other}",
    GROUP_SPLIT: "{group} stands in {there} too",
}


@dataclass(frozen=True, slots=True)
class Split:
    """One judged file with what of it is compared."""

    judged: Judged
    subject: Subject


def told(splits: Sequence[Split], found: Mapping[Rule, pl.DataFrame], limit: int) -> list[Tally]:
    """The findings of each rule, in each file of their own; the first `limit` of a rule with both places."""
    shown = {rule: pairs.head(limit) for rule, pairs in found.items()}
    records = _records(splits, shown.values())
    tallies = []
    for rule, pairs in found.items():
        for (file,), count in sorted(
            (key, part.height) for key, part in pairs.partition_by("file", as_dict=True).items()
        ):
            severity = rule.severity_for(splits[file].subject.kind.name)
            places = shown[rule].filter(pl.col("file") == file).iter_rows(named=True)
            samples = tuple(_violation(rule, severity, splits, place, records) for place in places)
            tallies.append(Tally(rule, severity, count, samples))
    return tallies


def _records(splits: Sequence[Split], shown: Iterable[pl.DataFrame]) -> list[dict[int, Record]]:
    """The records that are shown, from one look into each file."""
    places = [pairs.select("file", "row") for pairs in shown]
    places += [pairs.select(file="other_file", row="other_row") for pairs in shown]
    wanted = pl.concat(places).unique().sort("file", "row")
    return [
        records_of(split.judged.intake, split.judged.frame, wanted.filter(pl.col("file") == at)["row"].to_list())
        for at, split in enumerate(splits)
    ]


def _violation(
    rule: Rule,
    severity: Severity,
    splits: Sequence[Split],
    place: Mapping[str, int],
    records: Sequence[dict[int, Record]],
) -> Finding:
    here, there = splits[place["file"]], splits[place["other_file"]]
    record, other = records[place["file"]][place["row"]], records[place["other_file"]][place["other_row"]]
    names = here.judged.intake.table.names
    source, other_path = here.judged.intake.source, there.judged.intake.source.path
    group = here.subject.group or ""
    about = here.subject.kind.key[0] if rule in _ABOUT_IDS else group if rule is GROUP_SPLIT else here.subject.text
    group_key = {names.get(group, group): record.values.get(group)}
    details: dict[str, object] = {
        "other": {"file": other_path, "line": other.line, "row": other.number, "key": other.key}
    }
    if rule is SIMILAR_TEXT_LEAK:
        details |= {"similarity": round(place["similarity"], 4), "threshold": THRESHOLD}
    message = _TOLD[rule].format(
        id=_named(record.key),
        other=_named(other.key),
        group=_named(group_key),
        there=other_path if other.line is None else f"{other_path}:{other.line}",
        similarity=place.get("similarity", 0),
        threshold=THRESHOLD,
    )
    return Finding(
        rule,
        severity,
        message,
        source.path,
        line=record.line,
        row=record.number,
        column=names.get(about, about),
        key=group_key if rule is GROUP_SPLIT else record.key,
        value=clipped(record.values.get(about)),
        hint=rule.hint,
        details=details,
    )


def _named(key: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {clipped(value)}" for name, value in key.items())


def note(split: Split, rule: Rule, message: str, affected: int) -> Tally:
    """One note on a whole file about what a rule leaves aside."""
    source = split.judged.intake.source
    return tally_one(
        rule,
        split.subject.kind.name,
        message,
        severity=Severity.INFO,
        file=source.path,
        hint=rule.hint,
        details={"affected": affected} if affected else {},
    )
