"""How a report for people looks: its colours, its width and its glyphs."""

from __future__ import annotations

from dataclasses import dataclass

from wmap_lint.diagnostic import Severity
from wmap_lint.report.characters import printable

CODES = {
    "bold": "1",
    "quiet": "2",
    "frame": "34",
    "good": "32",
    "help": "36",
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "running": "32",
    "done": "34",
    "failed": "31",
    "troubled": "33",
    "starting": "36",
}
WIDEST_PROSE = 110
"""Sentences longer than this are hard to read, however wide the terminal is."""


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to colour, how many columns there are, and whether more than ASCII can be shown."""

    color: bool = False
    width: int = 100
    unicode: bool = True

    def paint(self, text: str, role: str) -> str:
        """``text`` in the colour of ``role`` (a key of ``CODES``; a severity's label is one)."""
        return f"\x1b[{CODES[role]}m{text}\x1b[0m" if self.color and text else text

    def severity(self, text: str, severity: Severity) -> str:
        """``text`` in the colour of ``severity``."""
        return self.paint(text, severity.label)

    def printable(self, text: str) -> str:
        """``text``, safe to print."""
        return printable(text, unicode=self.unicode)

    @property
    def prose_width(self) -> int:
        """Columns for sentences."""
        return min(max(self.width, 40), WIDEST_PROSE)

    @property
    def bar(self) -> str:
        """Between line numbers and source."""
        return "│" if self.unicode else "|"

    @property
    def cut(self) -> str:
        """Where something was left out."""
        return "…" if self.unicode else "..."

    @property
    def separator(self) -> str:
        """Between the parts of a list."""
        return " · " if self.unicode else ", "
