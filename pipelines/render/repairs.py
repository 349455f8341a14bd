"""What `fix` has done, as text."""

from sharedtask.pipelines.render.phrases import visible
from sharedtask.pipelines.results.fix_result import FixResult


def render_repairs(fixed: FixResult) -> str:
    """A line for each repair with the number of places that it changed, and the changes if they were asked for."""
    lines = [f"{one.how:<8} {one.count:>6} {one.rule.code} {one.rule.name}: {one.extent}" for one in fixed.repairs]
    if not lines and fixed.after is not None:
        lines = ["nothing to repair" if fixed.before.ok else "nothing could be repaired automatically"]
    if fixed.after is None:
        lines = ["nothing was written because of the errors below"]
    return "\n".join([*lines, *map(visible, fixed.diff)]) + "\n"
