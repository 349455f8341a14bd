"""What `diff` hands back, as data: exact counts, and the first rows of each sort. No text is made here."""

from dataclasses import dataclass, field

from sharedtask.pipelines.results.plain import plain
from sharedtask.pipelines.results.report import Input, tool_version

Key = dict[str, object]
Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class SpanChange:
    """What became of one span: `change` is added, removed, moved, relabelled, or `<field>_changed`.

    Reordered is the list as a whole.
    """

    change: str
    old: Values | None
    new: Values | None

    def to_dict(self) -> dict[str, object]:
        return {"change": self.change, "old": self.old, "new": self.new}


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is in both releases and not the same.

    The old and the new value of each column that differs, and its spans.
    """

    key: Key
    columns: dict[str, tuple[object, object]]
    spans: tuple[SpanChange, ...] = ()

    def to_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"key": self.key}
        data["columns"] = {name: {"old": old, "new": new} for name, (old, new) in self.columns.items()}
        return data | ({"spans": [span.to_dict() for span in self.spans]} if self.spans else {})


@dataclass(frozen=True, slots=True, repr=False)
class DiffResult:
    """Two releases of one kind, old and new.

    `columns` counts the rows in which a column differs, `spans` what became of spans (`reordered` counts rows), by
    official names. `columns_added` and `columns_removed` are in one release only. `out_of_order` is the first key that
    is elsewhere among the rows that are in both, None if none does.
    """

    kind: str
    inputs: tuple[Input, Input]
    added: int
    removed: int
    changed: int
    unchanged: int
    columns: dict[str, int] = field(default_factory=dict)
    columns_added: tuple[str, ...] = ()
    columns_removed: tuple[str, ...] = ()
    spans: dict[str, int] = field(default_factory=dict)
    out_of_order: Key | None = None
    added_keys: tuple[Key, ...] = ()
    removed_keys: tuple[Key, ...] = ()
    changed_rows: tuple[RowChange, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        rows = f"{self.added} added, {self.removed} removed, {self.changed} changed, {self.unchanged} unchanged"
        return f"<DiffResult of two {self.kind}: {self.difference}, {rows}>"

    @property
    def difference(self) -> str:
        """The most that differs: `content`, `order` of the rows alone, `bytes` alone, or `none`."""
        if self.added or self.removed or self.changed or self.columns_added or self.columns_removed:
            return "content"
        if self.out_of_order is not None:
            return "order"
        old, new = self.inputs
        return "none" if old.sha256 == new.sha256 else "bytes"

    @property
    def equal(self) -> bool:
        """Whether the two are the same, byte for byte."""
        return self.difference == "none"

    def to_dict(self) -> dict[str, object]:
        """The changes as plain data; `version` is the tool's."""
        return {
            "tool": "sharedtask",
            "version": tool_version(),
            "verb": "diff",
            "task": self.kind.partition("/")[0],
            "kind": self.kind,
            "equal": self.equal,
            "difference": self.difference,
            "inputs": [plain(one.to_dict()) for one in self.inputs],
            "counts": {
                "added": self.added,
                "removed": self.removed,
                "changed": self.changed,
                "unchanged": self.unchanged,
            },
            "columns": self.columns,
            "columns_added": list(self.columns_added),
            "columns_removed": list(self.columns_removed),
            "spans": self.spans,
            "out_of_order": plain(self.out_of_order),
            "added": [plain(key) for key in self.added_keys],
            "removed": [plain(key) for key in self.removed_keys],
            "changed": [plain(row.to_dict()) for row in self.changed_rows],
            "notes": list(self.notes),
        }
