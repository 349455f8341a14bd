"""The findings as JSON Lines, one object a line; counts are in the other formats."""

from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.results.report import Report, finding_as_json


def render(report: Report) -> str:
    """Each finding shown as one line of JSON."""
    return "".join(dump(finding_as_json(finding), indented=False) for finding in report.findings())
