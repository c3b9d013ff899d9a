"""What a check found, for people and for programs (floor 6).

One call, :func:`render`; one module a format. A report is a pure function of the result: it reads no file and
prints nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wmap_lint.report.result import Result

FORMATS = ("text", "concise", "json")
"""The names :func:`render` knows."""


def render(
    result: Result,
    format: str,  # noqa: A002 - the word of the command line
    color: bool = False,
    width: int = 100,
    *,
    unicode: bool = True,
    rule_names: Mapping[str, str] | None = None,
) -> str:
    """``result`` in ``format``, with a line end at the end.

    :param color: whether ANSI colours are wanted; formats for programs never have any.
    :param width: columns of the terminal.
    :param unicode: whether the reader's encoding can take more than ASCII.
    :param rule_names: the names of rules by code, for formats that give them.
    :raises ValueError: the format is unknown.
    """
    if format == "json":
        from wmap_lint.report.json_report import render_json

        return render_json(result, rule_names or {})
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}")
    from wmap_lint.report.style import Style

    style = Style(color=color, width=width, unicode=unicode)
    if format == "concise":
        from wmap_lint.report.concise import render_concise

        return render_concise(result, style)
    from wmap_lint.report.text import render_text

    return render_text(result, style)
