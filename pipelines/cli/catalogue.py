"""`schemas`, `rules` and `explain`: what the tool knows, told."""

import json

import click

from sharedtask.converters.source import UnusableError


@click.command()
@click.argument("kind", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is written.",
)
def schemas(kind: str | None, form: str) -> None:
    """List the kinds of file, or tell all about KIND."""
    from sharedtask.pipelines.tasks import all_kinds, kind_named
    from sharedtask.schemas.describe import as_text, describe

    try:
        chosen = [kind_named(kind)] if kind else list(all_kinds())
    except KeyError as error:
        raise UnusableError(str(error.args[0])) from None
    if form == "json":
        told = [describe(one) for one in chosen]
        click.echo(json.dumps(told[0] if kind else told, indent=2, ensure_ascii=False))
    elif kind:
        click.echo(as_text(chosen[0]))
    else:
        width = max(len(one.name) for one in chosen)
        for one in chosen:
            click.echo(f"{one.name:<{width}}  {one.title}: {', '.join(column.official for column in one.columns)}")


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is written.",
)
def rules(form: str) -> None:
    """List the rules."""
    from sharedtask.schemas.catalogue import RULES

    if form == "json":
        told = [
            {
                "code": rule.code,
                "name": rule.name,
                "severity": str(rule.severity),
                "fixable": rule.fixable,
                "meaning": rule.meaning,
            }
            for rule in RULES
        ]
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return
    width = max(len(rule.name) for rule in RULES)
    for rule in RULES:
        click.echo(
            f"{rule.code}  {rule.severity:<7}  {'fix' if rule.fixable else '   '}  {rule.name:<{width}}  {rule.meaning}"
        )


@click.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Say what RULE (a code or a name) means, why it matters, and what to do."""
    from sharedtask.pipelines.render.rule import render_rule
    from sharedtask.schemas.catalogue import UnknownRuleError, find

    try:
        found = find(rule)
    except UnknownRuleError as error:
        raise UnusableError(str(error)) from None
    click.echo(render_rule(found), nl=False)
