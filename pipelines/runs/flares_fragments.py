"""The spans of a FLARES run put where their text is: what `fix --place` moves, repairs and reports."""

from dataclasses import dataclass

import polars as pl

from sharedtask.pipelines.inputs.findings import SpanSeen, records_of
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.runs.folded_text import FOLDS
from sharedtask.pipelines.runs.fragment_places import (
    ABSENT,
    AMBIGUOUS,
    FIRST,
    LAST,
    LEVEL,
    MORE,
    PLACED,
    PLACES,
    STATUS,
    TIMES,
    places,
)
from sharedtask.pipelines.runs.span_text import text_at
from sharedtask.schemas.flares.fragment_rules import FRAGMENT_ABSENT, FRAGMENT_AMBIGUOUS, FRAGMENT_PLACED
from sharedtask.schemas.flares.rules import SPAN_EMPTY, SPAN_OUT_OF_BOUNDS, SPAN_TEXT_DIFFERS
from sharedtask.schemas.flares.tag_rules import OFFSET_NOT_INTEGER, TAG_KEY_MISSING
from sharedtask.schemas.messages import clipped
from sharedtask.schemas.rule import At, Tally, finding
from sharedtask.schemas.spans import BY_LABEL, END, FORM, LABEL, SPAN, SPAN_TEXT, START, TEXT, raw


@dataclass(frozen=True, slots=True)
class Fragments:
    """The spans of a run that have a text, with where it is (`PLACES`)."""

    places: pl.DataFrame

    @property
    def placed(self) -> pl.DataFrame:
        """Those that have a place."""
        return self.places.filter(pl.col(STATUS) == PLACED)

    @property
    def left(self) -> pl.DataFrame:
        """Those that have none."""
        return self.places.filter(pl.col(STATUS) != PLACED)

    def apply(self, view: pl.DataFrame) -> pl.DataFrame:
        """The span view with the placed spans where their text is, and with the text of that place as their own."""
        if not self.places.height:
            return view
        known = self.placed.select("row", SPAN, FIRST, LAST)
        joined = view.join(known, on=["row", SPAN], how="left", maintain_order="left")
        there = text_at(pl.col(FIRST), pl.col(LAST))
        return joined.with_columns(
            pl.coalesce(FIRST, START).alias(START),
            pl.coalesce(LAST, END).alias(END),
            pl.when(pl.col(FIRST).is_null()).then(SPAN_TEXT).otherwise(there).alias(SPAN_TEXT),
        ).drop(FIRST, LAST)

    def repairs(self, written: pl.DataFrame, given: pl.DataFrame) -> list[Repair]:
        """For which rules spans that are written were moved: the first that each broke, if it broke one."""
        known = self.placed.join(written, on=["row", SPAN], how="semi")
        spans = given.join(known.select("row", SPAN, FIRST, LAST), on=["row", SPAN], how="inner")
        start, end, own = pl.col(START), pl.col(END), pl.col(SPAN_TEXT).str.strip_chars()
        moved = spans.filter(start.ne_missing(pl.col(FIRST)) | end.ne_missing(pl.col(LAST)))
        unread = pl.any_horizontal(
            pl.lit(value=False),
            *(
                pl.col(field).is_null() & pl.col(raw(field)).is_not_null()
                for field in (START, END)
                if raw(field) in spans.columns
            ),
        )
        broken = (
            (OFFSET_NOT_INTEGER, unread),
            (TAG_KEY_MISSING, start.is_null() | end.is_null()),
            (SPAN_OUT_OF_BOUNDS, (start < 0) | (end > pl.col(TEXT).str.len_chars())),
            (SPAN_EMPTY, end <= start),
            (SPAN_TEXT_DIFFERS, text_at().str.strip_chars() != own),
        )
        first = pl.coalesce(pl.when(fails).then(pl.lit(rule.name)) for rule, fails in broken)
        counts = dict(moved.select(first.fill_null(FRAGMENT_PLACED.name).alias("rule"))["rule"].value_counts().rows())
        rules = (*(rule for rule, _ in broken), FRAGMENT_PLACED)
        return [Repair(rule, counts[rule.name], "span") for rule in rules if rule.name in counts]

    def findings(self, run: Judged) -> list[Tally]:
        """The texts that are absent or ambiguous, and how many were found under each fold."""
        column = _column(run)
        at = At(run.opened.source.path, column=column)
        levels = self.placed.filter(pl.col(LEVEL) > 0).group_by(LEVEL).len("texts").sort(LEVEL)
        samples = [
            finding(FRAGMENT_PLACED, at, kind=run.opened.kind, fold=FOLDS[level - 1], texts=texts)
            for level, texts in levels.rows()
        ]
        return [*_unplaced(self.left, run, column), *([Tally.of(samples)] if samples else [])]


def no_fragments() -> Fragments:
    """Where nothing is to be placed."""
    return Fragments(pl.DataFrame(schema=PLACES))


def place_fragments(view: pl.DataFrame, choice: str) -> Fragments:
    """The spans of a view with their places; the order of texts that were given label by label counts in each label."""
    flag = FORM + BY_LABEL
    label = pl.col(raw(LABEL)) if raw(LABEL) in view.columns else pl.col(LABEL).cast(pl.String)
    return Fragments(
        places(view, choice, pl.when(flag).then(label) if flag in view.columns else pl.lit(None, pl.String))
    )


def _unplaced(left: pl.DataFrame, run: Judged, column: str) -> list[Tally]:
    """A finding for each text that has no place, listed up to the limit."""
    kind, path, limit = run.opened.kind, run.opened.source.path, run.opened.limits.findings
    own = next(one.official for one in kind.spans.columns if one.name == SPAN_TEXT) if kind.spans else SPAN_TEXT
    tallies = []
    for rule, status in ((FRAGMENT_ABSENT, ABSENT), (FRAGMENT_AMBIGUOUS, AMBIGUOUS)):
        some = left.filter(pl.col(STATUS) == status).sort("row", SPAN)
        if not some.height:
            continue
        shown = some.head(limit)
        records = records_of(run.opened, run.frame, shown["row"].unique().sort().to_list())
        samples = []
        for one in shown.iter_rows(named=True):
            record, span = records[one["row"]], one[SPAN]
            value = SpanSeen.of(kind, record.values, span).fields[SPAN_TEXT]
            at = At(path, record.line, record.number, column, record.key, span)
            facts = {"which": "many" if one[MORE] else "", "times": one[TIMES]} if status == AMBIGUOUS else {}
            samples.append(finding(rule, at, kind=kind, value=clipped(value), subject=f"{own} of span {span}", **facts))
        tallies.append(Tally.counted(rule, rule.severity_for(kind), some.height, samples, column=column))
    return tallies


def _column(run: Judged) -> str:
    """The name of the list of spans in the file."""
    kind = run.opened.kind
    name = kind.spans.name if kind.spans is not None else ""
    return run.opened.table.names.get(name, name)
