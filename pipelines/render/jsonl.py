"""The findings as JSON Lines, one object a line; counts are in the other formats."""

import orjson

from sharedtask.pipelines.report import Report, finding_as_json


def render(report: Report) -> str:
    """Each finding shown as one line of JSON."""
    lines = (
        orjson.dumps(finding_as_json(finding), option=orjson.OPT_APPEND_NEWLINE, default=str)
        for finding in report.findings()
    )
    return b"".join(lines).decode()
