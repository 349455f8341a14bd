"""The table of what a campaign covered, in Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.campaign.campaign import State

NAMES = ("kind", "container", "verb", "invariant")


def render(state: State) -> str:
    """Kinds by container, verbs by invariant, and how many combinations of all four there were."""
    head = f"{state.next} inputs of seed {state.seed}, {state.calls} calls, {len(state.covered)} combinations of {', '.join(NAMES)}; "
    head += f"{len(state.failures)} distinct failures in {sum(one.count for one in state.failures.values())} inputs"
    statuses = ", ".join(f"{count} with {status}" for status, count in sorted(state.statuses.items()))
    head += f"; exit status: {statuses}"
    return "\n".join([head, "", *_table(state, 0, 1), "", *_table(state, 2, 3), ""])


def _table(state: State, down: int, across: int) -> Iterable[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for names, count in state.covered.items():
        counts[names[down], names[across]] += count
    rows, columns = (sorted({pair[place] for pair in counts}) for place in (0, 1))
    yield _row([NAMES[down], *columns, "all"])
    yield "|---|" + "--:|" * (len(columns) + 1)
    for row in rows:
        cells = [counts[row, column] for column in columns]
        yield _row([row, *(str(cell) if cell else "" for cell in cells), str(sum(cells))])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
