"""The report as one JSON object."""

import orjson

from sharedtask.pipelines.report import Report
from sharedtask.pipelines.version import tool_version


def render(report: Report) -> str:
    """The whole report as indented JSON, ending with a newline."""
    return orjson.dumps(
        report.as_json(tool_version()), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE, default=str
    ).decode()
