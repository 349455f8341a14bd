"""The verbs, one file a command: plain arguments in, plain results out.

What is on top of reports and of what shows them brings the two together here.
"""

from sharedtask.pipelines.results.report import Report


def _in_a_notebook(report: Report) -> str:
    from sharedtask.pipelines.render.html import render  # here only: most reports are not shown in a notebook

    return render(report)


Report.notebook = staticmethod(_in_a_notebook)
