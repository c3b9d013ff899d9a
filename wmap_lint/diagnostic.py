"""What the toolkit says about a definition: a place in a file, and a sentence a person can act on (floor 0)."""

from __future__ import annotations

import enum
from typing import NamedTuple

from wmap_lint.record import Record


class Severity(enum.IntEnum):
    """How bad a finding is. Ordered: a threshold is a comparison."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The name as people read and type it: ``note``, ``warning``, ``error``."""
        return self.name.lower()


class Span(NamedTuple):
    """A stretch of a file.

    Lines and columns count from 1, columns in Unicode code points; the end is exclusive, so an empty span
    has ``end_line == line`` and ``end_column == column``. A file as a whole is ``Span(file, 1, 1, 1, 1)``.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def whole(cls, file: str) -> Span:
        """The place to point at when the file itself is the trouble."""
        return cls(file, 1, 1, 1, 1)


class Related(Record):
    """A second place that explains the first one."""

    span: Span
    message: str


class Edit(Record):
    """Replace the text of ``span`` by ``text``."""

    span: Span
    text: str


class Fix(Record):
    """A change that repairs the finding; ``description`` is an imperative sentence without a full stop."""

    description: str
    edits: tuple[Edit, ...]


class Diagnostic(Record):
    """One finding.

    ``message`` says what is wrong and why it matters, ``hint`` what to write instead: whole sentences of plain
    text, without line breaks.
    """

    rule: str
    severity: Severity
    message: str
    span: Span
    hint: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[Span, str, str]:
        """Reading order: by file, by place, then by rule."""
        return (self.span, self.rule, self.message)
