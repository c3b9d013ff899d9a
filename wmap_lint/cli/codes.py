"""Codes of rules on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def split_codes(values: Iterable[str] | None) -> tuple[str, ...]:
    """``["WM1,wm203", "WM5"]`` is ``("WM1", "WM203", "WM5")``."""
    return tuple(code.upper() for value in values or () for code in value.replace(",", " ").split())


def complete_code(incomplete: str) -> Iterator[tuple[str, str]]:
    """The rules whose code begins with what has been typed, for the shell."""
    from wmap_lint.rules import all_rules

    *others, last = incomplete.split(",")
    for rule in all_rules():
        if rule.code.startswith(last.upper()):
            yield ",".join((*others, rule.code)), rule.name
