"""`schemas`, `rules` and `explain`: what the tool knows."""

from importlib import import_module

import click

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.render.dump import dump

# Form of one kind -> the module of `schemas.exports` that makes it, and its function.
EXPORTS = {
    "markdown": ("markdown", "markdown"),
    "jsonschema": ("jsonschema", "json_schema"),
    "frictionless": ("frictionless", "table_schema"),
    "croissant": ("croissant", "croissant"),
    "arrow": ("arrow", "arrow_schema"),
}


@click.command()
@click.argument("kind", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *EXPORTS]),
    default="text",
    show_default=True,
    help="Format of the description; all but text and json need a KIND. jsonschema and arrow describe the canonical records, "
    "frictionless and croissant the official file.",
)
def schemas(kind: str | None, form: str) -> None:
    """List the file kinds, or describe KIND."""
    from sharedtask.pipelines.tasks import all_kinds, kind_named
    from sharedtask.schemas.describe import as_text, describe

    chosen = [kind_named(kind)] if kind else list(all_kinds())
    if form in EXPORTS:
        if not kind:
            raise click.UsageError(f"--format {form} describes one kind: sharedtask schemas KIND --format {form}")
        module, function = EXPORTS[form]
        schema = getattr(import_module(f"sharedtask.schemas.exports.{module}"), function)(chosen[0])
        click.echo(schema if isinstance(schema, str) else dump(schema, indented=True), nl=False)
    elif form == "json":
        every = [describe(one) for one in chosen]
        click.echo(dump(every[0] if kind else every, indented=True), nl=False)
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
    help="Format of the list.",
)
def rules(form: str) -> None:
    """List the rules."""
    from sharedtask.schemas.rules.catalogue import RULES

    if form == "json":
        listed = [
            {
                "code": rule.code,
                "name": rule.name,
                "severity": str(rule.severity),
                "fixable": rule.fixable,
                "meaning": rule.meaning,
            }
            for rule in RULES
        ]
        click.echo(dump(listed, indented=True), nl=False)
        return
    width = max(len(rule.name) for rule in RULES)
    for rule in RULES:
        click.echo(
            f"{rule.code}  {rule.severity:<7}  {'fix' if rule.fixable else '   '}  {rule.name:<{width}}  {rule.meaning}"
        )


@click.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Explain RULE (a code or a name): what it means, why it matters, what to do."""
    from sharedtask.pipelines.render.rule import render_rule
    from sharedtask.schemas.rules.catalogue import UnknownRuleError, find

    try:
        found = find(rule)
    except UnknownRuleError as error:
        raise UnusableError(str(error)) from None
    click.echo(render_rule(found), nl=False)
