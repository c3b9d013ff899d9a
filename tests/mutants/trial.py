"""Whether a check finds a mutant: the rules over it, the quick ones first, until one of them has something to say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wmap_lint.crd import CrdIndex
from wmap_lint.definition import Definition, load
from wmap_lint.diagnostic import Diagnostic
from wmap_lint.fixtures import fixtures_folder, load_corpus
from wmap_lint.jq.engine import Engine
from wmap_lint.rules import Rule, all_rules
from wmap_lint.rules.consequences import without_consequences
from wmap_lint.rules.context import Context
from wmap_lint.source import read, read_file

#: Beginnings of the codes of rules that evaluate nothing.
_READING = ("WM0", "WM1", "WM2")
#: Of the rules that look at all states, which takes longest.
_STATES = ("WM52", "WM53")


class Trial:
    """Checks changed versions of one definition, against its fixtures and its model. Close it, or use ``with``."""

    def __init__(self, path: Path, crds: CrdIndex | None = None) -> None:
        (document,) = read_file(path).documents
        self.path = path
        self.definition: Definition = load(document)
        self.crds = crds
        self.corpus = load_corpus(fixtures_folder(path, self.definition.name), self.definition.gvk)
        self.engine = Engine()
        rules = [rule for rule in all_rules() if rule.check is not None and not rule.code.startswith("WM3")]
        self.reading = [rule for rule in rules if rule.code.startswith(_READING)]
        self.states = [rule for rule in rules if rule.code.startswith(_STATES)]
        self.running = [rule for rule in rules if rule not in self.reading and rule not in self.states]
        self.typing = [rule for rule in all_rules() if rule.check is not None and rule.code.startswith("WM3")]

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.close()

    def found_without_crds(self, data: Any) -> str | None:
        """The code of a finding in a definition, of whatever severity; None when nothing is found."""
        context = self._context(data, None)
        return next(self._found(context, (self.reading, self.typing, self.running, self.states)), None)

    def found_by_types(self, data: Any) -> str | None:
        """The same by the rules that a CRD brings."""
        return next(self._found(self._context(data, self.crds), (self.typing,)), None) if self.crds else None

    def all_findings(self, data: Any) -> list[Diagnostic]:
        """All that a check finds."""
        context = self._context(data, self.crds)
        rules = (*self.reading, *self.typing, *self.running, *self.states)
        return list(
            without_consequences(context.definition, [each for rule in rules for each in context.diagnostics(rule)])
        )

    def _context(self, data: Any, crds: CrdIndex | None) -> Context:
        # JSON is YAML. What a long text means does not depend on how it is written.
        (document,) = read(json.dumps(data, ensure_ascii=False), str(self.path)).documents
        return Context(document, load(document), self.corpus, self.engine, crds or CrdIndex())

    def _found(self, context: Context, stages: tuple[list[Rule], ...]) -> Iterator[str]:
        for rules in stages:
            if rules is self.running:
                context.begin()
            for rule in rules:
                for diagnostic in context.diagnostics(rule):
                    yield diagnostic.rule
