"""A run that is wholly in the form of the competition page: one finding in the place of those on names, keys and case."""

from collections.abc import Collection, Sequence

import polars as pl

from sharedtask.converters.opening import Opened
from sharedtask.converters.spans import tag_form
from sharedtask.converters.tag_cells import json_cells
from sharedtask.schemas import spans
from sharedtask.schemas.engine.masks import span_view
from sharedtask.schemas.kind import PageForm
from sharedtask.schemas.rule import At, Tally, tally_one


def in_page_form(opened: Opened, frame: pl.LazyFrame, tallies: Sequence[Tally]) -> list[Tally]:
    """The findings of an input, those that its form explains replaced by one where all of it has that form."""
    form, header = opened.kind.page_form, opened.table.header
    if form is None or {*header} != {*form.columns} or not _is_whole(opened, frame, form):
        return list(tallies)
    kept = [tally for tally in tallies if tally.rule not in form.replaces]
    at, which = At(opened.source.path, 1 if opened.layout else None), "" if opened.kind.is_run else "data"
    facts = {"columns": list(form.columns), "expected": opened.kind.official_header}
    return [tally_one(form.rule, at, kind=opened.kind, which=which, **facts), *kept]


def _is_whole(opened: Opened, frame: pl.LazyFrame, form: PageForm) -> bool:
    """Whether every key and every known label is written as on the page."""
    keys: Collection[str] | None = opened.table.tag_keys
    if keys is None:
        if spans.CELL not in frame.collect_schema():
            return False
        _, keys = json_cells(frame.select(spans.CELL), spans.CELL, [[key] for key in form.keys], tag_form(opened.kind))
    if not {*keys} <= {*form.keys}:
        return False
    label, raw = pl.col(spans.LABEL), pl.col(spans.raw(spans.LABEL))
    others = span_view(frame, opened.kind).filter(label.is_not_null() & ~raw.is_in(form.labels))
    return others.head(1).collect(engine="streaming").is_empty()
