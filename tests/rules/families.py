"""Run rules over a text, without files and without the pipeline."""

from __future__ import annotations

import re

from wmap_lint.diagnostic import Diagnostic
from wmap_lint.rules import all_rules
from wmap_lint.rules.context import Context
from wmap_lint.rules.source_rules import SEVERAL_DEFINITIONS, UNKNOWN_KIND, Relation, classify, several_definitions
from wmap_lint.source import Document, read

FILE = "catalog/example-com-widget-v1.yaml"
RULES = {rule.code: rule for rule in all_rules()}
#: Not those about schemas: the paths in short texts are made up, and pods always have a schema.
HERE = frozenset(code for code in RULES if not code.startswith("WM3"))

TEMPLATE = """\
apiVersion: run.ai/v1alpha1
kind: WorkloadMap
metadata: {name: example-com-widget-v1}
spec:
  structureDefinition:
    rootComponent:
      name: widget
      kind: {group: example.com, version: v1, kind: Widget}
"""


def only(text: str) -> Document:
    """The one document of ``text``, which must be readable."""
    reading = read(text, FILE)
    assert not reading.problems, reading.problems
    (document,) = reading.documents
    return document


def check(text: str) -> list[Diagnostic]:
    """Findings for ``text``, in reading order."""
    reading = read(text, FILE)
    found = list(reading.problems)
    definitions = []
    for document in reading.documents:
        classification = classify(document)
        if classification.finding is not None:
            found.append(UNKNOWN_KIND.diagnostic(classification.finding))
        if classification.relation is Relation.OURS:
            definitions.append(document)
            context = Context.of(document)
            found += [diagnostic for code in sorted(HERE) for diagnostic in RULES[code].run(context)]
    found += [SEVERAL_DEFINITIONS.diagnostic(finding) for finding in several_definitions(definitions)]
    return sorted(found, key=lambda diagnostic: diagnostic.sort_key)


def places(text: str) -> list[tuple[str, int, int]]:
    """Rule, line and column of each finding."""
    return [(each.rule, each.span.line, each.span.column) for each in check(text)]


def marked(text: str) -> tuple[str, list[tuple[str, int, int]]]:
    """``text`` without its marks ``⟦CODE⟧``, and the findings they announce: each stands before what is wrong."""
    expected = []
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        while mark := re.search(r"⟦(\w+)⟧", line):
            expected.append((mark[1], number, mark.start() + 1))
            line = line[: mark.start()] + line[mark.end() :]
        lines.append(line)
    return "\n".join(lines), sorted(expected, key=lambda each: (each[1], each[2], each[0]))


def fixed(text: str) -> str:
    """``text`` with every fix applied, last one first."""
    edits = sorted(
        {edit for diagnostic in check(text) if diagnostic.fix for edit in diagnostic.fix.edits},
        key=lambda edit: edit.span,
        reverse=True,
    )
    lines = text.split("\n")
    for edit in edits:
        span = edit.span
        assert span.line == span.end_line
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + edit.text + line[span.end_column - 1 :]
    return "\n".join(lines)
