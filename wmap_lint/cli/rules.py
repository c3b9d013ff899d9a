"""``wmap-lint rules``."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wmap_lint.cli.terminal import is_terminal, wants_color, width, write
from wmap_lint.report.characters import wrap
from wmap_lint.report.style import Style

if TYPE_CHECKING:
    from wmap_lint.rules.registry import Rule

NARROWEST_SUMMARY = 30


class TableFormat(enum.StrEnum):
    """How the table is written."""

    TEXT = "text"
    JSON = "json"


def rules(
    format: Annotated[TableFormat, typer.Option(help="How the table is written.")] = TableFormat.TEXT,  # noqa: A002
) -> int:
    """List the rules: code, severity, name, and what each finds."""
    from wmap_lint.rules import all_rules

    known = all_rules()
    if format is TableFormat.JSON:
        write(as_json(known))
    else:
        # One line a rule where a program reads; wrapped where a person does.
        write(as_table(known, Style(color=wants_color()), width() if is_terminal() else None))
    return 0


def as_table(known: Sequence[Rule], style: Style, columns: int | None) -> str:
    """A line a rule; what a rule finds is wrapped when ``columns`` are given."""
    names = max((len(rule.name) for rule in known), default=0)
    severities = max((len(rule.severity.label) for rule in known), default=0)
    lines = []
    for rule in known:
        indent = len(rule.code) + severities + names + 6
        room = len(rule.summary) if columns is None else max(columns - indent, NARROWEST_SUMMARY)
        summary = f"\n{' ' * indent}".join(wrap(rule.summary, room, room))
        severity = style.severity(f"{rule.severity.label:<{severities}}", rule.severity)
        lines.append(f"{style.paint(rule.code, 'bold')}  {severity}  {rule.name:<{names}}  {summary}\n")
    return "".join(lines)


def as_json(known: Sequence[Rule]) -> str:
    """``{"version": 1, "rules": [{"code", "name", "severity", "summary"}]}``."""
    import json

    entries = [
        {"code": rule.code, "name": rule.name, "severity": rule.severity.label, "summary": rule.summary}
        for rule in known
    ]
    return json.dumps({"version": 1, "rules": entries}, indent=2) + "\n"
