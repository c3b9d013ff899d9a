"""The last line: what was checked and what came of it.

"Nothing found" must never be mistaken for "nothing checked", so the line counts both.
"""

from __future__ import annotations

from collections import Counter

from wmap_lint.diagnostic import Severity
from wmap_lint.report.result import Result
from wmap_lint.report.style import Style


def count(number: int, noun: str) -> str:
    """``1 file``, ``1,234 files``, ``no files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if number else f"no {noun}s"


def closing_line(result: Result, style: Style) -> str:
    """One sentence, without a line end."""
    return f"{style.paint(_looked_at(result, style), 'bold' if _nothing(result) else 'quiet')}{_outcome(result, style)}"


def _nothing(result: Result) -> bool:
    return result.summary.definitions == 0


def _looked_at(result: Result, style: Style) -> str:
    summary = result.summary
    if summary.files == 0:
        return "nothing was checked: no definition found"
    if _nothing(result):
        names = list(result.sources)
        where = style.printable(names[0]) if summary.files == len(names) == 1 else count(summary.files, "file")
        return f"nothing was checked: no definition found in {where}"
    parts = [count(summary.definitions, "definition") + _not_typed(result)]
    parts.append(count(summary.fixtures - summary.frames, "scenario"))
    if summary.frames:
        parts.append(count(summary.frames, "frame"))
    parts.append(count(summary.expressions, "expression"))
    if summary.fixtures or summary.states:
        is_sample = any(space.by_model and not space.complete for space in result.spaces)
        which = "all " if summary.all_states else ""
        proven = " proven" if summary.all_states and not result.diagnostics else ""
        parts.append(f"{which}{count(summary.states, 'sampled state' if is_sample else 'state')}{proven}")
    if summary.matchers:
        covered = "all" if summary.covered == summary.matchers else f"{summary.covered:,} of"
        parts.append(f"{covered} {count(summary.matchers, 'matcher')} covered")
    parts.append(count(summary.rules, "rule"))
    looked_at = f"checked {style.separator.join(parts)}"
    if summary.skipped_documents:
        looked_at += f" ({count(summary.skipped_documents, 'other document')} skipped)"
    return looked_at


def _not_typed(result: Result) -> str:
    """How many definitions no CRD was given for."""
    missing = result.summary.definitions - len(result.summary.typed)
    if not missing:
        return ""
    return " (no CRD)" if result.summary.definitions == 1 else f" (no CRD for {missing:,})"


def _outcome(result: Result, style: Style) -> str:
    counts = Counter(diagnostic.severity for diagnostic in result.diagnostics)
    if not counts:
        return "" if _nothing(result) else style.paint(": ", "quiet") + style.paint("no findings", "good")
    parts = [
        style.severity(count(counts[severity], severity.label), severity)
        for severity in sorted(Severity, reverse=True)
        if counts[severity]
    ]
    return f"{style.paint(': ', 'quiet')}{', '.join(parts)}"
