"""Markdown: the one writer of tables, and a kind of file as a page with its columns."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from sharedtask.schemas.kind import Column, Kind

_SPECIAL = re.compile(r"[\\`*~\[\]$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"})
_BAR = re.compile(r"(?<!\\)[|]")


def escape(text: str) -> str:
    """Text that Markdown and HTML take literally, in a table cell too."""
    return _SPECIAL.sub(r"\\\g<0>", text.translate(_ENTITIES))


def prose(text: str) -> str:
    """Our own words, which are Markdown already, without anything that looks like a tag."""
    return text.replace("<", "\\<")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[int] = ()) -> list[str]:
    """The lines of a table whose cells are Markdown; the columns at `numbers`, counted from 0, are aligned right."""
    aligned = ["--:" if at in numbers else "---" for at in range(len(heads))]
    return [table_row(heads), f"|{'|'.join(aligned)}|", *map(table_row, rows)]


def table_row(cells: Sequence[str]) -> str:
    """A row of a table. A cell is put on one line, and a bar in it does not end it."""
    return f"| {' | '.join(_BAR.sub('&#124;', ' '.join(cell.split())) for cell in cells)} |"


def markdown(kind: Kind) -> str:
    """A page about a kind, ending with a newline."""
    return "\n\n".join([f"# {kind.name}: {prose(kind.title)}", prose(kind.description), *blocks(kind)]) + "\n"


def blocks(kind: Kind) -> Iterator[str]:
    """The form, key and source of a kind, and tables of its columns."""
    header, run = "" if kind.header else ", without a header", "; participants make it" if kind.is_run else ""
    yield f"- Form: {kind.container}{header}{run}\n- Key: {', '.join(kind.key)}\n- Source: {prose(kind.source)}"
    yield _columns(kind.columns, kind.spans.name if kind.spans else None)
    if kind.spans:
        yield f"Each of the `{kind.spans.name}`:"
        yield _columns(kind.spans.columns)


def _columns(columns: Sequence[Column], spans: str | None = None) -> str:
    rows = []
    for column in columns:
        dtype = "list of spans" if column.name == spans else str(column.reading.dtype)
        notes = ["may be empty"] * column.nullable + ["may be absent"] * column.optional
        notes += [f"also called {', '.join(column.aliases)}"] * bool(column.aliases)
        cells = (dtype, "; ".join(notes), column.description)
        rows.append((f"`{column.official}`", f"`{column.name}`", *map(prose, cells)))
    return "\n".join(table(("official", "canonical", "type", "", "what"), rows))
