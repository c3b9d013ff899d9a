"""What a new version of a CRD does to definitions, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wmap_lint.diagnostic import Span
from wmap_lint.drift import Drift, described
from wmap_lint.report.characters import wrap
from wmap_lint.report.closing import count
from wmap_lint.report.style import Style

_INDENT = 11


def render_drift(found: Sequence[Drift], definitions: int, style: Style) -> str:
    """A block for each definition that something changes for, then what was compared::

    catalog/widget.yaml: Widget v1
      breaks   Widget v1 has no field …
               at 12:24, 31:20
      changes  `.status.ready`: integer, now string
               at 31:5
    """
    lines: list[str] = []
    for each in found:
        if each.breaks or each.changes:
            lines += [*_block(each, style), ""]
    breaks = sum(len(each.breaks) for each in found)
    changes = sum(len(each.changes) for each in found)
    looked_at = f"compared {count(len(found), 'definition')}"
    if definitions > len(found):
        others = definitions - len(found)
        looked_at += f" ({others:,} {'is' if others == 1 else 'are'} about kinds that the old CRDs do not define)"
    outcome = [style.paint(f"{breaks:,} broken", "error")] if breaks else []
    outcome += [style.paint(f"{changes:,} changed", "warning")] if changes else []
    verdict = ", ".join(outcome) or style.paint("nothing changes", "good")
    lines.append(f"{style.paint(f'{looked_at}: ', 'quiet')}{verdict}")
    return "".join(f"{line}\n" for line in lines)


def _block(each: Drift, style: Style) -> list[str]:
    gvk = each.definition.gvk
    kind = "" if gvk is None else f": {gvk.kind} {gvk.version}"
    lines = [style.paint(style.printable(f"{each.definition.document.source.file}{kind}"), "bold")]
    # What is wrong in the same words at several places is said once.
    rows: dict[tuple[str, str, str | None], list[str]] = {}
    for found in each.breaks:
        rows.setdefault(("breaks", found.message, found.hint), []).append(_written(found.span))
    for change in each.changes:
        rows.setdefault(("changes", described(change), None), []).append(_written(change.span))
    for (verdict, message, hint), places in rows.items():
        room = max(style.prose_width - _INDENT, 30)
        texts = [*wrap(style.printable(message), room, room)]
        texts += [] if hint is None else wrap(style.printable(hint), room, room)
        texts += [style.paint(line, "quiet") for line in wrap(f"at {', '.join(places)}", room, room)]
        label = style.paint(f"{verdict:<{_INDENT - 2}}", "error" if verdict == "breaks" else "warning")
        lines.append(f"  {label}{texts[0]}")
        lines += [f"{' ' * _INDENT}{text}" for text in texts[1:]]
    return lines


def _written(span: Span) -> str:
    return f"{span.line}:{span.column}"


def drift_json(found: Sequence[Drift], definitions: int) -> str:
    """``{"version": 1, "definitions": 3, "drift": [{"file", "kind", "breaks": [{"rule", "message", "hint", "line",
    "column"}], "changes": [{"path", "change", "line", "column"}]}]}``; ``definitions`` counts all that were looked at.
    """
    from wmap_lint.jq.flow import path_text

    answer: dict[str, Any] = {"version": 1, "definitions": definitions, "drift": []}
    for each in found:
        answer["drift"].append(
            {
                "file": each.definition.document.source.file,
                "kind": str(each.definition.gvk),
                "breaks": [
                    {"rule": one.rule, "message": one.message, "hint": one.hint, **_place(one.span)}
                    for one in each.breaks
                ],
                "changes": [
                    {"path": path_text(one.path), "change": one.change, **_place(one.span)} for one in each.changes
                ],
            }
        )
    return json.dumps(answer, indent=2) + "\n"


def _place(span: Span) -> dict[str, int]:
    return {"line": span.line, "column": span.column}
