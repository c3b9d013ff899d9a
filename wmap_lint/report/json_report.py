"""Findings for programs.

One JSON object, in ASCII, keys always in this order::

    {
      "version": 1,
      "summary": {"files": 1, "definitions": 1, "skipped_documents": 0, "fixtures": 0, "frames": 0,
                  "expressions": 12, "states": 0, "matchers": 0, "covered": 0, "rules": 61,
                  "all_states": false, "errors": 1, "warnings": 0, "notes": 0,
                  "typed": [{"definition": "catalog/a.yaml", "kind": "example.com/v1 Widget",
                             "crd": "widgets.example.com" or null, "crd_file": "crds/widgets.yaml" or null}]},
      "spaces": [
        {
          "definition": "…", "by_model": true, "complete": true, "combinations": 2916, "states": 1944, "seed": 1,
          "matchers": [{"status": "Running", "file": "…", "start": {…}, "end": {…}, "states": 12, "fixtures": ["…"]}]
        }
      ],
      "findings": [
        {
          "rule": "WM101", "name": "unknown-field", "severity": "error",
          "message": "…", "hint": "…" or null,
          "file": "catalog/a.yaml", "start": {"line": 4, "column": 7}, "end": {"line": 4, "column": 12},
          "related": [{"message": "…", "file": "…", "start": {…}, "end": {…}}],
          "fix": {"description": "…", "edits": [{"file": "…", "start": {…}, "end": {…}, "text": "…"}]} or null
        }
      ]
    }

Lines and columns count from 1, columns in Unicode code points; the end is exclusive. A file as a whole is
1:1 to 1:1. ``spaces`` says what of each definition's states was looked at, by a model or guessed, all of them or a
sample drawn by ``seed``, and how often each matcher fires. ``name`` is left out for a rule whose name is not known.
Findings are in reading order. Fields may be added; ``version`` changes when one is taken away or means something
else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wmap_lint.diagnostic import Diagnostic, Severity, Span
from wmap_lint.report.result import Result, StateSpace

VERSION = 1
_COUNTS = (
    "files",
    "definitions",
    "skipped_documents",
    "fixtures",
    "frames",
    "expressions",
    "states",
    "matchers",
    "covered",
    "rules",
)


def render_json(result: Result, rule_names: Mapping[str, str]) -> str:
    """The object described above, indented by two."""
    diagnostics = sorted(result.diagnostics, key=lambda diagnostic: diagnostic.sort_key)
    summary: dict[str, Any] = {name: getattr(result.summary, name) for name in _COUNTS}
    summary["all_states"] = result.summary.all_states
    for severity in sorted(Severity, reverse=True):
        summary[f"{severity.label}s"] = sum(diagnostic.severity == severity for diagnostic in diagnostics)
    summary["typed"] = [
        {"definition": each.definition, "kind": each.kind, "crd": each.crd, "crd_file": each.crd_file}
        for each in result.summary.typed
    ]
    findings = [_finding(diagnostic, rule_names) for diagnostic in diagnostics]
    spaces = [_space(space) for space in result.spaces]
    return json.dumps({"version": VERSION, "summary": summary, "spaces": spaces, "findings": findings}, indent=2) + "\n"


def _space(space: StateSpace) -> dict[str, Any]:
    return {
        **{
            name: getattr(space, name)
            for name in ("definition", "by_model", "complete", "combinations", "states", "seed")
        },
        "matchers": [
            {"status": each.status, **_place(each.span), "states": each.states, "fixtures": list(each.fixtures)}
            for each in space.matchers
        ],
    }


def _finding(diagnostic: Diagnostic, rule_names: Mapping[str, str]) -> dict[str, Any]:
    finding: dict[str, Any] = {"rule": diagnostic.rule}
    if diagnostic.rule in rule_names:
        finding["name"] = rule_names[diagnostic.rule]
    finding |= {"severity": diagnostic.severity.label, "message": diagnostic.message, "hint": diagnostic.hint}
    finding |= _place(diagnostic.span)
    finding["related"] = [{"message": related.message, **_place(related.span)} for related in diagnostic.related]
    fix = diagnostic.fix
    finding["fix"] = fix and {
        "description": fix.description,
        "edits": [{**_place(edit.span), "text": edit.text} for edit in fix.edits],
    }
    return finding


def _place(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }
