"""The cells of a repaired run: as they are written, and which of them were changed for which rule."""

import polars as pl

from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.results.repair import Repair
from sharedtask.pipelines.runs.mended import ADDED, CHANGES, GIVEN_RECORD, Mended, no_changes
from sharedtask.pipelines.runs.run_kind import Frame
from sharedtask.pipelines.runs.span_text import text_at
from sharedtask.schemas import spans
from sharedtask.schemas.engine.masks import failing, span_view
from sharedtask.schemas.kind import Column, Kind
from sharedtask.schemas.messages import plural


def texts_written(mended: Mended, form: Frame, run: Judged) -> pl.DataFrame:
    """The columns of a form as text.

    A cell from which no value could be read keeps its raw text.
    """
    frame, kind = mended.frame, run.opened.kind
    official = form(frame.lazy()).collect(engine="streaming")
    columns = []
    for column, name in zip(kind.official, official.columns, strict=True):
        written, raw = official[name].cast(pl.String), _raw(frame, column, kind)
        if kind.spans is not None and column.name == kind.spans.name:
            kept = frame[column.name].is_null() | frame["row"].is_in(mended.as_given.implode()).fill_null(value=False)
            if raw is None and column.raw in frame.columns:  # lists in the file, whose fields are there as text
                raw = form(frame.lazy().with_columns(pl.col(column.raw).alias(column.name))).collect()[name]
            if mended.cells.height and raw is not None:
                in_part = frame.select("row").join(mended.cells, on="row", how="left", maintain_order="left")["cell"]
                raw = pl.select(pl.coalesce(in_part, raw)).to_series()
        else:
            kept = frame[column.name].is_null()
        texts = written if raw is None else pl.select(pl.when(kept).then(raw).otherwise(written)).to_series()
        columns.append(texts.alias(name))
    return pl.DataFrame(columns)


