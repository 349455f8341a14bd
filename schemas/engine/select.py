"""Which checks of a kind apply to one file: by the columns that it has, and by what is known of its bytes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sharedtask.schemas import spans
from sharedtask.schemas.column_names import odd_keys, tag_keys
from sharedtask.schemas.engine.text_checks import nul_check, swallowed_check, text_checks
from sharedtask.schemas.kind import RAW, Check, Column, Kind, SpanColumn, TableCheck, View, form_checks
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.fmt_columns import MISNAMED_COLUMN
from sharedtask.schemas.rules.fmt_files import MAX_FIELD_BYTES, SPACE_AFTER_DELIMITER
from sharedtask.schemas.rules.fmt_values import BAD_VALUE

MOST_KEYS = 12  # of tags, whose names findings show
MOST_FORMS = 6  # of cells of tags, which a finding names
MAX_CHECKS = 64  # bits of the mask column


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks that apply to one file: those on records, those on spans, and those that look across rows."""

    row: tuple[Check, ...]
    span: tuple[Check, ...]
    table: tuple[TableCheck, ...]

    def __post_init__(self) -> None:
        if max(len(self.row), len(self.span)) > MAX_CHECKS:
            raise ValueError(f"at most {MAX_CHECKS} checks fit in one mask")

    @property
    def rules(self) -> frozenset[Rule]:
        """All rules that are checked."""
        single = {check.rule for check in (*self.row, *self.span)}
        return frozenset(single.union(*(check.rules for check in self.table)))


def present(kind: Kind, columns: Collection[str]) -> tuple[Column, ...]:
    """The columns of the kind that a file has."""
    return tuple(column for column in kind.columns if column.name in columns)


def checks_for(
    kind: Kind,
    columns: Collection[str],
    *,
    given: bool = True,
    max_bytes: int = MAX_FIELD_BYTES,
    lacks: Collection[str] = (),
) -> Checks:
    """The checks of a kind for a frame with these columns: the canonical ones, and whatever its reader put beside them.

    `given` says that the raw text stands beside the values, `lacks` names the classes of bytes that the file does not
    hold: checks that need one of them are left out.
    """
    row: list[Check] = []
    span: list[Check] = []
    nul = [nul_check(column) for column in _raw_texts(kind, columns)] if given and "nul" not in lacks else []
    every = (*nul, *kind.checks)
    causes = [check for check in every if check.instead_of and set(check.fails.meta.root_names()) <= {*columns}]
    row += nul
    for column in present(kind, columns):
        judged_by_cell = kind.spans is not None and column.name == kind.spans.name and spans.BAD in columns
        form = [] if judged_by_cell else form_checks(column, given=given and column.name not in kind.derived)
        row += _silenced(form, column, causes)
        if f"mistyped.{column.name}" in columns and not (column.reading.faults or column.reading.untyped):
            row.append(Check(BAD_VALUE, column.name, pl.col(f"mistyped.{column.name}"), "a JSON string"))
        if f"odd.{column.name}" in columns and not (column.reading.faults or column.reading.untyped):
            row.append(Check(BAD_VALUE, column.name, pl.col(f"odd.{column.name}"), "text"))
        if column.prose:
            row += text_checks(column, max_bytes=max_bytes)
            there = [one for one in kind.official if one.name in columns]
            row += filter(None, [swallowed_check(column, there)] if given and there else [])
    if kind.spans and kind.spans.name in columns:
        for column in kind.spans.columns:
            span += form_checks(column, view=View.SPAN, given=given)
        row += _key_checks(kind.spans, columns)
        row += _form_checks(kind, kind.spans, columns)
    if "spaced" in columns:
        second = present(kind, columns)[:2][-1]
        row.append(Check(SPACE_AFTER_DELIMITER, second.name, pl.col("spaced"), which="some", mended=True, once=True))
    at_hand = {*columns, *_span_columns(kind, columns, given=given)}
    for check in kind.checks:
        if set(check.fails.meta.root_names()) <= at_hand and not (check.typed and given):
            (span if check.view is View.SPAN and kind.spans else row).append(check)
    row, span = _spoken_once(row), _spoken_once(span)
    table = tuple(check for check in kind.table_checks if set(check.columns) <= at_hand)
    needed = [[check for check in some if check.needs not in lacks or check.needs is None] for some in (row, span)]
    return Checks(tuple(needed[0]), tuple(needed[1]), table)


