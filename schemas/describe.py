"""A kind of file as plain data: what `schemas` prints, and what the hash of a schema is taken over."""

import hashlib
import json

from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Column, Kind


def describe(kind: Kind) -> dict[str, object]:
    """Everything that makes a kind what it is, in JSON types; equal for equal schemas."""
    names = {column.name for column in kind.columns} | {column.raw for column in kind.official} | {*kind.derived}
    every = checks_for(kind, names)
    rules = {check.rule for check in (*every.row, *every.span)} | {
        rule for check in every.table for rule in check.rules
    }
    return {
        "kind": kind.name,
        "version": kind.version,
        "title": kind.title,
        "description": kind.description,
        "source": kind.source,
        "form": kind.container,
        "header": kind.header,
        "run": kind.is_run,
        "key": list(kind.key),
        "columns": [_column(column) for column in kind.columns],
        "derived": [column.name for column in kind.columns if column.name in kind.derived],
        "span_columns": [_column(column) for column in kind.spans.columns] if kind.spans else [],
        "rules": [
            {"code": rule.code, "name": rule.name, "severity": str(rule.severity_for(kind))}
            for rule in sorted(rules, key=lambda rule: rule.code)
        ],
    }


def _column(column: Column) -> dict[str, object]:
    return {
        "name": column.name,
        "official": column.official,
        "aliases": list(column.aliases),
        "dtype": str(column.reading.dtype),
        "expected": column.reading.expected,
        "nullable": column.nullable,
        "optional": column.optional,
        "description": column.description,
    }


def schema_sha256(kind: Kind) -> str:
    """The hash of a schema: of its description as canonical JSON."""
    text = json.dumps(describe(kind), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_text(kind: Kind) -> str:
    """A kind of file for people: its columns, what they hold, and the rules that are judged on it."""
    described = describe(kind)
    lines = [
        f"{kind.name}: {kind.title}",
        "",
        kind.description,
        f"Source: {kind.source}",
        f"Form: {kind.container}; key: {', '.join(kind.key)}",
        "",
    ]
    columns = [*kind.columns, *(kind.spans.columns if kind.spans else ())]
    width = max(len(column.official) for column in columns)
    for column in columns:
        extra = [
            word for word, is_so in (("may be empty", column.nullable), ("may be absent", column.optional)) if is_so
        ]
        dtype = "list of spans" if kind.spans and column.name == kind.spans.name else str(column.reading.dtype)
        lines.append(
            f"  {column.official:<{width}}  {column.name}: {dtype}{''.join(', ' + word for word in extra)}. {column.description}"
        )
    lines += ["", "Rules:"]
    for rule in described["rules"]:  # type: ignore[attr-defined]
        lines.append(f"  {rule['code']} {rule['severity']:<7} {rule['name']}")
    return "\n".join(lines)
