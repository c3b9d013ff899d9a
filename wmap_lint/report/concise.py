"""One line a finding, as editors and ``grep`` like it: ``file:line:column: CODE severity: message``."""

from __future__ import annotations

from wmap_lint.report.closing import closing_line
from wmap_lint.report.result import Result
from wmap_lint.report.style import Style


def render_concise(result: Result, style: Style) -> str:
    """The findings in reading order, then the line that says what was checked."""
    lines = []
    for diagnostic in sorted(result.diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        span = diagnostic.span
        place = style.paint(f"{style.printable(span.file)}:{span.line}:{span.column}:", "bold")
        label = style.severity(f"{diagnostic.rule} {diagnostic.severity.label}:", diagnostic.severity)
        lines.append(f"{place} {label} {style.printable(diagnostic.message)}")
    lines.append(closing_line(result, style))
    return "".join(f"{line}\n" for line in lines)
