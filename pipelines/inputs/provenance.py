"""What a Parquet file that was written says about itself: its kind and schema, and the source that it was made from."""

from collections.abc import Mapping
from types import MappingProxyType

from sharedtask.converters.opening import Opened
from sharedtask.converters.source_form import form_of
from sharedtask.pipelines.results.report import tool_version
from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.describe import schema_sha256


def metadata(
    opened: Opened,
    rows: int,
    mended: Mapping[str, int] = MappingProxyType({}),
    *,
    by_key: bool = False,
    records: int | None = None,
) -> dict[str, str]:
    """What a canonical Parquet file says about itself.

    The last to be asked for, since the hash is made while the rows are written.

    `mended` counts the cells that were mended, `by_key` says that the rows are sorted, `records` is how many the source
    has if these are not all of them.
    """
    source, kind = opened.source, kind_named(opened.kind.name)
    found = {tally.rule.name: tally.count for tally in (*opened.findings, *opened.table.tallies)}
    form = form_of(source, opened.table.form, {**found, **mended}, by_key=by_key, records=records)
    return {
        "sharedtask.kind": kind.name,
        "sharedtask.schema_version": str(kind.version),
        "sharedtask.schema_sha256": schema_sha256(kind),
        "sharedtask.source_name": source.name,
        "sharedtask.source_sha256": source.sha256,
        "sharedtask.source_bytes": str(source.size),
        "sharedtask.source_form": form.as_json(),
        "sharedtask.rows": str(rows),
        "sharedtask.tool_version": tool_version(),
    }
