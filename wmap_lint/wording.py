"""Texts of others made fit for a sentence (floor 0)."""

from __future__ import annotations

from collections.abc import Iterable


def shortened(text: str, limit: int = 80) -> str:
    """``text`` on one line, of ``limit`` characters at most: what is cut off ends in "…"."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def capitalised(text: str) -> str:
    """``text`` with its first letter in upper case and the others as they are: names keep theirs."""
    return text[:1].upper() + text[1:]


def joined(words: Iterable[str], last: str = "and") -> str:
    """At least one word as a sentence lists them: "a, b and c"."""
    *others, final = words
    return f"{', '.join(others)} {last} {final}" if others else final


def listed(names: Iterable[str], last: str = "and") -> str:
    """The same of names: "`a`, `b` and `c`"."""
    return joined((f"`{name}`" for name in names), last)
