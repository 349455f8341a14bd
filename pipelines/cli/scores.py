"""`score`, `compare` and `baseline`: what is done with gold labels."""

from collections.abc import Callable
from textwrap import fill
from typing import Any

import click

from sharedtask.converters.limits import Limits
from sharedtask.pipelines.cli.exit_status import status_of
from sharedtask.pipelines.cli.options import (
    MOST,
    Destination,
    finish,
    limit_options,
    report_options,
    result_options,
    write_text,
)
from sharedtask.pipelines.metrics.scorer import Scorer
from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.render.score import FORMATS

Command = Callable[..., Any]


def score_options(command: Command) -> Command:
    """The options of both verbs that score."""
    options = [
        click.option(
            "--scorer",
            help="Name of the scorer; see `score --list`.  [default: the first one for the kind]",
        ),
        click.option("--kind", help="File kind of the run, such as cheers/run.  [default: detected from the columns]"),
        click.option(
            "--allow-missing",
            is_flag=True,
            help="Score a run even if answers are missing, treating them as its task documents.",
        ),
        click.option(
            "--bootstrap",
            type=click.IntRange(0, MOST),
            default=0,
            metavar="N",
            help="Compute confidence intervals from N bootstrap resamples.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same resamples."),
    ]
    command = limit_options(result_options(FORMATS)(command))
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("run", required=False)
@click.option("--against", metavar="GOLD", help="The gold file: ids and labels, in any supported format.")
@click.option("--list", "list_them", is_flag=True, help="List the scorers and what each of them reproduces.")
@click.option(
    "--per-item",
    metavar="FILE",
    help="Write the outcome of each span, sentence or post (.parquet, .csv or .jsonl).",
)
@score_options
def score(
    run: str | None,
    against: str | None,
    list_them: bool,
    per_item: str | None,
    output: Destination,
    **options: Any,
) -> int:
    """Score RUN against its gold with a published scorer.

    The exit status is 0 if a score was computed, even with findings, and 1 if scoring was refused.
    """
    from sharedtask.pipelines.render.score import render_score
    from sharedtask.pipelines.verbs.score import score as run_score
    from sharedtask.pipelines.verbs.score import scorers

    if list_them:
        write_text(_listed(list(scorers()), output.form), output)
        return 0
    if run is None or against is None:
        raise click.UsageError("expected sharedtask score RUN --against GOLD, or sharedtask score --list")
    output.spare(run, against, out=per_item)
    result = run_score(run, against, per_item=per_item, **options)
    write_text(render_score(result, output.form), output, [run, against], result.report.written)
    return status_of(failed=not result.ok)


@click.command()
@click.argument("run_a")
@click.argument("run_b")
@click.option(
    "--against", metavar="GOLD", required=True, help="The gold file: ids and labels, in any supported format."
)
@click.option(
    "--max-items",
    type=click.IntRange(0, MOST),
    default=20,
    show_default=True,
    help="Most differing items that are listed.",
)
@score_options
def compare(run_a: str, run_b: str, against: str, output: Destination, **options: Any) -> int:
    """Score RUN_A and RUN_B against the same gold, and report the difference, A minus B."""
    from sharedtask.pipelines.render.score import render_comparison
    from sharedtask.pipelines.verbs.compare import compare as run_compare

    output.spare(run_a, run_b, against)
    result = run_compare(run_a, run_b, against, **options)
    write_text(render_comparison(result, output.form), output, [run_a, run_b, against])
    return status_of(failed=not result.ok)


def _listed(scorers: list[Scorer], form: str) -> str:
    """The scorers with source, definition and known departures of each."""
    defaults = {one.kind: one.name for one in reversed(scorers)}
    described = [
        {
            "name": one.name,
            "kind": one.kind,
            "default": defaults[one.kind] == one.name,
            "title": one.title,
            "source": one.source,
            "definition": one.definition,
            "departures": list(one.departures),
        }
        for one in scorers
    ]
    if form == "json":
        return dump(described, indented=True)
    parts = []
    for one in scorers:
        default = ", the default" if defaults[one.kind] == one.name else ""
        lines = [
            ("source", one.source),
            ("definition", one.definition),
            *(("departs", line) for line in one.departures),
        ]
        if form == "markdown":
            items = "".join(f"- {name}: {line}\n" for name, line in lines)
            parts.append(f"### {one.kind}: {one.name}{default}\n\n{one.title}\n\n{items}")
        else:
            items = "".join(
                fill(line, 100, initial_indent=f"    {name + ':':<12}", subsequent_indent=" " * 16) + "\n"
                for name, line in lines
            )
            parts.append(f"{one.name} ({one.kind}{default}): {one.title}\n{items}")
    return "\n".join(parts)


@click.command()
@click.option("--train", required=True, help="The training file, with labels.")
@click.option("--against", required=True, help="The reference file that the run is made for.")
@click.option("--out", metavar="FILE", required=True, help="File to write, .csv or .zip.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed makes the same bytes.")
@click.option(
    "--method",
    metavar="NAME",
    help="cheers: random, majority; flares: empty, lead (subtask 1), majority, random (subtask 2); reintel: prior, random.  "
    "[default: the first of these]",
)
@report_options
def baseline(
    train: str, against: str, out: str, seed: int, method: str | None, limits: Limits, output: Destination
) -> int:
    """Make a run without a model, from the labels of a training file or at random."""
    from sharedtask.pipelines.verbs.baseline import baseline as run_baseline

    output.spare(train, against, out=out)
    report = run_baseline(train, against, out, seed=seed, method=method, limits=limits)
    return finish(report, output)
