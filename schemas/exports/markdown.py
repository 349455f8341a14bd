"""A kind of file as Markdown: what it is, and a table of its columns."""

from collections.abc import Sequence

from sharedtask.schemas.kind import Column, Kind


def markdown(kind: Kind) -> str:
    """A section with the columns of a kind, ending with a newline."""
    lines = [
        f"# {kind.name}: {kind.title}",
        "",
        kind.description,
        "",
        f"- Form: {kind.container}{'' if kind.header else ', without a header'}",
        f"- Key: {', '.join(kind.key)}",
        f"- Source: {kind.source}",
        "",
        *_table(kind.columns, kind),
    ]
    if kind.spans:
        lines += ["", f"Each of the `{kind.spans.name}`:", "", *_table(kind.spans.columns, kind)]
    return "\n".join(lines) + "\n"


def _table(columns: Sequence[Column], kind: Kind) -> list[str]:
    rows = [("official", "canonical", "type", "", "what"), ("---",) * 5]
    for column in columns:
        spans = kind.spans is not None and column.name == kind.spans.name
        notes = ["may be empty"] * column.nullable + ["may be absent"] * column.optional
        dtype = "list of spans" if spans else str(column.reading.dtype)
        rows.append((f"`{column.official}`", f"`{column.name}`", dtype, "; ".join(notes), column.description))
    return ["| " + " | ".join(cell.replace("|", "\\|").replace("<", "\\<") for cell in row) + " |" for row in rows]
