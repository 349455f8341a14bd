"""A kind of file of which less is required or checked.

What a verb reads of a file that it does not judge for its own sake.
"""

from collections.abc import Collection
from dataclasses import replace

from sharedtask.schemas import spans
from sharedtask.schemas.kind import RAW, Column, Kind, View
from sharedtask.schemas.reading import anything


def requiring(kind: Kind, names: Collection[str]) -> Kind:
    """The kind with these columns required and all others optional.

    What a file name promises (no labels in a test file) does not bind.
    """
    columns = tuple(replace(column, optional=column.name not in names) for column in kind.columns)
    return replace(kind, columns=columns, name_faults=None)


def unchecked(kind: Kind, required: Collection[str], *, keys: bool = False) -> Kind:
    """The kind with these columns required and no value checked.

    Whether its `keys` are right, only if that is asked for.
    """
    columns = tuple(replace(column, prose=False) for column in requiring(kind, required).columns)
    return replace(kind, columns=columns, checks=(), table_checks=kind.table_checks if keys else (), name_faults=None)


def only_checked(kind: Kind, names: Collection[str]) -> Kind:
    """The kind with rules on these columns alone; the others are there as text, whatever they hold.

    A list of spans is always read.
    """
    listed = kind.spans.name if kind.spans else None
    fields = {spans.SPAN, *spans.FLAGS, *(column.name for column in kind.spans.columns)} if kind.spans else set()
    known = {*names, *(fields if listed in names else ())}

    def kept(column: Column) -> Column:
        if column.name in names or column.name == listed:
            return column
        return replace(column, reading=anything(), nullable=True, prose=False)

    checks = tuple(check for check in kind.checks if _bare(check.fails.meta.root_names()) <= known)
    tables = tuple(
        check
        for check in kind.table_checks
        if {*check.columns} <= known and not (check.view is View.SPAN and listed not in names)
    )
    columns = tuple(kept(column) for column in kind.official)
    return replace(kind, columns=columns, checks=checks, table_checks=tables, derived={}, name_faults=None)


def _bare(names: Collection[str]) -> set[str]:
    """The names of columns, whether their values or their raw texts are meant."""
    return {name.removeprefix(RAW) for name in names}
