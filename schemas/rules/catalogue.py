"""The catalogue: every rule there is, and how to find one."""

from collections.abc import Mapping

from sharedtask.schemas.cheers import rules as cheers_rules
from sharedtask.schemas.flares import cause_rules, fragment_rules, tag_rules
from sharedtask.schemas.flares import rules as flares_rules
from sharedtask.schemas.nearest import nearest
from sharedtask.schemas.reintel import rules as reintel_rules
from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules import fmt_columns as column_rules
from sharedtask.schemas.rules import fmt_damage as damage_rules
from sharedtask.schemas.rules import fmt_files as file_rules
from sharedtask.schemas.rules import fmt_values as value_rules
from sharedtask.schemas.rules import run as run_rules
from sharedtask.schemas.rules import spl as split_rules

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *file_rules.RULES,
            *damage_rules.RULES,
            *column_rules.RULES,
            *value_rules.RULES,
            *run_rules.RULES,
            *tag_rules.RULES,
            *flares_rules.RULES,
            *cause_rules.RULES,
            *fragment_rules.RULES,
            *cheers_rules.RULES,
            *reintel_rules.RULES,
            *split_rules.RULES,
        ),
        key=lambda rule: rule.code,
    )
)

_BY_WORD = {word.lower(): rule for rule in RULES for word in (rule.code, rule.name)}


SEVERITIES: Mapping[str, Mapping[str, Severity]] = {**flares_rules.SEVERITIES, **reintel_rules.SEVERITIES}
"""The severities that kinds of file have otherwise than their rules: kind, name of the rule, severity."""


class UnknownRuleError(ValueError):
    """No rule has this code or name; the message names the nearest one."""


def find(code_or_name: str) -> Rule:
    """The rule of this code or name, in any case. Raises UnknownRuleError."""
    word = code_or_name.strip().lower()
    if word in _BY_WORD:
        return _BY_WORD[word]
    near = nearest(word, _BY_WORD)
    hint = (
        f"did you mean {_BY_WORD[near].code} {_BY_WORD[near].name}?"
        if near
        else "see `sharedtask rules` for all of them"
    )
    raise UnknownRuleError(f"there is no rule {code_or_name!r}; {hint}")
