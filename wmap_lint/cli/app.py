"""The commands and what they have in common."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wmap_lint.cli.check import check
from wmap_lint.cli.crd import app as crd
from wmap_lint.cli.explain import explain
from wmap_lint.cli.fuzz import fuzz
from wmap_lint.cli.inspect import inspect
from wmap_lint.cli.rules import rules
from wmap_lint.cli.terminal import complain, write

app = typer.Typer(
    name="wmap-lint",
    help="Lint WorkloadMap (Karta) definitions, and show what they make of a workload.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from wmap_lint import __version__

        write(f"wmap-lint {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that belong to no command."""
    if context.invoked_subcommand is None:
        raise typer.Exit(
            complain("say what to do: check, inspect, fuzz, crd, rules or explain. Try 'wmap-lint --help'.")
        )


for function in (check, inspect, fuzz, rules, explain):
    app.command()(function)
app.add_typer(crd)


def command() -> Any:
    """The whole of it as one command, which returns the exit code of the command that ran."""
    return typer.main.get_command(app)