def with_contradicted(written: pl.DataFrame, texts: pl.DataFrame, frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """What is written, with the texts of all spans in records where one of them is not what stands at its offsets.

    So the next `check` or `fix` knows, too, that these offsets are in question.
    """
    if kind.spans is None or spans.TEXT not in frame.columns:
        return written
    mended = frame.lazy().select("row", spans.TEXT, kind.spans.name)  # without the lists as the file has them
    own = pl.col(spans.SPAN_TEXT)
    differs = (text_at() != own) & (text_at() != own.str.strip_chars())  # as the rule of runs compares them
    contradicted = span_view(mended, kind).filter(differs).select("row").unique()
    name = next(column.official for column in kind.official if column.name == kind.spans.name)
    with_texts = frame["row"].is_in(contradicted.collect()["row"].implode()).fill_null(value=False)
    return written.with_columns(pl.when(with_texts).then(texts[name]).otherwise(name).alias(name))


def of_cells(mended: Mended, written: pl.DataFrame, run: Judged) -> list[Repair]:
    """The repairs of single cells: how many were changed in which a rule had found something that can be mended."""
    kind = run.opened.kind
    changed = {
        column.name: mended.frame.filter(_is_changed(mended.frame, column, kind, written[name])).select("row")
        for column, name in zip(kind.official, written.columns, strict=True)
    }
    repairs = []
    for judgement in run.judgements:
        for bit, check in enumerate(judgement.checks.row):
            # A list of spans that was read through a fault of its cell is written without it.
            is_spans = kind.spans is not None and check.column == kind.spans.name
            columns = tuple(check.repair) or ((check.column,) if check.mended or is_spans else ())
            rows = failing(judgement.rows, bit).select("row").filter(~pl.col("row").is_in(mended.emptied.implode()))
            count = sum(rows.join(changed[name], on="row", how="semi").height for name in columns if name in changed)
            repairs.append(Repair(check.rule, count, "cell"))
    return repairs


def cell_changes(mended: Mended, written: pl.DataFrame, run: Judged) -> pl.DataFrame:
    """The cells that were changed, but those whose changes are told span by span, or are of the form alone."""
    kind, frame = run.opened.kind, mended.frame
    parts = [no_changes()]
    for column, name in zip(kind.official, written.columns, strict=True):
        raw, texts = _raw(frame, column, kind), written[name]
        changed = _is_changed(frame, column, kind, texts)
        if kind.spans is not None and column.name == kind.spans.name:
            mended_rows = pl.concat([_mended_rows(run, column), mended.emptied])
            changed &= frame["row"].is_in(mended_rows.implode()).fill_null(value=False)
        before = pl.lit(None, pl.String) if raw is None else raw
        part = frame.select(
            "row",
            pl.lit(column.official).alias("column"),
            pl.lit(None, pl.UInt32).alias("span"),
            before=before,
            after=texts,
        )
        parts.append(part.filter(changed).cast(CHANGES))  # type: ignore[arg-type]
    fields = [pl.format("{} {}", pl.lit(name), pl.col(name)) for name in written.columns]
    added = written.select(
        frame["row"],
        pl.lit(ADDED).alias("column"),
        pl.lit(None, pl.UInt32).alias("span"),
        before=frame[GIVEN_RECORD] if GIVEN_RECORD in frame.columns else pl.lit(None, pl.String),
        after=pl.concat_str(fields, separator=", "),
    )
    parts.append(added.filter(pl.col("row").is_null()).cast(CHANGES))  # type: ignore[arg-type]
    return pl.concat(parts).sort("row", nulls_last=True, maintain_order=True)


def form_notes(mended: Mended, written: pl.DataFrame, run: Judged) -> list[str]:
    """How many cells are written in another form, although no rule speaks of them and no value is another.

    Keys of tags that no upload has are left out, and a list is written as Python writes it; numbers as one writes them.
    """
    kind, frame, notes = run.opened.kind, mended.frame, list[str]()
    for column, name in zip(kind.official, written.columns, strict=True):
        raw, texts = _raw(frame, column, kind), written[name]
        if raw is None:
            continue
        other = raw.ne_missing(texts) & frame["row"].is_not_null() & raw.is_not_null()
        if kind.spans is not None and column.name == kind.spans.name:
            told = pl.concat([_mended_rows(run, column), mended.emptied, mended.changes["row"]])
            other &= ~frame["row"].is_in(told.implode()).fill_null(value=False)
        else:
            other &= ~_is_changed(frame, column, kind, texts)
        if count := int(other.sum()):
            verb = "is" if count == 1 else "are"
            notes.append(f"{plural(count, 'cell')} of {column.official} {verb} written in the official form")
    return notes


def _mended_rows(run: Judged, column: Column) -> pl.Series:
    """The records of which the cell of this column as a whole was read through a fault."""
    rows = [
        failing(judgement.rows, bit)["row"]
        for judgement in run.judgements
        for bit, check in enumerate(judgement.checks.row)
        if check.mended and check.column == column.name
    ]
    return pl.concat(rows) if rows else pl.Series([], dtype=pl.UInt32)


def _is_changed(frame: pl.DataFrame, column: Column, kind: Kind, written: pl.Series) -> pl.Series:
    """Whether the cell of a record of the run is written as another text than it was given.

    The same number in another form (`1.0` for `1`) is no change.
    """
    raw = _raw(frame, column, kind)
    if raw is None:
        return pl.repeat(value=False, n=frame.height, eager=True)
    changed = raw.ne_missing(written) & frame["row"].is_not_null()
    if column.reading.dtype.is_float():
        numbers = (text.str.strip_chars().cast(pl.Float64, strict=False) for text in (raw, written))
        changed &= pl.Series.ne_missing(*numbers)
    return changed


def _raw(frame: pl.DataFrame, column: Column, kind: Kind) -> pl.Series | None:
    """The text of a column in the run; None where it is no text there."""
    is_spans = kind.spans is not None and column.name == kind.spans.name
    raw = frame.get_column(spans.CELL if is_spans else column.raw, default=None)
    return raw if raw is not None and raw.dtype == pl.String else None
