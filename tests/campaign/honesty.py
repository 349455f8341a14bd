"""Invariants of `fix`: it hides nothing, worsens nothing, and has nothing left to do the second time."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.campaign.formats import Report, parse_report
from tests.campaign.sandbox import Done, Sandbox
from tests.campaign.trial import Trial

SPANS = ("span-", "bad-tag", "tag-text", "no-reliable", "offsets-")
"""What rules about spans begin with; a cause that was repaired explains them."""


def _reference(trial: Trial) -> str:
    return trial.args[trial.args.index("--against") + 1]


def _fixed(trial: Trial) -> Path:
    return Path(trial.args[trial.args.index("--out") + 1])


def _errors(report: Report) -> set[str]:
    return {rule["name"] for rule in report["rules"] if rule["severity"] == "error"}


def fix_hides_nothing(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """Each error of `check` was repaired and counted, or is still reported."""
    sandbox.fresh(trial)
    before = sandbox.run(["check", trial.target, "--against", _reference(trial), "--format", "json"])
    args = [word for word in trial.args if word not in ("--quiet", "--diff")]
    fixed = sandbox.run([*args, "--format", "json"])
    if before.status == 2 or fixed.status == 2:
        return
    was, now = parse_report(before.out), parse_report(fixed.out)
    repaired = {one["name"] for one in now.get("repairs") or []}
    shown = {rule["name"] for rule in now["rules"]}
    hidden = _errors(was) - repaired - shown
    if any(name.startswith("offsets-") for name in repaired | shown):
        hidden = {name for name in hidden if not name.startswith(SPANS)}
    if hidden:
        yield f"{', '.join(sorted(hidden))} neither repaired nor reported; repaired {sorted(repaired)}"


def fix_worsens_nothing(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """A run that is scored before and after has no smaller score after."""
    out = _fixed(trial)
    if not out.exists():
        return
    before, after = (_scores(sandbox, path, _reference(trial)) for path in (trial.target, str(out)))
    for name in before:
        if name in after and after[name] < before[name] - 1e-9:
            yield f"{name} falls from {before[name]} to {after[name]}"
            return


def _scores(sandbox: Sandbox, run: str, gold: str) -> dict[str, float]:
    """The scores of which more is better."""
    done = sandbox.run(["score", run, "--against", gold, "--format", "json"])
    if done.status == 2:
        return {}
    scores = json.loads(done.out).get("score") or {}
    return {
        name: value
        for name, value in (scores.get("scores") or {}).items()
        if isinstance(value, float) and re.search(r"f1|auc|accuracy", name)
    }


def fix_is_done_at_once(trial: Trial, sandbox: Sandbox, done: Done) -> Iterator[str]:
    """What `fix` wrote is fixed to itself, without a further repair."""
    out = _fixed(trial)
    if not out.exists():
        return
    again = Path("out") / f"again{out.suffix}"
    repaired = sandbox.run(["fix", str(out), "--against", _reference(trial), "--out", str(again), "--format", "json"])
    if repaired.status == 2:
        yield f"refused: {repaired.err.strip()[:200]}"
    elif not again.exists():
        yield "written once, and not the second time"
    elif again.read_bytes() != out.read_bytes():
        yield f"other bytes the second time; repairs {parse_report(repaired.out).get('repairs')}"
