"""``wmap-lint crd``: look fields up, and compare versions of a CRD."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from wmap_lint.cli.terminal import CLEAN, FINDINGS, ColorChoice, complain, takes_unicode, wants_color, width, write
from wmap_lint.report.style import Style

app = typer.Typer(
    name="crd",
    help="Look up the fields of a kind, and what a new version of its CRD does to definitions.",
    rich_markup_mode=None,
    no_args_is_help=False,
)

DEPTH = 4


class Format(enum.StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"


@app.callback(invoke_without_command=True)
def common(context: typer.Context) -> None:
    """Say what there is to do."""
    if context.invoked_subcommand is None:
        raise typer.Exit(complain("say what to do: show or diff. Try 'wmap-lint crd --help'."))


@app.command()
def show(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="A kind, its plural or short name, .group behind it if need be."),
    ],
    path: Annotated[
        str, typer.Argument(metavar="[.PATH]", help="Where to begin: .spec.groups[].template.", show_default=False)
    ] = "",
    crds: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Files and folders with CustomResourceDefinitions. May be repeated."),
    ] = None,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="The version; by default the stored one.")
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help=f"Levels that are shown: {DEPTH} as text, all as JSON, if not given."),
    ] = None,
    format: Annotated[Format, typer.Option(help="How the fields are written.")] = Format.TEXT,  # noqa: A002
    color: Annotated[ColorChoice, typer.Option(help="When to colour.")] = ColorChoice.AUTO,
) -> int:
    """Show the fields of a kind: their types, which are required, allowed values, where pod templates are.

    A star marks a required field, [] where a list or map is gone through.
    """
    from wmap_lint.configuration import ConfigurationError, configured
    from wmap_lint.crd import CrdError, CrdIndex
    from wmap_lint.outline import OutlineError, find_kind, outline

    try:
        schema = find_kind(CrdIndex.of(crds or configured().crds), kind, version)
        if format is Format.JSON:
            from wmap_lint.report.fields import outline_json

            write(outline_json(outline(schema, path, depth, fold=False)))
        else:
            from wmap_lint.report.fields import render_outline

            write(render_outline(outline(schema, path, depth or DEPTH), style(color)))
    except (ConfigurationError, CrdError, OutlineError) as error:
        return complain(str(error))
    return CLEAN


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A file or folder with CRDs.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A file or folder with newer versions of them.")],
    definitions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Definitions, files and folders. May be repeated. Default: the catalog of this folder, else the "
            "shipped one.",
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How the differences are written.")] = Format.TEXT,  # noqa: A002
    color: Annotated[ColorChoice, typer.Option(help="When to colour.")] = ColorChoice.AUTO,
) -> int:
    """Show which paths of which definitions break, or change their type, between two versions of CRDs.

    The exit code is 1 when something breaks, 0 when nothing does.
    """
    from wmap_lint.checker import UsageError, default_paths, definitions_in
    from wmap_lint.crd import CrdError, CrdIndex
    from wmap_lint.drift import drift

    try:
        known = [definition for _, definition in definitions_in(definitions or default_paths())]
        found = list(drift(known, CrdIndex.of([old]), CrdIndex.of([new])))
    except (CrdError, UsageError) as error:
        return complain(str(error))
    if format is Format.JSON:
        from wmap_lint.report.drift import drift_json

        write(drift_json(found, len(known)))
    else:
        from wmap_lint.report.drift import render_drift

        write(render_drift(found, len(known), style(color)))
    return FINDINGS if any(each.breaks for each in found) else CLEAN


def style(color: ColorChoice) -> Style:
    """How standard output is written to."""
    return Style(color=wants_color(color), width=width(), unicode=takes_unicode(sys.stdout))
