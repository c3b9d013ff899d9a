"""``wmap-lint explain``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wmap_lint.cli.codes import complete_code
from wmap_lint.cli.terminal import complain, is_terminal, wants_color, width, write

if TYPE_CHECKING:
    from wmap_lint.rules.registry import Rule

WIDEST_PAGE = 100


def explain(
    codes: Annotated[
        list[str],
        typer.Argument(metavar="CODE", help="Codes of rules, or their names.", autocompletion=complete_code),
    ],
) -> int:
    """Print a rule's page: what it finds and why, what is wrong and right."""
    from wmap_lint.rules import all_rules

    known = all_rules()
    by_word = {word.upper(): rule for rule in known for word in (rule.code, rule.name)}
    pages = []
    for code in codes:
        rule = by_word.get(code.upper())
        if rule is None:
            return complain(f"there is no rule {code!r}{did_you_mean(code, known)}; `wmap-lint rules` lists them all")
        pages.append(page(rule))
    text = "\n".join(pages)
    write(laid_out(text) if is_terminal() else text)
    return 0


def page(rule: Rule) -> str:
    """The Markdown of a rule's page, or the little that is known where there is none."""
    try:
        return rule.documentation
    except FileNotFoundError:
        return f"# {rule.code} {rule.name}\n\n{rule.summary}\n"


def did_you_mean(code: str, known: Sequence[Rule]) -> str:
    """``, did you mean WM203?`` when something is near."""
    import difflib

    words = {word.upper(): word for rule in known for word in (rule.code, rule.name)}
    begun = [word for word in words if code and word.startswith(code.upper())]
    if begun:
        return f", did you mean {words[min(begun)]}?"
    near = difflib.get_close_matches(code.upper(), words, n=1, cutoff=0.6)
    return f", did you mean {words[near[0]]}?" if near else ""


def laid_out(text: str) -> str:
    """Markdown for a terminal."""
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=min(width(), WIDEST_PAGE),
        force_terminal=True,
        color_system="standard" if wants_color() else None,
        no_color=not wants_color(),
    )
    console.print(Markdown(text, code_theme="ansi_dark"))
    return buffer.getvalue()
