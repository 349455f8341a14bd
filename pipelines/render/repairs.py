"""What `fix` has done, as text."""

from sharedtask.pipelines.render.phrases import visible
from sharedtask.pipelines.results.fix_result import FixResult


def render_repairs(fixed: FixResult) -> str:
    """One line a repair with the number of places it touched, and the changed lines if they were asked for."""
    lines = [f"repaired {repair.count:>6} {repair.rule.code} {repair.rule.name}" for repair in fixed.repairs]
    if not lines:
        lines = [
            "nothing could be repaired automatically"
            if fixed.after is not None
            else "nothing was written because of the errors below"
        ]
    return "\n".join([*lines, *map(visible, fixed.diff)]) + "\n"
