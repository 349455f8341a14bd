"""Write the pages that are made from the code: rules.md, schemas.md and cli.md.

python docs/generate.py            write them
python docs/generate.py --check    exit 1, naming the page, where a committed one is not what would be written
"""

import argparse
import difflib
import io
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import cast

import click

from sharedtask.pipelines.cli import cli
from sharedtask.pipelines.render.rule import severity_of
from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.describe import describe
from sharedtask.schemas.exports.markdown import blocks, prose, table
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Example, Rule
from sharedtask.schemas.rules.catalogue import RULES

HERE = Path(__file__).resolve().parent
NOTICE = "<!-- Written by docs/generate.py; change the code, then run it again. -->"
WIDTH = 100
LONGEST_LINE = 240
FAMILIES = {
    "FMT": "any file",
    "RUN": "a run file against its reference",
    "FLA": "FLARES",
    "CHE": "CHEERS",
    "REI": "ReINTEL",
    "SPL": "between files",
}


def rules_page() -> Iterator[str]:
    """A table for each family, then a section for each rule."""
    yield "# Rules"
    yield (
        "This page lists every rule. Codes are never reused and names keep their meaning; `sharedtask explain RULE` "
        "shows the same as this page. **fix** marks rules with a safe repair."
    )
    families = [(code, list(rules)) for code, rules in groupby(RULES, key=lambda rule: rule.code[:3])]
    families.sort(key=lambda family: list(FAMILIES).index(family[0]))
    for code, rules in families:
        yield f"## {code}: {FAMILIES[code]}"
        rows = [
            (rule.code, f"[{rule.name}](#{rule.code.lower()}-{rule.name})", severity_of(rule), "fix" * rule.fixable)
            for rule in rules
        ]
        yield "\n".join(table(("code", "name", "severity", ""), rows))
        for rule in rules:
            yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    yield f"### {rule.code} {rule.name}"
    yield prose(rule.meaning)
    yield f"- Severity: {severity_of(rule)}{'; it has a safe repair' if rule.fixable else ''}\n- Since: {rule.since}"
    yield f"**Why it matters.** {prose(rule.why)}"
    yield f"**What to do.** {prose(rule.hint)}"
    if rule.example:
        against = f", checked against `{rule.example.against_name}`" if rule.example.against_name else ""
        yield f"**Example**, `{rule.example.name}` ({rule.example.kind}){against}; `-` is wrong, `+` is right:"
        yield _fence("diff", _difference(rule.example))


def _difference(example: Example) -> list[str]:
    """The lines in which the wrong and the right file differ, with one line around them."""
    wrong, right = _lines(example.wrong), _lines(example.right)
    lines = list(difflib.unified_diff(wrong, right, n=1, lineterm=""))[2:]  # without the names of the two files
    return [line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…" for line in lines if line[:2] != "@@"]


def _lines(content: str | bytes) -> list[str]:
    """A file as lines that can be printed; what cannot is written as Python would."""
    if isinstance(content, bytes) and content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [f"{name}: {line}" for name in archive.namelist() for line in _lines(archive.read(name))]
    data = content.encode() if isinstance(content, str) else content
    if not data:
        return ["(no bytes)"]
    pieces = data.removesuffix(b"\n").split(b"\n")
    lines = [_printable(piece) for piece in pieces]
    return lines if data.endswith(b"\n") else [*lines[:-1], lines[-1] + "  (no newline at the end)"]


def _printable(line: bytes) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("ascii", errors="backslashreplace")
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def schemas_page() -> Iterator[str]:
    """A section for each kind of file: its columns, and the rules that are checked on it alone."""
    yield "# File kinds"
    yield (
        "What the tool knows about each documented file; `sharedtask schemas KIND` shows the same. The first name of a column is the official "
        "one, the second the canonical one, which is the column of the converted table."
    )
    kinds = [(f"[{kind.name}](#{_anchor(kind)})", prose(kind.title)) for kind in all_kinds()]
    yield "\n".join(table(("kind", "what"), kinds))
    for kind in all_kinds():
        yield f"## {kind.name}"
        yield f"{prose(kind.title)}. {prose(kind.description)}"
        yield from blocks(kind)
        rules = cast("list[dict[str, str]]", describe(kind)["rules"])
        yield "Rules: " + ", ".join(
            f"[{rule['name']}](rules.md#{rule['code'].lower()}-{rule['name']}) ({rule['severity']})" for rule in rules
        )


def _anchor(kind: Kind) -> str:
    return kind.name.replace("/", "")


def cli_page() -> Iterator[str]:
    """The --help of each command."""
    yield "# Command line"
    yield (
        "Findings and results go to stdout, progress to stderr. Exit status: 0 if there are no errors, 1 if there are errors, "
        "2 for a usage error or if the tool could not run, 128 + n if signal n ended it (130: SIGINT, 143: SIGTERM)."
    )
    for path, text in _helps(cli, "sharedtask", None):
        yield f"## {path}"
        yield _fence("text", text.splitlines())


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is None:
                raise LookupError(f"{context.command_path} lists {inner} and has no such command")
            yield from _helps(found, inner, context)


def _fence(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"````{language}", *(line.rstrip() for line in lines), "````"])


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "rules.md": rules_page,
    "schemas.md": schemas_page,
    "cli.md": cli_page,
}


def written(page: Callable[[], Iterator[str]]) -> str:
    """The text of a page."""
    return "\n\n".join([NOTICE, *page()]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the pages that are made from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is stale")
    parser.add_argument("--out", type=Path, default=HERE, help="the folder of the pages (default: docs)")
    given = parser.parse_args()
    try:
        texts = {name: written(page) for name, page in PAGES.items()}
    except (ImportError, AttributeError, LookupError) as error:
        print(f"a page cannot be made: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    stale = []
    for name, text in texts.items():
        path = given.out / name
        if not given.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path))
    if stale:
        print(f"stale: {', '.join(stale)}; run `python docs/generate.py`", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