def _key_checks(listed: SpanColumn, columns: Collection[str]) -> list[Check]:
    """The checks of the keys of tags that are not official: one a name for those in another case, one for the others."""
    names = [name.removeprefix(spans.KEY) for name in columns if name.startswith(spans.KEY)]
    odd = odd_keys(tag_keys(names, listed))
    misnamed, others = [key for key in odd if not key.other], [key for key in odd if key.other]
    has = {key.name: pl.col(spans.KEY + key.name) for key in odd}
    checks = [
        Check(
            MISNAMED_COLUMN,
            listed.name,
            has[key.name],
            key.column.official,
            which="tag",
            mended=True,
            once=True,
            shows={"key": key.name},
        )
        for key in misnamed[:MOST_KEYS]
    ]
    if others:
        expected = list(dict.fromkeys(key.column.official for key in others))
        fails = pl.any_horizontal(has[key.name] for key in others)
        shows = {"keys": [key.name for key in others][:MOST_KEYS], "official": expected}
        checks.append(
            Check(listed.other_keys, listed.name, fails, " and ".join(expected), mended=True, once=True, shows=shows)
        )
    return checks


def _form_checks(kind: Kind, listed: SpanColumn, columns: Collection[str]) -> list[Check]:
    """The check of cells that are written in another form and were read all the same, if there are any."""
    forms = [name.removeprefix(spans.FORM) for name in columns if name.startswith(spans.FORM)]
    if not forms:
        return []
    # Texts alone say nothing of offsets, so that a repair of them has to be asked for.
    alone = [form for form in forms if kind.is_run and form in spans.TEXTS_ALONE]
    others = [form for form in forms if form not in alone]
    return [
        Check(
            listed.other_forms,
            listed.name,
            pl.any_horizontal(pl.col(spans.FORM + form) for form in some),
            "a list of dicts, as Python writes it",
            which=which,
            mended=True,
            fixable=some is not alone,
            once=True,
            shows={"forms": some[:MOST_FORMS]},
        )
        for some, which in ((alone, "texts"), (others, "run" if kind.is_run else "data"))
        if some
    ]


def _silenced(checks: list[Check], column: Column, causes: Sequence[Check]) -> list[Check]:
    """The form checks of a column, silent in records that break a check which speaks instead of them."""
    for cause in causes:
        if column.name in cause.instead_of:
            checks = [replace(check, fails=check.fails & ~cause.fails.fill_null(False)) for check in checks]
    return checks


def _raw_texts(kind: Kind, columns: Collection[str]) -> list[Column]:
    """The columns that are text in the file, but not prose, which has rules of its own, or a list of spans."""
    spans = kind.spans.name if kind.spans is not None else None
    there = [column for column in present(kind, columns) if column.raw in columns and column.name not in kind.derived]
    return [column for column in there if not column.prose and column.name != spans]


def _spoken_once(checks: list[Check]) -> list[Check]:
    """The checks, of which those of a rule that speaks once are silent where one before them has spoken."""
    spoken: dict[str, pl.Expr] = {}
    kept: list[Check] = []
    for check in checks:
        if not (check.rule.once and check.mended):
            kept.append(check)
            continue
        before = spoken.get(check.rule.name, pl.lit(value=False))
        kept.append(replace(check, fails=check.fails & ~before))
        spoken[check.rule.name] = before | check.fails.fill_null(False)
    return kept


def _span_columns(kind: Kind, columns: Collection[str], *, given: bool) -> set[str]:
    """The names that the span view of a frame adds; a kind without lists has them as columns of its own."""
    if not kind.spans or kind.spans.name not in columns:
        return set()
    names = [column.name for column in kind.spans.columns]
    return {spans.SPAN, spans.TEXT, *names, *(RAW + name for name in names if given)}
