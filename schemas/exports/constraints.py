"""The constraints of a kind of file, gathered for the exports.

What one value must be, and what JSON Schema can say of one record.
"""

from collections.abc import Mapping

import polars as pl

from sharedtask.schemas.engine.select import checks_for
from sharedtask.schemas.kind import Check, Column, Kind, View
from sharedtask.schemas.rule import Severity

INTEGERS: Mapping[type[pl.DataType], tuple[int, int]] = {
    pl.Int8: (-(2**7), 2**7 - 1),
    pl.Int16: (-(2**15), 2**15 - 1),
    pl.Int32: (-(2**31), 2**31 - 1),
    pl.Int64: (-(2**63), 2**63 - 1),
}


def errors_of(kind: Kind, view: View) -> list[Check]:
    """The checks of one record, or of one span, that make a canonical table wrong."""
    checks = checks_for(kind, [column.name for column in kind.columns], given=False)
    every = [check for check in (*checks.row, *checks.span) if (check.view is View.SPAN) == (view is View.SPAN)]
    return [check for check in every if (check.severity or check.rule.severity_for(kind)) is Severity.ERROR]


def said(kind: Kind, view: View) -> list[Mapping[str, object]]:
    """What the checks say as JSON Schema, each once."""
    found: list[Mapping[str, object]] = []
    for check in errors_of(kind, view):
        if check.says is not None and check.says not in found:
            found.append(check.says)
    return found


def unsaid(kind: Kind) -> list[str]:
    """The rules of one record or span that JSON Schema cannot say, or not wholly."""
    found = [check for view in View for check in errors_of(kind, view)]
    by_null = {"null-value", *(column.reading.empty.name for column in kind.columns)}
    left = {check.rule.name for check in found if check.says is None or not check.says_all} - by_null
    return sorted(left - {check.rule.name for check in found if check.says is not None and check.says_all})


def of_column(kind: Kind, column: Column) -> dict[str, object]:
    """What the checks say of one column alone, such as `minimum` and `enum`."""
    merged: dict[str, object] = {}
    for view in View:
        for fragment in said(kind, view):
            properties = fragment.get("properties")
            if set(fragment) == {"properties"} and isinstance(properties, Mapping):
                merged |= properties.get(column.name, {})
    return merged
