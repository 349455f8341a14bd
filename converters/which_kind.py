"""Which kind of file a source is: detected from its columns, with its name to break ties."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from sharedtask.converters.errors import UnusableError
from sharedtask.converters.header import fit, is_complete, shared_columns
from sharedtask.converters.raw_table import UNREAD
from sharedtask.converters.sniff import SPANNED, Sniffed
from sharedtask.schemas.column_names import fold
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.nearest import unknown

MOST_NAMES = 12  # columns that a message lists
LONGEST_NAME = 40  # characters of a column that it shows


def has_all_columns(sniffed: Sniffed, kind: Kind) -> bool:
    """Whether a source has every column that the kind requires."""
    return bool(sniffed.container) and is_complete(sniffed.names, kind)


def fits_one_kind(cells: Sequence[str], kinds: Iterable[Kind]) -> bool:
    """Whether the first record of a delimited file fits one kind best, so that its name does not matter."""
    best, *others = sorted((fit(cells, kind) for kind in kinds), reverse=True)
    return best >= 0 and best not in others[:1]


def named_kind(name: str | None, kinds: Sequence[Kind]) -> Kind | None:
    if name is None:
        return None
    kind = next((kind for kind in kinds if kind.name == name), None)
    if kind is None:
        raise UnusableError(unknown("kind", name, (kind.name for kind in kinds)))
    return kind


def kind_among(sniffed: Sniffed, kinds: Iterable[Kind], *, runs_first: bool = False) -> Kind | None:
    """The kind that a source says it is, or that its columns fit best, else the one whose upload has such a file.

    None where there is none.

    A tie goes to the kind whose upload is called so, then to runs or data as the verb prefers, then to the name of the
    file. Where no record shows its columns, the name under which a kind was published decides.
    """
    known, stem = list(kinds), PurePath(sniffed.name).stem.lower()

    def is_upload(kind: Kind) -> bool:
        return kind.upload is not None and kind.upload.member == sniffed.name

    def rank(kind: Kind) -> tuple[int, bool, bool, bool]:
        word = kind.name.partition("/")[2].replace("-", "_")
        return fit(sniffed.names, kind), is_upload(kind), kind.is_run == runs_first, word in stem

    if not sniffed.container:
        return None
    if sniffed.container in SPANNED:
        return next((kind for kind in known if _holds_spanned_texts(kind)), None)
    stored = next((kind for kind in known if kind.name == sniffed.stored.get("kind")), None)
    if stored is not None and (fit(sniffed.names, stored) >= 0 or {*UNREAD} <= {*sniffed.names}):
        return stored
    best = max(known, key=rank, default=None)
    if best is not None and rank(best)[0] >= 0:
        return best
    if sniffed.mapping:
        names = {*map(fold, sniffed.names)}
        mapped = [kind for kind in known if not names.isdisjoint(map(fold, kind.mapped))]
        return next(iter([*mapped, *_published_as(sniffed.name, known)]), None)
    if not sniffed.names:  # no record could be read
        return next(iter(_published_as(sniffed.name, known)), next(filter(is_upload, known), None))
    return next(filter(is_upload, known), None)


def _published_as(name: str, kinds: Iterable[Kind]) -> list[Kind]:
    return [kind for kind in kinds if kind.file_names and re.match(kind.file_names, name)]


def unknown_kind(sniffed: Sniffed, kinds: Iterable[Kind]) -> str:
    """A sentence for a source of no known kind: the columns that it has, and the kind that shares most of them."""
    if not any(sniffed.names):
        return "the file has no columns that match a known kind"
    names = [" ".join(name.split()) for name in sniffed.names[:MOST_NAMES]]
    names = [name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…" for name in names]
    listed = ", ".join(names + ["…"] * (len(sniffed.names) > MOST_NAMES))
    shared = {kind.name: shared_columns(sniffed.names, kind) for kind in kinds}
    near = max(shared, key=shared.__getitem__, default="")
    return f"the columns ({listed}) match no known kind" + (f"; nearest: {near}" if shared.get(near) else "")


def _holds_spanned_texts(kind: Kind) -> bool:
    """Whether records of this kind are texts with their spans."""
    return kind.spans is not None and any(column.prose for column in kind.columns)
