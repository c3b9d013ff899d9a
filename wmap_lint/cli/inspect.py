"""``wmap-lint inspect``."""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wmap_lint.cli.terminal import (
    CLEAN,
    NO_DEFINITION,
    ColorChoice,
    complain,
    takes_unicode,
    wants_color,
    width,
    write,
)

if TYPE_CHECKING:
    from wmap_lint.resolve.view import WorkloadView


class Output(enum.StrEnum):
    """How a workload is shown."""

    TREE = "tree"
    JSON = "json"
    YAML = "yaml"


def inspect(
    file: Annotated[
        Path,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="Manifests, YAML or JSON: a workload, and its pods and their owners if there are any. - is standard "
            "input.",
        ),
    ],
    output: Annotated[Output, typer.Option("--output", "-o", help="How the workload is shown.")] = Output.TREE,
    definition: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A definition, or a folder of them, instead of the catalog.", exists=True),
    ] = None,
    pods: Annotated[bool, typer.Option("--pods/--no-pods", help="Whether pods are listed.")] = True,
    pod_limit: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Pods shown of each role, healthy ones hidden first; 0 is all of them."),
    ] = 20,
    gangs: Annotated[
        bool, typer.Option("--gangs", help="Print the PodGroup objects that KAI would make, and nothing else.")
    ] = False,
    color: Annotated[ColorChoice, typer.Option(help="When to colour.")] = ColorChoice.AUTO,
) -> int:
    """Show what a definition makes of a workload: its status, roles, pods, resources and gangs.

    The exit code is 0 even when there are problems, which are listed; 2 when the file cannot be read, 3 when no
    definition covers what is in it.
    """
    from wmap_lint.catalog import Catalog, DefinitionError, Resolver
    from wmap_lint.inspection import UnreadableError, first_uncovered, read_objects, select
    from wmap_lint.jq.engine import EngineUnavailable

    name = "<stdin>" if str(file) == "-" else str(file)
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        objects = read_objects(data, name)
        catalog = Catalog.builtin() if definition is None else Catalog.load(definition)
    except OSError as error:
        return complain(f"{name} cannot be read: {error.strerror or error}")
    except (UnreadableError, DefinitionError) as error:
        return complain(str(error))
    if not len(catalog):
        return complain(f"there is no WorkloadMap or Karta for a kind in {definition}")
    selection = select(objects, catalog)
    if not selection.requests:
        workload = first_uncovered(objects)
        if workload is None:
            return complain(f"{name} holds no object")
        return uncovered(workload, output, definition)
    try:
        with Resolver() as resolver:
            views = list(resolver.resolve_many(selection.requests))
    except EngineUnavailable as error:
        return complain(str(error))
    for note in selection.notes:
        complain(note)
    if gangs:
        show_gangs(views, output)
    elif output is Output.TREE:
        from wmap_lint.report.style import Style
        from wmap_lint.report.tree import TreeOptions, render_tree

        style = Style(color=wants_color(color), width=width(), unicode=takes_unicode(sys.stdout))
        write("\n".join(render_tree(view, style, TreeOptions(pods, pod_limit)) for view in views))
    else:
        show([view.to_dict(pods=pods) for view in views], output)
    return CLEAN


def uncovered(workload: Any, output: Output, definition: Path | None) -> int:
    """Say that there is no definition for ``workload``, to people and to programs."""
    from wmap_lint.inspection import described

    what = described(workload)
    message = f"no definition covers {what}"
    hint = "write one and name it with --definition FILE; docs and the catalog show how"
    if definition is not None:
        hint = f"{definition} is about other kinds; without --definition the catalog is asked"
    complain(f"{message}; {hint}")
    if output is not Output.TREE:
        answer = {
            "error": "no_definition",
            "apiVersion": workload.get("apiVersion"),
            "kind": workload.get("kind"),
            "message": message,
            "hint": hint,
        }
        show([answer], output)
    return NO_DEFINITION


def show_gangs(views: Sequence[WorkloadView], output: Output) -> None:
    """Print the PodGroup objects; say for whom there are none, and why."""
    for view in views:
        if not view.pod_groups:
            complain(f"{view.kind} {view.name} has no pod group: its definition gangs nothing, or KAI refuses it")
        for problem in view.problems:
            if problem.kind == "gang":
                complain(problem.message)
    groups = [dict(group) for view in views for group in view.pod_groups]
    if output is Output.JSON and len(groups) != 1:
        show([{"apiVersion": "v1", "kind": "List", "items": groups}], output)
    elif groups:
        show(groups, Output.JSON if output is Output.JSON else Output.YAML)


def show(answers: Sequence[dict[str, Any]], output: Output) -> None:
    """Print one answer, or several: a JSON array of them, or a YAML document each."""
    if output is Output.JSON:
        write(json.dumps(answers[0] if len(answers) == 1 else answers, indent=2) + "\n")
        return
    import yaml

    write(
        yaml.safe_dump_all(
            answers,
            sort_keys=False,
            allow_unicode=takes_unicode(sys.stdout),
            width=120,
            explicit_start=len(answers) > 1,
        )
    )
