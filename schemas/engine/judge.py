"""A canonical frame judged: by the fused plan, and by the rules across rows."""

import polars as pl

from sharedtask.schemas.engine.across_rows import across_rows
from sharedtask.schemas.engine.masks import Judgement, failing, mask_plans
from sharedtask.schemas.engine.select import Checks
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.rule import Rule, Severity


def judge(frame: pl.LazyFrame, kind: Kind, checks: Checks) -> Judgement:
    """Judge a canonical frame (`file`, `row`, canonical columns, and the raw ones where the source is text)."""
    rows, spans = pl.collect_all(mask_plans(frame, kind, checks), engine="streaming")
    return Judgement(checks, rows, spans, across_rows(frame, kind, checks))


def records_with_errors(judgement: Judgement, kind: Kind) -> pl.DataFrame:
    """The records that cannot be used, once for each rule: `row, rule`.

    They are those that a finding of severity error counts in, unless a reading or a repair mends it.
    """
    parts = []
    for masks, checks in ((judgement.rows, judgement.checks.row), (judgement.spans, judgement.checks.span)):
        for bit, check in enumerate(checks):
            if not (check.mended or check.repair or check.severity) and _is_error(check.rule, kind):
                parts.append(failing(masks, bit).select("row", rule=pl.lit(check.rule.name)))
    fatal = [
        rule.name
        for check in judgement.checks.table
        for rule in check.rules
        if not (check.repair and rule.fixable) and _is_error(rule, kind)
    ]
    across = judgement.across.filter(pl.col("rule").is_in(fatal))
    parts.append(across.select(pl.col("rows").alias("row"), "rule").explode("row"))
    return pl.concat(parts)


def _is_error(rule: Rule, kind: Kind) -> bool:
    return rule.severity_for(kind) is Severity.ERROR
