"""One rule as text: what `explain` prints."""

from collections.abc import Iterator

from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.catalogue import SEVERITIES

LONGEST_EXAMPLE = 12  # lines


def render_rule(rule: Rule) -> str:
    """All that is known of a rule, with its examples."""
    return "\n".join(_lines(rule)) + "\n"


def _lines(rule: Rule) -> Iterator[str]:
    fix = "; it has a safe repair" if rule.fixable else ""
    yield f"{rule.code} {rule.name} ({severity_of(rule)}{fix})"
    yield ""
    yield rule.meaning
    yield f"Why:  {rule.why}"
    yield f"Do:   {rule.hint}"
    if rule.example is None:
        return
    example = rule.example
    for title, content in (("Wrong", example.wrong), ("Right", example.right)):
        yield ""
        yield f"{title} ({example.name}, {example.kind}):"
        yield from (f"    {line}" for line in shown(content))


def severity_of(rule: Rule) -> str:
    """The severity of a rule, and the kinds in which it is another one."""
    special: dict[Severity, list[str]] = {}
    for kind, severities in SEVERITIES.items():
        if rule.name in severities:
            special.setdefault(severities[rule.name], []).append(kind)
    return "; ".join([str(rule.severity), *(f"{one} in {', '.join(kinds)}" for one, kinds in special.items())])


def shown(content: str | bytes) -> list[str]:
    """The first lines of an example; bytes as Python writes them."""
    if isinstance(content, bytes):
        text = repr(content)
        return [text if len(text) <= 200 else text[:200] + "…"]
    lines = content.split("\n")
    kept = [line if len(line) <= 200 else line[:200] + "…" for line in lines[:LONGEST_EXAMPLE]]
    return [*kept, "…"] if len(lines) > LONGEST_EXAMPLE else kept
