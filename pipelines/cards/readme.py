"""The card for people: README.md with the front matter of Hugging Face, tables, and bars as inline SVG."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sharedtask.pipelines.cards.statistics import FileFacts
from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.markdown import code
from sharedtask.pipelines.render.phrases import visible
from sharedtask.schemas.exports.markdown import escape, prose, table
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.split_names import split_of

MARK = "<!-- Written by `sharedtask card`; run it again after a change of the files. -->"
HUB_SPLITS = {"dev": "validation", "val": "validation"}  # the others are called there as here
LOADED = ("csv", "jsonl", "parquet")  # containers that the Hub reads by itself
SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
LARGER = "n>10M"
BAR = 120  # pixels


@dataclass(frozen=True, slots=True)
class About:
    """What nobody can read off the files: name, licence, address, languages, and the tasks as words of the Hub."""

    name: str
    licence: str
    url: str | None
    languages: tuple[str, ...]


def readme(about: About, files: Sequence[FileFacts]) -> str:
    """The whole card."""
    parts = [_front_matter(about, files), MARK, f"# {escape(visible(about.name))}", *_summary(files), *_kinds(files)]
    return "\n\n".join(parts) + "\n"


def _front_matter(about: About, files: Sequence[FileFacts]) -> str:
    known = [one for one in files if one.kind]
    rows = sum(one.rows or 0 for one in known)
    fields: dict[str, object] = {
        "pretty_name": about.name,
        "license": about.licence,
        "language": list(about.languages),
        "task_categories": _categories(known),
        "size_categories": [next((word for most, word in SIZES if rows < most), LARGER)],
        "tags": ["croissant", *dict.fromkeys(one.kind.task for one in known if one.kind)],
        "configs": _configs(known),
    }
    # JSON is YAML, so names and paths need no other quoting.
    lines = [f"{key}: {dump(value, indented=False).rstrip()}" for key, value in fields.items() if value]
    return "\n".join(["---", *lines, "---"])


def _categories(files: Sequence[FileFacts]) -> list[str]:
    found = {
        "token-classification" if one.kind and one.kind.spans else "text-classification" for one in files if one.labels
    }
    return sorted(found)


def _configs(files: Sequence[FileFacts]) -> list[dict[str, object]]:
    """One configuration a kind and container, with the files of each split."""
    configs: dict[str, dict[str, list[str]]] = {}
    for one in files:
        split = split_of(one.path.name)
        if one.kind is None or one.kind.is_run or split is None or one.container not in LOADED:
            continue
        usual = "jsonl" if one.kind.container == "jsonl" else "csv"
        name = one.kind.name.replace("/", "-") + ("" if one.container == usual else f"-{one.container}")
        configs.setdefault(name, {}).setdefault(HUB_SPLITS.get(split, split), []).append(one.path.as_posix())
    return [
        {"config_name": name, "data_files": [{"split": split, "path": paths} for split, paths in splits.items()]}
        for name, splits in configs.items()
    ]


def _summary(files: Sequence[FileFacts]) -> Iterator[str]:
    rows = [
        (
            code(visible(one.path.as_posix())),
            one.kind.name if one.kind else "",
            _number(one.rows),
            _number(one.spans),
            _number(one.bytes),
            f"`{one.sha256[:16]}…`",
        )
        for one in files
    ]
    yield "## Files"
    yield "\n".join(table(("file", "kind", "records", "spans", "bytes", "sha256"), rows))
    yield "The full checksums are in `croissant.json`, which describes the files for programs."


def _kinds(files: Sequence[FileFacts]) -> Iterator[str]:
    """A section a kind, with what its files hold."""
    kinds = {one.kind.name: one.kind for one in files if one.kind}
    for name, kind in sorted(kinds.items()):
        of_kind = [one for one in files if one.kind and one.kind.name == name]
        yield f"## {kind.title}"
        yield f"{prose(kind.description)} Source: {prose(kind.source)}"
        yield _columns(kind, of_kind)
        for one in of_kind:
            yield f"### {escape(visible(one.path.as_posix()))}"
            yield from _of_file(one)


def _columns(kind: Kind, files: Sequence[FileFacts]) -> str:
    """The columns of the files of a kind, and how many cells of each are empty in each file."""
    columns = [column for column in kind.columns if any(column.official in one.nulls for one in files)]
    heads = ("column", "what", *(f"empty in {escape(visible(one.path.name))}" for one in files))
    rows = [
        (
            f"`{column.official}`",
            prose(column.description),
            *(_number(one.nulls.get(column.official)) for one in files),
        )
        for column in columns
    ]
    return "\n".join(table(heads, rows))


def _of_file(one: FileFacts) -> Iterator[str]:
    if one.lengths:
        rows = [
            (f"`{name}`", _number(of.least), f"{of.median:,.0f}", f"{of.mean:,.1f}", _number(of.most))
            for name, of in one.lengths.items()
        ]
        yield "\n".join(table(("characters of", "least", "median", "mean", "most"), rows))
    for name, (first, last) in one.dates.items():
        yield f"`{name}` from {first} to {last}."
    for name, counts in one.labels.items():
        yield _balance(name, counts)
    if not (one.lengths or one.dates or one.labels):
        yield f"{_number(one.rows)} records."


def _balance(name: str, counts: Mapping[str, int]) -> str:
    total, most = sum(counts.values()), max(counts.values())
    rows = [
        (escape(visible(value)), _number(count), f"{100 * count / total:.1f} %", _bar(count / most))
        for value, count in counts.items()
    ]
    return "\n".join(table((f"`{name}`", "times", "share", ""), rows))


def _bar(share: float) -> str:
    """A bar as inline SVG, in one line; the numbers beside it say the same."""
    width = max(1, round(BAR * share))
    return f'<svg width="{BAR}" height="10" role="img"><rect width="{width}" height="10" fill="#4c78a8"/></svg>'


def _number(count: int | None) -> str:
    return "" if count is None else f"{count:,}"
