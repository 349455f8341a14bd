"""What changed between two releases, as text and as JSON."""

from collections.abc import Iterator, Mapping

from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.phrases import path_of, visible
from sharedtask.pipelines.results.diff_result import DiffResult, RowChange, SpanChange
from sharedtask.schemas.messages import plural

FORMATS = ("text", "json")
LONGEST_VALUE = 160  # characters
_VERDICTS = {
    "none": "equal, byte for byte",
    "bytes": "the same rows in the same order; only the bytes differ",
    "order": "the same rows in another order",
    "content": "the content differs",
}


def render_changes(changes: DiffResult, form: str) -> str:
    """The changes in one of `FORMATS`, ending with a newline."""
    if form == "json":
        return dump(changes.to_dict(), indented=True)
    return "".join(f"{line}\n" for line in _lines(changes))


def _lines(changes: DiffResult) -> Iterator[str]:
    for sign, what, keys, count in (
        ("-", "removed", changes.removed_keys, changes.removed),
        ("+", "added", changes.added_keys, changes.added),
    ):
        yield from (f"{sign} {what} {_key(key)}" for key in keys)
        yield from _rest(count - len(keys), what)
    for row in changes.changed_rows:
        yield f"~ changed {_key(row.key)}"
        yield from _row(row)
    yield from _rest(changes.changed - len(changes.changed_rows), "changed")
    for one in changes.inputs:
        yield f"{one.role} {path_of(one.path)}: {one.kind}, {plural(one.rows or 0, 'record')}"
    yield f"rows: {changes.added} added, {changes.removed} removed, {changes.changed} changed, {changes.unchanged} the same"
    for title, counts in (("columns", changes.columns), ("spans", changes.spans)):
        if counts:
            yield f"{title}: {', '.join(f'{count} {_words(name)}' for name, count in counts.items())}"
    for what, names in (("added", changes.columns_added), ("removed", changes.columns_removed)):
        if names:
            yield f"columns {what}: {', '.join(names)}"
    if changes.out_of_order is not None:
        yield f"order: differs, first at {_key(changes.out_of_order)}"
    yield from (f"note: {visible(note)}" for note in changes.notes)
    yield _VERDICTS[changes.difference]


def _rest(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"  and {count} more {what}"


def _row(row: RowChange) -> Iterator[str]:
    for name, (old, new) in row.columns.items():
        yield f"    {name}: {_value(old)} -> {_value(new)}"
    yield from (f"    span {_words(span.change)}: {_span(span)}" for span in row.spans)


def _span(change: SpanChange) -> str:
    """A span that is there once, or the old one whole and what is not the same in the new one."""
    if change.old is None and change.new is None:
        return "all as they were, in another order"
    if change.old is None or change.new is None:
        return _fields(change.old or change.new or {})
    new = {name: value for name, value in change.new.items() if value != change.old[name]}
    return f"{_fields(change.old)} -> {_fields(new)}"


def _fields(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in values.items() if value is not None) or "nothing"


def _key(key: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {visible(str(value), LONGEST_VALUE)}" for name, value in key.items())


def _value(value: object) -> str:
    return "empty" if value is None else visible(repr(value), LONGEST_VALUE)


def _words(name: str) -> str:
    return name.removesuffix("_changed") + " changed" if name.endswith("_changed") else name
