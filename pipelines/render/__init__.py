"""Renderers: one module a format, each with `render(report) -> str`."""

from importlib import import_module

from sharedtask.pipelines.results.report import Report

FORMATS = ("text", "json", "jsonl", "markdown", "github", "junit", "sarif")


def render(report: Report, form: str) -> str:
    """The report in one of `FORMATS`; only the module of that format is loaded."""
    module = import_module(f"sharedtask.pipelines.render.{form}")
    text: str = module.render(report)
    return text
