"""The report as one JSON object."""

from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.results.report import Report


def render(report: Report) -> str:
    """The whole report as indented JSON, ending with a newline."""
    return dump(report.to_dict(), indented=True)
